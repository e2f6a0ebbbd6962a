"""The series of many pages at once: the same sums as page by page (series.py), at a fraction of the cost.

Most of what a page costs is asking the calendar; here it is asked about the gaps of many pages together. What is added
up is added up page by page, in the same order: not a bit differs.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from strandline.core.history.calendar import Floats, LocalCalendar
from strandline.core.history.series import PageSeries

AT_ONCE = 4096
"""Captures that are looked at together; a page with more is none of these. Bounds the memory.
Origin: a bound on memory."""

PageSightings = tuple[Floats, Floats]
"""Times of the captures of a page, in their order, and the importance of what had changed since the one before."""


def many_series(calendar: LocalCalendar, pages: Sequence[PageSightings]) -> Iterator[PageSeries]:
    """A series for each page; none has captures before these, and nobody knows when a change happened.

    >>> from strandline.core.history.calendar import Periods
    >>> times, amounts = np.array([0.0, 3600.0, 10_800.0]), np.array([0.0, 0.5, 0.25])
    >>> (series,) = many_series(LocalCalendar(Periods()), [(times, amounts)])
    >>> series.importance.sum(axis=0)[:4].tolist(), series.observed.sum()
    ([0.5, 0.125, 0.125, 0.0], np.float64(3.0))
    """
    if any(times.size > AT_ONCE for times, _ in pages):
        raise ValueError(f"a page with more than {AT_ONCE} captures has a series by itself")
    starts = np.array([times[0] for times, _ in pages])
    ends = np.array([times[-1] for times, _ in pages])
    for some in _together([times.size for times, _ in pages]):
        observed = calendar.observed(starts[some], ends[some])
        gaps = [_gaps(times, amounts) for times, amounts in pages[some]]
        shares = calendar.observed(
            np.concatenate([times[:-1][own] for (times, _), own in zip(pages[some], gaps, strict=True)]),
            np.concatenate([times[1:][own] for (times, _), own in zip(pages[some], gaps, strict=True)]),
        )
        shares /= shares.sum(axis=(1, 2), keepdims=True)
        place = 0
        for (times, amounts), own, seen in zip(pages[some], gaps, observed, strict=True):
            series = PageSeries.empty(calendar.periods)
            mine = shares[place : place + own.size]
            place += own.size
            series.importance += np.einsum("i,ijk->jk", amounts[1:][own], mine)
            series.changes += mine.sum(axis=0)
            at_once = np.flatnonzero((amounts[1:] > 0.0) & (times[1:] <= times[:-1])) + 1
            if at_once.size:
                where = calendar.place(times[at_once])
                np.add.at(series.importance, where, amounts[at_once])
                np.add.at(series.changes, where, 1.0)
            series.observed += seen
            series.last, series.captures = float(times[-1]), times.size
            yield series


def _gaps(times: Floats, amounts: Floats) -> NDArray[np.intp]:
    """Gaps in which a change happened at a time unknown."""
    return np.flatnonzero((amounts[1:] > 0.0) & (times[1:] > times[:-1]))


def _together(sizes: Sequence[int]) -> Iterator[slice]:
    """Pages that have no more captures together than are looked at together."""
    start = count = 0
    for place, size in enumerate(sizes):
        if place > start and count + size > AT_ONCE:
            yield slice(start, place)
            start, count = place, 0
        count += size
    if start < len(sizes):
        yield slice(start, len(sizes))
