"""Asks the thinking processes (app.thinking) and remembers their answers; starts them when they are first needed."""

import asyncio
import contextlib
import json
import sys
import time
from collections import OrderedDict
from pathlib import Path
from typing import Any

from strandline.errors import StrandlineError

Answer = dict[str, Any]

FRESH = 300.0
"""Seconds for which a remembered answer is shown without asking again."""
PATIENCE = 45.0
"""Seconds a question may take before whoever asked is told to come back."""
_PLANS = ("quality", "history", "next", "why")
_REMEMBERED = 500
_WAITING = 64
_LONGEST_LINE = 64 * 2**20


class NoAnswerError(Exception):
    """The question has no answer, and this is why."""


class Thinker:
    """Two processes, one for what needs a plan of the whole archive and one for single pages, each asked one question
    at a time; the same question asked twice at once is asked once.
    """

    def __init__(self, folder: Path) -> None:
        self._lanes = {True: _Lane(folder), False: _Lane(folder)}
        self._answers: OrderedDict[str, tuple[float, Answer]] = OrderedDict()
        self._asked: dict[str, asyncio.Task[Answer]] = {}

    def remembered(self, ask: str, **about: object) -> Answer | None:
        """An answer that is there already, however old."""
        found = self._answers.get(_key(ask, about))
        return found[1] if found else None

    async def ask(self, ask: str, **about: object) -> Answer:
        """The answer; NoAnswerError when there is none, or none yet."""
        key = _key(ask, about)
        found = self._answers.get(key)
        if found is not None and time.monotonic() - found[0] < FRESH:
            return found[1]
        task = self._asked.get(key)
        if task is None:
            if len(self._asked) >= _WAITING:
                raise NoAnswerError("Too much is being worked out at the moment; try again soon.")
            task = self._asked[key] = asyncio.create_task(self._think(key, ask, about))
            task.add_done_callback(lambda done: self._asked.pop(key, None) and done.cancelled())
        try:
            return await asyncio.wait_for(asyncio.shield(task), PATIENCE)
        except TimeoutError:
            raise NoAnswerError("This is still being worked out; come back in a moment.") from None

    def forget(self) -> None:
        """Settings changed: what was worked out under the old ones is no longer shown."""
        self._answers.clear()

    async def _think(self, key: str, ask: str, about: dict[str, object]) -> Answer:
        said = await self._lanes[ask in _PLANS].told(ask, about)
        if "problem" in said:
            raise NoAnswerError(str(said["problem"]))
        answer: Answer = said["answer"]
        self._answers[key] = (time.monotonic(), answer)
        while len(self._answers) > _REMEMBERED:
            self._answers.popitem(last=False)
        return answer

    async def close(self) -> None:
        """End the processes."""
        for lane in self._lanes.values():
            await lane.close()


class _Lane:
    """One thinking process, started when it is first asked."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()
        self._number = 0

    async def told(self, ask: str, about: dict[str, object]) -> Answer:
        """What the process says to a question, when its turn has come."""
        async with self._turn:
            process = await self._running()
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
                raise NoAnswerError(f"The thinking process failed: {problem}") from None
            await self.close()
            raise NoAnswerError("The thinking process ended unexpectedly.")

    async def _running(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "strandline.app.thinking", str(self._folder)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=_LONGEST_LINE,
                start_new_session=True,  # Ctrl-C is for the server, which closes the pipe
            )
        return self._process

    async def close(self) -> None:
        """End the process; the next question starts another."""
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()


def _key(ask: str, about: dict[str, object]) -> str:
    return json.dumps([ask, sorted(about.items())])


async def answer_or_reason(thinker: Thinker, ask: str, **about: object) -> tuple[Answer | None, str]:
    """The answer and no reason, or no answer and the reason."""
    try:
        return await thinker.ask(ask, **about), ""
    except (NoAnswerError, StrandlineError) as problem:
        return None, str(problem)
