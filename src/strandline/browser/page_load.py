"""One page from its document to its views: opened in a context of its own, its requests handed over, taken, closed.

A load runs in a thread of its own and may wait; events come from the thread that reads the pipe and never do. Pages,
frames and workers are stopped at their start until their requests are ours (`Target.setAutoAttach`).

    prepare -> navigate -> loaded -> settled -> notice, scrolling, more -> settled -> views -> context thrown away

Each phase is bounded. What a page does beyond the bounds is refused, and what it has shown by then is taken; only a
browser that crashes, hangs or eats memory costs the views.
"""

import base64
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from strandline.browser import behaviours
from strandline.browser.behaviours import script
from strandline.browser.chromium import DEAD_PROXY, Chromium, ChromiumLost
from strandline.browser.pipe import CallFailed, Message, Pipe
from strandline.core.request_keys import keyed, method_query
from strandline.core.shown import (
    DOCUMENT,
    INFO,
    MOVED,
    SETTLED,
    TEXT,
    VIEW,
    WHOLE_VIEW,
    PageAnswer,
    PageLoad,
    PageRequest,
    Shown,
    View,
)

_TICK: Final = 0.05
_LOOK: Final = 0.5
"""Seconds between two looks at memory."""
_RELOADS: Final = 3
"""How often a page may ask for itself again."""
_TALLEST: Final = 16_000
"""Pixels of a picture of a whole page."""
_LASTING: Final = frozenset({"WebSocket", "Ping", "CSPViolationReport"})
"""Requests nobody waits for."""
_NOTED: Final = 100
"""Windows and sockets that are."""
_LISTED: Final = 2_000
"""Requests that are listed in what is told of a page."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Where a load ends, whatever the page wants. Times in seconds, sizes in bytes."""

    seconds: float = 45.0
    """For everything."""
    loading: float = 20.0
    """Until the page says that it is loaded."""
    settling: float = 8.0
    """Until nothing more comes, once it is."""
    idle: float = 0.5
    """Without any request: nothing more comes."""
    hang: float = 10.0
    """Without an answer of the browser: it hangs."""
    requests: int = 400
    octets: int = 64 << 20
    memory: int = 1536 << 20
    """Of all processes of the browser."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What is done with a page, and kept of it."""

    more: bool = False
    """Click what says "load more"."""
    screenshots: bool = False
    width: int = 1366
    height: int = 1024


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


Asked = Callable[[PageRequest, Held], None]


@dataclass(slots=True)
class _Progress:
    """What the page has done so far; changed by the reading thread and by whoever answers."""

    pending: set[int] = field(default_factory=set)
    listed: dict[int, _Listed] = field(default_factory=dict)
    last: float = 0.0
    octets: int = 0
    loaded: bool = False
    own: int = 0
    """How often the page's own document was asked for."""
    moved: str = ""
    popups: list[str] = field(default_factory=list)
    sockets: list[str] = field(default_factory=list)
    lost: str = ""
    refused: int = 0
    notice: str = ""


