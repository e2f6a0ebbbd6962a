"""Captures of the pages of all sites as two columns in a file, until it is known what to expect of each page.

Nine bytes a capture; pages as objects take ten times as much.
"""

from array import array
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from strandline.learn.file_rows import FileRows

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Looked(Protocol):
    """The captures of a page: when, and which of them found a change."""

    @property
    def times(self) -> Floats:
        """In their order."""

    @property
    def changed(self) -> Flags:
        """The first never does."""


class Looks(NamedTuple):
    """Those of one page."""

    times: Floats
    changed: Flags


_KIND: Final = np.dtype([("time", np.float64), ("changed", np.bool_)])
"""A capture, nine bytes. Origin: a definition."""
_AT_ONCE: Final = 65_536
"""Captures that are read together; a page with more is read alone. Origin: a bound on memory."""


class PackedLooks(Sequence[Looks]):
    """Those of the pages of a site, in a file that others share."""

    def __init__(self, rows: FileRows, bounds: NDArray[np.int64]) -> None:
        """Where each page begins, and where the last one ends."""
        self._rows = rows
        self._bounds = bounds

    def __len__(self) -> int:
        return len(self._bounds) - 1

    @overload
    def __getitem__(self, place: int) -> Looks: ...
    @overload
    def __getitem__(self, place: slice) -> list[Looks]: ...
    def __getitem__(self, place: int | slice) -> Looks | list[Looks]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        number = range(len(self))[place]
        return next(self._read(number, number + 1))

    def __iter__(self) -> Iterator[Looks]:
        begin = 0
        while begin < len(self):
            end = int(np.searchsorted(self._bounds, self._bounds[begin] + _AT_ONCE, side="right")) - 1
            end = max(end, begin + 1)
            yield from self._read(begin, end)
            begin = end

    def _read(self, begin: int, end: int) -> Iterator[Looks]:
        bounds = self._bounds[begin : end + 1]
        values = self._rows.take(np.arange(bounds[0], bounds[-1]))
        times, changed = np.ascontiguousarray(values["time"]), np.ascontiguousarray(values["changed"])
        for first, last in pairwise((bounds - bounds[0]).tolist()):
            yield Looks(times[first:last], changed[first:last])


class LooksShelf:
    """The captures of all sites, added some pages at a time.

    >>> shelf = LooksShelf()
    >>> shelf.add([Looks(np.arange(2.0), np.array([False, True])), Looks(np.arange(1.0), np.array([False]))])
    >>> packed = shelf.site()
    >>> len(packed), packed[-1].times.tolist(), [one.changed.any().item() for one in packed], len(shelf.site())
    (2, [0.0], [True, False], 0)
    """

    def __init__(self) -> None:
        self._rows = FileRows(_KIND)
        self._bounds = array("q", [0])

    def add(self, pages: Sequence[Looked]) -> None:
        """More pages of a site."""
        begin = self._bounds[-1]
        for one in pages:
            self._bounds.append(self._bounds[-1] + one.times.size)
        values = np.empty(self._bounds[-1] - begin, dtype=_KIND)
        if values.size:
            values["time"] = np.concatenate([one.times for one in pages])
            values["changed"] = np.concatenate([one.changed for one in pages])
            self._rows.grow(self._bounds[-1])
            self._rows.put(np.arange(begin, self._bounds[-1]), values)

    def site(self) -> PackedLooks:
        """The pages added since this was last asked: those of a site."""
        bounds = np.array(self._bounds)
        self._bounds = array("q", [self._bounds[-1]])
        return PackedLooks(self._rows, bounds)
