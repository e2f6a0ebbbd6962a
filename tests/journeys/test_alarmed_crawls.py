"""Crawls started by a clock get alerts and alarms like a watch; an audit that finds damage raises one."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from journeys.command import strandline
from made.receivers import LOOPBACK, Webhook, wait_for
from strandline.crawl.preparing import CrawlRequest
from strandline.python_archive import create_folder as create
from strandline.python_archive import open_folder as open_archive
from strandline.settings.edit import change_settings
from strandline.settings.file import with_overrides

PAGES = 14


class Site:
    """Pages that name each other; some day it refuses everything."""

    def __init__(self):
        self.refusing, self.news = False, "The bridge stays closed until the river falls again"
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                number = self.path.strip("/") or "0"
                known = number.isdigit() and int(number) < PAGES
                self.send_response(403 if site.refusing and known else 200 if known else 404)
                self.send_header("content-type", "text/html")
                self.end_headers()
                links = "".join(f"<a href='/{one}'>page {one}</a>" for one in range(PAGES))
                news = f"<p>{site.news}</p>"
                words = " ".join(f"word{number}x{one}" for one in range(40))
                self.wfile.write(f"<html><body><main>{news}<p>{words}</p></main>{links}</body></html>".encode())

            def log_message(self, *_):
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/"
        Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def world(tmp_path):
    site, hook = Site(), Webhook()
    create(tmp_path / "a", seeds=(site.url,))
    values = {"alerts.webhooks": json.dumps([f"{hook.url} min=0.01"]), "alerts.allow_address": json.dumps(LOOPBACK)}
    change_settings(tmp_path / "a", values)
    yield tmp_path / "a", site, hook
    site.close()
    hook.close()


def crawl(folder, study=0):
    archive = open_archive(folder)
    flags = ["politeness.delay=0s", 'fetch.allow_address=["127.0.0.1/32"]', "crawl.patience=0s"]
    flags.append(f"study.workers={study}")  # nothing is to be found while nothing changes
    assert archive.crawl(with_overrides(archive.settings, flags), CrawlRequest()).ended == "complete"


def test_crawls_by_the_clock_and_an_audit(world):
    folder, site, hook = world
    for _ in range(10):
        crawl(folder)
    assert hook.got == []
    site.news = "Council votes on a new harbour, ferries return, fishermen celebrate with lanterns"
    crawl(folder, study=1)
    told = PAGES + 1  # the front page is known by two addresses
    assert wait_for(lambda: len(hook.got) == told), hook.got
    assert {message["kind"] for message in hook.got} == {"change"}
    site.refusing = True
    crawl(folder)
    crawl(folder)
    assert wait_for(lambda: len(hook.got) > told)
    assert [(message["alarm"], message["event"]) for message in hook.got[told:]] == [("refused", "opened")]
    assert "normally 0 %" in hook.got[-1]["explanation"]

    (file,) = sorted((folder / "archive").glob("*.warc.gz"))[:1]
    whole = file.read_bytes()
    file.write_bytes(whole[:200] + bytes([whole[200] ^ 1]) + whole[201:])
    assert strandline("verify", folder, "--json").code == 6
    assert wait_for(lambda: hook.got[-1].get("alarm") == "fixity")
    assert strandline("status", folder, "--json", "--quick").lines[0]["alarms"][-1]["kind"] == "fixity"
    file.write_bytes(whole)
    assert strandline("verify", folder, "--json").code == 0
    assert wait_for(lambda: hook.got[-1]["event"] == "closed")
    assert hook.sequence == sorted(set(hook.sequence))
