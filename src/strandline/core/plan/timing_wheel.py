"""Due times of any number of pages, with the same cost per page at a thousand and at ten million.

A ring of slots, one per period; each slot is a linked list of rows threaded through two arrays. Putting a page
and taking the pages that are due cost a few array writes each; nothing is ever sorted or scanned. Pages due
beyond one turn of the ring stay in their slot and are passed over until their turn comes.
"""

import numpy as np
from numpy.typing import NDArray

from strandline.core.plan.wheel_kernels import put_rows, take_due

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
        self._next = np.full(count, -1, dtype=np.int64)
        self._back = np.full(count, -2, dtype=np.int64)
        self._due = np.zeros(count)
        self._now = np.zeros(1, dtype=np.int64)
        self._started = False
        self.put(np.arange(count), np.zeros(count))

    def __len__(self) -> int:
        return len(self._next)

    def grow(self, count: int, due: float) -> None:
        """Add rows up to `count`, all due at one time."""
        old = len(self._next)
        if count <= old:
            return
        extra = count - old
        self._next = np.concatenate([self._next, np.full(extra, -1, dtype=np.int64)])
        self._back = np.concatenate([self._back, np.full(extra, -2, dtype=np.int64)])
        self._due = np.concatenate([self._due, np.full(extra, due)])
        self.put(np.arange(old, count), np.full(extra, due))

    def put(self, rows: Rows, due: Floats) -> None:
        """Set when rows are due (a period number; the past means now). Rows already in the wheel are moved."""
        put_rows((self._head, self._next, self._back), self._due, self._now, rows, due)

    def due(self, period: int, at_least: int = 0) -> Rows:
        """Take out the rows due by the end of this period; when fewer than `at_least`, also the next ones.

        The caller puts each row back with a new time.
        """
        if not self._started:
            self._started = True
            self._now[0] = min(period, self._now[0]) if len(self._next) == 0 else self._now[0]
        lists = (self._head, self._next, self._back)
        return take_due(lists, self._due, self._now, period, at_least)
