"""A page that goes back to an old state: a change, shown as a return with the time of that state."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from journeys.command import LOOPBACK, strandline

STATES = ["The notice period is fourteen days. ", "The notice period is ninety days, without exception. "]


class Turning(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = f"<h1>Terms</h1><p>{self.server.said * 3}</p><p>Everything else stays as it was agreed.</p>".encode()
        self.send_response(200 if self.path == "/" else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def site():
    with ThreadingHTTPServer(("127.0.0.1", 0), Turning) as server:
        server.said = STATES[0]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_a_return_is_a_change_and_names_the_earlier_version(site, tmp_path):
    folder, url = tmp_path / "archive", f"http://127.0.0.1:{site.server_port}/"
    for state in (0, 1, 0, 0):
        site.said = STATES[state]
        assert strandline("crawl", folder, "--seeds", url, *LOOPBACK, "--delay", "0").code == 0
    versions = [json.loads(line) for line in strandline("versions", folder, url, "--json").out.splitlines()]
    assert [one["returns_to"] for one in versions] == [None, None, versions[0]["time"], None]
    changes = [json.loads(line) for line in strandline("changes", folder, "--json").out.splitlines()]
    assert [one["returns_to"] for one in changes] == [None, versions[0]["time"]]
    assert all(one["visible"] and one["importance"] > 0 for one in changes)
    assert "again" in strandline("versions", folder, url).out
    assert "back to what it showed at" in strandline("changes", folder).out
