"""When does a page change? Patterns per kind of day, the index threshold, and pages that share a pattern.

Paper: Ben Saad & Gancarski, JCDL 2011.
    paper: omega_k = sum of mu_k / N_Tseries (6.3.1)       here: period_means; observed periods instead of series
    paper: delta(P) = sum of omega_k / N_T (7.1)            here: index_threshold
    paper: Algorithm 4 (7.2)                                here: indexed_versions
    paper: shared patterns (6.3.4), left to future work     here: shared_patterns

*Shared patterns.* The number of changes of page p in period b is taken as Poisson with mean a_p x s_g(b) x time
observed: a level of the page's own and the shape s_g of its group. All pages start in one group. A group is cut in two
when that explains the counts better than the extra shape costs (Schwarz's criterion; counts of real pages
vary about 1.5 times as much as Poisson counts, so the gain is divided by that). Shapes are drawn towards that of the
group that was cut, so a small group cannot fit noise. Groups are found on coarse periods, eight a day, workdays against
all other days: on real news these hold nearly all there is to know, and a shape costs less. The shapes that are
shown have all periods. Nothing is random: the same history gives the same groups.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from strandline.core.history.calendar import Cycle
from strandline.core.history.series import PageSeries

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_OVERDISPERSION = 1.5
_ENOUGH_CHANGES = 10.0  # below this a page joins a group but helps to make none
_SHRINKAGE = 30.0  # changes that the parent's shape counts for in every period it cuts
_ROUNDS = 30
_COARSE_OF_A_DAY = 8
_COARSE_OF_A_CYCLE = 28
_MOST_GROUPS = 24


def period_means(series: PageSeries, *, of: str = "importance") -> Floats:
    """The paper's pattern: mean importance (or number of "changes") per period; nan where nothing was observed.

    Shape (kinds, periods).
    """
    amounts = {"importance": series.importance, "changes": series.changes}[of]
    seen = series.observed > 0
    return np.where(seen, amounts / np.where(seen, series.observed, 1.0), np.nan)


@dataclass(frozen=True, slots=True)
class PagePattern:
    """A page's pattern as it is shown: numbers per period for every kind that was observed."""

    zone: str
    cycle: Cycle
    kinds: dict[str, tuple[float, ...]]
    threshold: float
    captures: int
    group: int | None = None

    def as_data(self) -> dict[str, Any]:
        """The shape of `patterns --json`, one page."""
        return {
            "zone": self.zone,
            "cycle": self.cycle.value,
            "kinds": {kind: list(values) for kind, values in self.kinds.items()},
            "threshold": self.threshold,
            "captures": self.captures,
            "group": self.group,
        }


def page_pattern(series: PageSeries, group: int | None = None) -> PagePattern:
    """The pattern of a page; a period never observed is shown as the mean of its kind."""
    means = period_means(series)
    kinds = {}
    for kind, row, seen in zip(series.periods.kinds, means, series.observed, strict=True):
        if seen.sum() > 0:
            typical = float(np.average(np.nan_to_num(row), weights=seen))
            kinds[kind] = tuple(float(value) for value in np.where(np.isnan(row), typical, row))
    threshold = index_threshold(means, series.observed)
    return PagePattern(series.periods.zone, series.periods.cycle, kinds, threshold, series.captures, group)


def index_threshold(pattern: ArrayLike, observed: ArrayLike | None = None) -> float:
    """delta(P): mean of a pattern; of several kinds, each as often as it was observed. 0 when nothing was.

    The paper's example pattern:
        >>> round(index_threshold([0.1, 0.3, 0.6, 0.42, 0.37, 0.83]), 4)
        0.4367
    """
    means = np.asarray(pattern, dtype=np.float64)
    known = ~np.isnan(means)
    weights = known.astype(np.float64) if observed is None else np.asarray(observed, dtype=np.float64) * known
    total = float(weights.sum())
    return float((np.where(known, means, 0.0) * weights).sum()) / total if total > 0 else 0.0


def indexed_versions(importances: ArrayLike, threshold: float) -> NDArray[np.bool_]:
    """Which versions are worth indexing: importance, or the sum skipped since the last indexed one, reaches delta.

    >>> indexed_versions([0.5, 0.1, 0.2, 0.1, 0.0, 0.4], 0.3).tolist()
    [True, False, False, True, False, True]
    """
    amounts = np.asarray(importances, dtype=np.float64)
    if amounts.size and not (np.all(np.isfinite(amounts)) and amounts.min() >= 0):
        raise ValueError("importances must be numbers from 0 up")
    chosen = np.zeros(amounts.size, dtype=bool)
    skipped = 0.0
    for i, amount in enumerate(amounts):
        if amount >= threshold or skipped >= threshold:
            chosen[i] = True
            skipped = 0.0
        else:
            skipped += float(amount)
    return chosen


