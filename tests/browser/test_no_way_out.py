"""Nothing leaves the browser but through us, also where the system gives it a network: a page that tries every way, and
servers that count.
"""

# ruff: noqa: E501 - scripts are written as pages have them
import contextlib
import socket
import threading
import time
from dataclasses import replace

import pytest

from browser.shown import HTML, QUICK
from strandline.browser.chromium import means
from strandline.browser.load_bounds import Bounds
from strandline.browser.pages import ChromiumPages
from strandline.core.shown import PageLoad

PAGE = """<!doctype html><title>x</title>
<link rel="dns-prefetch" href="//canary.example"><link rel="preconnect" href="http://HOST"><link rel="prefetch" href="http://HOST/p">
<link rel="prerender" href="http://HOST/r"><link rel="stylesheet" href="http://HOST/s.css"><img src="http://HOST/i.png" ping>
<iframe src="http://HOST/f"></iframe><object data="http://HOST/o"></object><video src="http://HOST/v"></video>
<a id=a href="http://HOST/a" ping="http://HOST/ping" download>x</a><form id=f method=post target=t action="http://HOST/form"></form>
<iframe name=t></iframe>
<script type="speculationrules">{"prefetch":[{"source":"list","urls":["http://HOST/spec"]}]}</script>
<script>
const go = (f) => { try { const r = f(); if (r && r.catch) r.catch(() => {}); } catch {} };
go(() => fetch('http://HOST/fetch', {mode:'no-cors'}));
go(() => new WebSocket('ws://HOST/socket'));
go(() => new EventSource('http://HOST/events'));
go(() => navigator.sendBeacon('http://HOST/beacon', 'x'));
go(() => { const p = new RTCPeerConnection({iceServers:[{urls:'stun:HOST'},{urls:'turn:HOST?transport=tcp',username:'a',credential:'b'}]});
  p.createDataChannel('x'); return p.createOffer().then(o => p.setLocalDescription(o)); });
go(() => new WebTransport('https://HOST/transport').ready);
go(() => new Worker(URL.createObjectURL(new Blob(["fetch('http://HOST/w',{mode:'no-cors'});new WebSocket('ws://HOST/ws')"]))));
go(() => new SharedWorker(URL.createObjectURL(new Blob(["fetch('http://HOST/sw',{mode:'no-cors'})"]))));
go(() => open('http://HOST/popup'));
go(() => document.getElementById('f').submit());
go(() => document.getElementById('a').click());
go(() => new Image().src = 'http://HOST/late.png');
go(() => navigator.serviceWorker.register('/worker.js'));
</script>"""


WAYS = {"s.css", "i.png", "f", "o", "v", "p", "fetch", "beacon", "w"}
"""Ways of the page that come to us. Its own navigations may stop some of them before they got their turn: two may be
missing once nothing has come for a while.
"""
STOPPED, A_WHILE = 2, 15.0
PATIENT = Bounds(seconds=240.0, loading=120.0, settling=240.0, idle=240.0, hang=60.0)
"""The page goes on until the test has seen enough, on a machine however busy."""


class Canary:
    """Counts whoever comes, over TCP and UDP, on one port."""

    def __init__(self):
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.port = self.tcp.getsockname()[1]
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", self.port))
        self.came = []
        for listen in (self._connections, self._datagrams):
            threading.Thread(target=listen, daemon=True).start()

    def _connections(self):
        with contextlib.suppress(OSError):
            while True:
                connection, peer = self.tcp.accept()
                self.came.append(("tcp", peer))
                connection.close()

    def _datagrams(self):
        with contextlib.suppress(OSError):
            while True:
                self.came.append(("udp", self.udp.recvfrom(2048)[1]))

    def close(self):
        for one in (self.tcp, self.udp):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()


@pytest.fixture
def canary():
    made = Canary()
    yield made
    made.close()


def visit(how, canary, switches=()):
    """Show the page that tries everything, from a secure origin, until all its ways were tried."""
    pages = ChromiumPages(how, PATIENT, switches=switches)
    asked = set()
    try:
        html = PAGE.replace("HOST", f"127.0.0.1:{canary.port}").encode()
        pages.show(PageLoad(1, "http://localhost/page", 200, HTML, html))
        until, newest = time.monotonic() + 280, time.monotonic()
        while not (ended := pages.ended()) and time.monotonic() < until:
            pages.wait(0.2)
            for request in pages.asked():
                asked.add(request.url.rpartition("/")[2])
                newest = time.monotonic()
                pages.answer(request, None)
            missing = len(WAYS - asked)
            if not missing or (missing <= STOPPED and time.monotonic() > newest + A_WHILE):
                pages.cut()
        assert len(WAYS - asked) <= STOPPED, WAYS - asked
        assert ended
        assert not ended[0].failed
        assert any("socket" in url for url in ended[0].sockets)
    finally:
        pages.close()


def test_a_page_that_tries_everything_reaches_nobody(canary):
    how = means()
    # With the network of this machine: its own settings alone have to hold.
    visit(replace(how, wrapped=tuple(word for word in how.wrapped if word != "--net"), apart=False), canary)
    assert canary.came == []


def test_without_a_network_the_same_page_reaches_nobody(canary):
    visit(means(), canary)
    assert canary.came == []


def test_the_servers_would_have_counted(canary):
    """The control: a browser that may connect does."""
    how = means()
    how = replace(how, wrapped=tuple(word for word in how.wrapped if word != "--net"), apart=False)
    loose = ("--proxy-server=direct://", "--proxy-bypass-list=*", "--host-resolver-rules=")
    pages = ChromiumPages(how, QUICK, switches=loose)
    try:
        chromium, pipe = pages._seats[0]._ready()
        target = pipe.call("Target.createTarget", url=f"http://127.0.0.1:{canary.port}/")
        assert target
        until = time.monotonic() + 30
        while not canary.came and time.monotonic() < until:
            time.sleep(0.05)
        assert chromium.running
    finally:
        pages.close()
    assert canary.came
