"""Without a browser nothing is shown."""

from crawl.scripted import task
from strandline.core.shown import Shown
from strandline.crawl.browsing import NoBrowsing


def test_nothing_is_shown_without_a_browser():
    none = NoBrowsing()
    assert none.browser is None
    assert not none.may_show(task())
    assert not none.decide(task(), b"<div id=root></div>").show
    shown = Shown(1, 0.0, "settled")
    assert none.saw(task(), b"", shown) is shown