@dataclass(frozen=True, slots=True)
class PatternGroup:
    """Pages that share a pattern: its shape (kinds, periods; mean 1 over the time observed) and its members."""

    number: int
    shape: Floats
    members: tuple[str, ...]
    changes: float

    def busiest(self, kinds: tuple[str, ...]) -> str:
        """The kind and period with most change, in words."""
        kind, period = np.unravel_index(int(np.argmax(self.shape)), self.shape.shape)
        return f"{kinds[int(kind)]}, period {int(period) + 1} of {self.shape.shape[1]}"


def shared_patterns(pages: Mapping[str, PageSeries]) -> list[PatternGroup]:
    """Groups of pages whose changes keep the same hours, largest first; pages that never changed are in none."""
    names = [name for name, series in pages.items() if series.changes.sum() > 0]
    if not names:
        return []
    if len({(pages[name].periods.cycle, pages[name].periods.count) for name in names}) > 1:
        raise ValueError("only patterns with the same cycle and number of periods can be shared")
    counts = np.stack([pages[name].changes.ravel() for name in names])
    times = np.stack([pages[name].observed.ravel() for name in names])
    # Two captures in the same instant may show a change in a period nobody spent time in.
    times = np.maximum(times, np.where(counts > 0, 1e-3, 0.0))
    form = pages[names[0]].changes.shape
    rough_counts, rough_times = _coarse(counts, form), _coarse(times, form)
    makers = np.flatnonzero(counts.sum(axis=1) >= _ENOUGH_CHANGES)
    number = np.zeros(len(names), dtype=np.int64)
    if makers.size:
        shapes = np.stack(_shapes(rough_counts[makers], rough_times[makers]))
        shapes = _settled(rough_counts[makers], rough_times[makers], shapes)
        number = _likelihoods(rough_counts, rough_times, shapes).argmax(axis=1)
    common = _shape(counts, times, None)
    groups = [
        (rows, _shape(counts[rows], times[rows], common).reshape(form))
        for rows in (np.flatnonzero(number == i) for i in np.unique(number))
    ]
    groups.sort(key=lambda group: (-group[0].size, names[int(group[0][0])]))
    return [
        PatternGroup(i, shape, tuple(names[int(row)] for row in rows), float(counts[rows].sum()))
        for i, (rows, shape) in enumerate(groups)
    ]


def _coarse(amounts: Floats, form: tuple[int, ...]) -> Floats:
    """Sums over a few long periods, workdays apart from other days; shape (pages, kinds x periods)."""
    kinds, count = form
    table = amounts.reshape(-1, kinds, count)
    if kinds > 1:
        table = np.stack([table[:, 0], table[:, 1:].sum(axis=1)], axis=1)
    most = _COARSE_OF_A_DAY if kinds > 1 else _COARSE_OF_A_CYCLE
    edges = np.unique(np.linspace(0, count, min(count, most) + 1).astype(np.int64))[:-1]
    merged: Floats = np.add.reduceat(table, edges, axis=2).reshape(table.shape[0], -1)
    return merged


def _settled(counts: Floats, times: Floats, shapes: Floats) -> Floats:
    """Let pages choose between all groups until none moves, and join groups that do not pay for being two."""
    common = _shape(counts, times, None)
    number = _likelihoods(counts, times, shapes).argmax(axis=1)
    for _ in range(_ROUNDS):
        number = np.unique(number, return_inverse=True)[1]
        shapes = np.stack(
            [_shape(counts[number == i], times[number == i], common) for i in range(int(number.max()) + 1)]
        )
        after = _likelihoods(counts, times, shapes).argmax(axis=1)
        if np.array_equal(after, number):
            pair = _needless_pair(counts, times, number, shapes)
            if pair is None:
                break
            after = np.where(number == pair[1], pair[0], number)
        number = after
    return shapes


