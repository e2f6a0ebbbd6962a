"""Pages that want their cookie back are had, in one visit, and no cookie is kept."""

import gzip

import pytest

from crawl.scripted import SITE
from journeys.command import LOOPBACK, strandline
from servers.small_site import small_site
from strandline.core.capture import Exchange, Kind, Outcome, Request
from strandline.crawl.cookie_checks import LONGEST, CookieChecks
from strandline.ports import Task

TASK = Task(7, f"{SITE}/a", "h.example", Kind.PAGE, 0, 0, '"e"', "", 0, None, "")


def answer(*fields, status=302, request=None, cookies_set=()):
    head = f"HTTP/1.1 {status} Found\r\n" + "".join(f"{field}\r\n" for field in fields) + "\r\n"
    asked = request or Request(TASK.url, 1)
    return Exchange(
        asked, 0.0, 0.0, Outcome.ANSWERED, "", "", b"", head.encode(), None, 0, status=status, cookies_set=cookies_set
    )


def test_asked_again_with_what_was_set_and_nothing_else():
    checks = CookieChecks()
    fields = (
        "Set-Cookie: a=1; Path=/; HttpOnly",
        "Set-Cookie: gone=; Max-Age=5",
        "Set-Cookie: b=2",
        "Set-Cookie: c=3; max-age=0",
    )
    assert checks.wants_again(TASK, answer("Location: /a#top", *fields))
    asked = checks.with_cookies(TASK, Request(TASK.url, 0, Kind.PAGE, '"e"', "yesterday"))
    assert (asked.headers, asked.own_cookies) == ((("Cookie", "a=1; b=2"),), True)
    assert (asked.etag, asked.last_modified) == ("", ""), "what was known is not asked about: the redirect was new"
    assert checks.with_cookies(TASK, Request(TASK.url, 0)) == Request(TASK.url, 0), "once"


@pytest.mark.parametrize(
    "exchange",
    [
        answer("Location: /a"),
        answer("Location: /b", "Set-Cookie: a=1"),
        answer("Location: /a?x=1", "Set-Cookie: a=1"),
        answer("Set-Cookie: a=1", status=200),
        answer("Location: /a", "Set-Cookie: a=1", request=Request(TASK.url, 1, own_cookies=True)),
        answer("Location: /a", "Set-Cookie: a=1", cookies_set=("a=1",)),
        answer("Location: /a", f"Set-Cookie: a={'x' * LONGEST}"),
        answer("Location: /robots.txt", "Set-Cookie: a=1", request=Request(f"{SITE}/robots.txt", 1, Kind.ROBOTS)),
    ],
)
def test_not_asked_again(exchange):
    assert not CookieChecks().wants_again(TASK, exchange)


def checking(path, asked, allows=True):
    """A page that is shown to whoever brings its cookie back, or to nobody."""
    inside = "<title>In</title><a href=/a>a</a> <a href=/never>n</a> The tide is out until noon."

    def answered(fields):
        asked.append((path, fields.get("Cookie", "")))
        if allows and asked[-1][1] == "seen=secret77":
            return inside
        return 302, "text/html", "", [("Location", path), ("Set-Cookie", "seen=secret77; Path=/")]

    return answered


def test_a_site_that_wants_its_cookie_back_is_crawled(tmp_path):
    asked = []
    with small_site(**{path: checking(path, asked, path != "/never") for path in ("/", "/a", "/never")}) as site:
        done = strandline("crawl", tmp_path / "archive", "--seeds", site.url, *LOOPBACK, "--set", "study.workers=0")
    assert done.code == 0, done.err
    status = {event["url"].removeprefix(site.url): event["status"] for event in done.captured}
    assert (status[""], status["a"], status["never"]) == (200, 200, 302)
    assert [sent for path, sent in asked if path == "/a"] == ["", "seen=secret77"]
    assert len([path for path, _ in asked if path == "/never"]) == 2, "no more than once again"
    kept = b"".join(gzip.decompress(file.read_bytes()) for file in (tmp_path / "archive").rglob("*.warc.gz"))
    assert b"The tide is out" in kept
    assert b"Cookie: seen" not in kept.replace(b"Set-Cookie: seen", b""), "no request is kept with its cookie"
