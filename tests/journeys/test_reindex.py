"""What a crawl learned about pages that could not be had is in the WARC files, too: `reindex` finds it there."""

import contextlib
import socket
import sqlite3
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from journeys.command import LOOPBACK, strandline

LINKS = "".join(f"<a href='/{name}'>x</a>" for name in ("gone", "busy", "closed", "cut", "hangs-up"))


class Unreliable(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        name = self.path.strip("/")
        status = {"": 200, "gone": 410, "busy": 503, "closed": 403, "cut": 200, "hangs-up": 0}.get(name, 404)
        if not status:
            self.close_connection = True
            return
        body = LINKS.encode() if not name else b"words"
        self.send_response(status)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body) + (100 if name == "cut" else 0)))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = name == "cut"

    def log_message(self, *_):
        pass


@pytest.fixture
def place():
    with ThreadingHTTPServer(("127.0.0.1", 0), Unreliable) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def evidence(folder):
    with contextlib.closing(sqlite3.connect(folder / "strandline.db")) as database:
        rows = database.execute("SELECT url, evidence, round(since, 3) FROM pages WHERE visited > 0 ORDER BY url")
        return rows.fetchall()


def test_unreachable_pages_are_known_from_the_files_alone(place, tmp_path):
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as taken:
        dead = f"http://127.0.0.1:{taken.getsockname()[1]}/"
    folder = tmp_path / "archive"
    seeds = ("--seeds", place, "--seeds", dead)
    done = strandline("crawl", folder, *seeds, *LOOPBACK, "--set", "crawl.patience=2s", "--set", "study.workers=0")
    assert done.code == 0, done.err
    before = evidence(folder)
    names = {url.removeprefix(place): what for url, what, _ in before if url.startswith(place)}
    assert names[""] == "present" and names["gone"] == "absent"
    assert {names[name] for name in ("busy", "closed", "cut", "hangs-up")} == {"unreachable"}
    assert (dead, "unreachable") in {(url, what) for url, what, _ in before}
    (folder / "strandline.db").unlink()
    for command in (("crawl", folder, *seeds, *LOOPBACK), ("status", folder)):  # not a new, empty one beside the files
        refused = strandline(*command)
        assert refused.code and "`strandline reindex` rebuilds it" in refused.err, refused.err
        assert not (folder / "strandline.db").exists()
    rebuilt = strandline("reindex", folder, "--json")
    assert rebuilt.code == 0, rebuilt.err
    assert evidence(folder) == before


def test_a_crawl_after_a_reindex_starts_where_the_archive_started(place, tmp_path):
    folder = tmp_path / "archive"
    unstudied = (*LOOPBACK, "--set", "crawl.patience=0s", "--set", "study.workers=0")
    assert strandline("crawl", folder, "--seeds", place, *unstudied).code == 0
    with contextlib.closing(sqlite3.connect(folder / "strandline.db")) as database:
        kinds = dict(database.execute("SELECT url, kind FROM pages"))
    assert strandline("reindex", folder).code == 0
    with contextlib.closing(sqlite3.connect(folder / "strandline.db")) as database:
        again = dict(database.execute("SELECT url, kind FROM pages"))
    assert again[f"{place}sitemap.xml"] == kinds[f"{place}sitemap.xml"] == "sitemap", "no page to plan visits for"
    done = strandline("crawl", folder, *unstudied)
    assert done.code == 0, done.err
    assert place in {event["url"] for event in done.captured}
