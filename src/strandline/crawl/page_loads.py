"""Pages that are being shown: the crawl fetches what they ask for, keeps it, and tells them.

    page's answer -> browser -> what it asks for -> robots, scope, manners -> fetcher -> WARC -> browser -> shown

The page's own capture waits until it was shown, so that one commit records the answer and what a browser made of it;
what it asked for on the way is committed as it comes. A host is asked for the parts of a page as a browser would ask,
several at once and without pauses: the pause is owed afterwards (`Manners.owes`). Parts that many pages of a site share
are answered from memory for an hour.
"""

from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from strandline.core.browsing.supply import LARGEST, MOST_ANSWERS
from strandline.core.capture import Exchange, Kind, Outcome, Request
from strandline.core.content import DecodeLimits, decode
from strandline.core.shown import DataAnswer, PageAnswer, PageLoad, PageRequest, Shown
from strandline.core.urls import authority, canonical, origin
from strandline.crawl.finding import Finder
from strandline.crawl.intake import Intake
from strandline.crawl.parts import Parts
from strandline.crawl.robots import RobotsGate
from strandline.ports import Refusal, Task

BURST: Final = 6
"""Requests of a page that one host gets at once, as many as browsers send. Origin: a standard, what browsers do."""
_WAITING: Final = 8
"""Pages that wait for a browser before no more are asked for. Origin: a guess."""
_UNDECIDED: Final = 200
"""Pages that wait for what is learned of others like them. Origin: a guess."""
_LARGEST_PAGE: Final = 8 << 20
"""Bytes of a document that is shown to a browser. Origin: a bound on memory."""
_LARGEST: Final = 24 << 20
"""Bytes of a body, decoded, that a page is given; a larger one is kept and not shown. Origin: a bound on memory."""
_STREAM: Final = 3.0
"""Seconds a stream of events is listened to. Origin: a guess."""
_NO_MORE: Final = PageAnswer(204, (), b"")
"""Tells a page that a stream is over for good. Origin: RFC 9110."""
_PART: Final = 30.0
"""Seconds a part of a page may take. Origin: a guess."""
_MEMORY: Final = 64 << 20
"""Bytes of answers that pages share and that are remembered. Origin: a bound on memory."""
_REMEMBERED: Final = 4 << 20
"""Bytes of one of them, at most. Origin: a bound on memory."""
_FRESH: Final = 3600.0
"""Seconds for which it is given to other pages. Origin: a guess."""
_SHARED: Final = frozenset({"Script", "Stylesheet", "Font", "Image"})
_OURS: Final = frozenset({
    "user-agent", "accept-encoding", "host", "connection", "content-length", "range", "if-none-match",
    "if-modified-since", "if-range", "upgrade-insecure-requests", "sec-ch-ua", "sec-ch-ua-mobile",
    "sec-ch-ua-platform",
})  # fmt: skip
"""Header fields that a page's request does not decide."""
_NOT_TOLD: Final = frozenset({
    "content-encoding", "transfer-encoding", "content-length", "connection", "keep-alive", "alt-svc",
    "strict-transport-security", "nel", "report-to", "reporting-endpoints", "content-security-policy-report-only",
})  # fmt: skip
"""Header fields of an answer that mean nothing to a page that gets it from us, or would send reports."""


Ask = Callable[[Request], int]
"""Begins a request and says its ticket."""


@dataclass(slots=True)
class _Load:
    """A page in a browser, or on its way there."""

    task: Task
    exchange: Exchange
    page: PageLoad
    seconds: Counter[str] = field(default_factory=Counter)
    """What its parts cost each host."""
    asked: int = 0
    """Requests that were sent for it."""
    streams: set[str] = field(default_factory=set)
    """Streams of events it has listened to."""
    data: list[DataAnswer] = field(default_factory=list)
    """JSON answers it asked for."""


