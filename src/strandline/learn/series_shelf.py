"""Series of pages that were seen to change, in a file: two kilobytes a page, which memory could not hold of a million.

They are added a site at a time, looked through several times some thousand rows at a time (pages that share their
hours), and read once more when they are kept.
"""

from array import array
from collections.abc import ItemsView, Iterator, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from strandline.core.history.calendar import Periods
from strandline.core.history.series import PageSeries
from strandline.learn.file_rows import FileRows
from strandline.learn.page_columns import PageRows

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_SUMS: Final = ("importance", "changes", "observed")
_AT_ONCE: Final = 2048
"""Series that are read together. Origin: a bound on memory."""


class Counted(NamedTuple):
    """Pages with a change in some period: their numbers, and changes and time observed in all periods, a row each."""

    pages: Ints
    changes: Floats
    observed: Floats


class SeriesShelf(Mapping[int, PageSeries]):
    """Series by page, in the order they were added. All of them have the same cycle and number of periods."""

    def __init__(self) -> None:
        self._rows: FileRows | None = None
        self._pages = array("q")
        self._place = PageRows()
        self._cut = array("l")
        self._cuts: dict[Periods, int] = {}
        self._counted = array("b")
        """Whether there is a change in any period: one without importance is in none."""

    @property
    def form(self) -> tuple[int, int]:
        """Kinds of days and periods of a cycle."""
        return () if self._rows is None else self._rows.kind[_SUMS[0]].shape

    def add(self, found: Mapping[int, PageSeries]) -> None:
        """More pages; ValueError when their time is cut otherwise than that of those before."""
        if not found:
            return
        first = next(iter(found.values())).changes.shape
        if self._rows is None:
            sums: list[Any] = [(name, np.float64, first) for name in _SUMS]
            self._rows = FileRows(np.dtype([*sums, ("last", np.float64), ("captures", np.int64)]))
        if any(series.changes.shape != self.form for series in found.values()):
            raise ValueError("only patterns with the same cycle and number of periods can be shared")
        values = np.empty(len(found), dtype=self._rows.kind)
        begin = len(self._pages)
        for number, (page, series) in enumerate(found.items()):
            for name in _SUMS:
                values[name][number] = getattr(series, name)
            values["last"][number] = np.nan if series.last is None else series.last
            values["captures"][number] = series.captures
            self._place[page] = begin + number
            self._pages.append(page)
            self._cut.append(self._cuts.setdefault(series.periods, len(self._cuts)))
            self._counted.append(bool(series.changes.sum() > 0))
        self._rows.grow(begin + len(found))
        self._rows.put(np.arange(begin, begin + len(found)), values)

    def __len__(self) -> int:
        return len(self._pages)

    def __iter__(self) -> Iterator[int]:
        return iter(self._pages)

    def __getitem__(self, page: int) -> PageSeries:
        return next(self._series(np.array([self._place[page]])))

    def items(self) -> ItemsView[int, PageSeries]:
        """Pages and series, read some thousand at a time."""
        return _Items(self)

    def _series(self, rows: Ints) -> Iterator[PageSeries]:
        assert self._rows is not None
        cuts, values = list(self._cuts), self._rows.take(rows)
        for row, one in zip(rows.tolist(), values, strict=True):
            last = None if np.isnan(one["last"]) else float(one["last"])
            importance, changes, observed = (one[name].copy() for name in _SUMS)
            yield PageSeries(cuts[self._cut[row]], importance, changes, observed, last, int(one["captures"]))

    def in_order(self) -> Iterator[tuple[int, PageSeries]]:
        """Pages and series."""
        pages = self._pages
        for begin in range(0, len(pages), _AT_ONCE):
            rows = np.arange(begin, min(begin + _AT_ONCE, len(pages)))
            yield from zip(pages[begin : begin + _AT_ONCE], self._series(rows), strict=True)

    def counted(self) -> Iterator[Counted]:
        """Pages with a change in some period, some thousand at a time, in the order they were added."""
        if self._rows is None:
            return
        pages = np.array(self._pages, dtype=np.int64)
        rows = np.flatnonzero(np.array(self._counted, dtype=np.bool_))
        for begin in range(0, len(rows), _AT_ONCE):
            some = rows[begin : begin + _AT_ONCE]
            values = self._rows.take(some)
            flat = (np.ascontiguousarray(values[name]).reshape(len(some), -1) for name in ("changes", "observed"))
            yield Counted(pages[some], *flat)


class _Items(ItemsView[int, PageSeries]):
    _mapping: SeriesShelf

    def __iter__(self) -> Iterator[tuple[int, PageSeries]]:
        return self._mapping.in_order()
