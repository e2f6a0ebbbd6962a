"""What every catalog promises (ports.Catalog), whatever database is behind it.

A further store joins by adding an entry to STORES: a function that opens (or reopens) a catalog in a folder.
"""

import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule

from servers import postgres
from strandline.core.capture import Capture, Evidence, Kind, Original, Outcome, Place
from strandline.ports import Batch, Found, HostState, Link, Refusal, Skipped, Visited
from strandline.store.catalog import open_catalog
from strandline.store.postgres_catalog import PostgresCatalog


def postgres_catalog(folder):
    """The catalog that belongs to a folder: a database whose address is kept in it."""
    address = folder / "database"
    if not address.exists():
        address.write_text(postgres.running().database())
    return PostgresCatalog(address.read_text())


STORES = {"sqlite": lambda folder: open_catalog(folder, "test"), "postgres": postgres_catalog}
EACH = [pytest.param(name, marks=[postgres.GROUP] if name == "postgres" else []) for name in STORES]


@pytest.fixture(params=EACH)
def store(request, tmp_path):
    """Opens the catalog in the same place each time it is called; closes what is open first."""
    opened = []

    def reopen():
        while opened:
            opened.pop().close()
        opened.append(STORES[request.param](tmp_path))
        return opened[0]

    yield reopen
    while opened:
        opened.pop().close()


def found(url, **changes):
    given = {"kind": Kind.PAGE, "via": "seed", "source": 0, "hops": 0, "priority": 0.0, "due": 100.0} | changes
    return Found(url, **given)


def capture(url, time=200.0, offset=0, **changes):
    place = Place(changes.pop("file", "A.warc.gz"), offset, 10)
    return Capture(
        url, time, **({"status": 200, "mime": "text/html", "digest": f"sha1:D{offset}", "place": place} | changes)
    )


def visited(page, taken=None, **changes):
    given = {
        "outcome": Outcome.ANSWERED,
        "detail": "",
        "capture": taken,
        "evidence": Evidence.PRESENT,
        "time": 200.0,
        "due": 1000.0,
        "not_before": 0.0,
        "attempts": 0,
    }
    return Visited(page, **(given | changes))


def take(catalog, limit=10, now=150.0, before=100.0, busy=()):
    return catalog.take(limit, now, before, busy)


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


def test_a_visited_page_leaves_the_pass_and_returns_in_the_next(store):
    catalog = store()
    catalog.add([found("http://a.example/")])
    (task,) = take(catalog)
    catalog.commit(Batch([visited(task.page, capture("http://a.example/"), due=150.0)]))
    assert take(catalog) == [] and catalog.waiting(100.0)[0] == 0
    assert [again.page for again in take(catalog, now=200.0, before=150.0)] == [task.page]


def test_a_committed_visit_shows_everywhere(store):
    catalog = store()
    catalog.add([found("http://a.example/")])
    (task,) = take(catalog)
    assert task.original is None and task.entity == "" and task.visits_since_full == 0
    kept = capture("http://a.example/", entity="sha1:E", record_id="<urn:uuid:1>")
    catalog.commit(
        Batch(
            visited=[visited(task.page, kept, etag='"x"', last_modified="yesterday", due=150.0)],
            found=[found("http://a.example/next", via="link", source=task.page, hops=1, due=150.0)],
            hosts=[
                HostState("a.example", seconds=0.5, robots_time=7.0, robots_status=200, robots_body=b"User-agent: *")
            ],
            refused=[Refusal("out of scope", "http://other.example/", 3), Refusal("trap", "http://a.example/t")],
        )
    )
    catalog.commit(Batch(refused=[Refusal("out of scope", "http://third.example/")]))
    catalog = store()
    assert catalog.captures("http://a.example/") == [kept] == list(catalog.all_captures())
    row = catalog.page("http://a.example/")
    assert (row.evidence, row.since, row.due, row.captures) == (Evidence.PRESENT, 200.0, 150.0, 1)
    assert catalog.host("a.example") == HostState("a.example", 0.0, 0, 7.0, 200, b"User-agent: *", 0.5)
    assert catalog.host("nobody.example") == HostState("nobody.example")
    assert catalog.refusals() == [
        Refusal("out of scope", "http://other.example/", 4),
        Refusal("trap", "http://a.example/t", 1),
    ]
    original = Original("http://a.example/", 200.0, kept.digest, "<urn:uuid:1>")
    assert catalog.same_entity("sha1:E") == original and catalog.same_entity("sha1:other") is None
    (task,) = (
        task for _ in range(2) for task in take(catalog, now=300.0, before=150.0) if task.url == "http://a.example/"
    )
    assert (task.etag, task.last_modified, task.original, task.entity) == ('"x"', "yesterday", original, "sha1:E")


