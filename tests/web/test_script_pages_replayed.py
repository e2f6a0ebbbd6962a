"""Pages that a browser captured, shown again: all they showed live, nothing asked of the live site; also by others."""

import urllib.error
import urllib.request
from contextlib import closing
from functools import partial

import pytest

import strandline
from browser.scoring import crawl_set, scored
from servers.replaying_pages import EXTRA_SECONDS, plain_urls, reader, replayed, shown_to
from servers.script_pages import HOSTILE, PAGES
from servers.script_server import serving
from warc.pywb_env import pywb_on
from warc.replayweb_env import replayweb_on
from web.archives import served
from web.chromium import chromium

pytestmark = pytest.mark.browser
NAMES = tuple(name for name in PAGES if name not in HOSTILE)
NOT_REPLAYED = {"service": ["answered by the service worker"], "cors": ["refused"]}
"""What is known not to be shown again: answers made up by a service worker, refusals of the live web."""


@pytest.fixture(scope="module")
def captured(tmp_path_factory):
    """The set, captured with a browser; its server stays, and counts."""
    folder = tmp_path_factory.mktemp("replayed") / "archive"
    with serving(*NAMES) as (base, log):
        crawl_set(folder, base, "always", "capture.load_more=true")
        yield folder, base, log


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


def _share(lost):
    wanted = sum(len(PAGES[name][0].texts) + len(plain_urls(name)) for name in NAMES)
    return 1.0 - sum(map(len, lost.values())) / wanted


def _shown_again(show, page_at, there, known=NOT_REPLAYED, seconds=EXTRA_SECONDS):
    """Of each page what was not shown again, and every address it asked for. `there` says whether an address is."""
    lost, asked = {}, []
    for name in NAMES:
        shown = show(name, page_at(name), known.get(name, ()), seconds)
        lost[name] = shown.missing(name) + [url for url in plain_urls(name) if not there(url)]
        asked += shown.asked
    print({name: missing for name, missing in lost.items() if missing}, f"{_share(lost):.3f}")
    return lost, [url for url in asked if not url.startswith(("data:", "blob:"))]


def test_the_set_is_shown_again_and_nothing_reaches_the_live_site(captured, browser):
    folder, base, log = captured
    assert not {name: lost for name, (_, lost) in scored(folder, base, NAMES).items() if lost}
    before = log.connections
    with served(strandline.open(folder)) as server:
        lost, asked = _shown_again(
            partial(replayed, browser),
            lambda name: f"{server.replay}/web/mp_/{base}/{name}/",
            lambda url: server.get(f"/web/id_/{base}/{url}")[0] < 400,
        )
    assert [url for url in asked if not url.startswith(server.replay)] == []
    assert log.connections == before
    assert {name: missing for name, missing in lost.items() if missing} == NOT_REPLAYED
    assert _share(lost) >= 0.95


def test_pywb_shows_the_same_archive(captured, browser):
    """The oracle: what we wrote is replayable elsewhere, and we show no less than pywb does."""
    folder, base, _ = captured

    def there(url):
        try:
            return urllib.request.urlopen(f"{address}/id_/{base}/{url}", timeout=300).status < 400
        except urllib.error.HTTPError:
            return False

    with pywb_on(folder) as address:
        lost, _ = _shown_again(partial(replayed, browser), lambda name: f"{address}/mp_/{base}/{name}/", there)
    shown_here = {name: set(NOT_REPLAYED.get(name, ())) for name in NAMES}
    assert {name for name in NAMES if not shown_here[name] <= set(lost[name])} <= {"service", "cors"}
    assert _share(lost) >= 0.85


def test_replayweb_page_shows_the_same_archive(captured, browser, tmp_path):
    """The other oracle, which most readers of a WACZ have: it runs in their browser."""
    folder, base, log = captured
    strandline.open(folder).save(tmp_path / "set.wacz")
    before = log.connections
    known = NOT_REPLAYED | {"popup": ["opener"]}  # there a new window takes the place of the page
    with replayweb_on(tmp_path / "set.wacz") as page_at, closing(reader(browser)) as one:  # who opens the file once

        def show(name, address, awaited, seconds):
            # On a busy machine its worker may come too late for the page that started it; a reader would try again.
            for _ in range(3):
                shown = shown_to(one, name, address, awaited, seconds)
                if set(shown.missing(name)) <= set(awaited):
                    break
            return shown

        lost, _ = _shown_again(show, lambda name: page_at(f"{base}/{name}/"), lambda _: True, known, 40)
    assert log.connections == before
    assert {name for name, missing in lost.items() if missing} <= set(known)
