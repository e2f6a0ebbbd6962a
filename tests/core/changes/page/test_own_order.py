"""Entries that came to lists, by the texts around them."""

from hypothesis import given
from hypothesis import strategies as st

from strandline.core.changes.page.own_order import OwnOrder

LISTED = ["Jobs", "Nurse", "Leeds", "Cook", "York", "Driver", "Hull"]
LONG = ["A paragraph that goes on and on about the harbour. " * 4 + str(number) for number in range(4)]


def order(old: list[str], new: list[str], listing: bool = False) -> OwnOrder:
    return OwnOrder(old, new, frozenset(), frozenset(new).difference(old), "en", listing)


@given(st.integers(1, len(LISTED)))
def test_an_entry_is_found_wherever_in_the_list_it_came(place):
    new = [*LISTED[:place], "12 May 2026", "Midwife", "38", *LISTED[place:]]
    assert order(LISTED, new).entries == {"Midwife"}


def test_entries_apart_are_entries_each_and_those_of_a_run_are_one():
    assert order(LISTED, ["Jobs", "Porter", "Nurse", "Leeds", "Baker", *LISTED[3:]]).entries == {"Porter", "Baker"}
    assert order(LISTED, ["Jobs", "Porter", "Baker", *LISTED[1:]]).entries == {"Porter"}
    assert order(LISTED, [*LISTED, "Porter", "Leeds", "part time"]).entries == {"Porter"}, "one row"


def test_what_comes_between_paragraphs_is_no_entry_unless_the_page_is_a_list():
    new = [LONG[0], "Read more", *LONG[1:]]
    assert order(LONG, new).entries == frozenset()
    assert order(LONG, new, listing=True).entries == {"Read more"}


def test_an_edited_text_is_no_entry_and_hides_none():
    new = [*LISTED[:-2], "Driver of the tram", "Hull", "Porter"]
    assert OwnOrder(LISTED, new, frozenset({"Driver of the tram"}), frozenset(), "en", False).entries == {"Porter"}


def test_a_page_of_two_texts_has_no_list():
    assert order(["Jobs", "Nurse"], ["Jobs", "Nurse", "Cook"]).entries == frozenset()


def test_boxes_are_found_among_what_came_and_what_left():
    box = ["We use cookies to count visits.", "Accept"]
    assert set(order(LISTED, [*box, *LISTED]).boxes_that_came) == set(box)
    assert set(order([*box, *LISTED], LISTED).boxes_that_left) == set(box)
    assert order(LISTED, [*LISTED, "Midwife"]).boxes_that_came == {}


def test_an_entry_that_left_the_upper_part_is_told_from_one_that_passed_on():
    left = order(LISTED, LISTED[2:-1])
    assert left.left_the_top("Jobs")
    assert not left.left_the_top("Hull")
    assert not left.grew


def test_an_entry_that_left_is_told_with_all_it_had():
    assert order(LISTED, LISTED[:3] + LISTED[5:]).gone == {"Cook": ["Cook", "York"]}
    assert order(LISTED, LISTED[:-2]).gone == {"Driver": ["Driver", "Hull"]}
    assert order(LISTED, LISTED).gone == {}


def test_where_anything_came_entries_are_pushed_off():
    assert order(LISTED, ["Jobs", "Porter", "Rhyl", *LISTED[1:-2]]).gone == {}
    assert order(LISTED, ["Jobs", LONG[0], *LISTED[1:-2]]).gone == {}


def test_the_first_of_a_list_of_dates_is_over_and_a_later_one_gone():
    dates = ["Dates", "3 May Songs", "9 May Market", "14 May Mill", "21 May Boats"]
    assert order(dates, [dates[0], *dates[2:]]).gone == {}
    assert list(order(dates, [*dates[:2], *dates[3:]]).gone) == ["9 May Market"]


def test_what_was_on_the_page_before_pushes_nothing_off():
    left = LISTED[:3] + LISTED[5:]
    assert order(LISTED, ["Most read", *left]).gone == {}
    assert OwnOrder(LISTED, ["Most read", *left], frozenset(), frozenset(), "en", False).gone == {
        "Cook": ["Cook", "York"]
    }
