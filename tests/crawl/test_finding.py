"""What becomes of the addresses a document names."""

from unittest.mock import create_autospec

import pytest

from crawl.scripted import SITE, task
from strandline.core.capture import Kind
from strandline.core.discovery.scope import Scope, ScopeRules
from strandline.core.discovery.traps import TrapLimits, TrapWatch
from strandline.crawl.finding import SITEMAP_DEPTH, SITEMAP_FILES, Finder
from strandline.crawl.orders import Orders
from strandline.crawl.robots import RobotsGate
from strandline.ports import Catalog, Link, Named


def finder(**orders):
    given = Orders(ScopeRules((f"{SITE}/",), **orders.pop("scope", {})), **orders)
    catalog = create_autospec(Catalog)  # no rules were fetched: it is not asked
    return Finder(given, Scope(given.scope), TrapWatch(TrapLimits()), RobotsGate(given, catalog))


def links(*paths, via="link"):
    return [Named(f"{SITE}{path}", via) for path in paths]


def test_pages_are_one_hop_further_and_requisites_are_not():
    named = [*links("/a"), *links("/s.css", via="requisite"), *links("/feed", via="feed")]
    found = finder().named(task(hops=3), named, 7.0).found
    assert [(one.kind, one.hops, one.due) for one in found] == [
        (Kind.PAGE, 4, 7.0),
        (Kind.REQUISITE, 3, 7.0),
        (Kind.FEED, 3, 7.0),
    ]


def test_requisites_come_before_the_pages_of_the_next_hop_each_a_little_later():
    named = [*links("/1.css", "/2.css", "/3.css", via="requisite"), *links("/a")]
    priorities = [one.priority for one in finder().named(task(hops=1), named, 0.0).found]
    assert priorities == sorted(priorities) and len(set(priorities)) == 4
    assert priorities[0] > 0.0, "but after the pages that are as near as their own"


@pytest.mark.parametrize(
    ("url", "kind", "reason"),
    [
        ("http://other.example/", "link", "out of scope"),
        ("http://other.example/x.png", "requisite", ""),
        ("http://www.h.example/", "link", ""),
        (f"{SITE}/private/x", "link", "excluded"),
        (f"{SITE}/private/x.png", "requisite", "excluded"),
    ],
)
def test_scope(url, kind, reason):
    findings = finder(scope={"exclude": ("example,h)/private",)}).named(task(), [Named(url, kind)], 0.0)
    assert [one.reason for one in findings.refused] == ([reason] if reason else [])
    assert [one.url for one in findings.found] == ([] if reason else [url])


def test_nothing_is_asked_beyond_the_hops_allowed():
    near, far = (finder(scope={"hops": 2}).named(task(hops=hops), links("/a"), 0.0) for hops in (1, 2))
    assert near.found and not near.refused
    assert not far.found and far.refused[0].reason == "too many hops"


def test_session_ids_are_taken_out_and_one_page_is_named_once():
    named = links("/a;jsessionid=1", "/a?sid=2", "/a", "/a")
    findings = finder().named(task(), named, 0.0)
    assert [one.url for one in findings.found] == [f"{SITE}/a"]


def test_a_page_does_not_find_itself():
    assert not finder().named(task(), [Named(f"{SITE}/", "link")], 0.0).found


def test_known_pages_become_links_unless_a_nearer_way_or_a_claim_is_new():
    desk = finder()
    desk.named(task(hops=4), links("/a"), 0.0)
    again = desk.named(task(page=2, url=f"{SITE}/x", hops=4), links("/a"), 0.0)
    assert again.links == [Link(2, f"{SITE}/a", "link")] and not again.found
    nearer = desk.named(task(page=3, url=f"{SITE}/y", hops=1), links("/a"), 0.0)
    assert [one.hops for one in nearer.found] == [2] and not nearer.links
    claimed = desk.named(task(page=4, url=f"{SITE}/z", hops=4), [Named(f"{SITE}/a", "link", 5.0)], 0.0)
    assert [one.lastmod for one in claimed.found] == [5.0]


def test_traps_are_refused_by_name():
    findings = finder().named(task(), links("/a" * 30), 0.0)
    assert findings.refused[0].reason.startswith("trap: endless path") and not findings.found


def test_pages_that_only_their_own_kind_names_wait_behind_the_others():
    desk = finder()
    suspect, other = desk.named(task(f"{SITE}/day/1"), links("/day/2", "/about"), 0.0).found
    assert suspect.priority > other.priority + 1
    again = desk.named(task(f"{SITE}/day/3"), links("/day/2"), 0.0)
    assert again.found and not again.links, "a suspect is looked at each time it is named"


