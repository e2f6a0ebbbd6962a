"""Serves the pages of script_pages.py on the loopback interface, and counts connections and requests, and who asked."""

import contextlib
import gzip
import http.server
import json
import threading
import time
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

from servers.script_pages import FEED_SIZE, PAGES, html


@dataclass
class Log:
    requests: list[tuple[str, str, str]] = field(default_factory=list)
    """Method, path and user agent."""
    connections: int = 0

    def paths(self):
        return [path for _, path, _ in self.requests]


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30

    def setup(self):
        super().setup()
        self.server.log.connections += 1

    def log_message(self, *_):
        pass

    def _send(self, body, kind="text/plain", status=200, **headers):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _noted(self):
        self.server.log.requests.append((self.command, self.path, self.headers.get("User-Agent", "")))

    def do_POST(self):
        self._noted()
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path = urlsplit(self.path).path
        if path.endswith("/size"):
            self._send(str(len(body)).encode())
        elif path == "/beacon/count":
            self._send(b"", status=204)
        else:
            self._send(body)

    def do_OPTIONS(self):
        self._noted()
        self._send(b"", Access_Control_Allow_Origin="*", Access_Control_Allow_Headers="X-A")

    def do_GET(self):
        self._noted()
        parts = urlsplit(self.path)
        special = getattr(self, f"_{parts.path.strip('/').replace('/', '_').replace('.', '_')}", None)
        if special is not None:
            special(parse_qs(parts.query))
            return
        name, _, file = parts.path.strip("/").partition("/")
        found = PAGES.get(name, (None, {}))[1].get(file)
        if parts.path == "/":
            links = "".join(f'<a href="/{name}/">{name}</a>' for name in self.server.named)
            self._send(html("Set", links), "text/html")
        elif parts.path == "/robots.txt":
            self._send(self.server.robots.encode())
        elif found is None:
            self._send(b"not here", status=404)
        else:
            self._send(found[1], found[0])

    def do_HEAD(self):
        self.do_GET()

    def _scroll_feed(self, query):
        start = int(query["from"][0])
        self._send(json.dumps([f"entry {n}" for n in range(start, start + FEED_SIZE)]).encode(), "application/json")

    def _more_part(self, query):
        self._send(f"more {query['n'][0]}".encode())

    def _cookies_check(self, _):
        self._send(b"cookie came back" if "mine=1" in self.headers.get("Cookie", "") else b"no cookie")

    def _redirects_hop1(self, _):
        self._send(b"", status=302, Location="/redirects/hop2")

    def _redirects_hop2(self, _):
        self._send(b"", status=307, Location="end.json")

    def _packed_zipped(self, _):
        self._send(gzip.compress(b"packed text"), Content_Encoding="gzip")

    def _cors_open(self, _):
        self._send(b"allowed", Access_Control_Allow_Origin="*")

    def _cors_closed(self, _):
        self._send(b"secret")

    def _download_file_zip(self, _):
        self._send(b"PK\5\6" + bytes(18), "application/zip", Content_Disposition="attachment; filename=file.zip")

    def _events_stream(self, _):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        with contextlib.suppress(OSError):
            for number in range(1, 200):
                self.wfile.write(f"data: event {number}\n\n".encode())
                self.wfile.flush()
                time.sleep(0.2)
        self.close_connection = True


@contextlib.contextmanager
def serving(*named, address="127.0.0.1", robots="User-agent: *\nAllow: /\n"):
    """The set on a port of its own: base address and log. `named` are the pages its start page leads to."""
    server = http.server.ThreadingHTTPServer((address, 0), _Handler)
    server.daemon_threads = True
    server.log, server.named, server.robots = Log(), named or tuple(PAGES), robots
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://{address}:{server.server_address[1]}", server.log
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
