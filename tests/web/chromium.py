"""A real browser for tests, or a reason to skip."""

import http.server
import shutil
import socket
import threading
from contextlib import contextmanager

import pytest

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


PATIENCE = 600_000.0
"""Milliseconds a page may take: machines are busy."""


def _patient(make):
    """Makes a page or context that waits."""

    def made(*words, **named):
        found = make(*words, **named)
        found.set_default_timeout(PATIENCE)
        return found

    return made


@contextmanager
def chromium():
    """A browser; skips the test when there is none."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no Chromium on this machine")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=FLAGS, timeout=PATIENCE)
        browser.new_context, browser.new_page = _patient(browser.new_context), _patient(browser.new_page)
        try:
            yield browser
        finally:
            browser.close()


class LiveWeb:
    """A server of the live web that nobody should ever reach: counts HTTP requests, bare connections and datagrams."""

    def __init__(self):
        self.hits = []
        self.connections = 0
        live = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def setup(self):
                live.connections += 1
                super().setup()

            def do_GET(self):
                live.hits.append(self.path)
                self.send_response(200)
                self.send_header("Access-Control-Allow-Origin", "*")
                self.send_header("Content-Length", "0")
                self.end_headers()

            do_POST = do_OPTIONS = do_HEAD = do_GET  # noqa: N815

            def log_message(self, *args):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.bind(("127.0.0.1", 0))
        threading.Thread(target=self._datagrams, daemon=True).start()
        self.host = f"127.0.0.1:{self._server.server_address[1]}"
        self.stun = f"127.0.0.1:{self._udp.getsockname()[1]}"

    def clear(self):
        self.hits.clear()
        self.connections = 0

    def _datagrams(self):
        while True:
            try:
                self._udp.recvfrom(2048)
            except OSError:
                return
            self.hits.append("datagram")

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._udp.close()
