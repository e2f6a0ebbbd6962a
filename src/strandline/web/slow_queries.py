"""Asks the processes that answer slow questions (app/slow_queries.py), starts them, and remembers their answers."""

import asyncio
import contextlib
import json
import sys
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from strandline.archive.deployment import Address
from strandline.web.figures import duration_text
from strandline.web.texts import say

Answer = dict[str, Any]

FRESH = 300.0
"""Seconds for which a remembered answer is shown without asking again; longer for one that took long."""
COSTLY = 10.0
"""An answer stays fresh for this many times as long as it took."""
PATIENCE = 45.0
"""Seconds a question may take before whoever asked is told to come back."""
_PLANS = ("quality", "history", "next", "why", "hours")
_REMEMBERED = 500
_WAITING = 64
_LONGEST_LINE = 64 * 2**20


class NoAnswerError(Exception):
    """The question has no answer, and this is why."""


class UnanswerableError(NoAnswerError):
    """The question has no answer as long as the archive holds what it holds."""


class StillWorkingError(NoAnswerError):
    """The answer is being worked out, since so many seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__(say("still_working", time=duration_text(seconds)))
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class _Remembered:
    """An answer, when it was given, and how long that took."""

    answer: Answer
    given: float
    took: float

    @property
    def fresh(self) -> bool:
        return time.monotonic() - self.given < max(FRESH, COSTLY * self.took)


class SlowQueries:
    """Two processes, one for what needs a plan of the whole archive and one for single pages, each asked one question
    at a time; the same question asked twice at once is asked once.
    """

    def __init__(self, archive: Address) -> None:
        self._lanes = {True: _Lane(archive), False: _Lane(archive)}
        self._answers: OrderedDict[str, _Remembered] = OrderedDict()
        self._asked: dict[str, tuple[float, asyncio.Task[Answer]]] = {}

    def remembered(self, ask: str, **about: object) -> Answer | None:
        """An answer that is there already, however old; one that is no longer fresh is worked out again meanwhile."""
        key = _key(ask, about)
        found = self._answers.get(key)
        if found is not None and not found.fresh and len(self._asked) < _WAITING:
            self._asking(key, ask, about)
        return found.answer if found else None

    async def ask(self, ask: str, *, patience: float = PATIENCE, **about: object) -> Answer:
        """The answer; NoAnswerError when there is none, StillWorkingError when there is none yet."""
        key = _key(ask, about)
        found = self._answers.get(key)
        if found is not None and found.fresh:
            return found.answer
        if key not in self._asked and len(self._asked) >= _WAITING:
            raise NoAnswerError(say("too_much"))
        since, task = self._asking(key, ask, about)
        try:
            return await asyncio.wait_for(asyncio.shield(task), patience)
        except TimeoutError:
            raise StillWorkingError(time.monotonic() - since) from None

    def _asking(self, key: str, ask: str, about: dict[str, object]) -> tuple[float, asyncio.Task[Answer]]:
        """The question under way; asked now unless it is already."""
        if key not in self._asked:
            task = asyncio.create_task(self._work_out(key, ask, about))
            task.add_done_callback(lambda done: self._heard(key, done))
            self._asked[key] = (time.monotonic(), task)
        return self._asked[key]

    def _heard(self, key: str, done: asyncio.Task[Answer]) -> None:
        self._asked.pop(key, None)
        if not done.cancelled():
            done.exception()  # whoever waits hears it; perhaps nobody does

    def forget(self) -> None:
        """Settings changed: what was worked out under the old ones is no longer shown."""
        self._answers.clear()

    async def _work_out(self, key: str, ask: str, about: dict[str, object]) -> Answer:
        began = time.monotonic()
        said = await self._lanes[ask in _PLANS].told(ask, about)
        if "problem" in said:
            raise (UnanswerableError if said.get("asked") else NoAnswerError)(str(said["problem"]))
        answer: Answer = said["answer"]
        now = time.monotonic()
        self._answers[key] = _Remembered(answer, now, now - began)
        while len(self._answers) > _REMEMBERED:
            self._answers.popitem(last=False)
        return answer

    def hush(self) -> None:
        """Let go of all who wait for an answer: the server is about to end."""
        for lane in self._lanes.values():
            lane.hush()

    async def close(self) -> None:
        """End the processes."""
        for lane in self._lanes.values():
            await lane.close()


class _Lane:
    """One answering process, started when it is first asked."""

    def __init__(self, archive: Address) -> None:
        self._archive = archive
        self._process: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()
        self._number = 0
        self._hushed = False

    async def told(self, ask: str, about: dict[str, object]) -> Answer:
        """What the process says to a question, when its turn has come."""
        async with self._turn:
            process = await self._running()
            if self._hushed:  # a process that was being started meanwhile is ended by `close`
                raise NoAnswerError(say("thinking_ended"))
            assert process.stdin is not None and process.stdout is not None
            self._number += 1
            try:
                process.stdin.write(json.dumps({"id": self._number, "ask": ask, **about}).encode() + b"\n")
                await process.stdin.drain()
                while line := await process.stdout.readline():
                    said: Answer = json.loads(line)
                    if said["id"] == self._number:
                        return said
            except (OSError, ValueError) as problem:
                await self.close()
                raise NoAnswerError(say("thinking_failed", problem=problem)) from None
            await self.close()
            raise NoAnswerError(say("thinking_ended"))

    async def _running(self) -> asyncio.subprocess.Process:
        if self._hushed:
            raise NoAnswerError(say("thinking_ended"))
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "strandline.app.slow_queries", self._archive.name),
                env=self._archive.environment,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=_LONGEST_LINE,
                start_new_session=True,  # Ctrl-C is for the server, which closes the pipe
            )
        return self._process

    def hush(self) -> None:
        """End the process, and with it the answer under way; no other is started."""
        self._hushed = True
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()

    async def close(self) -> None:
        """End the process; the next question starts another."""
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()


def _key(ask: str, about: dict[str, object]) -> str:
    return json.dumps([ask, sorted(about.items())])
