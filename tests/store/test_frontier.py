"""The frontier in bulk: queries that never walk over all pages, and keys that may collide."""

import dataclasses
import re

import pytest

from strandline.core.capture import Capture, Evidence, Kind, Outcome, Place
from strandline.ports import PLANNED, Batch, Found, HostState, Visited
from strandline.store import addresses
from strandline.store.catalog import open_catalog
from strandline.store.reading import Span, span

PAGES = 50_000


@pytest.fixture(scope="module")
def crowded(tmp_path_factory):
    """50,000 pages: half on one host, half on hosts of ten."""
    catalog = open_catalog(tmp_path_factory.mktemp("crowded"))
    half = PAGES // 2
    catalog.add(Found(f"http://big.example/{n}", Kind.PAGE, "link", 0, 1, n % 5, float(n % 100)) for n in range(half))
    catalog.add(
        Found(f"http://h{n // 10}.example/{n}", Kind.PAGE, "link", 0, 1, 0.0, float(n % 100)) for n in range(half)
    )
    yield catalog
    catalog.close()


def test_no_query_walks_over_all_pages(crowded):
    asked = set()
    crowded._connection.set_trace_callback(asked.add)
    tasks = crowded.take(50, 200.0, 50.0, ["big.example"])
    crowded.release([tasks[0].page])
    crowded.waiting(50.0)
    kept = Capture(tasks[1].url, 200.0, 200, "text/html", "d", Place("A", 0, 1), entity="e")
    visit = Visited(tasks[1].page, Outcome.ANSWERED, "", kept, Evidence.PRESENT, 200.0, 900.0, 0.0, 0)
    retry = Visited(tasks[2].page, Outcome.TIMEOUT, "", None, Evidence.UNREACHABLE, 200.0, 1.0, 210.0, 1)
    found = Found("http://big.example/new", Kind.PAGE, "link", tasks[1].page, 2, 0.0, 1.0, 5.0)
    host = HostState("h3.example", not_before=230.0)
    again = Found("http://big.example/1", Kind.PAGE, "link", 1, 0, 0.0, 1.0)
    crowded.commit(Batch(visited=[visit, retry], found=[found, again], hosts=[host]))
    crowded.take(50, 240.0, 60.0, [])
    crowded.waiting(40.0)
    crowded.page("http://big.example/7")
    crowded.same_entity("e")
    crowded.captures(tasks[1].url)
    list(crowded.reading.versions(tasks[1].url))
    crowded.reading.closest(tasks[1].url, 1.0)
    list(crowded.reading.index(Span(*span(tasks[1].url, "host"))))
    crowded._connection.set_trace_callback(None)
    queries = [query for query in asked if re.match(r"\s*(SELECT|UPDATE|DELETE|INSERT)", query)]
    assert len(queries) > 20
    walks = []
    for query in queries:
        plan = [row[3] for row in crowded._connection.execute("EXPLAIN QUERY PLAN " + query.replace("Inf", "9e999"))]
        walks += [
            (step, query)
            for step in plan
            if re.match(r"SCAN (pages|captures|links|claims|hosts)\b(?!.*INDEX hosts_ready)", step)
        ]
    assert walks == []


def test_everything_due_is_taken_once(tmp_path):
    catalog = open_catalog(tmp_path)
    catalog.add(
        Found(f"http://h{n % 7}.example/{n}", Kind.PAGE, "link", 0, 1, n % 3, float(n % 100)) for n in range(2_000)
    )
    seen = []
    while tasks := catalog.take(25, 1.0, 49.0, ()):
        seen += [task.page for task in tasks]
    assert len(seen) == len(set(seen)) == 1_000 and catalog.waiting(49.0)[0] == 0
    catalog.close()


def test_a_key_is_shared_by_neighbours_in_its_upper_half_and_fits_sqlite():
    one, two = addresses.key("http://a.example/d/x?y=/z"), addresses.key("http://a.example/d/other")
    assert one >> 32 == two >> 32 and one != two
    assert -(2**63) <= one < 2**63


def test_pages_with_the_same_key_are_told_apart(tmp_path, monkeypatch):
    monkeypatch.setattr(addresses, "key", lambda url: 7)
    monkeypatch.setattr("strandline.store.recording.key", lambda url: 7)
    catalog = open_catalog(tmp_path)
    assert catalog.add(Found(f"http://a.example/{n}", Kind.PAGE, "seed", 0, 0, 0.0, 1.0) for n in range(5)) == 5
    catalog._addresses.forget()
    assert catalog.add([Found("http://a.example/3", Kind.PAGE, "seed", 0, 0, 0.0, 1.0)]) == 0
    assert catalog.page("http://a.example/4").page == 5
    catalog.close()


