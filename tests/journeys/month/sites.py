"""The sites of the month: living papers on addresses of their own, whose every change is known, and what befalls them.

Pages are worked out from their path and the time; nothing grows here but the log.
"""

import contextlib
import random
import shutil
import socket
import ssl
import subprocess
import threading
import time
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from strandline.demo.schedule import DAYTIME, EVENING, FLAT, NIGHT, Section
from strandline.demo.site import Answer, LivingSite

_SHARES = (
    ("wire", "Wire", 0.01, 8.0, DAYTIME, 3, True),
    ("news", "News", 0.04, 3.0, DAYTIME, 2, True),
    ("night-desk", "Night desk", 0.03, 2.0, NIGHT, 2, True),
    ("culture", "Culture", 0.03, 1.0, EVENING, 1, True),
    ("documents/policies", "Policies", 0.15, 0.05, DAYTIME, 1, False),
    ("documents/minutes", "Minutes", 0.24, 0.02, DAYTIME, 1, False),
    *((f"archive/{year}", f"Archive {year}", 0.10, 0.0, FLAT, 1, False) for year in range(1996, 2001)),
)
"""Path, title, share of the pages, changes a day, hours, paragraphs rewritten, whether its pages are noisy."""
_FORBIDDEN = "/news/"
"""What robots.txt of a site forbids for some time."""
_IDLE = 2.0
"""Seconds after which a connection nobody uses is closed, so that certificates are looked at again."""


def sections(pages):
    """Of a site with about so many pages."""
    return tuple(
        Section(path, title, max(3, round(share * pages)), rate, shape, noisy, rewrites=rewrites)
        for path, title, share, rate, shape, rewrites, noisy in _SHARES
    )


class DressedSite(LivingSite):
    """A living site that is redesigned now and then: other frames, other places for the same text."""

    dress = 0

    def _frame(self, title, main, side):
        made = super()._frame(title, main, side)
        if not self.dress:
            return made
        number = self.dress
        made = made.replace("<main>", f'<div class="grid-{number}"><div id="content-{number}" role="main">')
        made = made.replace("</main>", "</div></div>").replace("<nav>", f'<header class="top-{number}"><nav>')
        made = made.replace("</nav>", f"</nav><p>Season {number} of the Courier, in a new dress</p></header>")
        return made.replace("<footer>", f'<footer class="foot-{number}">Redesigned for the {number}. time. ')


class Host:
    """One site at one address; `mode` is what befalls it: "", reset, unavailable or hanging."""

    def __init__(self, number, pages, hour, now, context=None):
        self.site = DressedSite(seed=100 + number, hour_seconds=hour, epoch=now(), sections=sections(pages))
        self.now = now
        self.mode, self.robots = "", ""
        self.context = context
        self.log = []
        """Monotonic and UTC time, path and status of each request."""
        self.calm = threading.Event()
        """Set while it is not hanging."""
        self.calm.set()
        handler = type("Handler", (_Handler,), {"host": self})
        self.server = _Server((f"127.0.1.{number}", 0), handler)
        self.server.context = context
        self._thread = threading.Thread(target=self.server.serve_forever, args=(0.2,), daemon=True)
        self._thread.start()

    @property
    def place(self):
        """Address and port."""
        address, port = self.server.server_address
        return f"{address}:{port}"

    @property
    def url(self):
        return f"{'https' if self.context else 'http'}://{self.place}"

    def befalls(self, mode):
        """From now on."""
        self.mode = mode
        if mode == "hanging":
            self.calm.clear()
        else:
            self.calm.set()

    def answer(self, path, now):
        if path == "/robots.txt" and self.robots == "unavailable":
            return Answer(503, "text/plain", b"")
        if path == "/robots.txt" and self.robots == "forbid":
            return Answer(200, "text/plain", f"User-agent: *\nDisallow: {_FORBIDDEN}\nDisallow: /ads/\n".encode())
        if self.mode == "unavailable":
            return Answer(503, "text/html", b"<p>We are working on it.</p>")
        return self.site.answer(path, now, random.Random(len(self.log)))

    def close(self):
        self.calm.set()
        self.server.shutdown()
        self.server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64
    context = None

    def handle_error(self, *_):
        """Clients that hang up, or do not trust a certificate, are everyday life."""

    def finish_request(self, request, client_address):
        # In the thread of the connection, so that a slow handshake holds up nobody.
        if self.context is None:
            super().finish_request(request, client_address)
            return
        request.settimeout(10.0)
        with self.context.wrap_socket(request, server_side=True) as secure:
            super().finish_request(secure, client_address)