def test_sitemaps_end_at_a_depth_and_a_number():
    deep = task(f"{SITE}/s.xml", kind=Kind.SITEMAP, hops=SITEMAP_DEPTH)
    assert finder().named(deep, links("/t.xml", via="sitemap"), 0.0).refused[0].reason == "too many sitemaps"
    many = links(*(f"/s{n}.xml" for n in range(SITEMAP_FILES + 5)), via="sitemap")
    findings = finder().named(task(), many, 0.0)
    assert (len(findings.found), len(findings.refused)) == (SITEMAP_FILES, 5)
    assert finder(sitemaps=False).named(task(), many[:1], 0.0).refused[0].reason == "sitemaps off"


def test_sitemaps_are_counted_once_and_by_host():
    desk = finder()
    index = task(f"{SITE}/index.xml", kind=Kind.SITEMAP)
    named = [Named(f"{SITE}/s{n}.xml", "sitemap", lastmod=float(n)) for n in range(SITEMAP_FILES)]
    for _ in range(3):  # an index is read again at every visit of a watch
        assert len(desk.named(index, named, 0.0).found) == SITEMAP_FILES
    assert desk.named(index, links("/new.xml", via="sitemap"), 0.0).refused[0].reason == "too many sitemaps"
    other = task("http://www.h.example/index.xml", kind=Kind.SITEMAP)
    assert desk.named(other, [Named("http://www.h.example/s.xml", "sitemap")], 0.0).found


def test_pages_of_a_sitemap_are_one_hop_away():
    listed = task(f"{SITE}/s.xml", kind=Kind.SITEMAP, hops=2)
    assert [one.hops for one in finder().named(listed, links("/a"), 0.0).found] == [1]


@pytest.mark.parametrize("kind", [Kind.SITEMAP, Kind.FEED])
def test_what_is_said_of_a_page_is_the_word_of_the_document_that_names_it(kind):
    """Pages of sitemaps and feeds are named as links: who tells of a change is told by what was read."""
    named = [Named(f"{SITE}/a", "link", lastmod=5.0), Named(f"{SITE}/b", "link")]
    told, silent = finder().named(task(f"{SITE}/news.xml", kind=kind), named, 0.0).found
    assert (told.via, told.lastmod) == (kind.value, 5.0)
    assert (silent.via, silent.lastmod) == (kind.value, None)


def test_feeds_can_be_off():
    assert finder(feeds=False).named(task(), links("/feed", via="feed"), 0.0).refused[0].reason == "feeds off"


def test_a_seed_that_moved_takes_its_scope_along():
    desk = finder()
    moved = desk.redirected(task(), "http://new.example/", 0.0)
    assert [(one.url, one.hops, one.via) for one in moved.found] == [("http://new.example/", 0, "redirect")]
    assert desk.named(task("http://new.example/"), [Named("http://new.example/a", "link")], 0.0).found


def test_a_later_page_that_redirects_away_does_not():
    findings = finder().redirected(task(f"{SITE}/a", hops=1), "http://new.example/", 0.0)
    assert [one.reason for one in findings.refused] == ["out of scope"] and not findings.found


def test_sitemaps_of_a_host():
    desk = finder()
    assert [one.url for one in desk.sitemaps(SITE, (), 0.0)] == [f"{SITE}/sitemap.xml"]
    listed = desk.sitemaps(SITE, ("/own.xml", "mailto:x"), 0.0)
    assert [(one.url, one.kind) for one in listed] == [(f"{SITE}/own.xml", Kind.SITEMAP)]
    assert desk.sitemaps("http://other.example", (), 0.0) == []


def test_what_waits_is_asked_again_whether_it_is_wanted():
    desk = finder()
    assert desk.outside(task(f"{SITE}/a")) == ""
    assert desk.outside(task("http://other.example/")) == "out of scope"
    assert desk.outside(task("http://other.example/x.png", kind=Kind.REQUISITE)) == ""


def test_what_stands_for_a_request_with_a_body_is_never_asked_for():
    desk, url = finder(), f"{SITE}/api?__wb_method=POST&a=1"
    assert desk.outside(task(url, kind=Kind.REQUISITE)) == "no address of a page"
    assert [one.reason for one in desk.named(task(), [Named(url, "link")], 0.0).refused] == ["no address of a page"]
