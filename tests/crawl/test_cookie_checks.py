"""Pages that want their cookie back are had, in one visit, and no cookie is kept."""

import gzip
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pytest

from crawl.scripted import SITE
from journeys.command import LOOPBACK, strandline
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


class Checking(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    asked: ClassVar[list[tuple[str, str]]] = []

    def do_GET(self):
        sent = self.headers.get("Cookie", "")
        self.asked.append((self.path, sent))
        page = self.path in ("/", "/a", "/never")
        allowed = page and ("seen=secret77" in sent and self.path != "/never")
        body = b"<title>In</title><a href=/a>a</a> <a href=/never>n</a> The tide is out until noon." if allowed else b""
        self.send_response(200 if allowed else 302 if page else 404)
        if page and not allowed:
            self.send_header("Location", self.path)
            self.send_header("Set-Cookie", "seen=secret77; Path=/")
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def test_a_site_that_wants_its_cookie_back_is_crawled(tmp_path):
    Checking.asked = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Checking) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        place = f"http://127.0.0.1:{server.server_port}"
        done = strandline("crawl", tmp_path / "archive", "--seeds", f"{place}/", *LOOPBACK, "--set", "study.workers=0")
        server.shutdown()
    assert done.code == 0, done.err
    status = {event["url"].removeprefix(place): event["status"] for event in done.captured}
    assert (status["/"], status["/a"], status["/never"]) == (200, 200, 302)
    assert [sent for path, sent in Checking.asked if path == "/a"] == ["", "seen=secret77"]
    assert len([path for path, _ in Checking.asked if path == "/never"]) == 2, "no more than once again"
    kept = b"".join(gzip.decompress(file.read_bytes()) for file in (tmp_path / "archive").rglob("*.warc.gz"))
    assert b"The tide is out" in kept
    assert b"Cookie: seen" not in kept.replace(b"Set-Cookie: seen", b""), "no request is kept with its cookie"
