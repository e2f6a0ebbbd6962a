"""Work that readers with the right to operate start from the interface: each job is a `strandline` process of its own.

    crawl, watch     archive; every stop is a pause, the same command goes on where it was left
    verify, learn    read everything once                    simulate   strategies on the archive's own history
    quality          replays pages in a browser

Standard output is JSON Lines (or one JSON document), as the command line has it. The server ends its jobs cleanly when
it ends itself.
"""

import asyncio
import contextlib
import json
import signal
import sys
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from strandline.archive.deployment import Address
from strandline.errors import UsageError
from strandline.web.texts import say

Kind = Literal["crawl", "watch", "verify", "learn", "simulate", "quality"]
Archiving = Literal["crawl", "watch"]
State = Literal["running", "pausing", "paused", "stopping", "stopped", "done", "failed"]

KINDS: Final[tuple[Kind, ...]] = ("crawl", "watch", "verify", "learn", "simulate")
ALL: Final[tuple[Kind, ...]] = (*KINDS, "quality")
"""With what has a page of its own to start it from."""
WRITERS: Final = ("crawl", "watch", "learn")
"""An archive has one writer at a time, but for one who learns beside a watch."""
_KEPT = 40
_LATEST = 30
_LONGEST_LINE = 16 * 2**20
_INTERRUPTED = 11
_BUSY = 5
_TRIES = 6
"""Times a job is started while another process holds the archive for a moment, a second apart."""


def in_the_way(kind: Kind) -> tuple[str, ...]:
    """Jobs that must have ended before one of a kind begins."""
    if kind == "learn":
        return "crawl", "learn"
    return WRITERS if kind in WRITERS else (kind,)


@dataclass(slots=True)
class Job:
    """One process, and what it said so far."""

    number: int
    kind: Kind
    arguments: tuple[str, ...]
    started: float
    state: State = "running"
    ended: float | None = None
    captured: int = 0
    unchanged: int = 0
    failed: int = 0
    problem: str = ""
    result: Any = None
    """The document a job of one answer printed."""
    latest: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=_LATEST))
    """Its last captures, newest first."""
    process: asyncio.subprocess.Process | None = None
    tries: int = 1

    @property
    def active(self) -> bool:
        """Whether its process runs."""
        return self.state in ("running", "pausing", "stopping")


class Jobs:
    """Jobs of one archive, newest first."""

    def __init__(self, archive: Address, kinds: Sequence[str] = KINDS) -> None:
        self._archive = archive
        self.kinds = kinds
        """What can be started here."""
        self._jobs: dict[int, Job] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._number = 0

    def all(self) -> list[Job]:
        """Every job that is remembered, newest first."""
        return sorted(self._jobs.values(), key=lambda job: -job.number)

    def get(self, number: int) -> Job | None:
        """One job."""
        return self._jobs.get(number)

    def active(self, kinds: tuple[str, ...] = ALL) -> list[Job]:
        """Jobs whose process runs."""
        return [job for job in self.all() if job.active and job.kind in kinds]

    async def start(self, kind: Kind, arguments: tuple[str, ...] = ()) -> Job:
        """Start a job; UsageError when one of its kind, or another writer, already runs."""
        if kind not in self.kinds:
            raise UsageError(say("not_from_here", kind=kind))
        same = self.active(in_the_way(kind))
        if same:
            raise UsageError(say("already_running", kind=same[0].kind))
        self._number += 1
        job = Job(self._number, kind, arguments, time.time())
        for old in [one for one in self.all() if not one.active][_KEPT:]:
            del self._jobs[old.number]
        self._jobs[job.number] = job
        await self._spawn(job)
        return job

    async def resume(self, number: int) -> Job:
        """Go on with a job that was paused."""
        job = self._known(number)
        if job.state != "paused":
            raise UsageError(say("not_paused", job=number, state=job.state))
        if self.active(in_the_way(job.kind)):
            raise UsageError(say("another_writes"))
        job.state, job.ended = "running", None
        await self._spawn(job)
        return job

    def pause(self, number: int) -> Job:
        """End the process cleanly and keep the job for later."""
        return self._interrupt(number, "pausing")

    def stop(self, number: int) -> Job:
        """End the process cleanly for good."""
        job = self._known(number)
        if job.state == "paused":
            job.state = "stopped"
            return job
        return self._interrupt(number, "stopping")

    def _known(self, number: int) -> Job:
        job = self._jobs.get(number)
        if job is None:
            raise UsageError(say("no_job", job=number))
        return job

    def _interrupt(self, number: int, state: State) -> Job:
        job = self._known(number)
        if not job.active or job.process is None:
            raise UsageError(say("job_is", job=number, state=job.state))
        job.state = state
        with contextlib.suppress(ProcessLookupError):
            job.process.send_signal(signal.SIGINT)
        return job

    async def _spawn(self, job: Job) -> None:
        quiet = ("--quiet",) if job.kind in ("crawl", "watch", "simulate") else ()
        job.process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "strandline", job.kind, self._archive.name, "--json", *quiet, *job.arguments),
            env=self._archive.environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=_LONGEST_LINE,
            start_new_session=True,  # Ctrl-C is for the server, which passes it on
        )
        task = asyncio.create_task(self._follow(job, job.process))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _follow(self, job: Job, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None and process.stderr is not None
        said = asyncio.create_task(_last_line(process.stderr))
        try:
            async for line in process.stdout:
                with contextlib.suppress(ValueError):
                    _heard(job, json.loads(line))
        except ValueError as problem:  # a line longer than any of ours
            job.problem = str(problem)
        code = await process.wait()
        complaint = await said
        if code == _BUSY and job.state == "running" and job.tries < _TRIES:
            job.tries += 1
            await asyncio.sleep(1.0)
            await self._spawn(job)
            return
        job.ended = time.time()
        if job.state in ("pausing", "stopping"):
            job.state = "paused" if job.state == "pausing" else "stopped"
        elif code in (0, 6):  # 6: verify found damage, which is its answer
            job.state = "done"
        elif code == _INTERRUPTED:
            job.state = "paused"
        elif code == _BUSY:
            job.state, job.problem = "failed", say("busy_long")
        else:
            job.state, job.problem = "failed", complaint or f"ended with exit code {code}"

    async def close(self) -> None:
        """End all jobs cleanly."""
        for job in self.active():
            if job.process is not None:
                job.state = "stopping"
                with contextlib.suppress(ProcessLookupError):
                    job.process.send_signal(signal.SIGINT)
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=30.0)


def _heard(job: Job, said: object) -> None:
    """Take in one line of a job's output."""
    if isinstance(said, Mapping) and said.get("event") == "captured":
        if said.get("revisit"):
            job.unchanged += 1
        else:
            job.captured += 1
        job.latest.appendleft({key: said.get(key) for key in ("url", "time", "status", "revisit")})
    elif isinstance(said, Mapping) and said.get("event") == "done":
        job.failed = int(said.get("failed", 0))
    elif isinstance(said, Mapping) and "event" in said:
        return
    else:
        job.result = said


async def _last_line(stream: asyncio.StreamReader) -> str:
    last = ""
    with contextlib.suppress(ValueError):
        async for line in stream:
            last = line.decode("utf-8", "replace").strip() or last
    return last.removeprefix("strandline: ")[:500]
