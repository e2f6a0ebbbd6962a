"""How busy directories were by day where there are very many of them: each has a place as narrow as it can be.

A table with all days of all directories takes 8 kB a directory: a forum with one for each topic would fill the memory
with it. But of a day nobody asks any more once every page of the directory was captured after it, and a directory with
one page is asked of its last day only. So each directory has a place on the narrowest shelf that its days fit on; a
directory that outgrows it first forgets the days that nobody asks for. What is left is as in the table, to the last
bit. Only of directories with few pages, captured far apart, are days forgotten that would have been asked for: the
oldest of those for which there is no room, which then count as usual ones.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from strandline.core.growing import with_room

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MANY = 16_384
"""Directories up to which all days of each are held in one table. Origin: a bound on memory, 128 MiB."""
ROOM = 128 << 20
"""Bytes for the days of all directories, of which each may have as much as its part of the pages.
Origin: a bound on memory."""
DAYS_A_PAGE = 8
"""Days that a directory may hold for each of its pages however many there are. Origin: a bound on memory, 128 bytes a
page."""
WIDTHS = (0, 2, 4, 8, 16, 32, 64, 128, 256, 512)
"""Days of a place on each shelf; on the first one are directories of which nothing is held. Origin: a definition."""
_INDEX = ("shelf", "slot", "first", "length")
"""What is noted of each directory: its place, the first day there and how many there are. Origin: a definition."""
_AT_ONCE = 512
"""Rows of a table that are taken over together. Origin: a bound on memory."""

Asked = Callable[[Ints], tuple[Ints, Ints]]
"""Of some directories the first day that somebody may still ask for, and how many days they may hold."""


class DirectoryDays:
    """Changes found and expected of each directory and day; directories are numbered from 0. Here nobody asks for day
    107 any more:

    >>> days = DirectoryDays()
    >>> days.grow(3)
    >>> table = np.zeros((1, 32, 2))
    >>> table[0, 7:9] = 1.0
    >>> days.put(np.array([2]), table, 100, lambda names: (np.array([108]), np.array([8])))
    >>> days.take(np.array([2]), 100, 32)[0, 7:10, 0].tolist()
    [0.0, 1.0, 0.0]
    """

    def __init__(self) -> None:
        self._index: dict[str, NDArray[np.int32]] = {name: np.zeros(0, dtype=np.int32) for name in _INDEX}
        self._count = 0
        self._shelves: list[Floats] = [np.zeros((0, width, 2)) for width in WIDTHS]
        self._free: list[list[int]] = [[] for _ in WIDTHS]
        self._used = [0 for _ in WIDTHS]

    def __len__(self) -> int:
        return self._count

    @property
    def nbytes(self) -> int:
        """What it takes in memory."""
        return sum(column.nbytes for column in self._index.values()) + sum(shelf.nbytes for shelf in self._shelves)

    def grow(self, count: int) -> None:
        """Have so many directories; of new ones nothing is known."""
        for name, column in self._index.items():
            self._index[name] = with_room(column, self._count, count)
        self._count = max(self._count, count)

    def take(self, names: Ints, origin: int, held: int) -> Floats:
        """The days of some directories as a table, [directory, day, 0 or 1]; its first day is `origin`."""
        found = np.zeros((len(names), held, 2))
        shelf = self._index["shelf"][names]
        for number in np.unique(shelf[shelf > 0]).tolist():
            rows = np.flatnonzero(shelf == number)
            slot, first, length = (self._index[name][names[rows]] for name in _INDEX[1:])
            day = np.arange(WIDTHS[number])
            place = (first - origin)[:, None] + day
            there = (day < length[:, None]) & (place >= 0) & (place < held)
            row, column = np.nonzero(there)
            found[rows[row], place[row, column]] = self._shelves[number][slot[row], column]
        return found

    def put(self, names: Ints, table: Floats, origin: int, asked: Asked) -> None:
        """Note the days of some directories, each named once, as `take` tells them."""
        index = self._index
        told = (table[..., 0] != 0.0) | (table[..., 1] != 0.0)
        begin = told.argmax(axis=1)
        end = np.where(told.any(axis=1), told.shape[1] - told[:, ::-1].argmax(axis=1), 0)
        grown = np.flatnonzero(end - begin > np.array(WIDTHS)[index["shelf"][names]])
        if len(grown):
            first, most = asked(names[grown])
            begin[grown] = np.maximum(np.maximum(begin[grown], first - origin), end[grown] - most)
            self._move(names[grown], np.searchsorted(WIDTHS, np.maximum(end - begin, 0)[grown]))
        index["first"][names], index["length"][names] = origin + begin, np.maximum(end - begin, 0)
        shelf = index["shelf"][names]
        for number in np.unique(shelf[shelf > 0]).tolist():
            rows = np.flatnonzero(shelf == number)
            day = np.arange(WIDTHS[number])
            place = begin[rows, None] + day
            some = table[rows[:, None], np.minimum(place, table.shape[1] - 1)]
            some[place >= end[rows, None]] = 0.0
            self._shelves[number][index["slot"][names[rows]]] = some

    def _move(self, names: Ints, shelves: Ints) -> None:
        """Give directories places on other shelves."""
        shelf, slot = self._index["shelf"], self._index["slot"]
        for number in np.unique(shelf[names]).tolist():
            left = slot[names[(shelf[names] == number) & (number > 0)]]
            self._shelves[number][left] = 0.0  # what is blank takes no room where it is kept
            self._free[number] += left.tolist()
        shelf[names] = shelves
        for number in np.unique(shelves[shelves > 0]).tolist():
            own, free = names[shelves == number], self._free[number]
            again = [free.pop() for _ in range(min(len(free), len(own)))]
            used = self._used[number]
            self._used[number] += len(own) - len(again)
            self._shelves[number] = with_room(self._shelves[number], used, self._used[number])
            slot[own] = [*again, *range(used, self._used[number])]

    @staticmethod
    def of_table(table: Floats, count: int, origin: int, asked: Asked) -> "DirectoryDays":
        """So many directories, of which those at the beginning have their days in a table."""
        days = DirectoryDays()
        days.grow(max(count, len(table)))
        for begin in range(0, len(table), _AT_ONCE):
            some = table[begin : begin + _AT_ONCE]
            days.put(np.arange(begin, begin + len(some)), some, origin, asked)
        return days

    # Keeping ----------------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything; views, not copies."""
        shelves = {f"days.{width}": self._shelves[n][: self._used[n]] for n, width in enumerate(WIDTHS) if width}
        return {f"days.{name}": column[: self._count] for name, column in self._index.items()} | shelves

    @staticmethod
    def from_state(state: Mapping[str, NDArray[Any]]) -> "DirectoryDays | None":
        """What `state` told; None if it tells nothing of this."""
        if f"days.{_INDEX[0]}" not in state:
            return None
        days = DirectoryDays()
        days._index = {name: state[f"days.{name}"] for name in _INDEX}
        days._count = len(days._index["shelf"])
        for number, width in enumerate(WIDTHS):
            if width:
                days._shelves[number] = state[f"days.{width}"]
                days._used[number] = len(days._shelves[number])
                there = np.zeros(days._used[number], dtype=np.bool_)
                there[days._index["slot"][days._index["shelf"] == number]] = True
                days._free[number] = np.flatnonzero(~there).tolist()
        return days


class DirectoryPages:
    """The rows of the pages of each directory, by the directory of each page."""

    def __init__(self, directory: Ints) -> None:
        self._count = len(directory)
        self._rows = np.argsort(directory, kind="stable").astype(np.int32)
        self._begin = np.concatenate([[0], np.cumsum(np.bincount(directory))]).astype(np.int32)

    def __len__(self) -> int:
        """How many pages."""
        return self._count

    def asked(self, names: Ints, last: Floats, day_length: float) -> tuple[Ints, Ints]:
        """What is still asked of some directories (see Asked), by when each page was captured last, NaN for never: the
        next capture teaches of the time since then, and nobody asks what was before. A day more is left, since pages
        may move by an hour when summer time begins or ends.
        """
        begin, pages = self._begin[names], self._begin[names + 1] - self._begin[names]
        starts = np.cumsum(pages) - pages
        rows = self._rows[np.repeat(begin - starts, pages) + np.arange(pages.sum())]
        first = np.fmin.reduceat(last[rows], starts) / day_length
        each = max(DAYS_A_PAGE, ROOM // (16 * len(self)))
        return np.floor(np.nan_to_num(first)).astype(np.int64) - 1, each * pages.astype(np.int64)
