"""Where what is believed of each page lies: in memory, or, of very many pages, in a room elsewhere.

It takes a kilobyte a page. A few numbers of it are asked of all pages at once and stay in memory (80 bytes a page); the
others are only ever asked of the pages that were captured, or that somebody looks at: they can lie in a file. Then they
are taken for the rows in question and put back when captures have changed them.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from strandline.core.beliefs.bursts import HABITS
from strandline.core.beliefs.censored_kernels import Beliefs
from strandline.core.growing import GrowingTable

Array = NDArray[Any]
Ints = NDArray[np.int64]

AWAY: Final = ("level", "recent", "shape", "counted", "exposure", "gain", "gained", "importance", "turnover")
"""Columns that may lie elsewhere. Origin: a definition."""
Part = tuple[Ints, Mapping[str, Array]]
"""Rows, and their values in each column."""


class Room(Protocol):
    """Rows that lie elsewhere. New ones are zeros."""

    def grow(self, count: int) -> None:
        """Have room for so many rows."""

    def take(self, rows: Ints) -> Array:
        """A copy of some rows."""

    def put(self, rows: Ints, values: Array) -> None:
        """Write some rows."""


Rooms = Callable[[np.dtype[Any]], Room]
"""Makes a room for rows of a kind."""


class NearRows:
    """A room in memory, for so few rows that they need no other.

    >>> rows = NearRows(np.dtype("f8"))
    >>> rows.grow(3)
    >>> rows.put(np.array([2]), np.array([5.0]))
    >>> rows.take(np.array([2, 0])).tolist()
    [5.0, 0.0]
    """

    def __init__(self, kind: np.dtype[Any]) -> None:
        self._held: Array = np.zeros(0, dtype=kind)

    def grow(self, count: int) -> None:
        """Have room for so many rows."""
        more = max(0, count - len(self._held))
        self._held = np.concatenate([self._held, np.zeros(more, dtype=self._held.dtype)])

    def take(self, rows: Ints) -> Array:
        """A copy of some rows."""
        return self._held[rows]

    def put(self, rows: Ints, values: Array) -> None:
        """Write some rows."""
        self._held[rows] = values


def no_beliefs(count: int, shapes: int, levels: int, bins: int) -> Beliefs:
    """Of pages of which nothing is known."""

    def per_bin() -> NDArray[np.float32]:
        return np.zeros((count, bins), dtype=np.float32)

    names = np.zeros(count, dtype=np.int64)
    return Beliefs(
        level=np.zeros((count, levels)),
        recent=np.zeros((count, levels)),
        doubt=np.zeros(count),
        margin=np.zeros(count),
        burst=np.zeros((count, len(HABITS)), dtype=np.float32),
        shape=np.zeros((count, shapes)),
        counted=per_bin(),
        exposure=per_bin(),
        gain=per_bin(),
        gained=per_bin(),
        importance=np.zeros((count, 2)),
        turnover=np.zeros((count, 2)),
        last=np.full(count, np.nan),
        site=names.copy(),
        directory=names.copy(),
        prior=names.copy(),
    )


class PageBeliefs:
    """A row for each page. `near` has all columns, or, when there is a room for the others, those that are not AWAY.

    >>> pages = PageBeliefs(no_beliefs(0, 2, 3, 4))
    >>> pages.append(no_beliefs(2, 2, 3, 4))
    >>> len(pages), pages.take(np.array([1])).level.shape
    (2, (1, 3))
    """

    def __init__(self, nothing: Beliefs, rooms: Rooms | None = None) -> None:
        """`nothing` are beliefs of no pages: it tells how wide columns are."""
        self._room: Room | None = None
        if rooms is not None:
            columns = [(name, value.dtype, value.shape[1:]) for name, value in nothing._asdict().items()]
            self._room = rooms(np.dtype([column for column in columns if column[0] in AWAY]))
        self._table = GrowingTable(nothing, fixed=() if self._room is None else AWAY)

    def __len__(self) -> int:
        return len(self._table)

    @property
    def near(self) -> Beliefs:
        """What lies in memory."""
        return self._table.rows

    def append(self, more: Beliefs) -> None:
        """Add pages; where there is a room elsewhere, nothing may be believed of them yet, in columns that are AWAY."""
        if self._room is not None:
            self._room.grow(len(self) + len(more.last))
            more = more._replace(**{name: getattr(self.near, name) for name in AWAY})
        self._table.append(more)

    def take(self, rows: Ints) -> Beliefs:
        """A copy of some rows."""
        if self._room is None:
            return Beliefs._make(column[rows] for column in self.near)
        found = self._room.take(rows)
        return Beliefs(
            **{
                name: np.ascontiguousarray(found[name]) if name in AWAY else column[rows]
                for name, column in self.near._asdict().items()
            }
        )

    def change(self, rows: Ints, change: Callable[[Beliefs, Ints], None]) -> None:
        """Let somebody change some rows, which are numbered as in the table that he is given; twice is once."""
        if self._room is None:
            change(self.near, rows)
            return
        own, places = np.unique(rows, return_inverse=True)
        if len(own) == 0:
            return
        some = self.take(own)
        change(some, places.astype(np.int64, copy=False))
        self._put(own, some._asdict())

    def columns(self) -> dict[str, "Array | AwayColumn"]:
        """All columns: rows can be asked for."""
        near = self.near._asdict()
        return {name: AwayColumn(self, name) if self._room and name in AWAY else near[name] for name in Beliefs._fields}

    def fill(self, count: int, parts: Iterable[Part]) -> None:
        """Have so many rows, and in them what parts tell, one after the other; to be asked of no pages."""
        blank = {name: np.zeros((count, *column.shape[1:]), column.dtype) for name, column in self._to_fill()}
        self.append(self.near._replace(**blank))
        for rows, values in parts:
            self._put(rows, values)

    def _to_fill(self) -> Iterable[tuple[str, Array]]:
        away = () if self._room is None else AWAY
        return ((name, column) for name, column in self.near._asdict().items() if name not in away)

    def _put(self, rows: Ints, values: Mapping[str, Array]) -> None:
        for name, column in self._to_fill():
            if name in values or name != "prior":  # that one is shared, and comes by itself
                column[rows] = values[name]
        if self._room is not None:
            away = {name: np.asarray(values[name]) for name in AWAY}
            some = np.empty(len(rows), dtype=[(name, value.dtype, value.shape[1:]) for name, value in away.items()])
            for name, value in away.items():
                some[name] = value
            self._room.put(rows, some)


class AwayColumn:
    """A column that lies elsewhere: some of its rows can be asked for."""

    def __init__(self, pages: PageBeliefs, name: str) -> None:
        self._pages = pages
        self._name = name

    def __len__(self) -> int:
        return len(self._pages)

    def __getitem__(self, rows: Ints) -> Array:
        found: Array = getattr(self._pages.take(rows), self._name)
        return found

    def __array__(self, dtype: np.dtype[Any] | None = None, copy: bool | None = None) -> Array:
        return self[np.arange(len(self))].astype(dtype)