class LoadRun:
    """A load under way. `run` is the thread's; the rest is called from others."""

    def __init__(self, load: PageLoad, chromium: Chromium, pipe: Pipe, bounds: Bounds, wishes: Wishes) -> None:
        self.load = load
        self._chromium = chromium
        self._pipe = pipe
        self._bounds = bounds
        self._wishes = wishes
        self._state = _Progress()
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._began = time.monotonic()
        self._looked = 0.0
        self._context = self._session = self._frame = ""
        self._world = 0

    # -- the thread -------------------------------------------------------------------------------------------------

    def run(self, begun: Callable[[str], None]) -> Shown:
        """Show the page; `begun` hears the name of each session that is this load's."""
        try:
            self._prepare(begun)
            return self._shown(self._ended())
        except (ChromiumLost, CallFailed) as problem:
            return self._lost(str(problem))
        finally:
            if self._context:
                self._pipe.tell("Target.disposeBrowserContext", browserContextId=self._context)

    def _prepare(self, begun: Callable[[str], None]) -> None:
        call = self._pipe.call
        made = call("Target.createBrowserContext", disposeOnDetach=True, proxyServer=DEAD_PROXY,
                    proxyBypassList="<-loopback>", seconds=30.0)  # fmt: skip
        self._context = made["browserContextId"]
        call("Browser.setDownloadBehavior", behavior="deny", browserContextId=self._context)
        target = call("Target.createTarget", url="about:blank", browserContextId=self._context,
                      width=self._wishes.width, height=self._wishes.height, seconds=30.0)["targetId"]  # fmt: skip
        self._session = call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        begun(self._session)
        self.take_over(self._session, "page")
        call("Page.enable", self._session)
        self._frame = call("Page.getFrameTree", self._session)["frameTree"]["frame"]["id"]
        self._state.last = time.monotonic()
        self._pipe.tell("Page.navigate", self._session, url=self.load.url)

    def take_over(self, session: str, kind: str) -> None:
        """Make the requests of a target ours before it goes on; never waits."""
        tell = self._pipe.tell
        tell("Fetch.enable", session, patterns=[{"urlPattern": "*", "requestStage": "Request"}])
        tell("Target.setAutoAttach", session, autoAttach=True, waitForDebuggerOnStart=True, flatten=True)
        tell("Network.enable", session, maxTotalBufferSize=0, maxResourceBufferSize=0)
        if kind in ("page", "iframe"):
            tell("Page.enable", session)
            tell("Inspector.enable", session)
            tell("Page.addScriptToEvaluateOnNewDocument", session, source=script("begin.js"), runImmediately=True)
        tell("Runtime.runIfWaitingForDebugger", session)

    def _ended(self) -> str:
        """Go through the phases; says why the load is over."""
        state = self._state
        if not self._wait(lambda: state.loaded or bool(state.moved), self._bounds.loading) and not state.own:
            raise ChromiumLost("the page did not begin to load")
        self.settle(self._bounds.settling)
        if not state.loaded and state.moved:
            return MOVED
        if not self.out_of_time:
            state.notice = behaviours.close_notice(self)
            behaviours.scroll(self)
            if self._wishes.more:
                behaviours.load_more(self)
        return self._why()

    def _why(self) -> str:
        if self._stop.is_set():
            return "cut"
        if len(self._state.listed) >= self._bounds.requests:
            return f"cut after {self._bounds.requests} requests"
        if self._state.octets >= self._bounds.octets:
            return f"cut after {self._bounds.octets >> 20} MiB"
        if self._left() <= 0:
            return f"cut after {self._bounds.seconds:g} s"
        return SETTLED if not self._state.pending else "not settled"

    # -- what behaviours use ----------------------------------------------------------------------------------------

    def run_script(self, expression: str) -> Any:  # noqa: ANN401 - whatever a script returns
        """Evaluate in an isolated world, made anew after the page has changed its document."""
        for again in (True, False):
            try:
                if not self._world:
                    made = self._pipe.call("Page.createIsolatedWorld", self._session, self._bounds.hang,
                                           frameId=self._frame, worldName="strandline")  # fmt: skip
                    self._world = made["executionContextId"]
                told = self._pipe.call("Runtime.evaluate", self._session, self._bounds.hang, expression=expression,
                                       contextId=self._world, returnByValue=True, awaitPromise=False)  # fmt: skip
            except CallFailed:
                self._world = 0
                if not again:
                    raise
                continue
            if "exceptionDetails" in told:
                raise CallFailed(f"script: {str(told['exceptionDetails'].get('text'))[:200]}")
            return told["result"].get("value")
        raise AssertionError

    def settle(self, seconds: float) -> None:
        """Wait until no request is open and none came for a while, at most so long."""
        self._wait(self._quiet, seconds)

    def _quiet(self) -> bool:
        with self._lock:
            waited = time.monotonic() - self._state.last
            return not self._state.pending and waited >= self._bounds.idle

    def pause(self, seconds: float) -> None:
        """Let time pass."""
        self._wait(lambda: False, seconds)

    @property
    def asked_for(self) -> int:
        """Requests so far."""
        return len(self._state.listed)

    @property
    def out_of_time(self) -> bool:
        """Whether no further step may begin; a little is left for the views."""
        return self._stop.is_set() or self._left() < min(5.0, self._bounds.seconds / 4)

    def _left(self) -> float:
        return self._began + self._bounds.seconds - time.monotonic()

    def _wait(self, done: Callable[[], bool], seconds: float) -> bool:
        """Until something is so, a bound is met, or the load is cut; ChromiumLost when the browser is."""
        until = min(time.monotonic() + seconds, self._began + self._bounds.seconds)
        while True:
            if self._state.lost:
                raise ChromiumLost(self._state.lost)
            if done():
                return True
            now = time.monotonic()
            if now >= until or self._stop.is_set():
                return False
            if now >= self._looked + _LOOK:
                self._looked = now
                self._check_memory()
            self._stop.wait(min(_TICK, until - now))

    def _check_memory(self) -> None:
        if self._chromium.memory() > self._bounds.memory:
            self._chromium.kill()
            raise ChromiumLost(f"the browser took more than {self._bounds.memory >> 20} MiB")

    # -- what is taken ----------------------------------------------------------------------------------------------

    def _shown(self, ended: str) -> Shown:
        taken, now = self.run_script(script("document.js")), time.time()
        views = [
            View(DOCUMENT, "text/html; charset=utf-8", _utf8(taken["html"])),
            View(TEXT, "text/plain; charset=utf-8", _utf8(taken["text"])),
        ]
        if self._wishes.screenshots:
            views += self._pictures()
        views.append(View(INFO, "application/json", self._info(taken, ended)))
        return self._told(ended, now, tuple(views))

    def _pictures(self) -> list[View]:
        views = []
        for name in (VIEW, WHOLE_VIEW):
            options: Message = {"format": "png"}
            if name == WHOLE_VIEW:
                size = self._pipe.call("Page.getLayoutMetrics", self._session)["cssContentSize"]
                area = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], _TALLEST), "scale": 1}
                options |= {"captureBeyondViewport": True, "clip": area}
            taken = self._pipe.call("Page.captureScreenshot", self._session, 20.0, **options)
            views.append(View(name, "image/png", base64.b64decode(taken["data"])))
        return views

    def _info(self, taken: Message, ended: str) -> bytes:
        state = self._state
        with self._lock:
            asked = {listed.key: _as_data(listed) for listed in list(state.listed.values())[:_LISTED]}
        told = {
            "url": self.load.url,
            "title": taken["title"],
            "shown": taken["url"],
            "ended": ended,
            "urls": asked,
            "refused": state.refused,
            "webSockets": state.sockets,
            "windows": state.popups,
            "movedTo": state.moved,
            "notice": state.notice,
            "cut": taken["cut"],
        }
        return json.dumps(told, ensure_ascii=False).encode("utf-8", "replace")

    def _told(self, ended: str, now: float, views: tuple[View, ...] = (), failed: bool = False) -> Shown:
        state = self._state
        return Shown(
            load=self.load.number,
            time=now,
            ended=ended,
            views=views,
            moved=state.moved,
            popups=tuple(state.popups),
            sockets=tuple(state.sockets),
            failed=failed,
        )

    def _lost(self, why: str) -> Shown:
        return self._told(self._state.lost or why, time.time(), failed=True)

    # -- events, in the order they come; nothing here waits ----------------------------------------------------------

    def cut(self) -> None:
        """End with what is there."""
        self._stop.set()

    def lose(self, why: str) -> None:
        """The browser is gone."""
        self._state.lost = self._state.lost or why

    def event(self, method: str, session: str, values: Message) -> None:
        """Something happened in one of this load's targets, other than a request."""
        state = self._state
        if method == "Page.loadEventFired" and session == self._session:
            state.loaded = True
        elif method == "Page.javascriptDialogOpening":
            self._pipe.tell("Page.handleJavaScriptDialog", session, accept=True)
        elif method == "Inspector.targetCrashed" and session == self._session:
            self.lose("the page crashed")
        elif method == "Page.windowOpen" and len(state.popups) < _NOTED:
            state.popups.append(str(values["url"]))
        elif method == "Network.webSocketCreated" and len(state.sockets) < _NOTED:
            state.sockets.append(str(values["url"])[:2000])

    def attached(self, session: str, target: Message) -> None:
        """A frame or a worker was made, and waits."""
        self.take_over(session, target["type"])

    def paused(self, session: str, values: Message, number: int) -> tuple[PageRequest, Held] | None:
        """A request waits: answered here when it is the page's own document or beyond bounds, else handed over."""
        asked, held = values["request"], Held(session, values["requestId"])
        url = asked["url"].partition("#")[0]
        if not url.startswith(("http://", "https://")):
            self._pipe.tell("Fetch.continueRequest", session, requestId=held.id)
            return None
        if values["resourceType"] == "Document" and values.get("frameId") == self._frame and session == self._session:
            self._navigated(held, url)
            return None
        state = self._state
        with self._lock:
            if len(state.listed) >= self._bounds.requests or state.octets >= self._bounds.octets or self._left() < 1:
                state.refused += 1
                self._refuse(held)
                return None
            state.last = time.monotonic()
            request = _request(number, self.load.number, url, values)
            query = method_query(request.method, request.header("content-type"), request.body)
            state.listed[number] = _Listed(keyed(url, query), request.method, request.type)
            if request.type not in _LASTING:
                state.pending.add(number)
        return request, held

    def _navigated(self, held: Held, url: str) -> None:
        """The page's own document, or where the page sends itself."""
        state = self._state
        if url == self.load.url.partition("#")[0] and state.own < _RELOADS:
            state.own += 1
            self._fulfil(held, PageAnswer(self.load.status, self.load.headers, self.load.body))
            return
        if url != self.load.url.partition("#")[0]:
            state.moved = url
        self._fulfil(held, PageAnswer(204, (), b""))  # the page stays as it is

    def answer(self, number: int, held: Held, answer: PageAnswer | None) -> None:
        """Tell the page what came of a request."""
        state = self._state
        if answer is None:
            self._refuse(held)
        else:
            self._fulfil(held, answer)
        with self._lock:
            state.pending.discard(number)
            state.last = time.monotonic()
            if answer is not None and number in state.listed:
                state.octets += len(answer.body)
                state.listed[number].status = answer.status
                sent = next((value for name, value in answer.headers if name.lower() == "content-type"), "")
                state.listed[number].mime = sent.split(";")[0].strip()

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


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")
