"""What a page asks for while it is shown: answered at once when it is its own document, refused beyond the bounds, else
handed over to whoever fetches; listed for what is told of the page.

Called from the thread that reads the pipe and from whoever answers; nothing here waits.
"""

import base64
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from strandline.browser.load_bounds import Bounds
from strandline.browser.pipe import Message, Pipe
from strandline.core.request_keys import keyed, method_query
from strandline.core.shown import PageAnswer, PageLoad, PageRequest

_RELOADS: Final = 3
"""How often a page may ask for itself again."""
_LASTING: Final = frozenset({"WebSocket", "Ping", "CSPViolationReport"})
"""Requests nobody waits for."""
_LISTED: Final = 2_000
"""Requests that are listed in what is told of a page."""


@dataclass(slots=True)
class _Listed:
    """A request as it is told of."""

    key: str
    """Its address, with what its method and body add to it in indexes."""
    method: str
    type: str
    status: int = 0
    mime: str = ""


@dataclass(frozen=True, slots=True)
class Held:
    """A request that waits in the browser."""

    session: str
    id: str


class PageRequests:
    """The requests of one page, its frames and workers."""

    def __init__(self, load: PageLoad, pipe: Pipe, bounds: Bounds, left: Callable[[], float]) -> None:
        self._load = load
        self._pipe = pipe
        self._bounds = bounds
        self._left = left
        self._lock = threading.Lock()
        self._pending: set[int] = set()
        self._listed: dict[int, _Listed] = {}
        self._last = time.monotonic()
        self._octets = 0
        self.refused = 0
        self.own = 0
        """How often the page's own document was asked for."""
        self.moved = ""
        """Where the page sent itself."""
        self.main = ("", "")
        """Session and frame of the page itself."""

    @property
    def count(self) -> int:
        """Requests so far."""
        return len(self._listed)

    @property
    def open(self) -> bool:
        """Whether any is not answered yet."""
        return bool(self._pending)

    def quiet(self) -> bool:
        """Whether no request is open and none came for a while."""
        with self._lock:
            return not self._pending and time.monotonic() - self._last >= self._bounds.idle

    def begin_anew(self) -> None:
        """The page is loaded: what its scripts wait for begins now, however long the machine took."""
        with self._lock:
            self._last = time.monotonic()

    def beyond(self) -> str:
        """The bound that was met; empty when none was."""
        if len(self._listed) >= self._bounds.requests:
            return f"cut after {self._bounds.requests} requests"
        return f"cut after {self._bounds.octets >> 20} MiB" if self._octets >= self._bounds.octets else ""

    def told(self) -> dict[str, dict[str, object]]:
        """What was asked for, by index key: type, status, media type and method."""
        with self._lock:
            return {one.key: _as_data(one) for one in list(self._listed.values())[:_LISTED]}

    def paused(self, session: str, values: Message, number: int) -> tuple[PageRequest, Held] | None:
        """A request waits: answered here when it is the page's own document or beyond bounds, else handed over."""
        asked, held = values["request"], Held(session, values["requestId"])
        url = asked["url"].partition("#")[0]
        if not url.startswith(("http://", "https://")):
            self._pipe.tell("Fetch.continueRequest", session, requestId=held.id)
            return None
        if values["resourceType"] == "Document" and (session, values.get("frameId")) == self.main:
            self._navigated(held, url)
            return None
        with self._lock:
            if self.beyond() or self._left() < 1:
                self.refused += 1
                self._refuse(held)
                return None
            self._last = time.monotonic()
            request = _request(number, self._load.number, url, values)
            query = method_query(request.method, request.header("content-type"), request.body)
            self._listed[number] = _Listed(keyed(url, query), request.method, request.type)
            if request.type not in _LASTING:
                self._pending.add(number)
        return request, held

    def _navigated(self, held: Held, url: str) -> None:
        """The page's own document, or where the page sends itself."""
        page = self._load.url.partition("#")[0]
        if url == page and self.own < _RELOADS:
            self.own += 1
            self._fulfil(held, PageAnswer(self._load.status, self._load.headers, self._load.body))
            return
        if url != page:
            self.moved = url
        self._fulfil(held, PageAnswer(204, (), b""))  # the page stays as it is

    def answer(self, number: int, held: Held, answer: PageAnswer | None) -> None:
        """Tell the page what came of a request."""
        if answer is None:
            self._refuse(held)
        else:
            self._fulfil(held, answer)
        with self._lock:
            self._pending.discard(number)
            self._last = time.monotonic()
            if answer is not None and number in self._listed:
                self._octets += len(answer.body)
                sent = next((value for name, value in answer.headers if name.lower() == "content-type"), "")
                self._listed[number].status, self._listed[number].mime = answer.status, sent.split(";")[0].strip()

    def _refuse(self, held: Held) -> None:
        self._pipe.tell("Fetch.failRequest", held.session, requestId=held.id, errorReason="BlockedByClient")

    def _fulfil(self, held: Held, answer: PageAnswer) -> None:
        headers = [{"name": name, "value": value} for name, value in answer.headers]
        self._pipe.fulfil(held.session, held.id, answer.status, headers, answer.body)


def _request(number: int, load: int, url: str, values: Message) -> PageRequest:
    asked = values["request"]
    headers = tuple((str(name), str(value)) for name, value in asked["headers"].items())
    request = PageRequest(number, load, url, asked["method"], headers, _body(asked), values["resourceType"])
    streams = request.header("accept").startswith("text/event-stream")  # the browser calls it XHR
    return replace(request, type="EventSource") if streams else request


def _body(asked: Message) -> bytes:
    if not asked.get("hasPostData"):
        return b""
    entries = asked.get("postDataEntries") or []
    whole = b"".join(base64.b64decode(entry.get("bytes", "")) for entry in entries)
    return whole or str(asked.get("postData", "")).encode("utf-8", "replace")


def _as_data(listed: _Listed) -> dict[str, object]:
    told: dict[str, object] = {"type": listed.type.lower(), "status": listed.status}
    if listed.mime:
        told["mime"] = listed.mime
    if listed.method != "GET":
        told["method"] = listed.method
    return told
