"""The demonstration site as a real HTTP server on loopback, with a log of what was asked of it."""

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from strandline.demo.schedule import SECTIONS, Section
from strandline.demo.site import LivingSite


@dataclass(frozen=True, slots=True)
class Hit:
    """One request the site answered."""

    time: float
    path: str
    status: int
    agent: str


class DemoServer:
    """Serves a living site in a thread; use as a context manager."""

    def __init__(
        self,
        hour_seconds: float = 1.0,
        seed: int = 1,
        port: int = 0,
        sections: tuple[Section, ...] = SECTIONS,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`now` is the clock of the site, in UTC epoch seconds."""
        self.site = LivingSite(seed, hour_seconds, now(), sections)
        self.now = now
        self.log: list[Hit] = []
        handler = type("Handler", (_Handler,), {"demo": self})
        self._server = _Server(("127.0.0.1", port), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def url(self) -> str:
        """Address of the front page."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/"

    def __enter__(self) -> "DemoServer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is everyday life on the web."""


class _Handler(BaseHTTPRequestHandler):
    demo: DemoServer
    protocol_version = "HTTP/1.1"
    # Headers and body leave in separate writes: without this the second waits for the peer's acknowledgement.
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        """Answer from the site of this moment."""
        now = self.demo.now()
        noise = random.Random(len(self.demo.log))
        answer = self.demo.site.answer(self.path.split("?")[0], now, noise)
        body = answer.body.replace(b"{origin}", self.demo.url.rstrip("/").encode())
        unchanged = bool(answer.etag) and self.headers.get("If-None-Match") == answer.etag
        status = 304 if unchanged else answer.status
        self.demo.log.append(Hit(now, self.path, status, self.headers.get("User-Agent", "")))
        self.send_response(status)
        if answer.etag:
            self.send_header("ETag", answer.etag)
        if answer.last_modified:
            self.send_header("Last-Modified", answer.last_modified)
        if not unchanged:
            self.send_header("Content-Type", answer.mime)
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if not unchanged:
            self.wfile.write(body)

    def date_time_string(self, timestamp: float | None = None) -> str:
        """The Date field: the site's own time."""
        return formatdate(self.demo.now() if timestamp is None else timestamp, usegmt=True)

    def log_message(self, format: str, *args: object) -> None:
        """Requests are kept in `DemoServer.log`, not printed."""
