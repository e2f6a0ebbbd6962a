"""Empty shells of an application, a login form, a refusal: none of them is called captured."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from journeys.command import LOOPBACK, strandline

LINKS = "<a href='/app/1'>x</a><a href='/app/2'>y</a><a href='/members'>z</a><a href='/closed'>c</a><a href='/a'>a</a>"
WORDS = "Something was said here that is worth being kept for those who come later. "
PAGES = {
    "/": (200, f"<h1>Start</h1><p>{WORDS * 5}</p>{LINKS}"),
    "/a": (200, f"<h1>An article</h1><p>{WORDS * 9}</p><script src=/none.js></script>"),
    "/app/1": (200, "<title>One</title><div id=root></div><script src=/none.js></script>"),
    "/app/2": (200, "<title>Two</title><div id=root></div><script src=/none.js></script>"),
    "/members": (200, "<h1>Members</h1><form><input name=u><input type=password name=p></form>"),
    "/closed": (403, "<h1>Forbidden</h1>"),
}


class Hollow(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        status, text = PAGES.get(self.path, (404, "nothing"))
        self.send_response(304 if self.headers.get("If-None-Match") == '"1"' and status == 200 else status)
        self.send_header("Content-Type", "text/html")
        self.send_header("ETag", '"1"')
        body = b"" if self.headers.get("If-None-Match") == '"1"' and status == 200 else text.encode()
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def place():
    with ThreadingHTTPServer(("127.0.0.1", 0), Hollow) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def test_what_gives_no_content_is_said_everywhere(place, tmp_path):
    folder = tmp_path / "archive"
    crawl = ("crawl", folder, "--seeds", place, *LOOPBACK, "--delay", "0", "--json")
    done = strandline(*crawl)
    kinds = {"empty shell": 2, "login form": 1, "refused": 1}
    assert json.loads(done.out.splitlines()[-1])["hollow"] == kinds
    for _ in range(2):
        found = json.loads(strandline("quality", folder, "--json").out)["archive"]
        assert found["hollow"] == kinds and found["pages"] == 6
        assert found["coverage"] == pytest.approx(2 / 6, abs=1e-6) and found["freshness"] < 0.4
        assert json.loads(strandline("status", folder, "--json", "--quick").out)["without_content"] == kinds
        strandline(*crawl)  # answered with 304: as hollow as before
    assert "none: empty shell" in strandline("why", folder, f"{place}app/1").out
    assert "counted as not captured" in strandline("quality", folder).out


def test_what_was_imported_or_indexed_anew_is_judged_as_if_it_had_been_visited(place, tmp_path):
    """A WARC file of pages, some of which only ask for a password, used to be called complete."""
    crawled, folder = tmp_path / "crawled", tmp_path / "archive"
    strandline("crawl", crawled, "--seeds", place, *LOOPBACK, "--delay", "0")
    strandline("init", folder)
    for file in sorted((crawled / "archive").glob("*.warc.gz")):
        strandline("import", folder, file)
    for _ in range(2):
        found = json.loads(strandline("quality", folder, "--json").out)["archive"]
        assert {kind: found["hollow"].get(kind) for kind in ("empty shell", "login form")} == {
            "empty shell": 2, "login form": 1,
        }  # fmt: skip
        assert found["coverage"] < 0.5
        assert "none: login form" in strandline("why", folder, f"{place}members").out
        strandline("reindex", folder)


def test_an_older_import_says_nothing_of_a_page_visited_since(place, tmp_path, monkeypatch):
    old, folder = tmp_path / "old", tmp_path / "archive"
    monkeypatch.setitem(PAGES, "/a", PAGES["/members"])
    strandline("crawl", old, "--seeds", place, *LOOPBACK, "--delay", "0")
    monkeypatch.setitem(PAGES, "/a", (200, f"<h1>Open to all</h1><p>{WORDS * 9}</p>"))
    strandline("crawl", folder, "--seeds", place, *LOOPBACK, "--delay", "0")
    for file in sorted((old / "archive").glob("*.warc.gz")):
        strandline("import", folder, file)
    assert json.loads(strandline("quality", folder, "--json").out)["archive"]["hollow"]["login form"] == 1, "/members"
