"""What every catalog promises (ports.Catalog) of what it was told: visits, captures, links, refusals."""

import math
from dataclasses import replace

import pytest

from contracts.stores import capture, found, take, visited
from strandline.core.capture import Evidence, Kind, Original, Outcome
from strandline.ports import Batch, HostState, Link, Refusal


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
    assert catalog.host("a.example", "http") == HostState("a.example", seconds=0.5, scheme="http"), "never asked"
    plain = HostState("a.example", seconds=0.5, robots_time=9.0, robots_status=404, scheme="http")
    catalog.commit(Batch(hosts=[plain, HostState("a.example", seconds=0.5)]))
    assert catalog.host("a.example", "http") == plain
    assert catalog.host("a.example").robots_body == b"User-agent: *", "who did not ask forgets nothing"
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


@pytest.mark.parametrize(("when", "later"), [(190.0, False), (210.0, True)])
def test_brought_captures_take_the_place_of_a_payload_only_when_they_are_later(store, when, later):
    catalog = store()
    catalog.add([found("http://a.example/")])
    page = catalog.page("http://a.example/").page
    catalog.commit(Batch([visited(page, capture("http://a.example/", offset=0, entity="sha1:E"), etag="e0", due=50.0)]))
    catalog.bring([capture("http://a.example/", when, 10, entity="sha1:other")])
    (task,) = take(catalog)
    # With the validators of one payload and the bytes of another, a 304 would be kept as the wrong page.
    assert (task.entity, task.etag, task.read) == (("sha1:other", "", 0.0) if later else ("sha1:E", "e0", 200.0))


def test_a_page_counts_as_read_after_a_visit_of_our_own_that_found_it(store):
    catalog = store()
    catalog.bring([capture("http://a.example/", 90.0, entity="sha1:E")])
    catalog.add([found("http://a.example/", due=50.0)])
    (task,) = take(catalog)
    assert (task.entity, task.read) == ("sha1:E", 0.0)
    again = {"due": 50.0, "time": 300.0}
    catalog.commit(Batch([visited(task.page, capture("http://a.example/", 300.0, 10), **again)]))
    assert [task.read for task in take(catalog)] == [300.0]
    failed = {"outcome": Outcome.TIMEOUT, "evidence": Evidence.UNREACHABLE}
    catalog.commit(Batch([visited(task.page, None, **again, **failed)]))
    assert [task.read for task in take(catalog)] == [0.0]


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
