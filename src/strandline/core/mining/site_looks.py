"""A site as its captures show it, period by period: which pages were looked at, and what had become of them.

Captures of one period (a week, say) make a version of the site, with the last known state of every page; a period
without captures makes none, because nobody looked. What was not captured in a period was not seen: it is neither
changed nor unchanged. A page that answered 404 or 410 is gone. Of an address kept under http and https, the one with
more captures counts.

One row stands for all captures of a page in a period. Everything is worked out in whole columns: a site can have
millions of captures.
"""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from strandline.core.changes.directories import Ids, PageChanges, SiteIndex
from strandline.core.history.numbered_paths import NumberedPaths, WrittenPaths
from strandline.core.history.site_versions import SiteHistory
from strandline.core.mining.learned import Visits
from strandline.core.mining.site_rates import CrawlSeen, Floats, SiteRates
from strandline.core.urls import site_path

Mask = NDArray[np.bool_]
Short = NDArray[np.int32]
"""Pages of a site: there are fewer than 2^31."""
WHOLE = 0.9
"""Share of a site's pages that must have been looked at for a version to count as seen whole. Origin: a guess."""


@dataclass(frozen=True, slots=True, eq=False)
class SiteLooks:
    """Rows in the order of time: a page, a period, and what the captures of the page in that period showed."""

    index: SiteIndex
    """Pages that were there at the end of at least one period."""
    owners: Ids
    """For each page of the index, its place among the pages given."""
    period: float
    """Seconds."""
    numbers: Ids
    """Periods with captures since time 0, ascending: one version each."""
    starts: Ids
    """Where the rows of each version start; then the number of rows."""
    pages: Short
    existed: Mask
    """Whether the page was there before the period."""
    exists: Mask
    """Whether it was there at the end."""
    differs: Mask
    """Whether it was there both times and had changed."""
    importance: Floats
    """Of the changes in the period, added up."""

    @classmethod
    def of(cls, pages: Sequence[Visits], period: float) -> "SiteLooks":
        """Cut the captures of a site into periods of so many seconds."""
        gathered = GatheredLooks(period)
        gathered.add(pages)
        return gathered.looks()

    def versions(self) -> Iterator[tuple[int, slice]]:
        """Period and rows of each version."""
        for version, number in enumerate(self.numbers.tolist()):
            yield number, slice(int(self.starts[version]), int(self.starts[version + 1]))

    def history(self, negligible: float | None = None) -> SiteHistory:
        """The versions as differences. Times are the ends of the periods, in seconds.

        Every update counts the same; or, with `negligible`, by the importance of its changes, at most 1, and those
        below this importance not at all.
        """
        history = SiteHistory()
        history.index = self.index
        # Of a page that nobody looked at again it is not known whether it changed.
        history.watched = np.bincount(self.pages, minlength=len(self.index)) > 1
        for number, rows in self.versions():
            pages, differs = self.pages[rows].astype(np.int64), self.differs[rows]
            existed, exists = self.existed[rows], self.exists[rows]
            weights = None
            if negligible is not None:
                differs = differs & (self.importance[rows] >= negligible)
                weights = np.minimum(1.0, self.importance[rows][differs])
            changes = PageChanges(pages[exists & ~existed], pages[existed & ~exists], pages[differs], weights)
            history.add_changes(f"{(number + 1) * self.period:g}", changes)
        return history

    def rates(self) -> SiteRates:
        """What the versions teach the site-level policy. Its clock runs in periods since time 0."""
        rates, shape = SiteRates(), self.index.shape()
        for version, (number, rows) in enumerate(self.versions()):
            pages, existed, exists = self.pages[rows].astype(np.int64), self.existed[rows], self.exists[rows]
            found, now = pages[~existed], float(number)
            if version == 0:
                rates.start(shape, found, now)
                continue
            gone = ~exists[existed]
            seen = CrawlSeen(pages[existed], self.differs[rows][existed] | gone, gone, found)
            rates.observe(shape, rates.outlook(shape, now), seen, now)
        return rates

    def whole_versions(self) -> list[int]:
        """Versions in which nearly all pages that existed were looked at."""
        live, found = 0, []
        for version, (_, rows) in enumerate(self.versions()):
            live += int(self.exists[rows].sum()) - int(self.existed[rows].sum())
            if rows.stop - rows.start >= WHOLE * live:
                found.append(version)
        return found


@dataclass(slots=True, eq=False)
class _Rows:
    """The columns of `SiteLooks` by page and period; `owner` counts the pages given."""

    owner: Short
    number: NDArray[np.integer[Any]]
    existed: Mask
    exists: Mask
    differs: Mask
    importance: Floats


