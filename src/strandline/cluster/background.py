"""What a worker does beside its crawl, each in a thread with connections of its own: planning, study, cleaning up."""

import contextlib
import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import Final

from strandline.errors import LeaseLost, OutOfSpace, StrandlineError, Unreachable

Step = Callable[[], object]
_AGAIN: Final = 30.0
"""Seconds until what could not be done is tried again, at least."""


@dataclass(frozen=True, slots=True)
class BackgroundJob:
    """Something done every so many seconds. `opened` makes ready what it needs and gives the step to be repeated."""

    name: str
    every: float
    opened: Callable[[Callable[[], bool]], AbstractContextManager[Step]]
    """Is given a function that tells whether the worker is about to end."""
    failed: str
    """What is said, with the reason, when it cannot go on."""


class BackgroundThread(contextlib.AbstractContextManager["BackgroundThread"]):
    """An job, from when the crawl begins until it ends. What passes is waited for: a database that is away, a disk
    that is full. A defect is told and tried again, too: one odd site must not end, worker by worker, what is done for
    all others.
    """

    def __init__(self, job: BackgroundJob, say: Callable[[str], None]) -> None:
        self._job = job
        self._say = say
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name=job.name, daemon=True)

    def __enter__(self) -> "BackgroundThread":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        every, told = self._job.every, ""
        while not self._stopped.is_set():
            try:
                with self._job.opened(self._stopped.is_set) as step:
                    while not self._stopped.wait(every):
                        step()
            except (Unreachable, LeaseLost):
                self._stopped.wait(every)  # the crawl meets it, too, and tells
            except StrandlineError as problem:
                if not isinstance(problem, OutOfSpace):
                    self._say(f"{self._job.failed}: {problem}")
                    return
                told = self._tell(str(problem), told)
            except OSError as problem:
                told = self._tell(str(problem), told)
            except Exception as problem:
                if os.environ.get("STRANDLINE_DEBUG"):
                    raise
                told = self._tell(f"unexpected {type(problem).__name__}: {problem} (a defect)", told)

    def _tell(self, why: str, told: str) -> str:
        """Say why it cannot be done now, once, and wait a while; returns what was said last."""
        if why != told:
            self._say(f"{self._job.failed}: {why}; it is tried again")
        self._stopped.wait(max(self._job.every, _AGAIN))
        return why
