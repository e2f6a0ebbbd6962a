"""What changed is framed, and what stayed beside it is not."""

from strandline.core.changes.delta.framing import MOST, ChangedText, best_part, frames
from strandline.core.pictures import Box

TITLE, STORY, FOOT = (Box(0, 20 * n, 100, 20, text) for n, text in enumerate(("News", "A  storm came", "Imprint")))


def test_a_text_that_came_is_framed_and_what_stayed_is_not():
    assert frames([TITLE, STORY, FOOT], [ChangedText("News a storm came", "News")]) == [STORY]
    assert frames([TITLE, STORY, FOOT], [ChangedText("imprint", ""), ChangedText("news", "")]) == [TITLE, FOOT]


def test_nothing_is_framed_where_nothing_changed():
    assert frames([TITLE, STORY], []) == []
    assert frames([TITLE, STORY], [ChangedText("News", "news")]) == []
    assert frames([Box(0, 0, 9, 9, " ")], [ChangedText("x", "")]) == []


def test_there_is_an_end_to_frames():
    assert len(frames([STORY] * (MOST + 5), [ChangedText("a storm came", "")])) == MOST


def test_a_part_shows_as_much_of_what_is_framed_as_one_can():
    near = [Box(0, 2000, 50, 20, "a"), Box(0, 2100, 50, 20, "b")]
    assert best_part([Box(0, 10, 50, 20, "c"), *near], 5000, 300) == (1960, 2260)
    assert best_part([], 5000, 300) == (0, 300), "the top of a page where nothing is framed"
    assert best_part(near, 200, 300) == (0, 200), "no more than there is"
    assert best_part([Box(0, 4990, 50, 10, "d")], 5000, 300) == (4700, 5000), "nor behind its end"
    assert best_part([Box(0, 100, 50, 4000, "e")], 5000, 300) == (100 - 40, 360), "of a large block its beginning"


def test_of_a_line_that_stands_on_a_page_often_none_is_framed_because_one_was_cut_into_another_block():
    lines = [Box(0, 20 * n, 100, 20, "more text") for n in range(30)]
    changed = [ChangedText("seven boats left more text", "six boats left")]
    new = Box(0, 900, 100, 20, "Seven boats left")
    assert frames([*lines, new], changed, lines) == [new]
    assert len(frames([*lines, new], changed, lines[1:])) == 31, "it stands there once more: nobody knows which"
    assert frames([lines[0], new], changed, [lines[0]]) == [lines[0], new], "one that is meant is framed"
