"""Links that lead nowhere are no pages: no measure counts them, and they are hardly asked for."""

import json
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from journeys.command import LOOPBACK, strandline

PAGES, DEAD = 10, 30


class Linked(BaseHTTPRequestHandler):
    """A front page that names ten pages and thirty addresses under which there is nothing."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.asked[self.path] += 1
        number = self.path.removeprefix("/page")
        there = number.isdigit() and int(number) < self.server.living
        if self.path == "/":
            names = [f"page{number}" for number in range(PAGES)] + [f"dead{number}" for number in range(DEAD)]
            names += [f"moved{number}" for number in range(self.server.moved)]
            body = "".join(f"<p><a href='/{name}'>All about {name}</a>" for name in names)
        else:
            body = f"<p>Page {number} has something to say to those who read it." if there else "nothing here"
        moved = self.path.startswith("/moved")
        self.send_response(302 if moved else 200 if there or self.path == "/" else 404)
        if moved:
            self.send_header("Location", self.path.replace("moved", "away"))
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


@pytest.fixture
def site():
    with ThreadingHTTPServer(("127.0.0.1", 0), Linked) as server:
        server.asked, server.living, server.moved = Counter(), PAGES, 0
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def dead_requests(site):
    return sum(count for path, count in site.asked.items() if path.startswith("/dead"))


def test_eleven_pages_and_thirty_dead_links(site, tmp_path):
    folder = tmp_path / "archive"
    crawl = ("crawl", folder, "--seeds", f"http://127.0.0.1:{site.server_port}/", *LOOPBACK, "--delay", "0")
    assert strandline(*crawl).code == 0
    assert dead_requests(site) == DEAD
    found = json.loads(strandline("quality", folder, "--json").out)["archive"]
    assert (found["coverage"], found["pages"], found["dead_links"]) == (1.0, 11, DEAD)
    assert found["freshness"] > 0.98
    told = json.loads(strandline("report", folder, "--json").out)
    assert [len(told[kind]) for kind in ("new", "gone", "dead")] == [11, 0, DEAD]
    assert all("named by" in one["detail"] for one in told["dead"])

    site.living = PAGES - 1
    assert strandline(*crawl).code == 0
    assert strandline(*crawl).code == 0
    assert dead_requests(site) == DEAD, "two more crawls ask for none of them"
    told = json.loads(strandline("report", folder, "--json").out)
    assert [one["url"].rsplit("/", 1)[1] for one in told["gone"]] == ["page9"]
    found = json.loads(strandline("quality", folder, "--json").out)["archive"]
    assert (found["coverage"], found["pages"]) == (1.0, 11)


def test_addresses_that_lead_to_dead_links_are_dead_links_from_their_second_visit_on(site, tmp_path):
    site.moved = 5
    folder = tmp_path / "archive"
    crawl = ("crawl", folder, "--seeds", f"http://127.0.0.1:{site.server_port}/", *LOOPBACK, "--delay", "0")
    for _ in range(5):
        assert strandline(*crawl).code == 0
    asked = [site.asked[f"/{name}{number}"] for name in ("moved", "away") for number in range(site.moved)]
    assert asked == [2] * site.moved + [1] * site.moved
    found = json.loads(strandline("quality", folder, "--json").out)["archive"]
    assert (found["coverage"], found["pages"], found["dead_links"]) == (1.0, 11, DEAD + 2 * site.moved)
    told = json.loads(strandline("report", folder, "--json").out)
    assert [len(told[kind]) for kind in ("new", "gone", "dead")] == [11, 0, DEAD + 2 * site.moved]
