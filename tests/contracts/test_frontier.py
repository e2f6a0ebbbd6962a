"""What the frontier of every catalog promises (ports.Catalog): which page is next, and for whom."""

import math

import pytest

from contracts.stores import capture, found, take, visited
from strandline.core.capture import Evidence
from strandline.ports import Batch, HostState, Skipped


def test_addresses_are_kept_once(store):
    catalog = store()
    assert catalog.add([found("http://a.example/"), found("http://a.example/"), found("http://a.example/b")]) == 2
    assert catalog.add([found("http://a.example/b")]) == 0
    assert catalog.page("http://a.example/b").url == "http://a.example/b"
    assert catalog.page("http://a.example/c") is None


def test_take_gives_one_page_per_host_best_priority_first(store):
    catalog = store()
    catalog.add([found(f"http://{host}.example/{n}", priority=float(n)) for n in (2, 1, 3) for host in "ab"])
    assert sorted(task.url for task in take(catalog)) == ["http://a.example/1", "http://b.example/1"]
    assert sorted(task.url for task in take(catalog)) == ["http://a.example/2", "http://b.example/2"]


def test_hosts_take_turns(store):
    catalog = store()
    catalog.add([found(f"http://{host}.example/{n}") for host in "abc" for n in range(2)])
    order = [take(catalog, limit=1)[0].authority[0] for _ in range(6)]
    assert sorted(order[:3]) == sorted(order[3:]) == ["a", "b", "c"]


def test_hosts_that_never_answered_or_failed_come_last_in_the_next_pass(store):
    """Else hundreds of servers that are gone hold all connections while a site's own pages wait."""
    catalog = store()
    start, _ = catalog.open_pass(100.0)
    catalog.add([found(f"http://{host}.example/{n}") for host in "abcd" for n in range(4)])
    first = take(catalog, before=start)
    assert {task.authority[0] for task in first} == set("abcd")
    answered = [task for task in first if task.authority[0] in "bcd"]
    visits = [visited(task.page, capture(task.url, offset=100 * task.page), due=151.0) for task in answered]
    catalog.commit(Batch(visits, hosts=[HostState("b.example", not_before=160.0, failures=2)]))
    catalog.release([task.page for task in first if task not in answered])
    catalog.close_pass(200.0)
    catalog = store()
    start, _ = catalog.open_pass(300.0)
    order = "".join(take(catalog, limit=1, now=301.0, before=start)[0].authority[0] for _ in range(16))
    assert set(order[:8]) == {"c", "d"}
    assert set(order[8:]) == {"a", "b"}
    catalog.add([found("http://e.example/9")])
    assert take(catalog, limit=1, now=301.0, before=start)[0].authority == "e.example", "new ones have their turn"


def test_take_respects_busy_due_and_both_back_offs(store):
    catalog = store()
    catalog.add([found("http://busy.example/"), found("http://late.example/", due=101.0)])
    catalog.add([found("http://tired.example/"), found("http://page.example/")])
    (page,) = (task.page for task in take(catalog) if task.authority == "page.example")
    catalog.commit(Batch([visited(page, due=50.0, not_before=160.0, attempts=1)]))
    catalog = store()
    catalog.commit(Batch(hosts=[HostState("tired.example", not_before=170.0)]))
    assert [task.url for task in take(catalog, busy=["busy.example"])] == []
    assert catalog.waiting(100.0) == (3, 0.0)
    assert [task.url for task in take(catalog)] == ["http://busy.example/"]
    assert catalog.waiting(100.0) == (2, 160.0)
    tasks = take(catalog, now=160.0)
    assert [(task.url, task.attempts) for task in tasks] == [("http://page.example/", 1)]
    assert catalog.waiting(100.0) == (1, 170.0)
    assert [task.url for task in take(catalog, now=170.0)] == ["http://tired.example/"]
    assert catalog.waiting(100.0) == (0, math.inf)
    assert [task.url for task in take(catalog, now=170.0, before=101.0)] == ["http://late.example/"]


def test_the_horizon_may_move_back(store):
    catalog = store()
    catalog.add([found("http://a.example/1", due=10.0, priority=5.0), found("http://a.example/2", due=20.0)])
    assert catalog.waiting(20.0)[0] == 2
    assert catalog.waiting(10.0)[0] == 1
    assert [task.url for task in take(catalog, before=10.0)] == ["http://a.example/1"]
    assert take(catalog, before=10.0) == []
    assert [task.url for task in take(catalog, before=20.0)] == ["http://a.example/2"]


def test_a_leased_page_is_not_given_twice_and_is_free_after_release_or_reopening(store):
    catalog = store()
    catalog.add([found("http://a.example/")])
    (task,) = take(catalog)
    assert take(catalog) == [] and catalog.waiting(100.0) == (0, math.inf)
    catalog.release([task.page])
    (task,) = take(catalog)
    catalog.release([task.page, task.page])
    assert catalog.waiting(100.0) == (1, 0.0)
    take(catalog)
    catalog = store()
    assert [again.page for again in take(catalog)] == [task.page]


