"""A web made of a dictionary, a clock that moves when told, and a crawl over a real catalog and real WARC files."""

import io
from collections import deque

from strandline.core.capture import Exchange, Kind, Outcome
from strandline.core.discovery.scope import ScopeRules
from strandline.core.politeness.delays import Manners, MannersSettings
from strandline.crawl.browsing import NoBrowsing
from strandline.crawl.loop import Crawl
from strandline.crawl.orders import Orders
from strandline.crawl.parts import Parts, Reporter
from strandline.crawl.skips import SkipNothing
from strandline.dom.documents import Documents
from strandline.ports import Task
from strandline.store.catalog import open_catalog
from strandline.warc.info import WarcInfo
from strandline.warc.writer import WarcWriter

SITE = "http://h.example"
START = 1_780_000_000.0


class HandClock:
    """Moves by `step` each time it is asked, so that loops come to their end."""

    def __init__(self, step=0.001):
        self.time = START
        self.step = step

    def now(self):
        self.time += self.step
        return self.time

    monotonic = now

    def sleep(self, seconds):
        self.time += seconds


def answer(request, body=b"", status=200, headers=b"Content-Type: text/html\r\n", **changes):
    """What a server would say to a request."""
    fields = {
        "request": request,
        "started": START,
        "seconds": 0.01,
        "outcome": Outcome.ANSWERED,
        "detail": "",
        "address": "192.0.2.7",
        "request_head": b"GET / HTTP/1.1\r\nHost: h.example\r\n\r\n",
        "response_head": b"HTTP/1.1 %d X\r\n%b\r\n" % (status, headers),
        "body": io.BytesIO(body),
        "body_length": len(body),
        "status": status,
    }
    return Exchange(**{**fields, **changes})


def silence(request, outcome=Outcome.CONNECT):
    """An exchange that led to nothing."""
    nothing = {"request_head": b"", "response_head": b"", "status": 0, "address": ""}
    return answer(request, outcome=outcome, detail="nobody there", **nothing)


class ScriptedWeb:
    """`ports.Fetcher` over a dictionary: address -> function of the request; anything else is 404."""

    def __init__(self, pages, events=None):
        self.pages = pages
        self.asked = []
        self.events = events if events is not None else []
        self._open = deque()
        self.held = False
        """While True nothing comes back."""

    @property
    def in_flight(self):
        return len(self._open)

    def start(self, request):
        self.asked.append(request.url)
        self._open.append(request)

    def finished(self, timeout):
        if self.held or not self._open:
            return []
        request = self._open.popleft()
        reply = self.pages.get(request.url)
        return [reply(request) if reply else answer(request, b"no", 404)]

    def wake(self):
        pass

    def abandon(self):
        lost, self._open = list(self._open), deque()
        return lost

    def close(self):
        pass


def page(*links, status=200, pad=0, headers=b"Content-Type: text/html\r\n"):
    """A reply with links."""
    body = b"<html>" + b"".join(b'<a href="%b">x</a>' % link.encode() for link in links) + b"." * pad
    return lambda request: answer(request, body + request.url.encode(), status, headers)


def redirect(target):
    """A reply that sends elsewhere."""
    return lambda request: answer(request, b"moved", 302, b"Location: %b\r\n" % target.encode())


class Recording:
    """A store or catalog that writes down what it is asked to make durable."""

    def __init__(self, inner, events, watched):
        self._inner = inner
        self._events = events
        self._watched = watched

    def __getattr__(self, name):
        method = getattr(self._inner, name)
        if name not in self._watched:
            return method

        def noted(*given):
            self._events.append(name)
            return method(*given)

        return noted


class Workshop:
    """Everything one crawl needs, in a folder; what it leaves can be looked at and crawled again."""

    def __init__(self, folder, pages, **orders):
        self.folder = folder
        self.events = []
        self.captured = []
        self.clock = HandClock()
        self.clock.time += orders.pop("later", 0.0)
        self.web = ScriptedWeb(pages, self.events)
        self.room = ""
        self.skips = orders.pop("skips", SkipNothing())
        self.browsing = NoBrowsing()
        seeds = orders.pop("seeds", (f"{SITE}/",))
        self.orders = Orders(ScopeRules(seeds, **orders.pop("scope", {})), **{"sitemaps": False, **orders})

    def run(self, prepare=lambda crawl: None):
        (self.folder / "archive").mkdir(exist_ok=True)
        store = WarcWriter(self.folder / "archive", WarcInfo("test"), self.clock)
        catalog = open_catalog(self.folder, "test")
        parts = Parts(
            self.web,
            Recording(store, self.events, {"keep", "note", "sync"}),
            Recording(catalog, self.events, {"commit"}),
            Documents(),
            self.clock,
            Manners(MannersSettings(delay=0), lambda: 0.0),
            lambda: self.room,
            self.skips,
            self.browsing,
        )
        crawl = Crawl(parts, self.orders, Reporter(self._report, lambda tally: None))
        try:
            prepare(crawl)
            return crawl.run()
        finally:
            store.close()
            self.rows = {one.url: catalog.page(one.url) for one in catalog.all_captures()}
            self.held = list(catalog.all_captures())
            self.refused = {one.reason: one.count for one in catalog.refusals()}
            self.waiting = catalog.waiting(crawl._agenda.wanted_from())[0]
            catalog.close()

    def _report(self, capture):
        self.events.append("reported")
        self.captured.append(capture.url)


def task(url=f"{SITE}/", **changes):
    """A page handed out by the frontier."""
    fields = {
        "page": 1,
        "url": url,
        "authority": url.split("/")[2],
        "kind": Kind.PAGE,
        "hops": 0,
        "attempts": 0,
        "etag": "",
        "last_modified": "",
        "visits_since_full": 0,
        "original": None,
        "entity": "",
    }
    return Task(**{**fields, **changes})