class _Handler(BaseHTTPRequestHandler):
    host = None
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = _IDLE

    def do_GET(self):
        now, moment = self.host.now(), time.monotonic()
        path = self.path.split("?")[0]
        if self.host.mode == "reset":
            self.host.log.append((moment, now, self.path, 0))
            self._hang_up()
            return
        if self.host.mode == "hanging":
            self.host.log.append((moment, now, self.path, 0))
            self.host.calm.wait()
            self._hang_up()
            return
        answer = self.host.answer(path, now)
        body = answer.body.replace(b"{origin}", self.host.url.encode())
        unchanged = bool(answer.etag) and self.headers.get("If-None-Match") == answer.etag
        status = 304 if unchanged else answer.status
        self.host.log.append((moment, now, self.path, status))
        self.send_response(status)
        for name, value in (("ETag", answer.etag), ("Last-Modified", answer.last_modified)):
            if value:
                self.send_header(name, value)
        self.send_header("Content-Type", answer.mime)
        self.send_header("Content-Length", "0" if unchanged else str(len(body)))
        self.end_headers()
        if not unchanged:
            self.wfile.write(body)

    def _hang_up(self):
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def date_time_string(self, timestamp=None):
        return formatdate(self.host.now() if timestamp is None else timestamp, usegmt=True)

    def log_message(self, *_):
        """Kept in the log of the host."""


class Certificates:
    """An authority of our own, and certificates of one address that end when they are told to, to the second."""

    def __init__(self, folder, address):
        self.folder, self.address = folder, address
        folder.mkdir()
        (folder / "index.txt").touch()
        (folder / "ca.cnf").write_text(
            f"[ca]\ndefault_ca=own\n[own]\ndatabase={folder}/index.txt\nserial={folder}/serial\nnew_certs_dir={folder}\n"
            "default_md=sha256\npolicy=any\nunique_subject=no\n[any]\ncommonName=supplied\n"
            f"[leaf]\nsubjectAltName=IP:{address}\n"
        )
        (folder / "serial").write_text("01\n")
        self._run(
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "400", "-subj", "/CN=Month", "-keyout", "ca.key",
            "-out", "ca.pem",
        )  # fmt: skip
        self._run(
            "req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=leaf", "-keyout", "leaf.key", "-out", "leaf.csr"
        )

    @staticmethod
    def possible():
        return shutil.which("openssl") is not None

    def _run(self, *words):
        subprocess.run(["openssl", *words], cwd=self.folder, check=True, capture_output=True)

    @property
    def trusted(self):
        """The file of whom to trust."""
        return self.folder / "ca.pem"

    def until(self, end):
        """A certificate that ends at a UTC second."""
        stamps = [time.strftime("%Y%m%d%H%M%SZ", time.gmtime(moment)) for moment in (time.time() - 30 * 86400, end)]
        self._run(
            "ca", "-batch", "-notext", "-config", "ca.cnf", "-cert", "ca.pem", "-keyfile", "ca.key", "-in", "leaf.csr",
            "-out", "leaf.pem", "-extensions", "leaf", "-startdate", stamps[0], "-enddate", stamps[1],
        )  # fmt: skip
        return self.folder / "leaf.pem", self.folder / "leaf.key"

    def context(self, end):
        """What a server speaks with until then."""
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        made.load_cert_chain(*self.until(end))
        return made
