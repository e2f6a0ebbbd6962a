"""The series of an archive's pages, by the million: what can be worked out again is not kept in memory.

Most pages of an archive were never seen to change. Their series say no more than when they were first and last
captured, so only that is remembered; the series are made when they are asked for, many at a time. Those of the others
lie in a file (series_shelf.py).
"""

from collections.abc import ItemsView, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from strandline.core.history.calendar import LocalCalendar
from strandline.core.history.series import PageSeries
from strandline.core.mining.learned import Visits
from strandline.learn.series_shelf import SeriesShelf

_AT_ONCE = 2048
"""Pages whose time is looked up together; bounds the memory. Origin: a bound on memory."""


@dataclass(frozen=True, slots=True, eq=False)
class StillPages:
    """Pages of one site that were never seen to change: when they were first and last captured, and how often."""

    calendar: LocalCalendar
    pages: NDArray[np.int64]
    """Numbers, ascending."""
    first: NDArray[np.float64]
    last: NDArray[np.float64]
    captures: NDArray[np.int64]

    @classmethod
    def of(cls, pages: Sequence[Visits], calendar: LocalCalendar) -> "StillPages":
        """Take down what matters of pages that never changed."""
        ordered = sorted(pages, key=lambda one: one.page)
        return cls(
            calendar,
            np.array([one.page for one in ordered], dtype=np.int64),
            np.array([one.times[0] for one in ordered], dtype=np.float64),
            np.array([one.times[-1] for one in ordered], dtype=np.float64),
            np.array([one.times.size for one in ordered], dtype=np.int64),
        )

    def comes_before(self, other: "StillPages") -> bool:
        """Whether others are in the same time, and all of them have larger numbers."""
        same = self.calendar is other.calendar and len(self.pages) > 0 and len(other.pages) > 0
        return same and bool(self.pages[-1] < other.pages[0])

    def with_more(self, other: "StillPages") -> "StillPages":
        """Both together."""
        names = ("pages", "first", "last", "captures")
        columns = (np.concatenate([getattr(self, name), getattr(other, name)]) for name in names)
        return StillPages(self.calendar, *columns)

    def place(self, page: int) -> int | None:
        """Where a page stands; None when it is not one of these."""
        place = int(np.searchsorted(self.pages, page))
        return place if place < len(self.pages) and self.pages[place] == page else None

    def series(self, start: int = 0, end: int | None = None) -> Iterator[tuple[int, PageSeries]]:
        """Pages and their series. They share their zeros, which cannot be written to."""
        end = len(self.pages) if end is None else end
        nothing = PageSeries.empty(self.calendar.periods).changes
        nothing.flags.writeable = False
        for begin in range(start, end, _AT_ONCE):
            some = slice(begin, min(end, begin + _AT_ONCE))
            observed = self.calendar.observed(self.first[some], self.last[some])
            columns = (self.pages[some].tolist(), observed, self.last[some].tolist(), self.captures[some].tolist())
            for page, seen, last, captures in zip(*columns, strict=True):
                yield page, PageSeries(self.calendar.periods, nothing, nothing, seen.copy(), last, captures)


class SeriesBook(Mapping[int, PageSeries]):
    """Series by page. In `items` they come at a fraction of what they cost one by one."""

    def __init__(self) -> None:
        self.changed = SeriesShelf()
        """Of pages that were seen to change."""
        self.still: list[StillPages] = []

    def add_still(self, more: StillPages) -> None:
        """More pages that never changed; a few are kept together with those before them, if they come after these."""
        last = self.still[-1] if self.still else None
        if last is not None and last.comes_before(more) and len(last.pages) < _AT_ONCE:
            self.still[-1] = last.with_more(more)
        elif len(more.pages):
            self.still.append(more)

    def __len__(self) -> int:
        return len(self.changed) + sum(len(one.pages) for one in self.still)

    def __iter__(self) -> Iterator[int]:
        yield from self.changed
        for one in self.still:
            yield from one.pages.tolist()

    def __getitem__(self, page: int) -> PageSeries:
        known = self.changed.get(page)
        if known is not None:
            return known
        for one in self.still:
            place = one.place(page)
            if place is not None:
                return next(one.series(place, place + 1))[1]
        raise KeyError(page)

    def items(self) -> ItemsView[int, PageSeries]:
        """Pages and series."""
        return _Items(self)


class _Items(ItemsView[int, PageSeries]):
    _mapping: SeriesBook

    def __iter__(self) -> Iterator[tuple[int, PageSeries]]:
        yield from self._mapping.changed.items()
        for one in self._mapping.still:
            yield from one.series()
