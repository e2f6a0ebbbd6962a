"""Rows by the million, a few thousand at a time: sums over them come out the same however the rows are kept.

A sum of floating-point numbers depends on where it is cut. Whoever adds up rows that may lie in memory or in many files
takes them through `evenly`: the cuts are then the same, and so is the result, to the last bit.
"""

from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Pieces = Callable[[], Iterable[tuple[Floats, ...]]]
"""Columns of some rows, then of the next ones, in the same order each time it is called."""

AT_ONCE = 4096
"""Rows that are added up together. Origin: a bound on memory."""


def evenly(pieces: Iterable[tuple[Floats, ...]], size: int = AT_ONCE) -> Iterator[tuple[Floats, ...]]:
    """The same rows in pieces of `size`; the last one may be shorter.

    >>> cut = evenly([(np.arange(3.0),), (np.arange(4.0),)], 2)
    >>> [column.tolist() for (column,) in cut]
    [[0.0, 1.0], [2.0, 0.0], [1.0, 2.0], [3.0]]
    """
    waiting: list[tuple[Floats, ...]] = []
    count = 0
    for piece in pieces:
        start, rows = 0, len(piece[0])
        while rows - start >= size - count:
            end = start + size - count
            waiting.append(tuple(column[start:end] for column in piece))
            yield _joined(waiting)
            waiting, count, start = [], 0, end
        if start < rows:
            waiting.append(tuple(column[start:] for column in piece))
            count += rows - start
    if waiting:
        yield _joined(waiting)


def _joined(some: list[tuple[Floats, ...]]) -> tuple[Floats, ...]:
    return some[0] if len(some) == 1 else tuple(map(np.concatenate, zip(*some, strict=True)))
