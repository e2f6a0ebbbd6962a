"""A page table that lives: pages are added and change while a plan is at work on it.

Whoever keeps the table says which rows changed, so that a plan need not look through all of them. `table` is an
ordinary page table of views: rows are written in place, and asking for it costs nothing.
"""

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from strandline.core.growing import Array, with_room
from strandline.core.plan.strategy import PageTable, Rows

COLUMNS = tuple(one.name for one in fields(PageTable))


class LivePages:
    """Pages that are added to and written to.

    >>> live = LivePages(PageTable.of(1))
    >>> live.append(PageTable.of(2, page=[7, 8]))
    >>> live.write(np.array([1]), weight=5.0)
    >>> live.table.weight.tolist(), live.take_news().tolist(), live.take_news().tolist()
    ([1.0, 5.0, 1.0], [1, 2], [])
    """

    def __init__(self, table: PageTable) -> None:
        self._room: dict[str, Array] = {name: getattr(table, name) for name in COLUMNS}
        self._news: set[int] = set()
        self.table = table

    def __deepcopy__(self, memo: dict[int, Any]) -> "LivePages":
        """With a room of its own that is that of its table, so that what is written stays when it grows."""
        other = LivePages(PageTable.unchecked({name: getattr(self.table, name).copy() for name in COLUMNS}))
        other._news = set(self._news)
        memo[id(self.table)] = other.table
        return other

    def append(self, more: PageTable) -> None:
        """Add pages at the end."""
        old, count = len(self.table), len(self.table) + len(more)
        for name in COLUMNS:
            self._room[name] = with_room(self._room[name], old, count)
            self._room[name][old:count] = getattr(more, name)
        self.table = PageTable.unchecked({name: column[:count] for name, column in self._room.items()})
        self._news.update(range(old, count))

    def write(self, rows: Rows, *, quietly: bool = False, **columns: ArrayLike) -> None:
        """Change some columns of some rows; `quietly` when the plan learns of it in another way."""
        for name, values in columns.items():
            column: NDArray[np.generic] = getattr(self.table, name)
            column[rows] = np.asarray(values)
        if not quietly:
            self._news.update(np.asarray(rows).tolist())

    def take_news(self) -> Rows:
        """Rows that are new or changed since this was asked last."""
        found = np.array(sorted(self._news), dtype=np.int64)
        self._news.clear()
        return found
