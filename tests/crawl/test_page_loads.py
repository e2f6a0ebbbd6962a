"""Pages in a browser: what they ask for is fetched by the crawl's rules and kept, and the page is concluded once."""

import pytest

from crawl.scripted import SITE, Workshop, answer, page
from crawl.shown_pages import ScriptedBrowser, asks
from strandline.core.capture import Kind
from strandline.crawl.browse_sites import SiteBrowsing

API, OTHER = f"{SITE}/api", "http://other.example"
ROBOTS = {
    f"{SITE}/robots.txt": lambda request: answer(request, b"User-agent: *\nDisallow: /private\n"),
    f"{OTHER}/robots.txt": lambda request: answer(request, b"User-agent: *\nDisallow: /\n"),
}


def text(body, status=200, headers=b"Content-Type: text/plain\r\n"):
    return lambda request: answer(request, body, status, headers)


@pytest.fixture
def crawled(tmp_path):
    """A function that crawls a start page whose script asks for things: the workshop and the browser."""

    def run(*asked, pages=None, prepare=lambda crawl: None, stuck=False, **orders):
        browser = ScriptedBrowser({f"{SITE}/": asked})
        browser.stuck = stuck
        shop = Workshop(tmp_path, {f"{SITE}/": page(), **ROBOTS, **(pages or {})}, **orders)
        shop.browsing = SiteBrowsing(browser, "always", {})
        shop.tally = shop.run(prepare)
        return shop, browser

    return run


def test_what_a_page_asks_for_is_kept_and_told(crawled):
    shop, browser = crawled(asks(API), pages={API: text(b"from the api")})
    assert browser.answers[API].body == b"from the api"
    assert {SITE + "/", API} <= set(shop.captured)
    assert shop.rows[API].kind is Kind.REQUISITE
    shown = next(one for one in shop.held if one.url == f"{SITE}/")
    assert shown.rendering is not None
    assert shop.tally.browsed >= 1


def test_links_are_those_of_the_rendered_document(crawled):
    shop, browser = crawled(pages={f"{SITE}/made": page()})
    assert f"{SITE}/made" in browser.shown
    assert f"{SITE}/made" in shop.captured


def test_robots_rules_hold_for_parts_of_pages_on_any_host(crawled):
    shop, browser = crawled(asks(f"{SITE}/private/x"), asks(f"{OTHER}/a.js"), pages={f"{OTHER}/a.js": text(b"0")})
    assert browser.answers[f"{SITE}/private/x"] is None
    assert browser.answers[f"{OTHER}/a.js"] is None
    assert not {f"{SITE}/private/x", f"{OTHER}/a.js"} & set(shop.web.asked)
    assert sum(count for reason, count in shop.refused.items() if reason.startswith("robots")) == 2


def test_a_part_that_a_page_has_asked_for_is_not_fetched_once_more(crawled):
    start = lambda request: answer(request, b'<img src="/a.png">')  # noqa: E731
    png = text(b"x" * 300, headers=b"Content-Type: image/png\r\n")
    shop, _ = crawled(asks(f"{SITE}/a.png", kind="Image"), pages={f"{SITE}/": start, f"{SITE}/a.png": png})
    assert shop.web.asked.count(f"{SITE}/a.png") == 1


def test_parts_that_pages_share_come_from_memory(tmp_path):
    part = f"{SITE}/app.js"
    browser = ScriptedBrowser({f"{SITE}/": [asks(part, kind="Script")], f"{SITE}/b": [asks(part, kind="Script")]})
    shop = Workshop(tmp_path, {f"{SITE}/": page("/b"), f"{SITE}/b": page(), **ROBOTS, part: text(b"0")})
    shop.browsing = SiteBrowsing(browser, "always", {})
    shop.run()
    assert browser.shown[:2] == [f"{SITE}/", f"{SITE}/b"] or f"{SITE}/b" in browser.shown
    assert shop.web.asked.count(part) == 1
    assert browser.answers[part].body == b"0"


def test_bodies_are_sent_and_indexed(crawled):
    sent = asks(
        API, "POST", body=b"a=1", **{"Content-Type": "application/x-www-form-urlencoded", "User-Agent": "browser"}
    )
    shop, browser = crawled(sent, pages={API: text(b"echo")})
    assert f"{API}?__wb_method=POST&a=1" in shop.captured
    assert browser.answers[API].body == b"echo"


def test_a_part_of_a_body_is_answered_from_the_whole(crawled):
    film = f"{SITE}/film"
    shop, browser = crawled(asks(film, kind="Media", Range="bytes=2-4"), pages={film: text(b"0123456789")})
    answered = browser.answers[film]
    assert (answered.status, answered.body) == (206, b"234")
    assert ("content-range", "bytes 2-4/10") in answered.headers
    assert next(one for one in shop.held if one.url == film).status == 200


def test_a_crawl_that_is_stopped_keeps_the_answer_of_a_page_that_is_shown(crawled):
    shop, _ = crawled(asks(API), stuck=True, prepare=lambda crawl: crawl.end("time"))
    assert shop.tally.ended == "time"


def test_a_page_that_is_cut_is_kept_all_the_same(tmp_path):
    browser = ScriptedBrowser({})
    browser.stuck = True
    shop = Workshop(tmp_path, {f"{SITE}/": page(), **ROBOTS})
    shop.browsing = SiteBrowsing(browser, "always", {})
    steps = iter(range(200))

    def soon(crawl):
        kept = crawl._loads.takes

        def takes(task, exchange):
            taken = kept(task, exchange)
            crawl.stop() if taken and next(steps) >= 0 else None
            return taken

        crawl._loads.takes = takes

    tally = shop.run(soon)
    assert tally.ended == "interrupted"
    assert f"{SITE}/" in shop.captured


def test_failures_of_parts_are_told_to_the_page(crawled):
    shop, browser = crawled(asks(f"{SITE}/gone"))
    assert browser.answers[f"{SITE}/gone"].status == 404
    assert shop.tally.ended == "complete"
