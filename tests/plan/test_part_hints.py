"""Feeds and sitemaps are left alone for as long as they ask, once that proved right; `why` says so."""

import contextlib
from dataclasses import replace
from types import SimpleNamespace

import pytest

from crawl.scripted import SITE, answer
from strandline.archive.folder import create
from strandline.core.capture import Kind
from strandline.plan.explaining import why
from strandline.plan.part_hints import KIND, PartHints
from strandline.plan.planning import Planning
from strandline.store.catalog import open_catalog
from watch.test_agenda import HOUR, Shop

FEED = f"{SITE}/feed.xml"
HOME = b'<link rel="alternate" type="application/rss+xml" href="/feed.xml">'


def task(kind=Kind.FEED):
    return SimpleNamespace(url=FEED, kind=kind)


def visited(time, asks=0.0, revisit=True):
    return SimpleNamespace(time=time, asks=asks, capture=SimpleNamespace(revisit=revisit))


def test_a_word_is_followed_after_it_was_right_and_survives_a_restart(tmp_path):
    with contextlib.closing(open_catalog(tmp_path)) as catalog:
        assert PartHints(catalog).looked(task(), visited(0.0, 7200.0)) == 0.0, "not known yet"
        assert PartHints(catalog).looked(task(), visited(5400.0, 7200.0)) == 5400.0 + 7200.0
        assert PartHints(catalog).looked(task(Kind.REQUISITE), visited(5700.0, 7200.0)) == 0.0
        assert PartHints(catalog, pace=0.5).looked(task(), visited(6000.0, 7200.0)) == 6000.0 + 3600.0
        before = dict(catalog.reading.notes(KIND))
        assert len(before) == 1
        silent = SimpleNamespace(url="https://other.example/map.xml", kind=Kind.SITEMAP)
        assert PartHints(catalog).looked(silent, visited(0.0)) == 0.0
        assert dict(catalog.reading.notes(KIND)) == before, "who says nothing leaves nothing"


def looked_at(folder, ttl, cache, changes_every, hours=72):
    """When a watch of some hours asks for a feed that says so in its text and its head."""
    shop = Shop(folder, {}, budget=20)

    def feed(request):
        number = int(shop.clock.now() // (changes_every * HOUR))
        text = f"<rss version='2.0'><channel>{ttl}<item><link>{SITE}/a{number}</link></item></channel></rss>"
        head = b"Content-Type: application/rss+xml\r\nCache-Control: " + cache + b"\r\n"
        return answer(request, text.encode(), headers=head, started=shop.clock.now())

    shop.web.pages.update({f"{SITE}/": lambda request: answer(request, HOME), FEED: feed})

    def listen(agenda):
        agenda._parts = replace(agenda._parts, left_alone=PartHints(agenda._parts.catalog).looked)

    shop.run(hours, listen)
    return [moment for moment, url in shop.times if url == FEED]


@pytest.fixture(scope="module")
def silent(tmp_path_factory):
    """A feed that says nothing, and has something new every twelve hours."""
    return looked_at(tmp_path_factory.mktemp("silent"), "", b"no-cache", changes_every=12.0)


@pytest.mark.parametrize(("ttl", "cache"), [("<ttl>720</ttl>", b"no-cache"), ("", b"max-age=43200")])
def test_a_watch_asks_no_sooner_than_a_feed_that_is_right_says(tmp_path, silent, ttl, cache):
    speaks = looked_at(tmp_path, ttl, cache, changes_every=12.0)
    assert 3 < len(speaks) < 0.8 * len(silent)


def test_a_feed_that_is_wrong_is_asked_as_before(tmp_path):
    (tmp_path / "silent").mkdir()
    (tmp_path / "speaks").mkdir()
    silent = looked_at(tmp_path / "silent", "", b"no-cache", changes_every=1.0, hours=36)
    speaks = looked_at(tmp_path / "speaks", "", b"max-age=31536000", changes_every=1.0, hours=36)
    assert len(speaks) >= 0.9 * len(silent)


def test_why_tells_what_a_feed_asks_for(tmp_path):
    archive = create(tmp_path / "a", seeds=(f"{SITE}/",))
    shop = Shop(archive.folder, {}, budget=20)
    shop.web.pages[f"{SITE}/"] = lambda request: answer(request, HOME)
    shop.web.pages[FEED] = lambda request: answer(request, b"<rss><channel><ttl>180</ttl></channel></rss>")
    shop.run(1.5)
    with contextlib.closing(open_catalog(archive.folder)) as catalog:
        found = why(Planning(archive, shop.clock.now()), FEED)
        assert "its word" not in found.answers, "nobody listened"
        PartHints(catalog).looked(task(), visited(0.0, 10_800.0))
    found = why(Planning(archive, shop.clock.now()), FEED)
    assert found.answers["its word"].startswith("asks to be left alone for 3 hours")