def test_a_pass_is_resumed_until_it_is_closed(store):
    catalog = store()
    assert catalog.open_pass(100.0) == (100.0, False)
    catalog = store()
    assert catalog.open_pass(200.0) == (100.0, True)
    catalog.close_pass(300.0)
    assert catalog.open_pass(400.0) == (400.0, False)


def test_what_a_host_put_off_comes_before_what_it_gave(store):
    """Else a host that wants a rest after so many pages would be asked for the same ones in every pass."""
    catalog = store()
    start, _ = catalog.open_pass(100.0)
    urls = {name: f"http://{name[0]}.example/{name[1:]}" for name in ("a1", "a2", "b1", "c1", "c2", "d1", "d2")}
    catalog.add([found(url) for url in urls.values()])
    done = take(catalog, before=start)
    failed = take(catalog, before=start, busy=["a.example"])
    assert {task.url for task in failed} == {urls["c2"], urls["d2"]}
    visits = [visited(task.page, capture(task.url), time=150.0, due=151.0) for task in done]
    visits += [visited(task.page, time=150.0, due=start, not_before=9000.0, attempts=1) for task in failed]
    catalog.commit(Batch(visits, hosts=[HostState(f"{name}.example", not_before=5000.0) for name in "abc"]))
    assert catalog.waiting(start)[0] == 3
    catalog.close_pass(200.0)
    asked = []
    for now in (6000.0, 7000.0):
        catalog = store()
        start, resumed = catalog.open_pass(now)
        assert not resumed
        tasks = [task for _ in range(3) for task in take(catalog, now=now, before=start)]
        asked.append(sorted(name for name, url in urls.items() if url in {task.url for task in tasks}))
        visits = [visited(task.page, capture(task.url), time=now, due=now + 1.0) for task in tasks]
        catalog.commit(Batch(visits, hosts=[HostState("a.example", not_before=6500.0)]))
        catalog.close_pass(now + 10.0)
    # What failed (c2, d2) is due when its time has come, and keeps no other page away.
    assert asked == [["a2", "b1", "c1", "d1"], ["a1", "a2", "b1", "c1", "d1"]]


def test_a_pass_begins_after_the_last_one_also_when_the_clock_was_set_back(store):
    """After a crawl whose clock was ahead the next one would find nothing due, for as long as it was ahead."""
    catalog = store()
    starts = []
    for now in (5000.0, 100.0, 200.0, 6000.0):
        start, resumed = catalog.open_pass(now)
        assert not resumed
        starts.append(start)
        catalog.close_pass(now + 1.0)
    assert starts == pytest.approx([5000.0, 5001.002, 5001.004, 6000.0], abs=1e-4)


def test_a_visited_page_leaves_the_pass_and_returns_in_the_next(store):
    catalog = store()
    catalog.add([found("http://a.example/")])
    (task,) = take(catalog)
    catalog.commit(Batch([visited(task.page, capture("http://a.example/"), due=150.0)]))
    assert take(catalog) == [] and catalog.waiting(100.0)[0] == 0
    assert [again.page for again in take(catalog, now=200.0, before=150.0)] == [task.page]


def test_a_skipped_page_waits_for_its_new_time_and_is_otherwise_unchanged(store):
    catalog = store()
    catalog.add([found("http://a.example/")])
    (task,) = take(catalog)
    catalog.commit(Batch(skipped=[Skipped(task.page, "robots", 500.0)]))
    assert catalog.waiting(100.0) == (0, math.inf)
    row = catalog.page(task.url)
    assert (row.due, row.evidence, row.captures) == (500.0, Evidence.UNKNOWN, 0)
    assert [again.page for again in take(catalog, before=500.0)] == [task.page]


def test_what_failed_is_asked_again_after_what_was_never_asked(store):
    catalog = store()
    catalog.add([found("http://a.example/1"), found("http://a.example/2")])
    (first,) = take(catalog)
    failed = visited(first.page, due=100.0, not_before=160.0, attempts=1, evidence=Evidence.UNREACHABLE)
    catalog.commit(Batch(visited=[failed]))
    (second,) = take(catalog, now=170.0)
    assert second.url == "http://a.example/2"
    (again,) = take(catalog, now=170.0)
    assert (again.url, again.attempts) == (first.url, 1)


def test_a_back_off_that_is_over_is_no_obstacle_when_the_page_becomes_due(store):
    catalog = store()
    catalog.add([found("http://a.example/")])
    (task,) = take(catalog)
    catalog.commit(Batch([visited(task.page, due=300.0, not_before=160.0, attempts=1)]))
    assert take(catalog, now=170.0, before=200.0) == []
    assert [again.page for again in take(catalog, now=310.0, before=300.0)] == [task.page]
