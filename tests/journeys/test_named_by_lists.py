"""Pages that a feed or a sitemap has named, from the command to the catalog: what that means for them."""

from contextlib import closing

import pytest

from journeys.command import UNSTUDIED, strandline
from servers.small_site import small_site
from strandline.archive.folder import open_archive
from strandline.store.standing import StandingReading

FEED = """<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><id>n</id>
<entry><title>Soon</title><id>1</id><link href="{0}soon"/><updated>2026-03-01T12:00:00Z</updated></entry></feed>"""
SITEMAP = """<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>{0}</loc></url><url><loc>{0}alone</loc></url><url><loc>{0}linked</loc></url></urlset>"""
FRONT = """<link rel="alternate" type="application/atom+xml" href="/feed.xml">
<a href="/dead">dead</a> <a href="/linked">linked</a>"""


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("listed") / "archive"
    with small_site() as site:
        site.answers |= {"/": FRONT, "/alone": "<p>Alone</p>", "/linked": "<p>Linked</p>"}
        site.answers["/feed.xml"] = (200, "application/atom+xml", FEED.format(site.url))
        site.answers["/sitemap.xml"] = (200, "application/xml", SITEMAP.format(site.url))
        done = strandline("crawl", folder, "--seeds", site.url, *UNSTUDIED, "--set", "politeness.delay=0s", timeout=60)
        assert done.code == 0, done.err
        return open_archive(folder), site.url


def test_a_page_that_a_feed_names_before_it_is_there_is_asked_for_soon(crawled):
    archive, home = crawled
    with closing(StandingReading.open(archive.database)) as reading:
        soon, dead = (reading.standing(f"{home}{name}") for name in ("soon", "dead"))
    assert [round((one.due - one.visited) / 3600.0) for one in (soon, dead)] == [6, 168]


def test_how_a_page_was_found_says_who_named_it_and_sitemaps_endorse_nothing(crawled):
    archive, home = crawled
    with closing(StandingReading.open(archive.database)) as reading:
        via = {name: reading.standing(f"{home}{name}").via for name in ("", "soon", "dead", "alone")}
        sitemap = reading.page(f"{home}sitemap.xml").page
        sources, _ = reading.edges(home.removeprefix("http://").rstrip("/"))
    assert via == {"": "seed", "soon": "feed", "dead": "link", "alone": "sitemap"}
    assert sources and sitemap not in sources
