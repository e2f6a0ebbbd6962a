"""What planning reads: how pages stand, and sightings of captures that were not studied yet."""

import contextlib

import pytest

from made.catalog_words import found, visited
from strandline.core.capture import Capture, Kind, Place
from strandline.ports import Batch, Found, HostState
from strandline.store.catalog import DATABASE, open_catalog
from strandline.store.standing import UNSTUDIED_IMPORTANCE, StandingReading

PAGE, OTHER = "https://example.org/", "https://example.org/new.html"


def capture(number, digest, url=PAGE):
    return Capture(
        url=url,
        time=1000.0 * number,
        status=200,
        mime="text/html",
        digest=digest,
        place=Place("a.warc.gz", 100 * number, 100),
        revisit=False,
        truncated="",
        redirect="",
        record_id=f"<urn:{number}>",
        entity=digest,
        original=None,
    )


@pytest.fixture
def reading(tmp_path):
    with contextlib.closing(open_catalog(tmp_path)) as catalog:
        catalog.bring([capture(1, "sha1:a"), capture(2, "sha1:a"), capture(3, "sha1:b")])
        catalog.add([Found(OTHER, Kind.PAGE, "feed", 1, 1, 0.0, 5.0, lastmod=700.0)])
        catalog.add([Found("https://example.org/a.css", Kind.REQUISITE, "requisite", 1, 1, 0.0, 5.0)])
    opened = StandingReading.open(tmp_path / DATABASE)
    yield opened
    opened.close()


def test_unstudied_captures_are_sighted_by_their_digests(reading):
    seen = list(reading.all_sightings())
    assert [(one.time, one.changed, one.first) for one in seen] == [
        (1000.0, False, True),
        (2000.0, False, False),
        (3000.0, True, False),
    ]
    assert [one.importance for one in seen] == [0.0, 0.0, UNSTUDIED_IMPORTANCE]
    assert list(reading.all_sightings("elsewhere.org")) == []
    assert len(list(reading.all_sightings("example.org"))) == 3


def test_pages_stand_in_the_order_they_were_found_without_requisites(reading):
    assert [one.url for one in reading.standings()] == [PAGE, OTHER]
    one = reading.standing(OTHER)
    assert (one.via, one.hops, one.captures, one.site, one.host) == ("feed", 1, 0, "example.org", "example.org")
    assert reading.standing("https://example.org/unknown") is None


def test_sizes_claims_and_the_last_capture(reading):
    assert reading.last_capture() == (3, 3000.0)
    assert list(reading.sizes().values()) == [100.0]
    assert [(time, who) for _, time, _, who in reading.claims_told()] == [(700.0, "feed")]
    assert reading.visits_since(1500.0) == (2, 0)
    assert reading.visits_since(1500.0, "elsewhere.org") == (0, 0)


def test_what_sitemaps_and_feeds_told_and_when_they_were_read(tmp_path):
    feed = "https://example.org/feed"
    with contextlib.closing(open_catalog(tmp_path)) as catalog:
        catalog.add([Found(feed, Kind.FEED, "link", 0, 0, 0.0, 5.0)])
        catalog.bring([capture(1, "sha1:a"), capture(2, "sha1:f", feed), capture(3, "sha1:g", feed)])
        for url, seen in ((PAGE, 2000.0), (PAGE, 3000.0), (OTHER, 3000.0)):
            catalog.add([Found(url, Kind.PAGE, "feed", 2, 1, 0.0, seen, lastmod=900.0)])
    with contextlib.closing(StandingReading.open(tmp_path / DATABASE)) as reading:
        every = list(reading.claims_told())
        page, other = (reading.standing(url).page for url in (PAGE, OTHER))
        assert [(number, time) for number, time, *_ in every] == sorted([(page, 900.0), (other, 900.0)])
        assert list(reading.claims_told([other])) == [claim for claim in every if claim[0] == other]
        assert list(reading.claims_told([])) == []
        assert list(reading.sitemap_readings()) == [("example.org", "feed", 2000.0), ("example.org", "feed", 3000.0)]
        assert list(reading.sitemap_readings((2, 3))) == [("example.org", "feed", 3000.0)]
        assert list(reading.sitemap_readings((3, 9))) == []


def test_texts_that_pages_have_in_common_are_held_once(reading):
    first, second = reading.standings()
    assert (first, second) == (reading.standing(PAGE), reading.standing(OTHER)), "nothing else is different"
    assert first.host is second.host and first.site is second.site and first.kind is second.kind


def test_what_waits_for_a_host_that_is_gone_is_not_due(tmp_path):
    """A watch keeps requests free for what is due by itself: not for 30 pictures that nobody will ask for."""
    with contextlib.closing(open_catalog(tmp_path)) as catalog:
        for name in ("gone", "tired", "fine"):
            catalog.add([found(f"http://{name}.example/{number}") for number in range(4)])
        tasks = {task.authority: task for task in catalog.take(10, 150.0, 100.0, ())}
        catalog.release([tasks["tired.example"].page])
        again = [
            visited(tasks[f"{name}.example"].page, due=90.0, not_before=400.0, attempts=1) for name in ("gone", "fine")
        ]
        hosts = [HostState("gone.example", not_before=180.0, failures=3), HostState("tired.example", not_before=500.0)]
        catalog.commit(Batch(again, hosts=hosts))
        moments = (170.0, 200.0, 450.0, 600.0)
        # Three of the fine host; one of that which is gone, to try it; the one of the fine host that failed; the tired.
        assert [catalog.due_by(moment) for moment in moments] == [3, 4, 5, 9]
        assert [catalog.due_by(moment, ["fine.example"]) for moment in moments] == [0, 1, 1, 5]
        with contextlib.closing(StandingReading.open(tmp_path / DATABASE)) as reading:
            assert [reading.count_due(moment, False) for moment in moments] == [3, 4, 5, 9]
            assert [len(reading.due_by_themselves(moment, False, 20)) for moment in moments] == [3, 4, 5, 9]
