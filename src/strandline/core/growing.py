"""Tables of arrays that grow at the end: a row more costs the same whether there are a thousand or ten million.

Arrays cannot grow in place. Here each has spare room behind its last row, and is moved into one twice as large only
when the room is used up; what users see are views of the rows in use. Views taken before a row was added stay valid
as long as the room lasts, so they are to be asked for anew after growing.
"""

from collections.abc import Iterable
from copy import deepcopy
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Table = TypeVar("Table", bound=tuple[Any, ...])


def with_room(room: Array, used: int, count: int) -> Array:
    """The same first `used` rows in an array of at least `count` rows; a copy only when the room is too small."""
    if len(room) >= count:
        return room
    wider = np.zeros((max(count, 2 * used, 16), *room.shape[1:]), dtype=room.dtype)
    wider[:used] = room[:used]
    return wider


class GrowingTable(Generic[Table]):
    """A named tuple of arrays, one row per page; fields named in `fixed` are not per row and stay as they are.

    >>> from typing import NamedTuple
    >>> class Two(NamedTuple):
    ...     a: Array
    ...     b: Array
    >>> pages = GrowingTable(Two(np.zeros(1), np.ones((1, 2))))
    >>> pages.append(Two(np.array([5.0]), np.zeros((1, 2))))
    >>> pages.rows.a.tolist(), pages.rows.b.shape
    ([0.0, 5.0], (2, 2))
    """

    def __init__(self, table: Table, fixed: Iterable[str] = ()) -> None:
        self._fixed = frozenset(fixed)
        self._names: tuple[str, ...] = table._fields  # type: ignore[attr-defined]
        self._room: dict[str, Any] = dict(zip(self._names, table, strict=True))
        self._count = max(len(self._room[name]) for name in self._names if name not in self._fixed)
        self._make = type(table)._make  # type: ignore[attr-defined]
        self.rows: Table = table

    def __len__(self) -> int:
        return self._count

    def __deepcopy__(self, memo: dict[int, Any]) -> "GrowingTable[Table]":
        """Rows and room are the same there, too: copied each by itself, what is written to rows would be lost when they
        grow, and held twice.
        """
        other: GrowingTable[Table] = object.__new__(GrowingTable)
        other._fixed, other._names, other._make = self._fixed, self._names, self._make
        other._count = self._count
        other._room = {name: deepcopy(column, memo) for name, column in zip(self._names, self.rows, strict=True)}
        other.rows = self._make(other._room.values())
        return other

    def append(self, more: Table) -> None:
        """Add rows."""
        added = dict(zip(self._names, more, strict=True))
        count = self._count + max(len(added[name]) for name in self._names if name not in self._fixed)
        for name in self._names:
            if name in self._fixed:
                self._room[name] = added[name]
                continue
            self._room[name] = with_room(self._room[name], self._count, count)
            self._room[name][self._count : count] = added[name]
        self._count = count
        self.rows = self._make(
            self._room[name] if name in self._fixed else self._room[name][:count] for name in self._names
        )
