"""How many periods should a pattern have? On real pages, and in the paper's manner on a world made of their patterns.

Paper: Ben Saad & Gancarski, JCDL 2011, Figure 7: completeness of the pattern strategy against N_T. The paper does not
say what M captures "per period" means when the length of a period varies; its curves are flat beyond 24 periods,
which they could not be if more periods meant more captures. Here the captures per hour are fixed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from strandline.core.history.calendar import Cycle, LocalCalendar, Periods
from strandline.core.history.series import PageSeries
from strandline.core.mining.patterns import shared_patterns
from strandline.lab.experiments.pattern_data import Trace

Floats = NDArray[np.float64]

PAPER_PERIODS = (2, 3, 4, 6, 8, 12, 24, 30, 40, 60, 80, 120)
_PRIOR = 4.0  # changes that a page's flat rate (or the shared shape) counts for in every period


@dataclass(frozen=True)
class Halves:
    """A page's first half summed up, and its second half capture by capture."""

    series: PageSeries
    gaps: Floats
    """Time of each kind and period before each capture of the second half, in hours."""
    changed: NDArray[np.bool_]

    @property
    def flat(self) -> float:
        """Changes an hour in the first half, drawn a little from 0 and 1."""
        hours = float(self.series.observed.sum()) * self.series.periods.seconds / 3600.0
        return (float(self.series.changes.sum()) + 0.5) / (hours + 1.0)


def split(trace: Trace, periods: Periods, *, merged: bool) -> Halves:
    """Learn from the first half of the captures, keep the second for judging. `merged`: workdays against the rest."""
    calendar = LocalCalendar(periods)
    middle = trace.times.size // 2
    series = PageSeries.empty(periods)
    series.observe_all(calendar, trace.sightings(0, middle))
    gaps = calendar.observed(trace.times[middle - 1 : -1], trace.times[middle:])
    if merged and periods.cycle is Cycle.DAY:
        for table in (series.importance, series.changes, series.observed):
            table[1:] = table[1:].sum(axis=0)
    return Halves(series, gaps * periods.seconds / 3600.0, trace.importances[middle:] > 0)


def explained(halves: Sequence[Halves], rates: Sequence[Floats]) -> float:
    """Share of the deviance of a flat rate per page that rates per period explain, on captures not learned from."""
    ours = flat = 0.0
    for half, rate in zip(halves, rates, strict=True):
        hours = half.gaps.sum(axis=(1, 2))
        ours += _deviance(np.einsum("ijk,jk->i", half.gaps, rate), half.changed)
        flat += _deviance(hours * half.flat, half.changed)
    return 1.0 - ours / flat if flat > 0 else float("nan")


def _deviance(chance: Floats, changed: NDArray[np.bool_]) -> float:
    p = np.clip(chance, 1e-3, 1.0 - 1e-3)
    return float(-2.0 * np.where(changed, np.log(p), np.log1p(-p)).sum())


def own_rates(half: Halves) -> Floats:
    """Changes an hour per kind and period, from the page alone."""
    hours = half.series.observed * half.series.periods.seconds / 3600.0
    return (_PRIOR * half.flat + half.series.changes) / (_PRIOR + hours)


def shared_rates(halves: Sequence[Halves], *, one_shape: bool, correct: bool) -> list[Floats]:
    """Level of the page x shape of its group (or of all pages), with or without the page's own correction."""
    pages = {str(i): half.series for i, half in enumerate(halves)}
    shape_of: dict[str, Floats] = {}
    if one_shape:
        counts = np.sum([half.series.changes for half in halves], axis=0)
        hoped = np.sum([half.series.observed * half.flat for half in halves], axis=0)
        common = (1.0 + counts) / (1.0 + hoped)
        shape_of = dict.fromkeys(pages, common / np.average(common, weights=hoped + 1e-12))
    else:
        shape_of = {member: group.shape for group in shared_patterns(pages) for member in group.members}
    found = []
    for name, half in zip(pages, halves, strict=True):
        shape = shape_of.get(name, np.ones_like(half.series.changes))
        hours = half.series.observed * half.series.periods.seconds / 3600.0
        level = (float(half.series.changes.sum()) + 0.5) / (float((hours * shape).sum()) + 1.0)
        rate = level * shape
        if correct:
            rate = rate * (_PRIOR + half.series.changes) / (_PRIOR + hours * rate)
        found.append(rate)
    return found


def hourly_rates(traces: Sequence[Trace]) -> Floats:
    """Changes an hour on workdays, hour by hour, of every page: the patterns a world is made of."""
    rows = []
    for trace in traces:
        series = trace.series()
        rows.append(series.changes[0] / np.maximum(series.observed[0], 1.0))
    return np.array(rows)


def completeness(rates: Floats, count: int, share: float, days: int, rng: np.random.Generator) -> float:
    """Share of the changes of `days` days that the pattern strategy catches with patterns of `count` periods.

    `share` of the pages are captured an hour. Urgency is the pattern's value for the period times the age; a capture
    counts the last change before it, earlier ones are lost.
    """
    pages = rates.shape[0]
    step = min(1.0, 24.0 / count)
    steps = round(days * 24 / step)
    hour_of = (np.arange(steps) * step % 24).astype(np.int64)
    happened = rng.poisson(rates[:, hour_of] * step)
    total = np.cumsum(happened, axis=1)
    # The pattern knows the mean of each of its periods only.
    fine = rates[:, (np.arange(24 * 60) // 60)]
    edges = np.linspace(0, 24 * 60, count + 1).astype(np.int64)[:-1]
    lengths = np.diff(np.append(edges, 24 * 60))
    known = np.add.reduceat(fine, edges, axis=1) / lengths
    period_of = np.minimum((np.arange(steps) * step % 24) / 24 * count, count - 1).astype(np.int64)
    last, caught, spent, everyone = np.zeros(pages), 0, 0, np.arange(pages)
    held = np.zeros(pages, dtype=np.int64)
    for i in range(steps):
        budget = int(share * pages * (i + 1) * step) - spent
        spent += budget
        if budget == 0:
            continue
        urgency = known[:, period_of[i]] * ((i + 1) * step - last)
        chosen = everyone[np.argsort(-urgency, kind="stable")[:budget]]
        caught += int((total[chosen, i] > held[chosen]).sum())
        held[chosen] = total[chosen, i]
        last[chosen] = (i + 1) * step
    return caught / max(int(happened.sum()), 1)
