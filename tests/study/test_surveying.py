"""A first look at sites of several kinds: what is found, what is not asked for, and the first comparison."""

import pytest

from servers.small_site import small_site
from strandline.crawl.preparing import CrawlRequest
from strandline.errors import UsageError
from strandline.python_archive import create_folder
from strandline.settings.file import with_overrides
from strandline.settings.schema import Settings
from strandline.study.surveying import first_comparison, survey

HERE = with_overrides(Settings(), ['fetch.allow_address=["127.0.0.1/32"]', "politeness.delay=0.01"])
NEWS = (
    '<html lang="de-AT"><title>Der Hafen</title><link rel="alternate" type="application/rss+xml" href="/feed.xml">'
    '<nav><a href="/news/">News</a> <a href="/about">About</a> <a href="http://elsewhere.example/">Other</a></nav>'
    "<main><h1>Der Hafen</h1><p>Sieben Schiffe liefen am Montag aus, bevor der Sturm kam, und zwei werden vermisst.</p>"
    '<a href="/news/a.html">Mehr</a></main>'
)
SHELL = '<title>App</title><div id="root"></div><script src="/app.js"></script>'
WALL = "<title>Log in</title><form><input name=u><input type=password name=p></form>"


@pytest.fixture
def site():
    with small_site() as made:
        yield made


def _sitemap(site, *paths, tag="url"):
    root = "urlset" if tag == "url" else "sitemapindex"
    named = "".join(f"<{tag}><loc>{site.url}{path}</loc></{tag}>" for path in paths)
    xml = f'<{root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{named}</{root}>'
    return (200, "application/xml", f'<?xml version="1.0"?>{xml}')


def _no_pause(_seconds):
    pass


def test_a_site_with_everything(site):
    site.answers |= {
        "/": NEWS,
        "/robots.txt": (200, "text/plain", f"User-agent: *\nDisallow: /private\nSitemap: {site.url}map.xml"),
        "/map.xml": _sitemap(site, "one.xml", "two.xml", tag="sitemap"),
        "/one.xml": _sitemap(site, "news/a.html", "news/b.html", "deep/c.html"),
        "/two.xml": _sitemap(site, "news/d.html"),
    }
    found = survey(site.url, HERE, _no_pause)
    assert (found.status, found.problem, found.title, found.language) == (200, "", "Der Hafen", "de-at")
    assert (found.browser, found.login, found.feeds) == ("no", False, (f"{site.url}feed.xml",))
    assert (found.robots.said, found.robots.allowed, found.robots.delay) == ("robots.txt", True, 0.0)
    assert [one.addresses for one in found.sitemaps] == [2, 3, 1]
    # /, /news/, /about, /news/a.html of the page; b, c and d of the sitemaps; elsewhere.example is elsewhere
    assert found.pages == {"page": 1, "prefix": 7, "host": 7, "domain": 7}
    assert "Sieben Schiffe" in found.blocks[0].text
    assert 0 < found.blocks[-1].importance <= found.blocks[0].importance <= 1
    assert found.as_data()["sitemaps"][1] == {"url": f"{site.url}one.xml", "addresses": 3}
    assert site.asked.count("/robots.txt") == 1


def test_a_part_of_a_site_reaches_less_far_than_the_whole(site):
    site.answers |= {"/news/": NEWS, "/sitemap.xml": _sitemap(site, "news/b.html", "deep/c.html")}
    pages = survey(f"{site.url}news/", HERE, _no_pause).pages
    assert (pages["page"], pages["prefix"], pages["host"]) == (1, 3, 5)


def test_what_robots_refuses_is_not_asked_for(site):
    site.answers |= {"/": NEWS, "/robots.txt": (200, "text/plain", "User-agent: *\nDisallow: /")}
    found = survey(site.url, HERE, _no_pause)
    assert (found.problem, found.robots.allowed, found.status) == ("robots", False, 0)
    assert site.asked == ["/robots.txt"]
    ignoring = with_overrides(HERE, ["politeness.robots=ignore"])
    assert survey(site.url, ignoring, _no_pause).problem == ""


def test_a_host_that_wants_long_pauses_is_asked_for_no_sitemaps(site):
    site.answers |= {"/": NEWS, "/robots.txt": (200, "text/plain", "User-agent: *\nCrawl-delay: 30")}
    found = survey(site.url, HERE, _no_pause)
    assert (found.robots.delay, found.sitemaps) == (30.0, ())
    assert site.asked == ["/robots.txt", "/"]


def test_between_requests_for_sitemaps_are_pauses(site):
    pauses = []
    site.answers |= {"/": NEWS, "/robots.txt": (200, "text/plain", "User-agent: *\nCrawl-delay: 2")}
    survey(site.url, HERE, pauses.append)
    assert pauses == [2.0]


@pytest.mark.parametrize(
    ("answer", "needs", "login", "problem"),
    [
        (SHELL, "yes", False, ""),
        (WALL, "no", True, ""),
        ((401, "text/html", "no"), "no", True, "status"),
        ((404, "text/html", "no"), "no", False, "status"),
        ((200, "image/png", "not a page"), "no", False, "type"),
        ((200, "application/json", '{"items": [{"title": "One"}]}'), "no", False, ""),
    ],
)
def test_what_is_no_plain_page_is_told(site, answer, needs, login, problem):
    site.answers["/"] = answer
    found = survey(site.url, HERE, _no_pause)
    assert (found.browser, found.login, found.problem) == (needs, login, problem)


def test_a_page_in_place_of_a_sitemap_is_none(site):
    site.answers |= {"/": NEWS, "/sitemap.xml": NEWS}
    found = survey(site.url, HERE, _no_pause)
    assert (found.sitemaps, found.pages["host"]) == ((), 4)


def test_a_host_that_does_not_answer_is_unreachable():
    with small_site() as other:
        gone = other.url
    assert survey(gone, HERE, _no_pause).problem == "unreachable"


def test_the_first_capture_is_compared_with_what_was_seen(site, tmp_path):
    site.answers["/"] = NEWS
    seen = survey(site.url, HERE, _no_pause)
    archive = create_folder(tmp_path / "archive", operator="Tests")
    assert first_comparison(archive, seen) is None, "nothing was captured yet"
    site.answers["/"] = NEWS.replace("Sieben Schiffe", "Neun Schiffe")
    archive.crawl(HERE, CrawlRequest((site.url,)))
    compared, when = first_comparison(archive, seen)
    assert when > seen.time
    assert [block.kind for block in compared.blocks() if block.kind != "unchanged"] == ["updated"]


def test_what_is_no_address_is_said_so():
    with pytest.raises(UsageError, match="not a web address"):
        survey("notaurl", Settings())
