"""The reading side: look-ups by SURT key, ranges with resume, sites, the link graph."""

import math
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.capture import Capture, Evidence, Kind, Outcome, Place, Unanswered
from strandline.core.urls import surt_key
from strandline.ports import Batch, Found, Visited
from strandline.store.catalog import DATABASE, open_catalog
from strandline.store.learned import LearnedWriter
from strandline.store.reading import Reading, Span, span

URLS = [
    "http://example.com/",
    "https://www.example.com/",
    "http://example.com/a",
    "http://example.com/a/b",
    "http://example.com/ab",
    "http://sub.example.com/a",
    "http://example.com.evil.org/a",
    "http://examples.com/",
    "http://example.com:8080/a",
]


def capture(url, time, offset, **changes):
    return Capture(
        url, time, 200, "text/html", f"sha1:{offset}", Place(changes.pop("file", "A"), offset, 10), **changes
    )


@pytest.fixture
def catalog(tmp_path):
    opened = open_catalog(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def filled(catalog):
    catalog.rebuild(
        capture(url, 100.0 * when + nth, 100 * when + nth) for nth, url in enumerate(URLS) for when in (3, 1, 2)
    )
    return catalog.reading


@pytest.mark.parametrize(
    ("match", "url", "expected"),
    [
        ("exact", "https://example.com/", URLS[:2]),
        ("prefix", "http://example.com/a", [URLS[2], URLS[3], URLS[4]]),
        ("host", "http://www.example.com/x", URLS[:5]),
        ("domain", "http://example.com/", [*URLS[:5], URLS[5]]),
        ("host", "http://example.com:8080/", [URLS[8]]),
    ],
)
def test_ranges(filled, match, url, expected):
    low, high = span(url, match)
    found = [indexed.capture.url for indexed in filled.index(Span(low, high))]
    assert sorted(set(found)) == sorted(expected) and len(found) == 3 * len(expected)


def test_an_unknown_match_is_refused():
    with pytest.raises(ValueError, match="exact, prefix"):
        span("http://example.com/", "fuzzy")


def test_index_order_times_and_resume(filled):
    whole = list(filled.index(Span()))
    keys = [(one.surt, one.capture.time) for one in whole]
    assert keys == sorted(keys) and len(keys) == 3 * len(URLS)
    assert all(one.surt == surt_key(one.capture.url) for one in whole)
    pieces, resume = [], None
    while piece := list(filled.index(Span(), resume, 4)):
        pieces += piece
        resume = piece[-1].resume
    assert pieces == whole
    assert all(200 <= one.capture.time <= 250 for one in filled.index(Span(since=200.0, until=250.0)))
    assert len(list(filled.index(Span(since=200.0, until=250.0)))) == len(URLS)


def test_versions_cover_both_schemes_and_www(filled):
    found = [(one.url, one.time) for one in filled.versions("http://www.example.com/")]
    assert found == [(URLS[nth], 100.0 * when + nth) for when in (1, 2, 3) for nth in (0, 1)]
    assert [one.time for one in filled.captures("http://example.com/")] == [100.0, 200.0, 300.0]


@settings(max_examples=60, deadline=None)
@given(times=st.lists(st.integers(0, 20), min_size=1, max_size=6), wanted=st.integers(-1, 22))
def test_closest(tmp_path_factory, times, wanted):
    catalog = open_catalog(tmp_path_factory.mktemp("closest"))
    catalog.rebuild(capture(URLS[n % 2], float(time), n) for n, time in enumerate(times))
    found = catalog.reading.closest("http://example.com/", float(wanted))
    catalog.close()
    assert found.time == min(times, key=lambda time: (abs(time - wanted), time))


def test_closest_of_nothing(filled):
    assert filled.closest("http://nowhere.example/", 1.0) is None


def test_sites_and_hosts(filled):
    sites = {row.name: row for row in filled.sites()}
    assert sorted(sites) == ["evil.org", "example.com", "example.com:8080", "examples.com"]
    row = sites["example.com"]
    assert (row.hosts, row.pages, row.captures, row.first, row.last) == (3, 6, 18, 100.0, 305.0)
    assert [row.name for row in filled.hosts("example.com")] == ["example.com", "sub.example.com", "www.example.com"]
    assert [page.url for page in filled.pages("evil.org")] == ["http://example.com.evil.org/a"]
    assert len(list(filled.pages())) == len(URLS)
    assert [page.page for page in filled.pages(after=7)] == [8, 9]


def test_committed_is_where_the_last_record_ends(filled):
    assert filled.committed("A") == 318 and filled.committed("B") == 0


def test_salvage_and_rebuild_record_each_capture_once(catalog):
    catalog.add([Found("http://a.example/", Kind.PAGE, "seed", 0, 0, 0.0, 5.0)])
    lost = [
        capture("http://a.example/", 10.0, 0),
        capture("http://a.example/robots.txt", 11.0, 10),
        capture("http://b.example/i.png", 12.0, 20),
        capture("http://b.example/api?__wb_method=POST&a=1", 13.0, 30),
    ]
    assert catalog.salvage(lost) == 4 and catalog.salvage(lost) == 0 and catalog.rebuild(lost) == 0
    assert sorted(one.time for one in catalog.all_captures()) == [10.0, 11.0, 12.0, 13.0]
    row = catalog.page("http://a.example/")
    assert (row.due, row.captures, row.evidence) == (5.0, 1, Evidence.PRESENT)
    assert catalog.page("http://a.example/robots.txt").due == math.inf
    assert catalog.page(lost[3].url).due == math.inf, "only a page in a browser can ask for it"
    assert catalog.waiting(100.0)[0] == 2


def test_rebuilt_pages_know_whether_they_are_there(catalog):
    gone = [
        Capture("http://a.example/", time, status, "", "", Place("A", int(time), 1))
        for time, status in ((1.0, 200), (2.0, 404), (3.0, 404), (4.0, 503))
    ]
    catalog.rebuild(gone[:3])
    row = catalog.page("http://a.example/")
    assert (row.evidence, row.since, row.captures) == (Evidence.ABSENT, 2.0, 3)
    catalog.rebuild(gone[3:])  # an error is no deletion, and no presence either
    row = catalog.page("http://a.example/")
    assert (row.evidence, row.since, row.captures) == (Evidence.UNREACHABLE, 4.0, 4)


def test_rebuilt_pages_know_since_when_they_cannot_be_reached(catalog):
    def silent(url, time, outcome=Outcome.TIMEOUT):
        return Unanswered(url, time, outcome, "no answer in 30 s", Kind.PAGE)

    first = "http://a.example/"
    facts = [capture(first, 1.0, 0), silent(first, 2.0), silent(first, 3.0), silent("http://b.example/", 4.0)]
    assert catalog.rebuild(facts) == 1
    row = catalog.page(first)
    assert (row.evidence, row.since, row.captures) == (Evidence.UNREACHABLE, 2.0, 1)
    never = catalog.page("http://b.example/")
    assert (never.evidence, never.since, never.captures) == (Evidence.UNREACHABLE, 4.0, 0)
    catalog.rebuild([capture(first, 5.0, 10), silent("http://b.example/", 3.5)])
    assert catalog.page(first).evidence is Evidence.PRESENT
    assert catalog.page("http://b.example/").since == 4.0, "an earlier visit tells nothing new"


def test_pages_of_another_archive_are_crawled_only_when_named(catalog):
    assert catalog.bring([capture("http://a.example/", 1.0, 0)]) == 1
    assert catalog.waiting(100.0) == (0, math.inf)
    catalog.commit(Batch(found=[Found("http://a.example/", Kind.PAGE, "link", 0, 2, 1.0, 50.0)]))
    assert catalog.waiting(100.0) == (1, 0.0) and catalog.page("http://a.example/").due == 50.0
    catalog.commit(Batch(found=[Found("http://a.example/", Kind.PAGE, "link", 0, 2, 1.0, 1.0)]))
    assert catalog.page("http://a.example/").due == 50.0


def test_the_link_graph_of_a_site_is_bounded_and_its_weights_are_kept(catalog, monkeypatch):
    monkeypatch.setattr("strandline.store.recording.OUTLINKS", 3)
    seeds = [Found(f"http://{host}.example/", Kind.PAGE, "seed", 0, 0, 0.0, 1.0) for host in "ab"]
    catalog.add(seeds)
    a = catalog.page("http://a.example/").page
    links = [Found(f"http://a.example/{n}", Kind.PAGE, "link", a, 1, 0.0, 1.0) for n in range(2)]
    others = [
        Found("http://a.example/s.css", Kind.REQUISITE, "requisite", a, 1, 0.0, 1.0),
        Found("http://b.example/", Kind.PAGE, "link", a, 1, 0.0, 1.0),
        Found("http://a.example/", Kind.PAGE, "link", a, 1, 0.0, 1.0),
    ]
    for _ in range(2):
        catalog.commit(Batch(found=[*links, *others]))
    sources, targets = catalog.reading.edges("a.example")
    numbers = [catalog.page(one.url).page for one in links]
    assert sorted(zip(sources, targets, strict=True)) == [(a, number) for number in numbers]
    catalog.commit(
        Batch(found=[Found(f"http://a.example/more{n}", Kind.PAGE, "link", a, 1, 0.0, 1.0) for n in range(9)])
    )
    assert len(catalog.reading.edges("a.example")[0]) == 2
    with closing(LearnedWriter.open(catalog.path)) as writer:
        given = [("http://a.example/0", 7.0), ("http://nowhere.example/", 1.0)]
        assert writer.give_weights(given) == ["http://nowhere.example/"]
        writer.weigh([(numbers[0], 2.0), (numbers[1], 3.0)])
    assert [catalog.page(one.url).weight for one in links] == [7.0, 3.0]


def test_claims_are_kept_with_the_time_they_were_seen(catalog):
    for seen, lastmod in ((10.0, 1.0), (20.0, 1.0), (30.0, 2.0)):
        visit = Visited(
            0,
            Outcome.ANSWERED,
            "",
            capture("http://a.example/s.xml", seen, int(seen)),
            Evidence.PRESENT,
            seen,
            99.0,
            0.0,
            0,
        )
        named = Found("http://a.example/p", Kind.PAGE, "sitemap", 0, 1, 0.0, 5.0, lastmod)
        catalog.commit(Batch(visited=[visit], found=[named]))
    page = catalog.page("http://a.example/p").page
    assert [(claim.source, claim.time, claim.seen) for claim in catalog.reading.claims(page)] == [
        ("sitemap", 1.0, 10.0),
        ("sitemap", 2.0, 30.0),
    ]


def test_a_requisite_that_is_linked_becomes_a_page_and_nearer_ways_count(catalog):
    catalog.add([Found("http://a.example/x", Kind.REQUISITE, "requisite", 0, 5, 9.0, 1.0)])
    catalog.add([Found("http://a.example/x", Kind.PAGE, "link", 0, 2, 3.0, 8.0)])
    catalog.add([Found("http://a.example/x", Kind.REQUISITE, "requisite", 0, 9, 9.0, 0.0)])
    (task,) = catalog.take(1, 10.0, 1.0, ())
    assert (task.kind, task.hops) == (Kind.PAGE, 2)


def test_notes(catalog, tmp_path):
    catalog.note("patterns", [("b", b"2"), ("a", b"1"), ("c", b"3")])
    catalog.note("patterns", [("a", b"one"), ("c", None)])
    reading = Reading.open(tmp_path / DATABASE)
    assert list(reading.notes("patterns")) == [("a", b"one"), ("b", b"2")]
    assert reading.note("patterns", "a") == b"one" and reading.note("patterns", "z") is None
    assert reading.due(math.inf) == 0
    reading.close()
