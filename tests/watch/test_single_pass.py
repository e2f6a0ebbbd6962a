"""One pass over a site: what is studied beside it, and what happens when study cannot go on."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

import strandline
from strandline.crawl.preparing import CrawlRequest
from strandline.errors import Unreachable
from strandline.settings.file import with_overrides
from strandline.study.studying import Studying
from strandline.watch.single_pass import crawl


class Page(BaseHTTPRequestHandler):
    fee = 60

    def do_GET(self):
        known = self.path == "/"
        body = f"<title>Fees</title><p>A passport costs {self.fee} euros.</p>".encode() if known else b""
        self.send_response(200 if known else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def archive(tmp_path, monkeypatch):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    Thread(target=server.serve_forever, daemon=True).start()
    seed = f"http://127.0.0.1:{server.server_address[1]}/"
    made = strandline.create(tmp_path / "archive", seeds=(seed,))
    made.settings = with_overrides(made.settings, ["politeness.delay=0", 'fetch.allow_address=["127.0.0.1/32"]'])
    assert crawl(made, made.settings, CrawlRequest()).ended == "complete"
    monkeypatch.setattr(Page, "fee", 75)
    yield made
    server.shutdown()
    server.server_close()


def test_a_second_pass_studies_what_it_captures(archive):
    crawl(archive, archive.settings, CrawlRequest())
    assert [change.importance > 0.5 for change in archive.changes()] == [True]


def test_a_study_that_cannot_go_on_is_told_once_and_stops_no_crawl(archive, monkeypatch):
    told = []
    archive.say = told.append

    def away(*_):
        raise Unreachable("no process for study")

    monkeypatch.setattr(Studying, "beside", away)
    monkeypatch.setattr(Studying, "finish", away)
    assert crawl(archive, archive.settings, CrawlRequest()).ended == "complete"
    assert list(archive.changes()) == []
    assert told == ["captures are not studied now: no process for study"]
