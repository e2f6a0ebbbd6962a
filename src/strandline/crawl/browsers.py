"""The browsers of a crawl: from settings to what shows pages, and back to nothing when the crawl is over."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import random
from typing import Final

from strandline.browser.chromium import Means, means
from strandline.browser.load_bounds import Bounds, Wishes
from strandline.browser.pages import ChromiumPages
from strandline.core.logins import Cookies, no_cookies
from strandline.crawl.browse_learned import LearnedBrowsing
from strandline.crawl.browse_sites import ALWAYS, NEVER, SiteBrowsing
from strandline.crawl.browsing import Browsing, LookNotes, NoBrowsing
from strandline.dom.documents import Documents
from strandline.errors import SettingError
from strandline.settings import texts
from strandline.settings.capture import CaptureSettings

MISSING: Final = "no Chromium was found; install chromium (`strandline doctor` says what is there)"


def site_choices(settings: CaptureSettings) -> dict[str, str]:
    """Sites and hosts with a choice of their own."""
    return dict(map(texts.site_browser, settings.browser_sites))


@contextmanager
def browsing_of(
    settings: CaptureSettings, woken: Callable[[], None], notes: LookNotes, cookies: Cookies = no_cookies
) -> Iterator[Browsing]:
    """What shows the pages of a crawl, for as long as it runs. SettingError when pages are always to be shown and
    there is no browser; where that is to be learned, a crawl without one goes on without.
    """
    choices = {settings.browser, *site_choices(settings).values()}
    if choices == {NEVER}:
        yield NoBrowsing()
        return
    how = means()
    if not how.path:
        if ALWAYS in choices:
            raise SettingError(f'capture.browser = "always": {MISSING}')
        yield NoBrowsing()
        return
    pages = pages_of(settings, how, woken, cookies)
    learned = LearnedBrowsing(notes, Documents(), random)
    try:
        yield SiteBrowsing(pages, settings.browser, site_choices(settings), learned)
    finally:
        pages.close()
        learned.save()


def pages_of(
    settings: CaptureSettings, how: Means, woken: Callable[[], None], cookies: Cookies = no_cookies
) -> ChromiumPages:
    """Browsers, bounded as the settings say."""
    bounds = Bounds(
        seconds=settings.page_seconds,
        requests=settings.page_requests,
        octets=settings.page_bytes,
        memory=settings.memory,
    )
    wishes = Wishes(more=settings.load_more, screenshots=settings.screenshots, cookies=cookies)
    return ChromiumPages(how, bounds, wishes, browsers=settings.browsers, woken=woken)