def test_validators_and_the_original_belong_to_the_last_whole_success(store):
    catalog = store()
    catalog.add([found("http://a.example/")])
    page = catalog.page("http://a.example/").page
    whole = capture("http://a.example/", offset=0, entity="sha1:E", record_id="r0")
    catalog.commit(Batch([visited(page, whole, etag="e0")]))
    held = Original("http://a.example/", 200.0, "sha1:D0", "r0")
    same = capture("http://a.example/", 210.0, 10, status=304, revisit=True, original=held)
    catalog.commit(Batch([visited(page, same, conditional=True)]))
    catalog.commit(
        Batch([visited(page, None, outcome=Outcome.TIMEOUT, evidence=Evidence.UNREACHABLE, conditional=True)])
    )
    error = capture("http://a.example/", 220.0, 20, status=503, entity="sha1:error")
    catalog.commit(Batch([visited(page, error, conditional=True, etag="of the error", due=50.0)]))
    (task,) = take(catalog)
    assert (task.original, task.entity, task.etag, task.visits_since_full) == (held, "sha1:E", "e0", 3)
    moved = capture("http://a.example/", 230.0, 30, revisit=True, original=Original("http://b.example/", 1.0, "sha1:B"))
    catalog.commit(Batch([visited(page, moved, etag="e3", due=50.0)]))
    (task,) = take(catalog)
    assert (task.original, task.etag, task.visits_since_full) == (Original("http://b.example/", 1.0, "sha1:B"), "e3", 0)


def test_since_is_the_first_visit_that_said_so(store):
    catalog = store()
    catalog.add([found("http://a.example/")])
    page = catalog.page("http://a.example/").page
    for time, evidence in (
        (1.0, "present"),
        (2.0, "absent"),
        (3.0, "absent"),
        (4.0, "unreachable"),
        (5.0, "unreachable"),
    ):
        catalog.commit(Batch([visited(page, evidence=Evidence(evidence), time=time)]))
    row = catalog.page("http://a.example/")
    assert (row.evidence, row.since, row.captures) == (Evidence.UNREACHABLE, 4.0, 0)


def test_only_whole_first_payloads_serve_as_originals(store):
    catalog = store()
    catalog.add([found("http://a.example/")])
    page = catalog.page("http://a.example/").page
    cut = capture("http://a.example/", offset=0, entity="sha1:E", truncated="length")
    again = capture("http://a.example/", offset=10, entity="sha1:E", revisit=True, original=Original("u", 1.0, "d"))
    catalog.commit(Batch([visited(page, cut), visited(page, again)]))
    assert catalog.same_entity("sha1:E") is None and catalog.same_entity("") is None


def test_captures_keep_their_order_when_the_clock_jumps_back(store):
    catalog = store()
    catalog.add([found("http://a.example/")])
    page = catalog.page("http://a.example/").page
    for offset, time in enumerate((300.0, 200.0, 300.0)):
        catalog.commit(Batch([visited(page, capture("http://a.example/", time, offset))]))
    assert [(kept.time, kept.place.offset) for kept in catalog.captures("http://a.example/")] == [
        (200.0, 1),
        (300.0, 0),
        (300.0, 2),
    ]


def test_all_captures_come_in_index_order(store):
    catalog = store()
    urls = [
        "http://b.example/",
        "http://a.example/b",
        "https://www.a.example/a",
        "http://a.example/a",
        "http://a.example/B?x",
    ]
    catalog.add([found(url) for url in urls])
    for offset, url in enumerate(urls):
        catalog.commit(Batch([visited(catalog.page(url).page, capture(url, 200.0 - offset, offset))]))
    assert [kept.url for kept in catalog.all_captures()] == [
        "http://a.example/a",
        "https://www.a.example/a",
        "http://a.example/b",
        "http://a.example/B?x",
        "http://b.example/",
    ]


def test_a_skipped_page_waits_for_its_new_time_and_is_otherwise_unchanged(store):
    catalog = store()
    catalog.add([found("http://a.example/")])
    (task,) = take(catalog)
    catalog.commit(Batch(skipped=[Skipped(task.page, "robots", 500.0)]))
    assert catalog.waiting(100.0) == (0, math.inf)
    row = catalog.page(task.url)
    assert (row.due, row.evidence, row.captures) == (500.0, Evidence.UNKNOWN, 0)
    assert [again.page for again in take(catalog, before=500.0)] == [task.page]


def test_a_visit_outside_the_frontier_names_its_page_by_its_capture(store):
    catalog = store()
    robots = capture("http://a.example/robots.txt", mime="text/plain")
    catalog.commit(Batch([visited(0, robots, due=math.inf)]))
    row = catalog.page("http://a.example/robots.txt")
    assert (row.kind, row.due, catalog.captures(row.url)) == (Kind.ROBOTS, math.inf, [robots])


