"""What changed is framed, and what stayed beside it is not."""

from strandline.core.changes.framing import MOST, ChangedText, frames
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