def _rows(pages: Sequence[Visits], period: float, start: int) -> _Rows:
    owner = np.repeat(np.arange(start, start + len(pages), dtype=np.int32), [one.times.size for one in pages])
    number = _narrow((_column([one.times for one in pages], np.float64) // period).astype(np.int64))
    first = np.ones(len(owner), dtype=np.bool_)
    first[1:] = (owner[1:] != owner[:-1]) | (number[1:] != number[:-1])
    starts = np.flatnonzero(first)
    ends = np.append(starts[1:], len(owner)) - 1 if len(starts) else starts
    # Counted over all pages: only counts of the same page are compared.
    content = np.cumsum(_column([one.changed for one in pages], np.bool_))[ends]
    owner, number = owner[ends], number[ends]
    exists = ~_column([one.gone for one in pages], np.bool_)[ends]
    known = np.zeros(len(ends), dtype=np.bool_)
    known[1:] = owner[1:] == owner[:-1]
    existed = known & np.roll(exists, 1)
    amounts = _column([one.importance for one in pages], np.float64)
    return _Rows(
        owner=owner,
        number=number,
        existed=existed,
        exists=exists,
        differs=existed & exists & (content != np.roll(content, 1)),
        importance=np.add.reduceat(amounts, starts) if len(starts) else amounts,
    )


def _narrow(numbers: Ids) -> NDArray[np.integer[Any]]:
    """In half the room, where they fit: periods of a second do not."""
    return (
        numbers.astype(np.int32) if numbers.size and numbers.min() >= -1 << 31 and numbers.max() < 1 << 31 else numbers
    )


def _column(parts: list[NDArray[Any]], kind: type) -> NDArray[Any]:
    return np.concatenate([np.empty(0, dtype=kind), *parts])


class GatheredLooks:
    """The captures of a site, added some pages at a time; what is kept is a row per page and period."""

    def __init__(self, period: float) -> None:
        """`period` in seconds."""
        if period <= 0.0:
            raise ValueError(f"the period must be longer than 0 seconds, not {period}")
        self._period = period
        self._paths = WrittenPaths()
        self._rows: list[_Rows] = []
        self._pages: list[tuple[Ids, Ids, Ids]] = []
        self._captures = array("q")
        self.first, self.last = 0.0, 0.0
        """Times of the first and the last capture."""

    def add(self, pages: Sequence[Visits]) -> None:
        """Add pages with all their captures."""
        if not pages:
            return
        start = len(self._captures)
        begin, end = min(float(one.times[0]) for one in pages), max(float(one.times[-1]) for one in pages)
        self.first, self.last = (min(self.first, begin), max(self.last, end)) if start else (begin, end)
        self._captures.extend(one.times.size for one in pages)
        for visits in pages:
            self._paths.append(site_path(visits.url))
        self._rows.append(_rows(pages, self._period, start))
        columns = ([one.page for one in pages], [one.times.size for one in pages], [one.restless for one in pages])
        self._pages.append(tuple(np.array(column, dtype=np.int64) for column in columns))  # type: ignore[arg-type]

    @property
    def captures(self) -> int:
        """How many there are."""
        return sum(self._captures)

    def pages(self) -> tuple[Ids, Ids, Ids]:
        """Number, captures, and restless captures of the pages, in the order they were added."""
        return tuple(_column([one[place] for one in self._pages], np.int64) for place in range(3))  # type: ignore[return-value]

    def looks(self) -> SiteLooks:
        """The site, period by period; to be asked for once: rows and paths are let go, or a large site would be held
        twice.
        """
        chosen = self._paths.chosen(np.array(self._captures))
        parts, self._rows = self._rows, []
        paths, self._paths = self._paths, WrittenPaths()
        rows = _only(_joined(parts), chosen, len(self._captures))
        there = np.zeros(len(chosen), dtype=np.bool_)
        there[rows.owner[rows.exists]] = True
        owners = chosen[there]
        index = NumberedPaths(paths, owners)
        numbers = np.unique(rows.number).astype(np.int64)
        order = _by_period(rows)
        starts = np.append(np.searchsorted(rows.number[order], numbers), len(order))
        place = (np.cumsum(there) - 1).astype(np.int32)
        pages, left = place[rows.owner[order]], list(_columns(rows)[2:])
        del rows
        ordered: list[NDArray[Any]] = []
        while left:  # each column is let go once it is in order
            ordered.append(left.pop(0)[order])
        return SiteLooks(index, owners, self._period, numbers, starts, pages, *ordered)


def _by_period(rows: _Rows) -> Ids:
    """The rows of pages that are there, by period; in a period they stay in their order."""
    order = np.argsort(rows.number, kind="stable")
    shown = rows.existed | rows.exists
    return order if shown.all() else order[shown[order]]


def _only(rows: _Rows, chosen: Ids, count: int) -> _Rows:
    """The rows of the pages chosen out of `count`, in that order; `owner` then counts these."""
    if len(chosen) == count:  # every path was met once: each page stands for itself
        return rows
    place = np.full(count, -1, dtype=np.int32)
    place[chosen] = np.arange(len(chosen))
    owner = place[rows.owner]
    kept = np.flatnonzero(owner >= 0)
    kept = kept[np.argsort(owner[kept], kind="stable")]
    return _Rows(owner[kept], *(column[kept] for column in _columns(rows)[1:]))


def _joined(parts: list[_Rows]) -> _Rows:
    """All of them; parts are let go, and so is each column once it is joined."""
    kept = [list(column) for column in zip(*map(_columns, [_rows([], 1.0, 0), *parts]), strict=True)]
    parts.clear()
    found: list[NDArray[Any]] = []
    while kept:
        found.append(np.concatenate(kept.pop(0)))
    return _Rows(*found)


def _columns(rows: _Rows) -> tuple[NDArray[Any], ...]:
    return rows.owner, rows.number, rows.existed, rows.exists, rows.differs, rows.importance
