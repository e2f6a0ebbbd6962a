"""A site of a few answers on the loopback interface, which notes what it was asked for."""

import contextlib
import http.server
import threading
from dataclasses import dataclass, field


@dataclass
class SmallSite:
    """Answers by path: (status, media type, body, more fields), or only a body of HTML, or a function of the fields of
    a request that gives one; others are not there.
    """

    answers: dict[str, object] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    url: str = ""


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30

    def log_message(self, *_):
        pass

    def do_GET(self):
        site = self.server.site
        site.asked.append(self.path)
        found = site.answers.get(self.path, (404, "text/html", "<p>Not here"))
        found = found(self.headers) if callable(found) else found
        status, kind, body, *more = (200, "text/html; charset=utf-8", found) if isinstance(found, str) else found
        data = body.encode()
        self.send_response(status)
        for name, value in (("Content-Type", kind), ("Content-Length", str(len(data))), *(more[0] if more else ())):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


@contextlib.contextmanager
def small_site(**answers):
    """Serve a site; `answers` are added to it."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    server.site = SmallSite(answers, url=f"http://127.0.0.1:{server.server_address[1]}/")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server.site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
