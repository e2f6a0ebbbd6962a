"""Messages of the DevTools protocol on two pipes: calls that wait for their answer, calls that do not, and events.

One thread reads and hands events over in the order they come; one writes, so that a browser that stops reading keeps
nobody waiting but itself. When the pipe ends, every call that waits fails, and `gone` is called once.
"""

import base64
import contextlib
import itertools
import json
import os
import queue
import threading
from collections.abc import Callable
from typing import Any, Final

from strandline.browser.chromium import ChromiumLost

Message = dict[str, Any]
_READ: Final = 1 << 18
_LONGEST: Final = 256 << 20
"""Bytes of one message; a browser that sends more is not to be trusted."""


class CallFailed(Exception):  # noqa: N818 - named for what happened
    """The browser refused a call; the text is its own."""


class _Call:
    """A call under way."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.result: Message = {}
        self.error = ""


class Pipe:
    """A connection to one browser."""

    def __init__(self, reads: int, writes: int, event: Callable[[Message], None], gone: Callable[[], None]) -> None:
        self._reads = reads
        self._writes = writes
        self._event = event
        self._gone = gone
        self._numbers = itertools.count(1)
        self._calls: dict[int, _Call] = {}
        self._lock = threading.Lock()
        self._ended = False
        self._outbox: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._threads = (
            threading.Thread(target=self._read, name="browser-reader", daemon=True),
            threading.Thread(target=self._write, name="browser-writer", daemon=True),
        )
        for thread in self._threads:
            thread.start()

    def call(self, method: str, session: str = "", seconds: float = 10.0, **values: object) -> Message:
        """Ask and wait; CallFailed when the browser refuses, ChromiumLost when it is silent or gone."""
        call, number = _Call(), next(self._numbers)
        with self._lock:
            if self._ended:
                raise ChromiumLost("the browser is gone")
            self._calls[number] = call
        self._post(number, method, session, values)
        if not call.done.wait(seconds):
            with self._lock:
                self._calls.pop(number, None)
            raise ChromiumLost(f"the browser hangs: no answer to {method} in {seconds:g} s")
        if call.error:
            if call.error == "gone":
                raise ChromiumLost("the browser is gone")
            raise CallFailed(f"{method}: {call.error}")
        return call.result

    def tell(self, method: str, session: str = "", **values: object) -> None:
        """Ask without waiting: what goes wrong is not heard."""
        self._post(next(self._numbers), method, session, values)

    def fulfil(self, session: str, request: str, status: int, headers: list[dict[str, str]], body: bytes) -> None:
        """Answer a request that waits; a large body is packed by the thread that writes."""
        values: Message = {"requestId": request, "responseCode": status, "responseHeaders": headers, "body": body}
        self._post(next(self._numbers), "Fetch.fulfillRequest", session, values)

    def _post(self, number: int, method: str, session: str, values: Message) -> None:
        message: Message = {"id": number, "method": method, "params": values}
        if session:
            message["sessionId"] = session
        self._outbox.put(message)

    def end(self) -> None:
        """Stop both threads; the descriptors are the caller's."""
        self._outbox.put(None)
        self._fail_all()

    def _write(self) -> None:
        while (message := self._outbox.get()) is not None:
            if isinstance(message["params"].get("body"), bytes):
                message["params"]["body"] = base64.b64encode(message["params"]["body"]).decode("ascii")
            view = memoryview(json.dumps(message).encode() + b"\0")
            try:
                while view:
                    view = view[os.write(self._writes, view) :]
            except OSError:
                return  # the reader sees the end, too

    def _read(self) -> None:
        pieces: list[bytes] = []
        size = 0
        while True:
            try:
                data = os.read(self._reads, _READ)
            except OSError:
                break
            if not data or size > _LONGEST:
                break
            *whole, rest = data.split(b"\0")
            for part in whole:
                pieces.append(part)
                self._take(b"".join(pieces))
                pieces, size = [], 0
            if rest:
                pieces.append(rest)
                size += len(rest)
        self._fail_all()
        self._gone()

    def _take(self, data: bytes) -> None:
        try:
            message: Message = json.loads(data)
        except ValueError:
            return
        if "id" not in message:
            with contextlib.suppress(KeyError, TypeError, ValueError):  # a message that is not as documented
                self._event(message)
            return
        with self._lock:
            call = self._calls.pop(message["id"], None)
        if call is not None:
            call.result = message.get("result", {})
            call.error = message.get("error", {}).get("message", "")
            call.done.set()

    def _fail_all(self) -> None:
        with self._lock:
            self._ended = True
            calls, self._calls = list(self._calls.values()), {}
        for call in calls:
            call.error = "gone"
            call.done.set()
