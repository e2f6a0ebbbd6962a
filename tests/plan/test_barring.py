"""Pages that are never fetched: out of scope, forbidden, taken for a trap; a watch and whoever asks bar the same."""

from contextlib import closing

import pytest

from made.catalog_words import capture, found, visited
from strandline.crawl.orders import Limits
from strandline.crawl.preparing import orders_of
from strandline.plan.barring import Barring
from strandline.ports import Batch, HostState
from strandline.settings.file import with_overrides
from strandline.settings.schema import Settings
from strandline.store.catalog import DATABASE, open_catalog
from strandline.store.standing import StandingReading

NOW = 1_790_000_000.0
SEED = "http://a.example/"
PAGES = {"in": "http://a.example/in", "private": "http://a.example/private/x", "away": "http://b.example/y"}


@pytest.fixture
def reading(tmp_path):
    with closing(open_catalog(tmp_path)) as catalog:
        catalog.add([found(url, due=0.0) for url in (SEED, *PAGES.values())])
        robots = b"User-agent: *\nDisallow: /private/\n"
        catalog.commit(Batch(hosts=[HostState("a.example", 0.0, 0, NOW, 200, robots, scheme="http")]))
        moved = capture(SEED, NOW - 60.0, redirect="http://www.c.example/")
        catalog.commit(Batch([visited(catalog.page(SEED).page, moved, time=NOW - 60.0)]))
    with closing(StandingReading.open(tmp_path / DATABASE)) as opened:
        yield opened


def barring(reading, *overrides, seeds=(SEED,)):
    settings = with_overrides(Settings(), list(overrides))
    return Barring(settings, orders_of(settings, seeds, Limits()), reading)


def test_scope_and_robots(reading):
    asked = barring(reading)
    why = {name: asked.why(reading.standing(url), NOW) for name, url in PAGES.items()}
    assert why == {"in": "", "private": "robots: robots.txt", "away": "out of scope"}
    assert barring(reading, "politeness.robots=ignore").why(reading.standing(PAGES["private"]), NOW) == ""


def test_a_seed_takes_its_scope_along_where_it_leads(reading):
    assert barring(reading).scope.refuses("http://www.c.example/z", "page", 1) == ""


def test_what_was_taken_for_a_trap_stays_out_and_what_was_out_of_scope_is_asked_anew(reading):
    one = reading.standing(PAGES["in"])
    skipped = one._replace(outcome="skipped", detail="a trap")
    assert barring(reading).why(skipped, NOW) == "a trap"
    assert barring(reading).why(skipped._replace(detail="out of scope"), NOW) == ""
