"""How the hours of an archive's watches run: by the clock, or at a pace and from a moment that the catalog keeps.

When the clock is set, requests that were made are no longer, and no shorter, ago than before: what was spent in the
last hour goes on to count, also over a new start on the same machine.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from strandline.archive.folder import Archive
from strandline.archive.wall_clock import SystemClock
from strandline.core.wording import counted
from strandline.errors import UsageError
from strandline.learn.known_pages import HOUR
from strandline.ports import Clock
from strandline.store.catalog import SqliteCatalog
from strandline.store.watching import TimePiece, WatchState

_BOOT: Final = Path("/proc/sys/kernel/random/boot_id")
_SET: Final = 1.0
"""Seconds from which on a clock was set, and does not only run a little fast or slow. Origin: a guess."""


def time_of(catalog: SqliteCatalog, hour_seconds: float, now: float) -> TimePiece | None:
    """How the hours of this watch run; None for those of the clock. What is asked for anew is kept in the catalog:
    hours that no plan can be made with are refused here.
    """
    if not 0.0 <= hour_seconds <= HOUR:
        raise UsageError(f"--hour-seconds: an hour lasts more than 0 and at most 3600 seconds, not {hour_seconds:g}")
    known = catalog.watch.reading.watch_time()
    length = hour_seconds or (known.length if known else HOUR)
    if known is not None and known.length == length:
        return known
    if known is None and length == HOUR:
        return None
    hour = known.hour + (now - known.start) / known.length if known else 0.0
    piece = TimePiece(now, hour, length)
    catalog.watch.set_time(piece)
    return piece


def count_hours_from(archive: Archive, now: float) -> None:
    """Watches count their hours, as long as those of the clock, from this moment: it is a Monday midnight to them."""
    with archive.writing("watch") as catalog:
        catalog.watch.set_time(TimePiece(now, 0.0, HOUR))


class ClockMark(NamedTuple):
    """Two clocks at the same moment: that of the machine since it was started, which nobody sets, and the wall's."""

    boot: str
    up: float
    wall: float

    def set_since(self, earlier: "ClockMark | None") -> float:
        """Seconds the clock on the wall was set forward by since an earlier mark, less than 0 for back; 0.0 when it was
        not, or cannot be known: the machine was started meanwhile, or is another one.

        >>> ClockMark("a", 60.0, 1000.0).set_since(ClockMark("a", 50.0, 90.0))
        900.0
        >>> ClockMark("b", 60.0, 1000.0).set_since(ClockMark("a", 50.0, 90.0))
        0.0
        """
        if earlier is None or not self.boot or self.boot != earlier.boot:
            return 0.0
        seconds = (self.wall - earlier.wall) - (self.up - earlier.up)
        return seconds if abs(seconds) >= _SET else 0.0


class ClockSteps:
    """Looks whether the clock was set, from the last state of the watch before on, and moves what was spent along."""

    def __init__(self, catalog: SqliteCatalog, clock: Clock, said: Callable[[str], None]) -> None:
        self._catalog, self._clock, self._said = catalog, clock, said
        # Another clock than the one on the wall, as of a demonstration, goes as it likes.
        self._boot = _BOOT.read_text().strip() if isinstance(clock, SystemClock) and _BOOT.exists() else ""
        self._mark = _mark_of(catalog.watch.reading.watch_state())
        self.look()

    @property
    def mark(self) -> ClockMark | None:
        """At the last look."""
        return self._mark

    def look(self) -> None:
        """Look at both clocks."""
        if not self._boot:
            return
        before, wall, up = _up(), self._clock.now(), _up()
        if up - before > _SET / 10.0:
            return  # something came between the two clocks: nothing can be told, and the next look is soon
        mark = ClockMark(self._boot, up, wall)
        seconds, self._mark = mark.set_since(self._mark), mark
        if seconds:
            self._catalog.watch.clock_set(seconds)
            where = "forward" if seconds > 0 else "back"
            self._said(f"the clock was set {where} by {counted(round(abs(seconds)), 'second')}")


def _up() -> float:
    """Seconds since the machine was started, those in which it slept included."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def _mark_of(state: WatchState | None) -> ClockMark | None:
    """The last mark of a watch before."""
    kept = state.document.get("clock") if state is not None else None
    return ClockMark(*kept) if kept else None
