"""Rows of numbers in a file, for what is believed of very many pages: memory holds those that are looked at.

The file has no name and is gone with the process. It lies among the temporary files (TMPDIR), a kilobyte a page; where
there is no room for it the rows are held in memory.
"""

import os
import tempfile
import weakref
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from strandline.core.beliefs.page_beliefs import Rooms

Array = NDArray[Any]
Ints = NDArray[np.int64]

MANY: Final = 30_000
"""Pages from which on what is believed of them lies in a file. Origin: a bound on memory, 35 MB."""
_SPARE: Final = 1.25
"""Times the rows wanted that room is made for. Origin: a guess."""
_AT_ONCE: Final = 8_192
"""Rows that are copied together. Origin: a bound on memory."""


def rooms_for(pages: int) -> Rooms | None:
    """Where what is believed of so many pages is to lie; None for in memory."""
    return FileRows if pages >= MANY else None


class FileRows:
    """Rows of one kind.

    >>> rows = FileRows(np.dtype([("a", "f8")]))
    >>> rows.grow(3)
    >>> rows.put(np.array([2, 0]), np.array([(5.0,), (7.0,)], dtype=rows.kind))
    >>> rows.take(np.array([0, 1, 2]))["a"].tolist()
    [7.0, 0.0, 5.0]
    """

    def __init__(self, kind: np.dtype[Any]) -> None:
        self.kind = kind
        self._count = 0
        self._reserved = 0
        self._held: Array | None = None
        """All rows, where a file cannot be had."""
        self._file = -1
        """Number of the open file; -1: there is none."""
        try:
            with tempfile.TemporaryFile(prefix="strandline-beliefs-") as file:
                self._file = os.dup(file.fileno())
        except OSError:
            self._held = np.zeros(0, dtype=kind)
        else:
            self._close = weakref.finalize(self, os.close, self._file)

    def grow(self, count: int) -> None:
        """Have room for so many rows; what a disk cannot take any more is held in memory from now on."""
        if count > self._reserved:
            self._reserve(int(count * _SPARE) if self._reserved else count)
        self._count = max(self._count, count)

    def _reserve(self, count: int) -> None:
        if self._held is None:
            try:
                _reserve_bytes(self._file, count * self.kind.itemsize)
            except OSError:
                self._held = self.take(np.arange(self._count))
                self._close()
        if self._held is not None:
            wider = np.zeros(count, dtype=self.kind)
            wider[: len(self._held)] = self._held
            self._held = wider
        self._reserved = count

    def take(self, rows: Ints) -> Array:
        """A copy of some rows."""
        if self._held is not None:
            return self._held[rows]
        found, size = np.zeros(len(rows), dtype=self.kind), self.kind.itemsize
        view = found.view(np.uint8).data
        for begin, end in _runs(rows):
            os.preadv(self._file, [view[begin * size : end * size]], int(rows[begin]) * size)
        return found

    def put(self, rows: Ints, values: Array) -> None:
        """Write some rows."""
        if self._held is not None:
            self._held[rows] = values
            return
        size = self.kind.itemsize
        view = np.ascontiguousarray(values, dtype=self.kind).view(np.uint8).data
        for begin, end in _runs(rows):
            os.pwrite(self._file, view[begin * size : end * size], int(rows[begin]) * size)

    def __deepcopy__(self, memo: dict[int, Any]) -> "FileRows":
        other = FileRows(self.kind)
        other.grow(self._count)
        for begin in range(0, self._count, _AT_ONCE):
            some = np.arange(begin, min(begin + _AT_ONCE, self._count))
            other.put(some, self.take(some))
        return other


def _reserve_bytes(number: int, size: int) -> None:
    """Now, so that a full disk is noticed here and not when something is written."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(number, 0, size)
    else:
        os.ftruncate(number, size)


def _runs(rows: Ints) -> list[tuple[int, int]]:
    """Where rows that follow one another begin and end.

    >>> _runs(np.array([3, 4, 5, 9]))
    [(0, 3), (3, 4)]
    """
    if len(rows) == 0:
        return []
    cuts = (1 + np.flatnonzero(np.diff(rows) != 1)).tolist()
    return list(zip([0, *cuts], [*cuts, len(rows)], strict=True))
