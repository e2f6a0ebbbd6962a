import pytest

from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.noise.line_parts import lines_apart, moved_parts, position_of, set_back_parts
from strandline.dom.html import blocks


def moved(before, after):
    return [(part.before, part.after) for part in moved_parts(before, after)]


def pages(*mains):
    return [blocks(f"<main><h1>At the weir</h1>{main}</main>".encode()) for main in mains]


@pytest.mark.parametrize(
    ("before", "after", "parts"),
    [
        ("Seats 12 | Doors open at 19:30", "Seats 9 | Doors open at 20:30", [("12", "9")]),
        ("4.3 (120 votes) Runs well", "4.3 (131 votes) Came late", [("120", "131"), ("Runs well", "Came late")]),
        ("Lent: 12 books, 3 films", "Lent: 17 books, 5 films", [("12", "17"), ("3", "5")]),
        ("▲ 0.4 % · 12 trades", "▼ 0.9 % · 14 trades", [("▲ 0.4", "▼ 0.9"), ("12", "14")]),
        ("Most read Ebb Salt Tide", "Most read Tide Ebb Polder", [("read Ebb Salt Tide", "read Tide Ebb Polder")]),
        ("Storm hits the coast", "Council opens a school", []),
        ("Storm", "Storm", []),
    ],
)
def test_parts_of_a_line_that_are_others(before, after, parts):
    assert moved(before, after) == parts


def test_a_part_has_the_same_key_whatever_the_others_say():
    one = moved_parts("On air: Dawn · 42 listen", "On air: Nightfall – Ada · 51 listen")
    other = moved_parts("On air: News · 42 listen", "On air: Dawn · 42 listen")
    assert one[0].key == other[0].key


def test_a_line_is_set_back_where_its_parts_stand():
    before, after = "On air: Dawn · 42 listen · free", "On air: Nightfall · 51 listen · 4 EUR"
    parts = list(moved_parts(before, after))
    assert set_back_parts(after, parts[:2]) == "On air: Dawn · 42 listen · 4 EUR"
    assert set_back_parts(after, parts) == before


def test_lines_that_begin_alike_are_found_however_little_of_them_stays():
    texts = "<p>Boats for hire by the hour, by the day or by the week, all year.</p><p>{}</p>"
    old, new = pages(texts.format("Asked most: What if it rains?"), texts.format("Asked most: Who may row alone here?"))
    delta = compare(old, new)
    assert set(lines_apart(delta).values()) <= {"Asked most: What if it rains?"}


def test_a_short_text_is_known_by_the_one_before_it_that_always_stood():
    page = "<ul><li>More like this<li>{}<li>{}</ul><p>Boats for hire by the hour or by the day.</p>"
    old, new = pages(page.format("Ebb", "Salt"), page.format("Tide", "Polder"))
    delta = compare(old, new)
    block = next(block for block in new.blocks if "Polder" in block.texts)
    assert position_of(delta, block, "Polder", lambda text: text == "More like this") == "p More like this 2"
    assert not position_of(delta, block, "Polder", lambda _: False)
