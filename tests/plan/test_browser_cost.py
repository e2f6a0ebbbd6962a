"""A visit in a browser costs what it takes: its own request and those for its parts, as measured on the site."""

from types import SimpleNamespace

import pytest

from strandline.core.browsing.worth import SiteLooks, learn, supplies, took
from strandline.core.capture import Evidence, Kind
from strandline.core.shown import DataAnswer
from strandline.crawl.browse_learned import BROWSING, written
from strandline.plan.browser_cost import BrowserCosts
from strandline.settings.capture import CaptureSettings

SITE, APP, ARTICLE = "example.org", "https://example.org/app/1", "https://example.org/news/1"
DATA, DAY = "https://example.org/data/1", 86_400.0


@pytest.fixture
def looks():
    known = SiteLooks()
    for _ in range(5):
        took(known, 9)
    learn(known, APP, "example.org/app", "shell", pays=True)
    learn(known, ARTICLE, "example.org/news", "scripted", pays=False)
    return known


class Reading:
    """A catalog that holds notes and one page: the data that supply another."""

    def __init__(self, notes, kind=Kind.PAGE, evidence=Evidence.PRESENT, digest="sha1:a"):
        self.notes = notes
        self.row = SimpleNamespace(kind=kind, evidence=evidence)
        self.last = SimpleNamespace(url=DATA, digest=digest)

    def note(self, kind, key):
        return self.notes.get((kind, key))

    def page(self, url):
        return self.row if url == DATA else None

    def closest(self, url, time):
        return self.last


def costs(looks, **settings):
    notes = {(BROWSING, SITE): written(looks)}
    return BrowserCosts(CaptureSettings(**settings), Reading(notes))


def test_pages_that_are_shown_cost_their_parts_and_others_one_request(looks):
    auto = costs(looks, browser="auto")
    assert auto.of(APP, SITE, 0.0) == 1.0 + (6 + 5 * 9) / 6
    assert auto.of(ARTICLE, SITE, 0.0) < 1.5
    assert auto.of("https://example.org/new", SITE, 0.0) == 1.0


def test_what_the_settings_say_goes_before_what_was_learned(looks):
    assert costs(looks).of(APP, SITE, 0.0) == 1.0
    always = costs(looks, browser="always")
    assert always.of(ARTICLE, SITE, 0.0) == always.of(APP, SITE, 0.0) > 5
    assert costs(looks, browser="auto", browser_sites=("example.org never",)).of(APP, SITE, 0.0) == 1.0


def test_what_is_learned_in_an_hour_counts_from_the_next_one_on(looks):
    notes = {}
    auto = BrowserCosts(CaptureSettings(browser="auto"), Reading(notes))
    hour = 3600.0
    assert auto.of(APP, SITE, hour) == 1.0
    notes[BROWSING, SITE] = written(looks)
    assert auto.of(APP, SITE, hour) == 1.0, "a plan that is made anew asks as of the same beginning"
    assert auto.of(APP, SITE, 2 * hour) > 5


def test_pages_of_a_site_are_priced_anew_when_its_cost_has_moved(looks):
    notes = {(BROWSING, SITE): written(looks)}
    always = BrowserCosts(CaptureSettings(browser="always"), Reading(notes))
    before = always.of(APP, SITE, 0.0)
    assert always.moved(0.0) == always.moved(1.0) == set()
    took(looks, before)
    notes[BROWSING, SITE] = written(looks)
    assert always.moved(2.0) == set(), "by less than a twentieth"
    took(looks, 40)
    notes[BROWSING, SITE] = written(looks)
    assert always.moved(2.0) == set(), "within the hour"
    assert always.moved(3.0) == {SITE} and always.of(APP, SITE, 3.0) > 1.05 * before
    assert always.moved(4.0) == set()


def test_a_page_waits_while_the_data_that_supply_it_are_the_same():
    looks = SiteLooks()

    def reason(now=DAY, browser="auto", **held):
        reading = Reading({(BROWSING, SITE): written(looks)}, **held)
        return BrowserCosts(CaptureSettings(browser=browser), reading).supplied(APP, SITE, now)

    assert supplies(looks, APP, DataAnswer(DATA, "sha1:a", b""), 0.0) == 1
    assert not reason(), "one look is no habit"
    assert supplies(looks, APP, DataAnswer(DATA, "sha1:a", b""), 0.0) == 2
    assert DATA in reason()
    assert not reason(digest="sha1:b")
    assert not reason(kind=Kind.REQUISITE), "nobody asks for it"
    assert not reason(evidence=Evidence.ABSENT)
    assert not reason(now=8 * DAY), "what the data do not hold may have changed"
    assert not reason(browser="always")
    assert supplies(looks, APP, DataAnswer(DATA + "?t=1", "sha1:a", b""), DAY) == 1
    assert not reason()
    assert supplies(looks, APP, None, DAY) == 0 and not looks.supplied
