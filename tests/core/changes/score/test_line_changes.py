"""A line that says several things counts by those of its parts that rest."""

import pytest

from core.changes.score.test_restless import scores

AIR = "<p>The hut is open all day.</p><p>On air: {} · {} listen{}</p><p>Bring a cup.</p>"
SONGS = ("Dawn", "Nightfall", "News", "Oktober", "Paper boat", "Glass", "Harbour", "Late train")
HEARD = (42, 17, 51, 33, 29, 48, 12, 37)
ON_AIR = [AIR.format(song, heard, "") for song, heard in zip(SONGS, HEARD, strict=True)]


def test_a_counter_and_a_text_that_turns_in_one_line_say_nothing():
    assert max(scores(ON_AIR)[3:]) < 0.015


@pytest.mark.parametrize("said", [" · Cancelled", " · 4 € a day"])
def test_what_else_such_a_line_says_counts(said):
    found = scores([*ON_AIR, AIR.format("Dawn", 58, said)])
    assert found[-1] >= 0.03


def test_a_price_in_such_a_line_counts_at_every_look():
    line = "<p>The hut is open all day.</p><p>A night: {} € · {} people look</p><p>Bring a cup.</p>"
    found = scores(
        [line.format(price, heard) for price, heard in zip((9, 12, 11, 14, 10, 13, 15, 8), HEARD, strict=True)]
    )
    assert min(found) >= 0.5


def test_a_term_in_such_a_line_counts_at_every_look():
    line = "<p>The hut is open all day.</p><p>Notice: {} days · {} people look</p><p>Bring a cup.</p>"
    found = scores([line.format(days, heard) for days, heard in zip((9, 12, 11, 14, 10, 13), HEARD, strict=False)])
    assert min(found) >= 0.3


def test_a_result_counts_at_every_look():
    line = "<p>The hut is open all day.</p><p>Rovers {} : {} United</p><p>Bring a cup.</p>"
    assert min(scores([line.format(goals, goals // 2) for goals in range(1, 9)])) >= 0.015


def test_what_stood_for_long_counts_when_it_moves():
    still = AIR.format("Dawn", 42, "")
    moved = AIR.format("Dawn", 57, "")
    assert scores([still] * 6 + [moved])[-1] >= 0.03


def test_two_numbers_of_a_line_that_are_others_at_once_are_counted():
    line = "<p>The hut is open all day.</p><p>Yes {} No {}</p><p>Bring a cup.</p>"
    found = scores([line.format(41, 17), line.format(42, 9), line.format(43, 31)])
    assert max(found) < 0.015
    sentence = "<p>The hut is open all day.</p><p>Quiet is kept from {} to {} by all who sleep.</p><p>Bring a cup.</p>"
    assert min(scores([sentence.format(22, 6), sentence.format(21, 7)])) >= 0.3


def test_texts_that_stand_in_turn_in_several_places():
    names = [("Ebb", "Salt"), ("Tide", "Polder"), ("Salt", "Storm"), ("Polder", "Ebb"), ("Storm", "Tide")] * 3
    page = "<p>The hut is open all day.</p><p>More like this</p><p>{}</p><p>{}</p><p>Bring a cup.</p>"
    assert max(scores([page.format(*pair) for pair in names])[8:]) < 0.015


def test_new_words_in_a_text_that_always_stood_count_more_than_an_edit():
    page = "<p>Boats for hire.</p><p>The hirer repairs what was broken by waves{}.</p><p>{} people look</p>"
    still = [page.format("", heard) for heard in HEARD[:5]]
    one = scores([*still, page.format(" and driftwood", 61)])[-1]
    more = scores([*still, page.format(", rocks, otters, herons and driftwood", 61)])[-1]
    assert 0.1 <= one < 0.3 <= more


def test_a_date_that_is_another_one_in_a_row_that_ticks_counts():
    row = "<li>{} · until {} March · used {} times</li>"
    pots = ("Pots", "Pans", "Cups", "Jars")
    lists = [
        f"<ul>{''.join(row.format(pot, 12 + n, HEARD[look] + 3 * look) for n, pot in enumerate(pots))}</ul>"
        for look in range(7)
    ]
    changed = lists[-1].replace("until 13 March", "until 28 March").replace("used 12", "used 15")
    found = scores(["<p>Vouchers of the week.</p>" + text for text in [*lists, changed]])
    assert found[-1] >= 0.1