class PageLoads:
    """The pages of one crawl that are shown."""

    def __init__(self, parts: Parts, robots: RobotsGate, finder: Finder, intake: Intake, ask: Ask) -> None:
        self._parts = parts
        self._robots = robots
        self._finder = finder
        self._intake = intake
        self._ask = ask
        self._browser = parts.browsing.browser
        self._waiting: deque[_Load] = deque()
        self._undecided: deque[_Load] = deque()
        self._open: dict[int, _Load] = {}
        self._asked: deque[PageRequest] = deque()
        self._under_way: dict[int, PageRequest] = {}
        self._at_host: Counter[str] = Counter()
        self._concluded: list[tuple[Exchange, Shown | None]] = []
        self._memory = _Memory()

    @property
    def busy(self) -> bool:
        """Whether pages are shown or wait for it, or what they asked for is still to come."""
        return bool(self._open or self._waiting or self._undecided or self._concluded or self._under_way)

    @property
    def full(self) -> bool:
        """Whether so many pages wait that no more should be asked for."""
        return len(self._waiting) >= _WAITING

    # -- pages ------------------------------------------------------------------------------------------------------

    def takes(self, task: Task, exchange: Exchange) -> bool:
        """Whether a page is to be shown before it is concluded; it is handed back by `ended`."""
        if self._browser is None or not task.page or not _is_page(exchange):
            return False
        document = _decoded(exchange, _LARGEST_PAGE)
        if document is None:
            return False
        found = self._parts.browsing.decide(task, document)
        wait = found.wait and len(self._undecided) < _UNDECIDED
        if not found.show and not wait:
            return False
        page = PageLoad(exchange.request.ticket, task.url, exchange.status, _told(exchange), document)
        (self._waiting if found.show else self._undecided).append(_Load(task, exchange, page))
        return True

    def _decide_again(self) -> None:
        """Pages that waited for what others would show."""
        for _ in range(len(self._undecided)):
            load = self._undecided.popleft()
            found = self._parts.browsing.decide(load.task, load.page.body, again=True)
            if found.show:
                self._waiting.append(load)
            elif found.wait:
                self._undecided.append(load)
            else:
                self._concluded.append((load.exchange, None))

    def step(self, stopping: str, seconds: float) -> Iterator[Task]:
        """Let pages go on; the tasks are of places whose robots.txt is to be fetched for them."""
        browser = self._browser
        if browser is None or not self.busy:
            return
        if stopping:
            browser.cut()
            self._concluded += [(load.exchange, None) for load in (*self._waiting, *self._undecided)]
            self._waiting.clear()
            self._undecided.clear()
        while self._waiting and browser.free and not stopping:
            load = self._waiting.popleft()
            self._open[load.page.number] = load
            browser.show(load.page)
        if self._open and not self._parts.fetcher.in_flight and not self._concluded:
            browser.wait(seconds)
        self._asked += browser.asked()
        for _ in range(len(self._asked)):
            yield from self._consider(self._asked.popleft())
        for shown in browser.ended():
            self._end(self._open.pop(shown.load), shown)
            self._decide_again()

    def _end(self, load: _Load, shown: Shown) -> None:
        now = self._parts.clock.monotonic()
        for place, seconds in load.seconds.items():
            self._parts.manners.owes(place, now, seconds)
        timed = replace(shown, time=self._parts.clock.now(), asked=load.asked, data=tuple(load.data))
        self._concluded.append((load.exchange, self._parts.browsing.saw(load.task, load.page.body, timed)))
        tally = self._intake.tally
        tally.browsed += not shown.failed
        if shown.failed:
            tally.browser_failures[shown.ended] += 1

    def ended(self) -> list[tuple[Exchange, Shown | None]]:
        """Pages that can be concluded now."""
        concluded, self._concluded = self._concluded, []
        return concluded

    # -- what they ask for --------------------------------------------------------------------------------------------

    def _consider(self, request: PageRequest) -> Iterator[Task]:
        """Answer a request without fetching, begin it, or let it wait."""
        load = self._open.get(request.load)
        if load is None:
            return
        held = self._memory.find(request, self._parts.clock.monotonic())
        if request.type == "EventSource" and request.url in load.streams:
            held = _NO_MORE
        if held is not None:
            self._tell(request, held)
            return
        try:
            url = canonical(request.url)
        except ValueError:
            self._tell(request, None)
            return
        task = Task(0, url, authority(url), Kind.REQUISITE, load.task.hops, 0, "", "", 0, None, "", via="browser")
        if not self._robots.knows(origin(url), self._parts.clock.now()):
            self._asked.append(request)
            if self._robots.wait(task):
                yield task
            return
        reason = self._finder.outside(task) or self._robots.refuses(task) or self._host_refuses(task.authority)
        if reason:
            self._intake.tally.refusals[reason] += 1
            self._intake.batch.refused.append(Refusal(reason, url))
            self._tell(request, None)
        elif self._at_host[task.authority] >= BURST:
            self._asked.append(request)
        else:
            self._at_host[task.authority] += 1
            if request.type == "EventSource":
                load.streams.add(request.url)
            self._under_way[self._ask(_request_of(request, url))] = request

    def _host_refuses(self, place: str) -> str:
        """A host that waits after failures waits for pages in browsers, too."""
        manners, now = self._parts.manners, self._parts.clock.monotonic()
        return "host is left alone" if manners.failures(place) and not manners.ready(place, now) else ""

    def answered(self, exchange: Exchange) -> bool:
        """Keep what came for a page and tell it; False when the exchange is none of a page's."""
        request = self._under_way.pop(exchange.request.ticket, None)
        if request is None:
            return False
        place = authority(exchange.request.url)
        self._at_host[place] -= 1
        load = self._open.get(request.load)
        hops = 0
        if load is not None:
            load.asked += 1
            load.seconds[place] += exchange.seconds  # type: ignore[assignment]
            hops = load.task.hops
        url = exchange.request.url
        try:
            task = Task(0, url, place, Kind.REQUISITE, hops, 0, "", "", 0, None, "", via="browser")
            capture = self._intake.part_of_page(task, exchange)
            answer = _answer(exchange)
            if load is not None and capture is not None and answer is not None and _is_data(request, exchange, answer):
                load.data = [*load.data, DataAnswer(capture.url, capture.digest, answer.body)][:MOST_ANSWERS]
            if answer is not None:
                self._memory.keep(request, answer, self._parts.clock.monotonic())
                answer = _ranged(request, answer)
            self._tell(request, answer)
        finally:
            exchange.body.close()
        return True

    def _tell(self, request: PageRequest, answer: PageAnswer | None) -> None:
        assert self._browser is not None
        self._browser.answer(request, answer)