def _needless_pair(counts: Floats, times: Floats, number: Ints, shapes: Floats) -> tuple[int, int] | None:
    """The two groups whose joining costs least, if that is less than a shape of their own is worth."""
    common = _shape(counts, times, None)
    best: tuple[float, tuple[int, int]] | None = None
    for i in range(shapes.shape[0]):
        for j in range(i + 1, shapes.shape[0]):
            rows = np.flatnonzero((number == i) | (number == j))
            here, there = counts[rows], times[rows]
            own = _likelihoods(here, there, shapes)[np.arange(rows.size), number[rows]].sum()
            joint = _likelihoods(here, there, _shape(here, there, common)[None])[:, 0].sum()
            gain = float(own - joint) / _OVERDISPERSION - _price(here, there)
            if gain <= 0 and (best is None or gain < best[0]):
                best = gain, (i, j)
    return None if best is None else best[1]


def _price(counts: Floats, times: Floats) -> float:
    """What a second shape must gain to be worth having, and the choice of a side for every page."""
    free = int((times.sum(axis=0) > 0).sum()) - 1
    return 0.5 * free * math.log(max(float(counts.sum()), 2.0)) + len(counts) * math.log(2.0)


def group_numbers(groups: list[PatternGroup]) -> dict[str, int]:
    """Group of each member."""
    return {member: group.number for group in groups for member in group.members}


def _shapes(counts: Floats, times: Floats) -> list[Floats]:
    """Cut groups in two as long as it pays."""
    waiting: list[tuple[Ints, Floats]] = [(np.arange(counts.shape[0]), _shape(counts, times, None))]
    done: list[Floats] = []
    while waiting:
        rows, shape = waiting.pop()
        halves = None
        if rows.size > 1 and len(done) + len(waiting) + 2 <= _MOST_GROUPS:
            halves = _cut(counts[rows], times[rows], shape)
        if halves is None:
            done.append(shape)
        else:
            waiting += [(rows[members], half) for members, half in halves]
    return done


def _cut(counts: Floats, times: Floats, shape: Floats) -> list[tuple[Ints, Floats]] | None:
    """Two groups in place of one, or None when the second shape does not pay for itself."""
    direction = _main_direction(counts, times, shape)
    side = (direction > np.median(direction)).astype(np.int64)
    for _ in range(_ROUNDS):
        if side.min() == side.max():
            return None
        shapes = np.stack([_shape(counts[side == i], times[side == i], shape) for i in (0, 1)])
        scores = _likelihoods(counts, times, shapes)
        before, side = side, scores.argmax(axis=1)
        if np.array_equal(before, side):
            break
    split = float(scores.max(axis=1).sum())
    whole = float(_likelihoods(counts, times, shape[None])[:, 0].sum())
    if (split - whole) / _OVERDISPERSION <= _price(counts, times):
        return None
    return [(np.flatnonzero(side == i), shapes[i]) for i in (0, 1)]


def _main_direction(counts: Floats, times: Floats, shape: Floats) -> Floats:
    """Score of each page along the main way in which pages differ from the group's shape."""
    hoped = _expected(counts, times, shape)
    residual = (counts - hoped) / np.sqrt(np.maximum(hoped, 0.25))
    residual /= np.sqrt(np.maximum(counts.sum(axis=1, keepdims=True), 1.0))
    width = np.linalg.eigh(residual.T @ residual)[1][:, -1]
    score: Floats = residual @ width
    return score


def _expected(counts: Floats, times: Floats, shape: Floats) -> Floats:
    mass = times * shape
    total = np.maximum(mass.sum(axis=1, keepdims=True), 1e-12)
    hoped: Floats = counts.sum(axis=1, keepdims=True) * mass / total
    return hoped


def _shape(counts: Floats, times: Floats, parent: Floats | None) -> Floats:
    """Shape of a group (mean 1 over its time), drawn towards its parent's; found by a few rounds over page levels."""
    flat = np.ones(counts.shape[1])
    start = flat if parent is None else parent
    shape = start
    pull = _SHRINKAGE * times.sum(axis=0) / max(float(times.sum()), 1e-12)
    for _ in range(5):
        level = counts.sum(axis=1) / np.maximum((times * shape).sum(axis=1), 1e-12)
        hoped = level @ times
        shape = (pull * start + counts.sum(axis=0)) / np.maximum(pull + hoped, 1e-12)
        shape = np.where(pull + hoped > 0, np.maximum(shape, 1e-6), 1.0)
        shape = shape / max(float(np.average(shape, weights=times.sum(axis=0) + 1e-12)), 1e-12)
    return shape


def _likelihoods(counts: Floats, times: Floats, shapes: Floats) -> Floats:
    """Log likelihood of each page under each shape, its level fitted, up to a constant of the page."""
    reach = np.maximum(times @ shapes.T, 1e-12)
    score: Floats = counts @ np.log(shapes).T - counts.sum(axis=1, keepdims=True) * np.log(reach)
    return score
