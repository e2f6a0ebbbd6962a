"""How patterns, rules and classes follow the captures of a watch: the lessons of learn/keeping_up.py.

The first comes with the first hour that ended, the next ones when there is a quarter more to learn from or a day of the
watch has passed, and the last one when the watch ends. A small archive is learned from between two requests, a larger
one in a process of its own, with low priority and at most a twentieth of the time: no fetch waits for it.
"""

import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from typing import Final

from strandline.archive.folder import Archive
from strandline.learn.keeping_up import GROWN, SMALL, behind, keep_up
from strandline.store.learned import LearnedReading

_DAY: Final = 24
"""Hours of the watch after which everything is learned again, whatever is new. Origin: a guess."""
_REST: Final = 20.0
"""Times as long as a lesson took nothing is learned after it. Origin: a guess."""


class Lessons:
    """The lessons of one watch; `say` hears why there was none, once for each reason."""

    def __init__(self, archive: Archive, say: Callable[[str], None]) -> None:
        self._archive = archive
        self._say = say
        self._said = ""
        self._hours = _DAY
        """Hours since the last lesson."""
        self._asked = False
        self._rests = self._began = 0.0
        self._process: subprocess.Popen[str] | None = None

    def hour_ended(self) -> None:
        """Look whether it is time, with the next step."""
        self._hours += 1
        self._asked = True

    def step(self, at_once: bool = False) -> None:
        """Go on; `at_once` for a watch whose time stands still meanwhile."""
        self._ended()
        if not self._asked or self._process is not None or (time.monotonic() < self._rests and not at_once):
            return
        self._asked = False
        with closing(LearnedReading.open(self._archive.database)) as reading:
            if not behind(reading, 1.0 if self._hours >= _DAY else GROWN):
                return
            small = reading.newest() <= SMALL
        self._began, self._hours = time.monotonic(), 0
        if small:
            keep_up(self._archive, self._tell)
            self._rest()
        else:
            words = [sys.executable, "-m", "strandline.learn.keeping_up", str(self._archive.folder)]
            nothing = subprocess.DEVNULL
            self._process = subprocess.Popen(words, stdin=nothing, stdout=nothing, stderr=subprocess.PIPE, text=True)

    def _ended(self) -> None:
        """Look whether a lesson in a process of its own is done."""
        if self._process is None or self._process.poll() is None:
            return
        problem = self._process.communicate()[1].strip()
        if self._process.returncode:
            self._tell(f"nothing was learned: {problem.splitlines()[-1] if problem else 'its process was ended'}")
        self._process = None
        self._rest()

    def _rest(self) -> None:
        self._rests = time.monotonic() + _REST * (time.monotonic() - self._began)

    def _tell(self, why: str) -> None:
        if why != self._said:
            self._said = why
            self._say(why)

    def last(self) -> None:
        """The watch ends: what came since the last lesson is learned, if that takes no time."""
        with closing(LearnedReading.open(self._archive.database)) as reading:
            small = reading.newest() <= SMALL
        if small and self._process is None:
            keep_up(self._archive, self._tell)

    def close(self) -> None:
        """Let nothing run on."""
        if self._process is not None:
            self._process.terminate()
            self._process.communicate()
