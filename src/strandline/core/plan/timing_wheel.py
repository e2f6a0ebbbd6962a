"""Due times of any number of pages, with the same cost per page at a thousand and at ten million.

A ring of slots, one per period; each slot is a linked list of rows threaded through two arrays. Putting a page
and taking the pages that are due cost a few array writes each; nothing is ever sorted or scanned. Pages due
beyond one turn of the ring stay in their slot and are passed over until their turn comes. When the clock is set
back, all due times go with it: else nothing would be due until it is as late again as it was.
"""

import numpy as np
from numpy.typing import NDArray

from strandline.core.growing import with_room
from strandline.core.plan.wheel_kernels import OUT, add_members, members, move_rows, put_rows, take_due, take_rows

Rows = NDArray[np.int64]
Floats = NDArray[np.float64]


class TimingWheel:
    """Rows 0..count-1, all due at once in the beginning.

    >>> wheel = TimingWheel(3, slots=8)
    >>> wheel.put(np.array([0, 1, 2]), np.array([5.0, 2.0, 30.0]))
    >>> wheel.due(3).tolist(), wheel.due(6).tolist(), wheel.due(29).tolist(), wheel.due(30).tolist()
    ([1], [0], [], [2])
    """

    def __init__(self, count: int, slots: int = 256) -> None:
        if slots < 2:
            raise ValueError(f"a wheel needs at least 2 slots, not {slots}")
        self._head = np.full(slots, -1, dtype=np.int64)
        self._count = 0
        self._next = np.empty(0, dtype=np.int64)
        self._back = np.empty(0, dtype=np.int64)
        self._due = np.empty(0)
        self._now = np.zeros(1, dtype=np.int64)
        self._latest = 0
        self.grow(count, 0.0)

    def __len__(self) -> int:
        return self._count

    def grow(self, count: int, due: float | None = None) -> None:
        """Add rows up to `count`, all due at one time; without one they are not in the wheel yet."""
        old = self._count
        if count <= old:
            return
        self._next = with_room(self._next, old, count)
        self._back = with_room(self._back, old, count)
        self._due = with_room(self._due, old, count)
        self._next[old:count], self._back[old:count] = -1, OUT
        self._count = count
        if due is not None:
            self.put(np.arange(old, count), np.full(count - old, due))

    def take_out(self, rows: Rows) -> None:
        """Rows that shall not become due, until they are put back."""
        take_rows((self._head, self._next, self._back), self._due, rows)

    def put(self, rows: Rows, due: Floats) -> None:
        """Set when rows are due (a period number; the past means now). Rows already in the wheel are moved."""
        put_rows((self._head, self._next, self._back), self._due, self._now, rows, due)

    def put_sooner(self, rows: Rows, due: Floats) -> None:
        """The same, for rows in the wheel that are due later; the others stay where they are."""
        sooner = (self._back[rows] != OUT) & (due < self._due[rows])
        self.put(rows[sooner], due[sooner])

    def due(self, period: int, at_least: int = 0, at_most: int | None = None) -> Rows:
        """Take out the rows due by the end of this period; when fewer than `at_least`, also the next ones.

        No more than `at_most` are taken, the longest due first; the others stay due. The caller puts each row back
        with a new time.
        """
        lists = (self._head, self._next, self._back)
        most = self._count if at_most is None else at_most
        if period < self._latest - 1:
            move_rows(lists, self._due, self._now, self._count, period - self._latest)
            self._latest = period
        self._latest = max(self._latest, period)
        return take_due(lists, self._due, self._now, period, (at_least, most))


class Chains:
    """Rows of the same group, threaded through one array: adding a row and finding its companions cost the same
    whatever the number of pages.

    >>> chains = Chains()
    >>> chains.add(np.array([4, 7, 4]))
    >>> chains.of(4).tolist(), chains.of(99).tolist()
    ([2, 0], [])
    """

    def __init__(self) -> None:
        self._count = 0
        self._first = np.empty(0, dtype=np.int64)
        self._next = np.empty(0, dtype=np.int64)

    def __len__(self) -> int:
        return self._count

    def add(self, groups: Rows) -> None:
        """Append rows with their group numbers."""
        if len(groups) == 0:
            return
        old, known = self._count, len(self._first)
        self._count = old + len(groups)
        self._next = with_room(self._next, old, self._count)
        self._first = with_room(self._first, known, int(groups.max()) + 1)
        self._first[known:] = -1
        add_members(self._first, self._next, groups, old)

    def of(self, group: int, at_most: int = 4096) -> Rows:
        """Rows of a group, the last added first."""
        if group >= len(self._first):
            return np.empty(0, dtype=np.int64)
        return members(self._first, self._next, group, at_most)
