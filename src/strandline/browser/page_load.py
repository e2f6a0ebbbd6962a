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
from typing import Any, Final

from strandline.browser import behaviours
from strandline.browser.behaviours import script
from strandline.browser.chromium import DEAD_PROXY, Chromium, ChromiumLost
from strandline.browser.load_bounds import Bounds, Wishes
from strandline.browser.page_requests import PageRequests
from strandline.browser.pipe import CallFailed, Message, Pipe
from strandline.core.logins import Cookie
from strandline.core.pictures import Box, with_boxes
from strandline.core.shown import (
    DOCUMENT,
    INFO,
    MOVED,
    SETTLED,
    TEXT,
    VIEW,
    WHOLE_VIEW,
    PageLoad,
    Shown,
    View,
)

_TICK: Final = 0.05
_LOOK: Final = 0.5
"""Seconds between two looks at memory."""
_TALLEST: Final = 16_000
"""Pixels of a picture of a whole page."""
_NOTED: Final = 100
"""Windows and sockets that are."""


class LoadRun:
    """A load under way. `run` is the thread's; the rest is called from others."""

    def __init__(self, load: PageLoad, chromium: Chromium, pipe: Pipe, bounds: Bounds, wishes: Wishes) -> None:
        self.load = load
        self._chromium = chromium
        self._pipe = pipe
        self._bounds = bounds
        self._wishes = wishes
        self.requests = PageRequests(load, pipe, bounds, self._left)
        self._loaded = False
        self._lost_by = ""
        self._notice = ""
        self._popups: list[str] = []
        self._sockets: list[str] = []
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
        for cookie in self._wishes.cookies():  # one by one: one that Chromium refuses costs no other
            self._pipe.tell("Storage.setCookies", cookies=[_cookie(cookie)], browserContextId=self._context)
        target = call("Target.createTarget", url="about:blank", browserContextId=self._context,
                      width=self._wishes.width, height=self._wishes.height, seconds=30.0)["targetId"]  # fmt: skip
        self._session = call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        begun(self._session)
        self.take_over(self._session, "page")
        call("Page.enable", self._session)
        self._frame = call("Page.getFrameTree", self._session)["frameTree"]["frame"]["id"]
        self.requests.main = (self._session, self._frame)
        self._bounds = self._bounds.where_opening_took(time.monotonic() - self._began)
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
        asked = self.requests
        if not self._wait(lambda: self._loaded or bool(asked.moved), self._bounds.loading) and not asked.own:
            raise ChromiumLost("the page did not begin to load")
        asked.begin_anew()
        self.settle(self._bounds.settling)
        if not self._loaded and asked.moved:
            return MOVED
        if not self.out_of_time:
            self._notice = behaviours.close_notice(self)
            behaviours.scroll(self, looked_at=self._wishes.screenshots or self._wishes.more)
            if self._wishes.more:
                behaviours.load_more(self)
        return self._why()

    def _why(self) -> str:
        if self._stop.is_set():
            return "cut"
        if self.requests.beyond():
            return self.requests.beyond()
        if self._left() <= 0:
            return f"cut after {self._bounds.seconds:g} s"
        return "not settled" if self.requests.open else SETTLED

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
        """Wait until no request is open and none came for a while, at most so long. A while of its own: on a busy
        machine a script that is about to ask for more may not have had its turn yet.
        """
        until = time.monotonic() + seconds
        while self._wait(self.requests.quiet, until - time.monotonic()):
            asked = self.requests.count
            if not self._had_its_turn(until - time.monotonic()) or self.requests.count == asked:
                return

    def _had_its_turn(self, seconds: float) -> bool:
        """Whether the page was idle some times within so long."""
        try:
            self._pipe.call("Runtime.evaluate", self._session, max(0.1, min(seconds, self._bounds.hang)),
                            expression=_IDLE, awaitPromise=True)  # fmt: skip
        except (
            CallFailed,
            ChromiumLost,
        ):  # another document by now, or a script that never ends
            return False
        return True

    def pause(self, seconds: float) -> None:
        """Let time pass."""
        self._wait(lambda: False, seconds)

    @property
    def asked_for(self) -> int:
        """Requests so far."""
        return self.requests.count

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
            if self._lost_by:
                raise ChromiumLost(self._lost_by)
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
        self._check_memory()  # what was not waited for was not looked at
        taken, now = self.run_script(script("document.js")), time.time()
        views = [View(DOCUMENT, "text/html; charset=utf-8", _utf8(taken["html"]))]
        if self._wishes.screenshots:
            views += self._pictures()  # right behind the document: there they are looked for
        views.append(View(TEXT, "text/plain; charset=utf-8", _utf8(taken["text"])))
        views.append(View(INFO, "application/json", self._info(taken, ended)))
        return self._told(ended, now, tuple(views))

    def _pictures(self) -> list[View]:
        views = []
        for name in (WHOLE_VIEW, VIEW):
            options: Message = {"format": "png"}
            if name == WHOLE_VIEW:
                size = self._pipe.call("Page.getLayoutMetrics", self._session)["cssContentSize"]
                area = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], _TALLEST), "scale": 1}
                options |= {"captureBeyondViewport": True, "clip": area}
            taken = self._pipe.call("Page.captureScreenshot", self._session, 20.0, **options)
            data = base64.b64decode(taken["data"])
            if name == WHOLE_VIEW:
                data = with_boxes(data, [Box(*one) for one in self.run_script(script("boxes.js"))])
            views.append(View(name, "image/png", data))
        return views

    def _info(self, taken: Message, ended: str) -> bytes:
        told = {
            "url": self.load.url,
            "title": taken["title"],
            "shown": taken["url"],
            "ended": ended,
            "urls": self.requests.told(),
            "refused": self.requests.refused,
            "webSockets": self._sockets,
            "windows": self._popups,
            "movedTo": self.requests.moved,
            "notice": self._notice,
            "cut": taken["cut"],
        }
        return json.dumps(told, ensure_ascii=False).encode("utf-8", "replace")

    def _told(self, ended: str, now: float, views: tuple[View, ...] = (), failed: bool = False) -> Shown:
        return Shown(
            load=self.load.number,
            time=now,
            ended=ended,
            views=views,
            moved=self.requests.moved,
            popups=tuple(self._popups),
            sockets=tuple(self._sockets),
            failed=failed,
        )

    def _lost(self, why: str) -> Shown:
        return self._told(self._lost_by or why, time.time(), failed=True)

    # -- events, in the order they come; nothing here waits ----------------------------------------------------------

    def cut(self) -> None:
        """End with what is there."""
        self._stop.set()

    def lose(self, why: str) -> None:
        """The browser is gone."""
        self._lost_by = self._lost_by or why

    def event(self, method: str, session: str, values: Message) -> None:
        """Something happened in one of this load's targets, other than a request."""
        if method == "Page.loadEventFired" and session == self._session:
            self._loaded = True
        elif method == "Page.javascriptDialogOpening":
            self._pipe.tell("Page.handleJavaScriptDialog", session, accept=True)
        elif method == "Inspector.targetCrashed" and session == self._session:
            self.lose("the page crashed")
        elif method == "Page.windowOpen" and len(self._popups) < _NOTED:
            self._popups.append(str(values["url"]))
        elif method == "Network.webSocketCreated" and len(self._sockets) < _NOTED:
            self._sockets.append(str(values["url"])[:2000])

    def attached(self, session: str, target: Message) -> None:
        """A frame or a worker was made, and waits."""
        self.take_over(session, target["type"])


def _cookie(cookie: Cookie) -> Message:
    """As the browser wants it: one for a single host comes with an address of it."""
    told: Message = {"name": cookie.name, "value": cookie.value, "path": cookie.path, "secure": cookie.secure}
    told["httpOnly"] = cookie.http_only
    if cookie.below:
        told["domain"] = f".{cookie.host}"
    else:
        told["url"] = f"{'https' if cookie.secure else 'http'}://{cookie.host}{cookie.path}"
    if cookie.expires:
        told["expires"] = cookie.expires
    return told


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")


_IDLE: Final = """new Promise(done => {
    const again = left => left
        ? setTimeout(() => requestIdleCallback(() => again(left - 1), {timeout: 500}), 50) : done(true);
    again(3);
})"""
"""Comes back when the page had nothing to do three times."""
