"""When what was found appeared on pages and vanished, in the order of time."""

from strandline.store.histories import BlockLife
from strandline.study.searching import over_time


def life(url, first, gone=None, text="a sentence"):
    return BlockLife(url, 1, "", text, first, gone or 99.0, gone)


def test_pages_show_it_while_any_block_does():
    found = [
        life("b", 2.0, 7.0),
        life("a", 1.0, 4.0),
        life("a", 4.0, 6.0, "moved"),
        life("a", 5.0, 8.0),
        life("b", 9.0),
    ]
    turns = [(turn.time, turn.event, turn.url, turn.pages) for turn in over_time(found)]
    assert turns == [
        (1.0, "appeared", "a", 1),
        (2.0, "appeared", "b", 2),
        (7.0, "vanished", "b", 1),
        (8.0, "vanished", "a", 0),
        (9.0, "appeared", "b", 1),
    ]
    assert over_time([]) == []
