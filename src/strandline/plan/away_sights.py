"""Captures of all pages, as measures look at them, in a room elsewhere: 16 bytes a capture there, 12 a page in memory.

Measures ask for the captures of some thousand pages at a time. Those of a page lie one behind the other, in the order
of time, wherever its row stands among the others.
"""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from strandline.access.gaps import Sights, places
from strandline.core.beliefs.page_beliefs import Room, Rooms
from strandline.core.plan.strategy import Floats, Rows

Flags = NDArray[np.bool_]

_KIND: Final = np.dtype([("time", np.float64), ("changes", np.int32), ("shown", np.int32)])
"""Of a capture: when it was made, and which version it shows, counted by changes and by what a reader sees.
Origin: a definition."""
_AT_ONCE: Final = 4_096
"""Pages whose captures are looked at together. Origin: a bound on memory."""


class AwaySights:
    """All captures, or a part of them, with the versions of one kind (`changes` or `shown`).

    >>> from strandline.core.beliefs.page_beliefs import NearRows
    >>> noted = SightsNoted(NearRows, 3)
    >>> noted.add(np.array([2, 0, 0]), np.array([3.0, 1.0, 2.0]), (np.array([False] * 3), np.array([False] * 3)))
    >>> sights = noted.sights("changes")
    >>> sights.counts(3).tolist(), sights.some(np.array([0])).time.tolist(), sights.latest(0.0)
    ([2, 0, 1], [1.0, 2.0], 3.0)
    """

    def __init__(self, room: Room, begin: Rows, count: NDArray[np.int32], version: str) -> None:
        self._room = room
        self._begin = begin
        self._count = count
        self._version = version

    def _part(self, count: NDArray[np.int32]) -> "AwaySights":
        """The first captures of each page."""
        return AwaySights(self._room, self._begin, count, self._version)

    def _taken(self, rows: Rows) -> NDArray[Any]:
        return self._room.take(places(self._begin[rows], self._count[rows]))

    def _in_turn(self) -> Iterator[tuple[Rows, Floats]]:
        """Rows of some pages that were captured and times of their captures, then of the next ones."""
        seen = np.flatnonzero(self._count)
        for first in range(0, len(seen), _AT_ONCE):
            rows = seen[first : first + _AT_ONCE]
            yield rows, self._taken(rows)["time"]

    def until(self, end: float) -> "AwaySights":
        """Only the captures up to a moment."""
        count = np.zeros_like(self._count)
        for rows, times in self._in_turn():
            own = np.repeat(np.arange(len(rows)), self._count[rows])
            count[rows] = np.bincount(own[times <= end], minlength=len(rows))
        return self._part(count)

    def without(self, left_out: Flags) -> "AwaySights":
        """Without the captures of some pages, given as a flag for each page."""
        return self._part(np.where(left_out, np.int32(0), self._count)) if left_out.any() else self

    def latest(self, otherwise: float) -> float:
        """The time of the last capture, or something else where there is none."""
        return max((float(times.max()) for _, times in self._in_turn()), default=otherwise)

    def counts(self, pages: int) -> Rows:
        """Captures of each of so many pages."""
        return self._count[:pages].astype(np.int64)

    def some(self, rows: Rows) -> Sights:
        """The captures of some pages, which are numbered anew."""
        found = self._taken(rows)
        own = np.repeat(np.arange(len(rows)), self._count[rows])
        return Sights(own, np.ascontiguousarray(found["time"]), np.ascontiguousarray(found[self._version]))

    def near(self, rows: Rows, begin: float, end: float) -> Sights:
        """Only the captures of some pages in a stretch of time, and one on each side of it."""
        parts = [Sights.of(rows[:0], np.empty(0), np.empty(0, dtype=np.bool_))]
        for first in range(0, len(rows), _AT_ONCE):
            these = rows[first : first + _AT_ONCE]
            own = self.some(these).near(np.arange(len(these)), begin, end)
            parts.append(Sights(these[own.row], own.time, own.version))
        return Sights(*(np.concatenate([getattr(one, name) for one in parts]) for name in ("row", "time", "version")))


class SightsNoted:
    """Notes the captures of so many pages as they are read, those of a page at once."""

    def __init__(self, rooms: Rooms, pages: int) -> None:
        self._room = rooms(_KIND)
        self._begin = np.zeros(pages, dtype=np.int64)
        self._count = np.zeros(pages, dtype=np.int32)
        self._noted = 0

    def add(self, row: Rows, time: Floats, found: tuple[Flags, Flags]) -> None:
        """Captures of pages of which none were noted before, and which of them found changes of each kind."""
        order = np.lexsort((time, row))
        pages, first, count = np.unique(row[order], return_index=True, return_counts=True)
        self._begin[pages], self._count[pages] = self._noted + first, count
        some = np.empty(len(row), dtype=_KIND)
        some["time"] = time[order]
        some["changes"], some["shown"] = (np.cumsum(flags[order]) for flags in found)
        self._room.grow(self._noted + len(row))
        self._room.put(np.arange(self._noted, self._noted + len(row)), some)
        self._noted += len(row)

    def sights(self, version: str) -> AwaySights:
        """All captures, with the versions of one kind."""
        return AwaySights(self._room, self._begin, self._count, version)
