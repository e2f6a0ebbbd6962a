"""From settings to browsers: none where none is wanted, an error where one is and there is none."""

import pytest

from strandline.browser.chromium import Means
from strandline.crawl import browsers
from strandline.crawl.browsing import LookNotes, NoBrowsing
from strandline.errors import SettingError
from strandline.settings.capture import CaptureSettings

NONE = Means("", (), apart=False, sandbox=False)
NOTES = LookNotes(lambda kind, key: None, lambda kind, values: None)
SOME = Means("/bin/false", (), apart=False, sandbox=False)


def given(monkeypatch, how):
    monkeypatch.setattr(browsers, "means", lambda: how)


def test_nothing_is_started_where_no_page_is_shown(monkeypatch):
    given(monkeypatch, NONE)
    with browsers.browsing_of(CaptureSettings(), lambda: None, NOTES) as browsing:
        assert isinstance(browsing, NoBrowsing)


def test_pages_that_are_always_shown_need_a_browser(monkeypatch):
    given(monkeypatch, NONE)
    settings = CaptureSettings(browser_sites=("example.org always",))
    with pytest.raises(SettingError, match="no Chromium"), browsers.browsing_of(settings, lambda: None, NOTES):
        pass
    with browsers.browsing_of(CaptureSettings(browser="auto"), lambda: None, NOTES) as browsing:
        assert isinstance(browsing, NoBrowsing)


def test_bounds_are_those_of_the_settings(monkeypatch):
    given(monkeypatch, SOME)
    settings = CaptureSettings(browser="always", browsers=3, page_requests=7, memory=5 << 28, screenshots=True)
    with browsers.browsing_of(settings, lambda: None, NOTES) as browsing:
        pages = browsing.browser
        assert pages.free == 3
        assert (pages.bounds.requests, pages.bounds.memory, pages.wishes.screenshots) == (7, 5 << 28, True)