class _Memory:
    """Parts of pages that came lately, as long as they fit."""

    def __init__(self) -> None:
        self._held: OrderedDict[str, tuple[float, PageAnswer]] = OrderedDict()
        self._size = 0

    def find(self, request: PageRequest, now: float) -> PageAnswer | None:
        """What was answered for the same address, if that is not long ago."""
        if request.method != "GET" or request.type not in _SHARED or request.url not in self._held:
            return None
        since, answer = self._held[request.url]
        return answer if now - since < _FRESH else None

    def keep(self, request: PageRequest, answer: PageAnswer, now: float) -> None:
        """Remember a part that pages share."""
        fits = request.method == "GET" and request.type in _SHARED and len(answer.body) <= _REMEMBERED
        private = _says(answer, "set-cookie") or "no-store" in _says(answer, "cache-control")
        if not fits or answer.status != 200 or private:
            return
        if request.url in self._held:
            self._size -= len(self._held.pop(request.url)[1].body)
        self._held[request.url] = (now, answer)
        self._size += len(answer.body)
        while self._size > _MEMORY:
            self._size -= len(self._held.popitem(last=False)[1][1].body)


def _says(answer: PageAnswer, wanted: str) -> str:
    return next((value.lower() for name, value in answer.headers if name == wanted), "")


def _is_page(exchange: Exchange) -> bool:
    whole = exchange.outcome is Outcome.ANSWERED and exchange.status == 200 and not exchange.truncated
    fits = 0 < exchange.body_length <= _LARGEST_PAGE and exchange.request.kind is Kind.PAGE
    return whole and fits and exchange.mime in ("text/html", "application/xhtml+xml")


def _is_data(request: PageRequest, exchange: Exchange, answer: PageAnswer) -> bool:
    """Whether an answer is data that anybody can ask for again."""
    open_to_all = request.method == "GET" and not request.header("authorization")
    read = exchange.status == 200 and exchange.mime.endswith(("/json", "+json")) and len(answer.body) <= LARGEST
    return open_to_all and read and request.type in ("XHR", "Fetch")


def _decoded(exchange: Exchange, largest: int) -> bytes | None:
    """The body without codings; None when it is too large or cannot be read."""
    exchange.body.seek(0)
    codings = exchange.header("content-encoding"), exchange.header("transfer-encoding")
    decoded = decode(exchange.body, *codings, DecodeLimits(data=largest))
    exchange.body.seek(0)
    return decoded.data if decoded.complete or exchange.truncated else None


def _told(exchange: Exchange) -> tuple[tuple[str, str], ...]:
    fields = exchange.headers()
    if exchange.cookies_set:  # those of the head are without their values
        others = tuple(field for field in fields if field[0] != "set-cookie")
        fields = (*others, *(("set-cookie", value) for value in exchange.cookies_set))
    return tuple((name, value) for name, value in fields if name not in _NOT_TOLD and value.isprintable())


def _answer(exchange: Exchange) -> PageAnswer | None:
    if not exchange.response_head or exchange.status < 200 or exchange.body_length > _LARGEST:
        return None
    body = _decoded(exchange, _LARGEST) if exchange.body_length else b""
    return None if body is None else PageAnswer(exchange.status, _told(exchange), body)


def _request_of(request: PageRequest, url: str) -> Request:
    sent = tuple((name, value) for name, value in request.headers if name.lower() not in _OURS)
    seconds = _STREAM if request.type == "EventSource" else _PART
    asked = Request(url, 0, Kind.REQUISITE, method=request.method, headers=sent, body=request.body, seconds=seconds)
    return replace(asked, own_cookies=True)


def _ranged(request: PageRequest, answer: PageAnswer) -> PageAnswer:
    """A part of a body for who asked for one: it was fetched and kept whole, for replay."""
    unit, _, span = request.header("range").partition("=")
    first, _, last = span.partition("-")
    if unit.strip() != "bytes" or answer.status != 200 or not first.strip().isdigit():
        return answer
    size, start = len(answer.body), int(first)
    end = min(int(last) if last.strip().isdigit() else size - 1, size - 1)
    if start > end:
        return PageAnswer(416, (("content-range", f"bytes */{size}"),), b"")
    headers = (*answer.headers, ("content-range", f"bytes {start}-{end}/{size}"), ("accept-ranges", "bytes"))
    return PageAnswer(206, headers, answer.body[start : end + 1])
