"""The time between captures, as core/quality/missed.py wants it: how many changes each gap would be expected to hold.

What is expected follows the learned hours of a page, so that a night counts less than a day where editors sleep. A
visit that was made because a sitemap or feed had told of a change comes right after it, whatever the page's rate: taken
as any other, it would seem that the page changes whenever one looks. What is known is more: when the site was asked the
last time before, it did not tell of this change. Up to then the gap is one that found nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from strandline.core.beliefs.estimate import Estimate
from strandline.core.quality.missed import Gaps

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_AT_ONCE = 4_096
"""Pages whose hours of a week are laid out at a time. Origin: a bound on memory, 1.3 kB each."""


def places(begin: Ints, counts: NDArray[np.integer[Any]]) -> Ints:
    """Numbers that follow one another, so many from each beginning.

    >>> places(np.array([7, 2]), np.array([2, 3])).tolist()
    [7, 8, 2, 3, 4]
    """
    before = np.cumsum(counts, dtype=np.int64) - counts
    found: Ints = np.arange(int(counts.sum())) + np.repeat(begin - before, counts)
    return found


class Believed(Protocol):
    """What is believed of pages, asked for some at a time: of many of them it may lie elsewhere than in memory."""

    def of(self, rows: Ints | slice) -> Estimate:
        """Of some pages."""


class AllSights(Protocol):
    """The captures of all pages of an archive, wherever they lie: looked at some pages at a time."""

    def until(self, end: float) -> "AllSights":
        """Only the captures up to a moment."""

    def without(self, left_out: NDArray[np.bool_]) -> "AllSights":
        """Without the captures of some pages, given as a flag for each page."""

    def latest(self, otherwise: float) -> float:
        """The time of the last capture, or something else where there is none."""

    def counts(self, pages: int) -> Ints:
        """Captures of each of so many pages."""

    def some(self, rows: Ints) -> "Sights":
        """The captures of some pages, which are numbered anew."""

    def near(self, rows: Ints, begin: float, end: float) -> "Sights":
        """Only the captures of some pages in a stretch of time, and one on each side of it."""


@dataclass(frozen=True)
class Sights:
    """Captures as columns, by page and time; `version` counts the versions of a page that captures showed."""

    row: Ints
    time: Floats
    version: Ints

    @staticmethod
    def of(row: Ints, time: Floats, changed: NDArray[np.bool_]) -> "Sights":
        """Sort captures by page and time and number the versions.

        >>> sights = Sights.of(np.array([1, 0, 0]), np.array([3.0, 2.0, 1.0]), np.array([False, True, False]))
        >>> sights.row.tolist(), sights.time.tolist(), sights.version.tolist()
        ([0, 0, 1], [1.0, 2.0, 3.0], [0, 1, 1])
        """
        order = np.lexsort((time, row))
        return Sights(row[order], time[order], np.cumsum(changed[order]))

    @staticmethod
    def pair(
        row: Ints, time: Floats, changed: NDArray[np.bool_], shown: NDArray[np.bool_] | None
    ) -> "tuple[Sights, Sights]":
        """The same captures twice, with the versions that two kinds of changes make (None: the same); places and times
        are held once.
        """
        order = np.lexsort((time, row))
        first = Sights(row[order], time[order], np.cumsum(changed[order], dtype=row.dtype))
        if shown is None:
            return first, first
        return first, Sights(first.row, first.time, np.cumsum(shown[order], dtype=row.dtype))

    def near(self, rows: Ints, begin: float, end: float) -> "Sights":
        """Only the captures of some pages in a stretch of time, and one on each side of it, found by bisection.

        >>> sights = Sights.of(np.zeros(5, np.int64), np.arange(5.0), np.zeros(5, np.bool_))
        >>> sights.near(np.array([0, 7]), 1.5, 2.5).time.tolist()
        [1.0, 2.0, 3.0]
        """
        first, last = self._bounds(rows)
        kept = []
        for low, high in zip(first.tolist(), last.tolist(), strict=True):
            times = self.time[low:high]
            start = max(low + int(np.searchsorted(times, begin)) - 1, low)
            stop = min(low + int(np.searchsorted(times, end, side="right")) + 1, high)
            kept.append(np.arange(start, stop))
        chosen = np.concatenate(kept) if kept else np.empty(0, dtype=np.int64)
        return Sights(self.row[chosen], self.time[chosen], self.version[chosen])

    def until(self, end: float) -> "Sights":
        """Only the captures up to a moment."""
        kept = self.time <= end
        return self if kept.all() else Sights(self.row[kept], self.time[kept], self.version[kept])

    def without(self, left_out: NDArray[np.bool_]) -> "Sights":
        """Without the captures of some pages, given as a flag for each page."""
        if not left_out.any():
            return self
        kept = ~left_out[self.row]
        return Sights(self.row[kept], self.time[kept], self.version[kept])

    def latest(self, otherwise: float) -> float:
        """The time of the last capture, or something else where there is none."""
        return float(self.time.max()) if len(self.time) else otherwise

    def counts(self, pages: int) -> Ints:
        """Captures of each of so many pages. (Counting one by one would make all rows wider first.)

        >>> Sights.of(np.array([0, 2, 2]), np.arange(3.0), np.zeros(3, np.bool_)).counts(4).tolist()
        [1, 0, 2, 0]
        """
        return np.diff(np.searchsorted(self.row, np.arange(pages + 1, dtype=self.row.dtype)))

    def some(self, rows: Ints) -> "Sights":
        """The captures of some pages, which are numbered anew. Costs by these captures, not by all.

        >>> sights = Sights.of(np.array([0, 2, 2, 3]), np.arange(4.0), np.zeros(4, np.bool_))
        >>> sights.some(np.array([1, 2, 3])).row.tolist()
        [1, 1, 2]
        """
        first, last = self._bounds(rows)
        own = places(first, last - first)
        return Sights(np.repeat(np.arange(len(rows)), last - first), self.time[own], self.version[own])

    def _bounds(self, rows: Ints) -> tuple[Ints, Ints]:
        """Where the captures of pages begin and end."""
        asked = rows.astype(self.row.dtype, copy=False)  # or all rows would be made as wide as those asked for
        return np.searchsorted(self.row, asked), np.searchsorted(self.row, asked, side="right")

    @property
    def again(self) -> NDArray[np.bool_]:
        """Captures of a page that had been captured before."""
        found: NDArray[np.bool_] = np.concatenate([[False], np.diff(self.row) == 0])[: len(self.row)]
        return found

    @property
    def new(self) -> NDArray[np.bool_]:
        """Captures that found a change."""
        other: NDArray[np.bool_] = np.concatenate([[False], np.diff(self.version) > 0])[: len(self.row)]
        return self.again & other


@dataclass(frozen=True)
class Said:
    """What sitemaps and feeds said: of which page, when it changed, when that was first read; and, of each site, when
    any of them was read, in the order of time. Times in periods.
    """

    row: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    time: Floats = field(default_factory=lambda: np.empty(0))
    seen: Floats = field(default_factory=lambda: np.empty(0))
    readings: Mapping[int, Floats] = field(default_factory=dict)

    def by_page(self) -> "Said":
        """The same in the order of pages."""
        if (np.diff(self.row) >= 0).all():
            return self
        order = np.argsort(self.row, kind="stable")
        return Said(self.row[order], self.time[order], self.seen[order], self.readings)

    def of(self, rows: Ints) -> "Said":
        """What was said of some pages, which are numbered anew; to be asked of what is in the order of pages.

        >>> Said(np.array([1, 3, 3]), np.arange(3.0), np.arange(3.0)).of(np.array([3, 2])).row.tolist()
        [0, 0]
        """
        if len(self.row) == 0:
            return self
        first = np.searchsorted(self.row, rows)
        counts = np.searchsorted(self.row, rows, side="right") - first
        row = np.repeat(np.arange(len(rows)), counts)
        own = np.arange(len(row)) + np.repeat(first - np.cumsum(counts) + counts, counts)
        return Said(row, self.time[own], self.seen[own], self.readings)

    def silent_until(self, sights: Sights, site: Ints) -> Floats:
        """Of each capture that was told of beforehand, when its site was last asked and did not tell yet; else NaN.
        What was said of a time still to come was told before it: nobody was silent.

        >>> sights = Sights.of(np.zeros(2, int), np.array([0.0, 9.5]), np.array([False, True]))
        >>> said = Said(np.array([0]), np.array([8.2]), np.array([9.0]), {0: np.array([7.0, 8.0, 9.0])})
        >>> said.silent_until(sights, np.array([0])).tolist()
        [nan, 8.0]
        """
        found = np.full(len(sights.row), np.nan)
        if len(self.row) == 0 or len(sights.row) == 0:
            return found
        begin = min(float(sights.time.min()), float(self.time.min()))
        length = max(float(sights.time.max()), float(self.time.max())) - begin + 1.0
        place = np.searchsorted(sights.row * length + sights.time - begin, self.row * length + self.time - begin)
        inside = place < len(sights.row)
        place = np.minimum(place, len(sights.row) - 1)
        inside &= (sights.row[place] == self.row) & sights.new[place] & (self.seen < sights.time[place])
        inside &= self.time <= self.seen
        first = np.full(len(sights.row), np.inf)
        np.minimum.at(first, place[inside], self.time[inside])
        for capture in np.flatnonzero(np.isfinite(first)).tolist():
            asked = self.readings.get(int(site[sights.row[capture]]), np.empty(0))
            number = int(np.searchsorted(asked, first[capture])) - 1
            if number >= 0 and asked[number] > sights.time[capture - 1]:
                found[capture] = asked[number]
        return found


@dataclass(frozen=True)
class Hours:
    """Which bin of the learned rates each period of the cycle has, and what to add to the time of each page."""

    cycle: Ints = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    shift: Floats | None = None


def changes_until(estimate: Estimate, hours: Hours, row: Ints, time: Floats) -> Floats:
    """Changes expected of pages from period 0 to some times; `row` in ascending order.

    >>> every = Estimate(np.array([[1.0, 3.0]], np.float32), np.ones((1, 2)), np.ones((1, 1)), np.ones((1, 1)), None)
    >>> changes_until(every, Hours(np.array([0, 1])), np.zeros(4, int), np.array([0.5, 1.5, 2.5, -1.0])).tolist()
    [0.5, 2.5, 4.5, -3.0]
    """
    found = np.empty(len(row))
    length = len(hours.cycle)
    local = time if hours.shift is None else time + hours.shift[row]
    whole = np.floor(local).astype(np.int64)
    for first in range(0, len(estimate.rate), _AT_ONCE):
        part = slice(*np.searchsorted(row, [first, first + _AT_ONCE]).tolist())
        if part.start == part.stop:
            continue
        rate = estimate.rate[first : first + _AT_ONCE, hours.cycle].astype(np.float64)
        running = np.concatenate([np.zeros((len(rate), 1)), np.cumsum(rate, axis=1)], axis=1)
        own, place = row[part] - first, whole[part] % length
        turns = (whole[part] // length) * running[own, -1]
        found[part] = turns + running[own, place] + rate[own, place] * (local[part] - whole[part])
    return found


@dataclass(frozen=True)
class Pages:
    """What is known of the pages beside their captures: rates and hours, site and directory, when they went away (NaN:
    they did not), and what was said of them.
    """

    estimate: Estimate
    hours: Hours
    site: Ints
    directory: Ints
    ended: Floats
    said: Said


def gaps_of(pages: Pages, sights: Sights, end: float) -> Gaps:
    """The gaps between captures, and after the last one of each page until `end`, or until it went away."""
    again, row, count = np.flatnonzero(sights.again), sights.row, len(pages.site)
    level = changes_until(pages.estimate, pages.hours, row, sights.time)
    expected = np.maximum(level[again] - level[again - 1], 0.0)
    silent = pages.said.silent_until(sights, pages.site)[again]
    told = np.flatnonzero(~np.isnan(silent))
    before = changes_until(pages.estimate, pages.hours, row[again[told]], silent[told]) - level[again[told] - 1]
    before = np.clip(before, 0.0, expected[told])
    expected[told] -= before
    last = np.flatnonzero(np.append(np.diff(row) != 0, True)[: len(row)])
    after = np.zeros(count)
    until = np.fmin(end, pages.ended[row[last]])
    after[row[last]] = np.maximum(changes_until(pages.estimate, pages.hours, row[last], until) - level[last], 0.0)
    return Gaps(
        page=np.concatenate([row[again], row[again[told]]]),
        changed=np.concatenate([sights.new[again], np.zeros(len(told), dtype=np.bool_)]),
        expected=np.concatenate([expected, before]),
        after=after,
        group=pages.directory,
    )