def test_moving_the_horizon_in_strides_loses_no_page(tmp_path, monkeypatch):
    monkeypatch.setattr("strandline.store.frontier._STRIDE", 10)
    catalog = open_catalog(tmp_path)
    catalog.add(Found(f"http://a.example/{n}", Kind.PAGE, "link", 0, 1, 0.0, float(n // 25)) for n in range(200))
    assert catalog.waiting(3.0)[0] == 100 and catalog.waiting(1.0)[0] == 50 and catalog.waiting(99.0)[0] == 200
    catalog.close()


def test_a_watch_plans_what_was_visited_and_a_later_pass_takes_it_back(tmp_path):
    catalog = open_catalog(tmp_path, "test")
    catalog.add([Found(f"http://h.example/{n}", Kind.PAGE, "seed", 0, 0, 0.0, 10.0) for n in range(3)])
    first, second = (catalog.take(1, 20.0, 10.0, ())[0] for _ in range(2))
    catalog.release([second.page])
    done = Visited(first.page, Outcome.ANSWERED, "", None, Evidence.PRESENT, 20.0, 20.0, 0.0, 0)
    catalog.commit(Batch(visited=[done]))
    catalog.plan_visited()
    assert catalog.waiting(30.0)[0] == 2, "what was never visited is still handed out"
    leased = catalog.lease([first.page], 30.0)
    assert [task.url for task in leased] == [first.url]
    assert catalog.lease([first.page], 30.0) == [], "it is being fetched already"
    catalog.commit(Batch(visited=[dataclasses.replace(done, time=30.0, due=PLANNED)]))
    assert catalog.waiting(1e9)[0] == 2
    catalog.open_pass(40.0)
    assert catalog.waiting(40.0)[0] == 3, "a crawl asks for all of them again"
    catalog.close()


def test_what_a_watch_visited_by_a_clock_that_was_ahead_is_due_in_the_next_pass(tmp_path):
    catalog = open_catalog(tmp_path, "test")
    catalog.add([Found("http://h.example/", Kind.PAGE, "seed", 0, 0, 0.0, 10.0)])
    (task,) = catalog.take(1, 20.0, 10.0, ())
    ahead = Visited(task.page, Outcome.ANSWERED, "", None, Evidence.PRESENT, 9000.0, PLANNED, 0.0, 0)
    catalog.commit(Batch(visited=[ahead]))
    start, _ = catalog.open_pass(40.0)
    assert catalog.waiting(start)[0] == 1
    catalog.close()


def test_pages_leased_ahead_give_way_to_a_host_whose_wait_is_over(tmp_path):
    catalog = open_catalog(tmp_path)
    catalog.add(Found(f"http://big.example/{n}", Kind.PAGE, "link", 0, 1, 0.0, 1.0) for n in range(40))
    catalog.add([Found("http://tired.example/", Kind.PAGE, "link", 0, 1, 5.0, 1.0)])
    catalog.commit(Batch(hosts=[HostState("tired.example", not_before=20.0)]))

    def taken(now, busy=()):
        return [task.authority for task in catalog.take(4, now, 10.0, busy)]

    assert [taken(11.0), taken(12.0), taken(13.0)] == [["big.example"]] * 3
    assert taken(19.0, ["big.example"]) == []
    assert "tired.example" in taken(21.0)
    catalog.close()


def test_pages_leased_ahead_give_way_to_a_host_that_is_not_busy_any_more(tmp_path):
    catalog = open_catalog(tmp_path)
    for host in ("one.example", "two.example", "three.example"):
        catalog.add(Found(f"http://{host}/{n}", Kind.PAGE, "link", 0, 1, 0.0, 1.0) for n in range(40))

    def taken(busy):
        return sorted({task.authority for task in catalog.take(4, 11.0, 10.0, busy)})

    others = ["two.example", "three.example"]
    assert [taken(others), taken(others), taken(others)] == [["one.example"]] * 3
    assert taken(["two.example"]) == ["one.example", "three.example"]
    assert taken(["one.example", "two.example", "three.example"]) == []
    catalog.close()
