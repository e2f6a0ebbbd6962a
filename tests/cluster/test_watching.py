"""What a worker's watch decides with: feeds and sitemaps are left alone at their own word, whichever worker asks."""

import contextlib
from types import SimpleNamespace

import pytest

from made.catalog_words import capture, visited
from servers import postgres
from strandline.cluster.shared import Cluster
from strandline.cluster.watching import watching
from strandline.core.capture import Kind
from strandline.plan.part_hints import read_hints
from strandline.ports import Task
from strandline.settings.file import with_overrides
from strandline.settings.schema import Settings
from strandline.store.postgres.catalog import PostgresCatalog
from test_cluster import HOUR, START
from warc.exchanges import StillClock

pytestmark = postgres.GROUP

HALF_A_DAY = 12 * HOUR


@pytest.fixture
def office():
    """Two workers of one cluster and their clock: `looked` says after how many hours a feed is asked again."""
    database, clock = postgres.running().database(), StillClock(START)
    settings = with_overrides(Settings(), ["archive.contact=https://a.example/"])
    cluster = Cluster(database, "file:///nowhere", settings)
    with contextlib.ExitStack() as stack:
        catalogs = [stack.enter_context(contextlib.closing(PostgresCatalog(database))) for _ in range(2)]
        last = {}  # when each feed was seen to change
        agendas = [stack.enter_context(watching(cluster, one, clock, (HOUR, lambda _: None))) for one in catalogs]

        def looked(url, asks, changed, worker=0, kind=Kind.FEED):
            original = SimpleNamespace(time=last[url]) if url in last else None
            last[url] = clock.now() if changed else last[url]
            task = Task(1, url, url.split("/")[2], kind, 0, 0, "", "", 0, original, "")
            kept = capture(url, clock.now(), revisit=not changed)
            settled = agendas[worker].settled(task, visited(1, kept, time=clock.now(), asks=asks))
            wait = (settled.due - clock.now()) / HOUR
            clock.time = max(clock.time, settled.due)
            return wait

        yield SimpleNamespace(looked=looked, reading=catalogs[0].reading)


def looks_in(office, days, url, asks, period):
    """Times a feed that has something new every so many hours is asked in so many days."""
    looks, passed, seen = 0, 0.0, -1
    while passed < days * 24.0:
        edition = int(passed // period)
        passed += office.looked(url, asks, edition != seen, worker=looks % 2)
        looks, seen = looks + 1, edition
    return looks


def test_feeds_that_are_right_are_asked_no_sooner_than_they_say_by_any_worker(office):
    speaks = looks_in(office, 5, "http://a.example/feed.xml", HALF_A_DAY, period=12)
    silent = looks_in(office, 5, "http://b.example/feed.xml", 0.0, period=12)
    assert 5 < speaks < 0.8 * silent
    assert "so it is followed" in read_hints(office.reading, "a.example").says("http://a.example/feed.xml")
    assert read_hints(office.reading, "b.example").parts == {}, "who says nothing leaves nothing"


def test_feeds_that_are_wrong_are_asked_as_those_that_say_nothing(office):
    speaks = looks_in(office, 3, "http://a.example/feed.xml", 365 * 24 * HOUR, period=1)
    silent = looks_in(office, 3, "http://b.example/feed.xml", 0.0, period=1)
    assert speaks >= 0.9 * silent


def test_what_one_worker_saw_counts_for_the_others(office):
    assert office.looked("http://www.library.org/feed.xml", HALF_A_DAY, True) == 2.0, "not known yet"
    for _ in range(4):
        office.looked("http://www.library.org/feed.xml", HALF_A_DAY, False)
    other = office.looked("http://news.library.org/feed.xml", HALF_A_DAY, True, worker=1)
    assert other == 12.0, "the other feed of a site whose word was right"


def test_pages_and_parts_of_pages_have_no_word(office):
    assert office.looked("http://a.example/s.css", HALF_A_DAY, True, kind=Kind.REQUISITE) == 48.0
    assert read_hints(office.reading, "a.example").parts == {}
