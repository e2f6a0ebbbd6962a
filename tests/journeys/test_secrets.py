"""A site behind a token: the token goes to that site alone, and stands nowhere in the archive or in what is printed."""

import gzip
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from journeys.command import UNSTUDIED, strandline

SECRET = "hidden-7731"


class Asked(BaseHTTPRequestHandler):
    """Answers only who brings the token; links carry an old one."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.asked.append(self.path)
        body, status = b"", 404
        if self.path != "/robots.txt":
            other = (
                f"<img src='http://127.0.0.1:{self.server.other}/i.png?token=stale-5520'>" if self.server.other else ""
            )
            body = f"<a href='/page?x=1&TOKEN=stale-5520'>page</a>{other}".encode()
            status = 200 if f"token={SECRET}" in self.path or not self.server.other else 403
        self.send_response(status)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def servers():
    with ThreadingHTTPServer(("127.0.0.1", 0), Asked) as other, ThreadingHTTPServer(("127.0.0.1", 0), Asked) as site:
        other.other, other.asked = 0, []
        site.other, site.asked = other.server_port, []
        for server in (other, site):
            threading.Thread(target=server.serve_forever, daemon=True).start()
        yield site, other
        for server in (other, site):
            server.shutdown()


def test_a_secret_in_the_query_is_sent_and_never_kept(servers, tmp_path):
    site, other = servers
    folder = tmp_path / "archive"
    seed = f"http://127.0.0.1:{site.server_port}/?token=stale-5520"
    flags = ("--set", "crawl.patience=0s", "--set", "study.workers=0")
    done = strandline("crawl", folder, "--seeds", seed, *UNSTUDIED, *flags, env={"STRANDLINE_QUERY": f"token={SECRET}"})
    assert done.code == 0, done.err
    asked = {f"/?token={SECRET}", f"/page?x=1&token={SECRET}"}
    assert asked <= set(site.asked)
    assert "/robots.txt" in site.asked
    assert other.asked and not [path for path in other.asked if "token" in path], "it is meant for the seeds' hosts"
    place = f"http://127.0.0.1:{site.server_port}/"
    assert {place, f"{place}page?x=1"} <= {line["url"] for line in done.captured if line["status"] == 200}
    # The stale token stays where the site itself wrote it: in the bodies of its pages.
    written = [path for path in folder.rglob("*") if path.is_file()]
    for path in written:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        assert SECRET.encode() not in data, path.name
        if path.suffix != ".gz":
            assert b"stale" not in data, path.name
    assert any(path.suffix == ".gz" for path in written)
    assert "stale" not in done.out + done.err
    assert SECRET not in done.out + done.err
