"""The time an archive lived by: that of the clock, or of a watch whose hours were shorter.

A demonstration lets an hour last a few seconds. When pages change is then a question of its hours, not of those of the
clock: what is learned is learned in *lived* seconds, 3600 to an hour of the watch. The first watch with hours of its
own begins on a Monday at midnight (UTC), as planning has it (crawl/experience.Hours); before it, and without one, a
second is a second. Hours go on where they were when a later watch lets them run at another speed.
"""

from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from strandline.core.history.calendar import DAY

Floats = NDArray[np.float64]
HOUR = 3600.0
"""Seconds. Origin: a unit."""
_WEEK, _MONDAY = 7.0 * DAY, 4.0 * DAY
"""Seconds of a week, and of the first Monday. Origin: a unit."""


@dataclass(frozen=True, slots=True)
class LivedTime:
    """How hours ran."""

    pieces: tuple[tuple[float, float, float], ...] = ()
    """In the order of time: since when (epoch seconds), which hour it was then, and how many seconds hours last."""

    @property
    def by_clock(self) -> bool:
        """Whether nothing ever ran otherwise than the clock."""
        return not self.pieces

    @property
    def pace(self) -> float:
        """Seconds of the clock that a lived second takes now."""
        return self.pieces[-1][2] / HOUR if self.pieces else 1.0

    @overload
    def lived(self, clock: float) -> float: ...

    @overload
    def lived(self, clock: Floats) -> Floats: ...

    def lived(self, clock: float | Floats) -> float | Floats:
        """Lived seconds of moments of the clock.

        >>> LivedTime(((1_000_000_000.0, 0.0, 2.0),)).lived(1_000_000_010.0) % 604_800 - 4 * 86_400
        18000.0
        """
        if not self.pieces:
            return clock
        starts, lived, speeds = self._lines()
        moved = _along(clock, starts, lived, speeds)
        return float(moved) if isinstance(clock, float) else moved

    def clock(self, lived: float) -> float:
        """The moment of the clock of a lived second."""
        if not self.pieces:
            return lived
        starts, begins, speeds = self._lines()
        return float(_along(lived, begins, starts, 1.0 / speeds))

    def _lines(self) -> tuple[Floats, Floats, Floats]:
        """Where pieces start by the clock and in lived seconds, and how fast they run; first the time before all."""
        start, hour, length = np.array(self.pieces, dtype=np.float64).T
        monday = np.floor((start[0] - _MONDAY) / _WEEK) * _WEEK + _MONDAY
        lived = monday + hour * HOUR
        return np.append(start[0], start), np.append(lived[0], lived), np.append(1.0, HOUR / length)


def _along(at: float | Floats, starts: Floats, values: Floats, slopes: Floats) -> Floats:
    piece = np.searchsorted(starts[1:], at, side="right")
    moved: Floats = values[piece] + (at - starts[piece]) * slopes[piece]
    return moved
