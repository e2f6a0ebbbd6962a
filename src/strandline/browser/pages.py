"""`ports.Browser` on Chromium: some browsers, each of which shows one page at a time.

A browser that crashes, hangs or is killed for its memory takes with it the one page it showed; the next page gets a
new one. A browser is also ended after some pages, so that what leaks in it does not add up.
"""

import contextlib
import itertools
import threading
import time
from collections import deque
from collections.abc import Callable

from strandline.browser.chromium import Chromium, ChromiumLost, Means
from strandline.browser.load_bounds import Bounds, Wishes
from strandline.browser.page_load import LoadRun
from strandline.browser.page_requests import Held
from strandline.browser.pipe import Message, Pipe
from strandline.core.shown import PageAnswer, PageLoad, PageRequest, Shown

_PAGES = 100
"""Pages after which a browser is replaced."""


class _Seat:
    """A browser and the page it shows."""

    def __init__(self, pages: "ChromiumPages") -> None:
        self._pages = pages
        self._chromium: Chromium | None = None
        self._pipe: Pipe | None = None
        self._shown = 0
        self._sessions: set[str] = set()
        self.run: LoadRun | None = None
        self.thread: threading.Thread | None = None

    def begin(self, load: PageLoad) -> None:
        """Show a page in a thread of its own."""
        self.thread = threading.Thread(target=self._show, args=(load,), name="browser-page", daemon=True)
        self.thread.start()

    def _show(self, load: PageLoad) -> None:
        shown = Shown(load.number, time.time(), "the browser did not start", failed=True)
        try:
            chromium, pipe = self._ready()
            self.run = LoadRun(load, chromium, pipe, self._pages.bounds, self._pages.wishes)
            shown = self.run.run(self._sessions.add)
        except ChromiumLost as problem:
            shown = Shown(load.number, time.time(), str(problem), failed=True)
        finally:
            self._sessions.clear()
            self.run = None
            self._shown += 1
            if shown.failed or self._shown >= _PAGES:
                self.drop()
            self._pages.done(self, shown)

    def _ready(self) -> tuple[Chromium, Pipe]:
        if self._chromium is None or self._pipe is None or not self._chromium.running:
            self.drop()
            self._shown = 0
            self._chromium = Chromium(self._pages.how, self._pages.switches)
            self._pipe = Pipe(self._chromium.from_browser, self._chromium.to_browser, self._event, self._gone)
            self._pipe.call("Target.setDiscoverTargets", seconds=60.0, discover=True)
            # Shared workers belong to no page: only the browser as a whole tells of them.
            self._pipe.call("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=True, flatten=True,
                            filter=[{"type": "shared_worker"}])  # fmt: skip
        return self._chromium, self._pipe

    @property
    def chromium(self) -> Chromium | None:
        """The browser, while there is one."""
        return self._chromium

    def drop(self) -> None:
        """End the browser."""
        chromium, pipe = self._chromium, self._pipe
        self._chromium = self._pipe = None
        if chromium is not None:
            chromium.kill()
        if pipe is not None:
            pipe.end()
        if chromium is not None:
            chromium.close()

    def _gone(self) -> None:
        run = self.run
        if run is not None:
            run.lose("the browser crashed")

    def _event(self, message: Message) -> None:
        run, method, session = self.run, message["method"], message.get("sessionId", "")
        if method == "Target.targetCreated" and self._pipe is not None:
            made = message["params"]["targetInfo"]
            if made.get("openerId"):  # another window; where it leads is told by the page
                self._pipe.tell("Target.closeTarget", targetId=made["targetId"])
            return
        if run is None or (session and session not in self._sessions):
            return
        values = message["params"]
        if method == "Fetch.requestPaused":
            number = self._pages.number()
            handed = run.requests.paused(session, values, number)
            if handed is not None:
                self._pages.hand_over(self, *handed)
        elif method == "Target.attachedToTarget":
            self._sessions.add(values["sessionId"])
            run.attached(values["sessionId"], values["targetInfo"])
        else:
            run.event(method, session, values)


class ChromiumPages:
    """Implements `ports.Browser`."""

    def __init__(
        self,
        how: Means,
        bounds: Bounds | None = None,
        wishes: Wishes | None = None,
        *,
        browsers: int = 1,
        woken: Callable[[], None] = lambda: None,
        switches: tuple[str, ...] = (),
    ) -> None:
        self.how = how
        self.bounds = bounds or Bounds()
        self.wishes = wishes or Wishes()
        self.switches = switches
        self._woken = woken
        self._numbers = itertools.count(1)
        self._seats = [_Seat(self) for _ in range(browsers)]
        self._free = list(self._seats)
        self._asked: deque[PageRequest] = deque()
        self._held: dict[int, tuple[_Seat, Held]] = {}
        self._ended: deque[Shown] = deque()
        self._news = threading.Event()
        self._lock = threading.Lock()

    # -- ports.Browser ------------------------------------------------------------------------------------------------

    @property
    def free(self) -> int:
        """How many more pages may be shown at once now."""
        return len(self._free)

    def show(self, load: PageLoad) -> None:
        """Begin to show a page."""
        with self._lock:
            seat = self._free.pop()
        seat.begin(load)

    def asked(self) -> list[PageRequest]:
        """What pages have asked for since the last call."""
        found = []
        with contextlib.suppress(IndexError):
            while True:
                found.append(self._asked.popleft())
        return found

    def answer(self, request: PageRequest, answer: PageAnswer | None) -> None:
        """Tell a page; one that is gone hears nothing."""
        with self._lock:
            held = self._held.pop(request.number, None)
        if held is None:
            return
        run = held[0].run
        if run is not None and run.load.number == request.load:
            run.requests.answer(request.number, held[1], answer)

    def ended(self) -> list[Shown]:
        """Loads that are over since the last call."""
        self._news.clear()
        found = []
        with contextlib.suppress(IndexError):
            while True:
                found.append(self._ended.popleft())
        return found

    def cut(self) -> None:
        """End all loads as they are."""
        for seat in self._seats:
            run = seat.run
            if run is not None:
                run.cut()

    def wait(self, seconds: float) -> None:
        """Until a page asks or a load is over, at most so long."""
        self._news.wait(seconds)

    def close(self) -> None:
        """End all browsers and their processes."""
        for seat in self._seats:
            run, thread = seat.run, seat.thread
            if run is not None:
                run.cut()
            chromium = seat.chromium
            if chromium is not None:
                chromium.kill()
            if thread is not None:
                thread.join(30.0)
            seat.drop()

    @property
    def processes(self) -> list[int]:
        """The processes that hold browsers now."""
        return [seat.chromium.pid for seat in self._seats if seat.chromium is not None]

    # -- what seats tell ----------------------------------------------------------------------------------------------

    def number(self) -> int:
        """A number for a request."""
        return next(self._numbers)

    def hand_over(self, seat: _Seat, request: PageRequest, held: Held) -> None:
        """A page asks."""
        with self._lock:
            self._held[request.number] = (seat, held)
        self._asked.append(request)
        self._rouse()

    def done(self, seat: _Seat, shown: Shown) -> None:
        """A load is over: its seat is free."""
        with self._lock:
            self._free.append(seat)
            for number in [number for number, (of, _) in self._held.items() if of is seat]:
                del self._held[number]
        self._ended.append(shown)
        self._rouse()

    def _rouse(self) -> None:
        self._news.set()
        self._woken()
