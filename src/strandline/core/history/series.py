"""How much a page changed, period by period, as its captures show it.

Paper: Ben Saad & Gancarski, JCDL 2011, definition 3.3.1 and algorithm 1.
    paper: TSeries(P)  here: DaySeries, one day (week, month) of one page
    paper: mu_k        here: DaySeries.importance[k]
    paper: sum of mu_k over the series of a kind, N_Tseries    here: PageSeries.importance, .observed

The paper captures every page in every period. A real crawler does not: a capture that follows a gap tells only what
changed *somewhere* in the gap. Its importance is spread over the gap in proportion to the time of each period in
it (or to a shape the caller believes in), never booked on the period of the capture, never outside the gap. When the
time of the change is known (a trusted Last-Modified) it goes where it happened. With a capture at the end of every
period this is the paper's series, number for number.

A page keeps three sums per kind and period: importance, number of changes seen, and time observed (in
periods). One capture costs one pass over these, however long the gap was.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from strandline.core.history.calendar import Cycle, Floats, LocalCalendar, Periods

_AT_ONCE = 4096
"""Captures spread in one step of a batch. Origin: a bound on memory."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """One capture compared with the one before it.

    `importance` of what changed in between, 0 when nothing did; `changed_at`, when a source that is trusted says so.
    """

    time: float
    importance: float = 0.0
    changed_at: float | None = None


@dataclass(slots=True)
class PageSeries:
    """What the captures of one page say about its periods: three sums of shape (kinds, periods in a cycle)."""

    periods: Periods
    importance: Floats
    changes: Floats
    observed: Floats
    last: float | None = None
    captures: int = 0

    @classmethod
    def empty(cls, periods: Periods) -> "PageSeries":
        """A page nobody has seen yet."""
        shape = (len(periods.kinds), periods.count)
        return cls(periods, np.zeros(shape), np.zeros(shape), np.zeros(shape))

    def observe(self, calendar: LocalCalendar, sighting: Sighting, shape: Floats | None = None) -> None:
        """Add one capture. The first one only starts the clock: there is nothing to compare it with.

        `shape` (kinds, periods): relative chance of change per period, for spreading; none means even.
        """
        self._check(calendar, [sighting])
        if self.last is not None:
            gap = calendar.observed(self.last, sighting.time)
            self._book(calendar, sighting, gap, shape)
            self.observed += gap
        self.last = sighting.time
        self.captures += 1

    def observe_all(self, calendar: LocalCalendar, sightings: Sequence[Sighting]) -> None:
        """Add many captures in the order of time; the same sums as one by one, at a fraction of the cost."""
        if not sightings:
            return
        self._check(calendar, sightings)
        times = np.array([sighting.time for sighting in sightings])
        amounts = np.array([sighting.importance for sighting in sightings])
        known = np.array([sighting.changed_at is not None for sighting in sightings])
        starts = np.concatenate([[times[0] if self.last is None else self.last], times[:-1]])
        if self.last is None:
            amounts[0], known[0] = 0.0, False
        changed = amounts > 0.0
        spread = np.flatnonzero(changed & ~known & (times > starts))
        for some in np.split(spread, range(_AT_ONCE, spread.size, _AT_ONCE)):
            gaps = calendar.observed(starts[some], times[some])
            shares = gaps / gaps.sum(axis=(1, 2), keepdims=True)
            self.importance += np.einsum("i,ijk->jk", amounts[some], shares)
            self.changes += shares.sum(axis=0)
        self.observed += calendar.observed(starts[0], times[-1])
        exact = np.flatnonzero(changed & (known | (times <= starts)))
        if exact.size:
            marks = np.array([np.nan if s.changed_at is None else s.changed_at for s in sightings])[exact]
            at = np.where(known[exact], marks, times[exact])
            where = calendar.place(np.clip(at, starts[exact], times[exact]))
            np.add.at(self.importance, where, amounts[exact])
            np.add.at(self.changes, where, 1.0)
        self.last = float(times[-1])
        self.captures += len(sightings)

    def _book(self, calendar: LocalCalendar, sighting: Sighting, gap: Floats, shape: Floats | None) -> None:
        if sighting.importance == 0.0 or self.last is None:
            return
        if sighting.changed_at is not None or sighting.time <= self.last:
            mark = sighting.time if sighting.changed_at is None else sighting.changed_at
            kind, period = calendar.place(min(max(mark, self.last), sighting.time))
            self.importance[kind, period] += sighting.importance
            self.changes[kind, period] += 1.0
            return
        share = spread_over(gap, shape)
        self.importance += sighting.importance * share
        self.changes += share

    def _check(self, calendar: LocalCalendar, sightings: Sequence[Sighting]) -> None:
        if calendar.periods != self.periods:
            raise ValueError("the calendar cuts time differently from the series")
        last = self.last
        for sighting in sightings:
            if last is not None and sighting.time < last:
                raise ValueError(f"a capture at {sighting.time} comes before the last one at {last}")
            if not 0.0 <= sighting.importance < np.inf:
                raise ValueError(f"importance must be a number from 0 up, not {sighting.importance}")
            last = sighting.time

    def as_data(self) -> dict[str, Any]:
        """Plain lists and numbers, for a catalog or JSON."""
        return {
            "zone": self.periods.zone,
            "country": self.periods.country,
            "cycle": self.periods.cycle.value,
            "importance": self.importance.tolist(),
            "changes": self.changes.tolist(),
            "observed": self.observed.tolist(),
            "last": self.last,
            "captures": self.captures,
        }

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> "PageSeries":
        """The inverse of `as_data`."""
        sums = [np.array(data[name], dtype=np.float64) for name in ("importance", "changes", "observed")]
        periods = Periods(data["zone"], data["country"], Cycle(data["cycle"]), sums[0].shape[1])
        return cls(periods, sums[0], sums[1], sums[2], data["last"], data["captures"])


def only_days_looked_at(series: PageSeries, calendar: LocalCalendar, times: ArrayLike) -> PageSeries:
    """The series as it is shown: without the days (of week or month; kinds of days) on which no capture was made.

    They lie in gaps, and what is spread over a gap by its length alone says nothing about the single days in it.
    """
    kinds, numbers = calendar.place(times)
    days, count = calendar.periods.cycle.days, calendar.periods.count
    looked = np.zeros((len(calendar.periods.kinds), days), dtype=bool)
    looked[kinds, numbers * days // count] = True
    last = np.maximum(np.ceil((np.arange(count) + 1) * days / count).astype(np.int64) - 1, 0)
    kept = looked[:, np.arange(count) * days // count] | looked[:, last]
    importance, changes, observed = (
        np.where(kept, sums, 0.0) for sums in (series.importance, series.changes, series.observed)
    )
    return PageSeries(series.periods, importance, changes, observed, series.last, series.captures)


def spread_over(gap: Floats, shape: Floats | None = None) -> Floats:
    """Shares, summing to 1, of one change over the periods of a gap.

    >>> spread_over(np.array([[0.5, 1.0, 0.5, 0.0]])).tolist()
    [[0.25, 0.5, 0.25, 0.0]]
    """
    weight = gap if shape is None else gap * shape
    total = float(weight.sum())
    if total <= 0.0 < float(gap.sum()):  # the shape rules out every period of the gap, yet there was a change
        weight, total = gap, float(gap.sum())
    if total <= 0.0:
        raise ValueError("a gap without any time in it has no periods to spread a change over")
    return weight / total


@dataclass(frozen=True, slots=True)
class DaySeries:
    """One local day of one page: importance per period, and how much of each period was observed.

    An unobserved period has observed 0 and importance 0.
    """

    date: dt.date
    kind: str
    importance: Floats
    observed: Floats


def day_series(calendar: LocalCalendar, times: ArrayLike, importances: ArrayLike) -> list[DaySeries]:
    """The captures of a page as the paper's time series, one per local day; captures in the order of time.

    The importance at position i is that of the change between captures i-1 and i; the first is not used.
    """
    at, amount = np.asarray(times, dtype=np.float64), np.asarray(importances, dtype=np.float64)
    if calendar.periods.cycle is not Cycle.DAY:
        raise ValueError("day series need a calendar of days")
    if at.shape != amount.shape:
        raise ValueError("every capture needs an importance")
    if at.size < 2:
        return []
    if np.any(np.diff(at) < 0):
        raise ValueError("captures must come in the order of time")
    starts, ends, amounts = at[:-1], at[1:], amount[1:]
    found = []
    for day in calendar.days(float(at[0]), float(np.nextafter(at[-1], np.inf))):
        first = int(np.searchsorted(ends, day.start, side="left"))
        last = int(np.searchsorted(starts, day.end, side="left"))
        sums, seen = np.zeros(calendar.periods.count), np.zeros(calendar.periods.count)
        for i in range(first, last):
            begin, end = max(starts[i], day.start), min(ends[i], day.end)
            whole = ends[i] - starts[i]
            if end <= begin:
                if whole == 0.0 and day.start <= ends[i] < day.end:
                    sums[calendar.place(ends[i])[1]] += amounts[i]
                continue
            inside = calendar.observed(begin, end).sum(axis=0)
            seen += inside
            sums += amounts[i] * (end - begin) / whole * inside / inside.sum()
        if seen.any() or sums.any():
            found.append(DaySeries(day.date, day.kind, sums, seen))
    return found
