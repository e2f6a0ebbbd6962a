"""What a worker's watch decides with: feeds and sitemaps are left alone at their own word, whichever worker asks."""

import contextlib
import itertools
from types import SimpleNamespace

import psycopg
import pytest

from made.catalog_words import capture, found, visited
from servers import postgres
from strandline.cluster.shared import Cluster
from strandline.cluster.watching import watching
from strandline.core.capture import Kind
from strandline.plan.part_hints import read_hints
from strandline.ports import Batch, Task
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

        yield SimpleNamespace(looked=looked, reading=catalogs[0].reading, database=database)


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


@pytest.fixture
def shop():
    """A worker of a watch of ten requests an hour; pages of one host are shown in a browser, and take seven each."""
    database, clock = postgres.running().database(), StillClock(START + 0.95 * HOUR)  # all of the hour is dealt out
    words = [
        "archive.contact=https://a.example/",
        "plan.budget=10/hour",
        'capture.browser_sites=["dear.example always"]',
    ]
    cluster = Cluster(database, "file:///nowhere", with_overrides(Settings(), words))
    with (
        contextlib.closing(PostgresCatalog(database)) as catalog,
        watching(cluster, catalog, clock, (HOUR, lambda _: None)) as agenda,
    ):
        tickets = itertools.count(1)

        def due(*urls):
            catalog.add(found(url, due=clock.now() - 1.0) for url in urls)

        def taken():
            """Addresses that are handed out now."""
            free = agenda.free(5)
            return [task.url for task in agenda.take(free, ())] if free else []

        def sent(url, requests):
            for ticket in itertools.islice(tickets, requests):
                agenda.begun(SimpleNamespace(ticket=ticket, url=url))
                agenda.ended(
                    SimpleNamespace(
                        request=SimpleNamespace(ticket=ticket, url=url),
                        body_length=9,
                        response_head=b"",
                        status=200,
                    )
                )
            page = catalog.page(url).page
            agenda._under_way.ended(page)
            kept = capture(url, clock.now(), offset=1000 * ticket)
            catalog.commit(Batch([visited(page, kept, time=clock.now(), due=1e12)]))

        yield SimpleNamespace(due=due, taken=taken, sent=sent, clock=clock)


def test_a_page_in_a_browser_is_begun_only_when_what_it_takes_is_left(shop):
    shop.due("http://dear.example/1")
    assert shop.taken() == ["http://dear.example/1"]
    shop.sent("http://dear.example/1", 7)
    shop.due("http://dear.example/2")
    assert shop.taken() == [], "three are left"
    shop.clock.time += HOUR / 2
    shop.due("http://cheap.example/")
    assert shop.taken() == [], "nor is anything else that would take what is saved for it"
    shop.clock.time += 1.5 * HOUR
    assert sorted(shop.taken()) == ["http://cheap.example/", "http://dear.example/2"]


def test_pages_that_take_one_request_are_begun_as_long_as_there_is_one(shop):
    for number in range(12):
        shop.due(f"http://cheap{number}.example/")
    had = []
    while urls := shop.taken():
        had += urls
        for url in urls:
            shop.sent(url, 1)
    assert len(had) == 10


def test_feeds_that_are_right_share_a_part_of_the_budget_whichever_workers_read_them(office):
    trusts = '{"sitemap": 0.3, "feed": 0.9}'
    sites = [f"news{number}.example" for number in range(40)]
    with psycopg.connect(office.database) as connection:
        add = "INSERT INTO site_desks (site, trust, trusts) VALUES (%s, 0.9, %s)"
        connection.cursor().executemany(add, [(site, trusts) for site in sites])
    waits = [
        office.looked(f"http://{site}/feed.xml", 0.0, True, worker=number % 2) for number, site in enumerate(sites)
    ]
    requests = 500 / 24.0  # an hour, of all workers
    assert min(waits) >= 0.99 * 40 * 10 / requests, "each worker takes them for all there are"


def test_only_the_source_of_a_site_that_is_right_is_asked_often(office):
    with psycopg.connect(office.database) as connection:
        connection.execute("""INSERT INTO site_desks (site, trust, trusts)
            VALUES ('a.example', 0.9, '{"sitemap": 0.3, "feed": 0.9}')""")
    waits = {}
    for kind in (Kind.FEED, Kind.SITEMAP):
        url = f"http://a.example/{kind}.xml"
        office.looked(url, 0.0, True, kind=kind)
        for _ in range(6):
            waits[kind] = office.looked(url, 0.0, False, kind=kind)
    assert waits[Kind.FEED] < waits[Kind.SITEMAP]