def test_links_between_known_pages_are_kept_and_unknown_ones_left_out(store):
    catalog = store()
    catalog.add([found("http://a.example/"), found("http://a.example/b")])
    one, two = (catalog.page(url).page for url in ("http://a.example/", "http://a.example/b"))
    links = [Link(one, "http://a.example/b", "link"), Link(one, "http://a.example/none", "link")]
    links += [Link(two, "http://a.example/b", "link"), Link(two, "http://a.example/", "requisite")]
    catalog.commit(Batch(links=links))
    sources, targets = catalog.reading.edges("a.example")
    assert (list(sources), list(targets)) == ([one], [two])


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


def test_a_failed_batch_leaves_no_trace(store):
    catalog = store()
    catalog.add([found("http://a.example/")])
    broken = replace(found("http://a.example/x"), priority=None)
    with pytest.raises(Exception, match="priority"):
        catalog.commit(Batch(found=[found("http://a.example/new"), broken]))
    assert catalog.page("http://a.example/new") is None
    assert catalog.waiting(100.0)[0] == 1
    catalog.commit(Batch(found=[found("http://a.example/new")]))
    assert catalog.page("http://a.example/new") is not None and catalog.waiting(100.0)[0] == 2


class Model(RuleBasedStateMachine):
    """Any order of calls leaves the frontier as a plain dictionary would have it."""

    folder: Path
    open: object
    pages = Bundle("pages")

    @initialize()
    def start(self):
        self.folder = Path(self.make())
        self.catalog = self.open(self.folder)
        self.known, self.leased, self.hosts, self.number = {}, {}, {}, {}
        self.before, self.now = 0.0, 0.0

    @rule(
        target=pages,
        host=st.sampled_from("abc"),
        name=st.integers(0, 8),
        due=st.integers(0, 10),
        priority=st.integers(0, 3),
    )
    def add(self, host, name, due, priority):
        url = f"http://{host}.example/{name}"
        assert self.catalog.add([found(url, due=float(due), priority=float(priority))]) == (url not in self.known)
        old = self.known.get(url)
        self.known[url] = (float(due), float(priority), 0.0) if old is None else (old[0], min(old[1], priority), old[2])
        return url

    @rule(
        limit=st.integers(1, 4),
        step=st.integers(0, 3),
        before=st.integers(0, 12),
        busy=st.sets(st.sampled_from("abc"), max_size=2),
    )
    def take(self, limit, step, before, busy):
        self.now, self.before = self.now + step, float(before)
        free = {}
        for url, (due, priority, not_before) in self.known.items():
            host = url[7]
            if (
                url in self.leased
                or due > before
                or not_before > self.now
                or host in busy
                or self.hosts.get(host, 0) > self.now
            ):
                continue
            free.setdefault(host, []).append((priority, url))
        tasks = self.catalog.take(limit, self.now, self.before, {f"{host}.example" for host in busy})
        assert len(tasks) == min(limit, len(free))
        assert len({task.authority for task in tasks}) == len(tasks)
        for task in tasks:
            assert self.known[task.url][1] == min(free[task.url[7]])[0]
            self.leased[task.url] = task.page

    @rule(due=st.integers(0, 12), wait=st.integers(0, 4))
    def visit(self, due, wait):
        visits = []
        for url, page in self.leased.items():
            not_before = self.now + wait if wait else 0.0
            visits.append(visited(page, due=float(due), not_before=not_before, time=self.now))
            self.known[url] = (float(due), self.known[url][1], not_before)
        self.leased.clear()
        self.catalog.commit(Batch(visits))

    @rule()
    def release(self):
        self.catalog.release(list(self.leased.values()))
        self.leased.clear()

    @rule(host=st.sampled_from("abc"), wait=st.integers(0, 4))
    def back_off(self, host, wait):
        self.hosts[host] = self.now + wait
        self.catalog.commit(Batch(hosts=[HostState(f"{host}.example", not_before=self.now + wait)]))

    @rule()
    def reopen(self):
        self.catalog.close()
        self.leased.clear()
        self.catalog = self.open(self.folder)

    @invariant()
    def counts(self):
        if hasattr(self, "catalog"):
            due = sum(1 for url, (due, *_) in self.known.items() if due <= self.before and url not in self.leased)
            count, soonest = self.catalog.waiting(self.before)
            assert count == due and (soonest == math.inf) == (due == 0)

    def teardown(self):
        if hasattr(self, "catalog"):
            self.catalog.close()


@pytest.mark.parametrize("name", EACH)
def test_the_frontier_agrees_with_a_dictionary(name, tmp_path_factory):
    machine = type(
        "Machine", (Model,), {"open": staticmethod(STORES[name]), "make": lambda self: tmp_path_factory.mktemp("model")}
    )
    few = 25 if name == "sqlite" else 5  # each starts with a new database
    quick = settings(max_examples=few, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck))
    machine.TestCase.settings = quick
    machine.TestCase("runTest").runTest()
