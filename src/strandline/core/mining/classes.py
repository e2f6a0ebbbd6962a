"""Change classes: pages sorted into a few groups by how often they change.

Paper: Barbosa et al., WIDM 2005.
    paper: k-means on the rate estimate (section 3.2)          here: change_groups; sqrt of the rate, exact optimum
    paper: change rate group, group 0 the fastest              here: ChangeGroups, the same order
    paper: Algorithm 1, WS, minimum and maximum threshold      here: HistoricClassifier, HistoricRules
    paper: Random + Bayesian, J48 + Bayesian                   here: BayesianClassifier started from any beliefs

Clustering the rate itself leaves a handful of pages in the fastest group of a real archive; on the square root the
groups are usable. One-dimensional k-means has an exact solution by dynamic programming, so there is no random start
and the same history always gives the same classes. The static classifier lives in `static_classifiers` (it needs
scikit-learn); what drives the default schedule is `first_sight`. The groups and the two other classifiers choose the
intervals of the strategy `change-class` (core/rivals/change_classes.py).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from strandline.core.history.pieces import Pieces, evenly
from strandline.core.history.rates import update_class_beliefs

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_MOST_VALUES = 1024
"""Different rates that are told apart when pages are grouped; beyond, neighbours are put together.
Origin: a bound on time."""


def kmeans_line(values: ArrayLike, k: int) -> Floats:
    """The k - 1 (or fewer) cuts between the groups of least squared spread, ascending; exact.

    >>> kmeans_line([1, 2, 10, 11, 30], 3).tolist()
    [6.0, 20.5]
    """
    data = np.sort(np.asarray(values, dtype=np.float64).ravel())
    if data.size == 0:
        raise ValueError("no pages to put into groups")
    if k < 1 or not np.all(np.isfinite(data)):
        raise ValueError("groups need finite values and at least one group")
    return _cuts(*_points(lambda: [(data,)], data.size), k)


def _points(ordered: Pieces, count: int) -> tuple[Floats, Floats]:
    """Different values and how often they occur; of very many, means of neighbours: the search is quadratic."""
    found: dict[float, int] = {}
    for (piece,) in ordered():
        values, times = np.unique(piece, return_counts=True)
        known = int(values.size > 0 and values[0] in found)
        if len(found) + values.size - known > _MOST_VALUES:
            break
        for value, number in zip(values.tolist(), times.tolist(), strict=True):
            found[value] = found.get(value, 0) + number
    else:
        return np.array(list(found)), np.array(list(found.values()), dtype=np.float64)
    short, longer = divmod(count, _MOST_VALUES)
    sizes = np.full(_MOST_VALUES, short)
    sizes[:longer] += 1
    means = np.array([part.mean() for part in _parts(ordered, sizes.tolist())])
    return means, sizes.astype(np.float64)


def _parts(ordered: Pieces, sizes: Sequence[int]) -> Iterator[Floats]:
    """The values cut into parts of these sizes."""
    left = iter(sizes)
    wanted, waiting = next(left), np.empty(0)
    for (piece,) in ordered():
        waiting = np.concatenate([waiting, piece])
        start = 0
        while wanted and waiting.size - start >= wanted:
            yield waiting[start : start + wanted].copy()  # alone: a mean depends on where its values lie
            start, wanted = start + wanted, next(left, 0)
        waiting = waiting[start:]


def _cuts(points: Floats, weight: Floats, k: int) -> Floats:
    k = min(k, points.size)
    mass = np.concatenate([[0.0], np.cumsum(weight)])
    first = np.concatenate([[0.0], np.cumsum(weight * points)])
    second = np.concatenate([[0.0], np.cumsum(weight * points**2)])
    n = points.size
    # cost[i, j]: squared spread of points i..j-1
    count = mass[None, :] - mass[:, None]
    total = first[None, :] - first[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        cost = second[None, :] - second[:, None] - total**2 / count
    cost[np.arange(n + 1)[:, None] >= np.arange(n + 1)[None, :]] = np.inf
    best = cost[0].copy()
    cuts = np.zeros((k, n + 1), dtype=np.int64)
    for group in range(1, k):
        through = best[:, None] + cost
        cuts[group] = np.argmin(through, axis=0)
        best = through[cuts[group], np.arange(n + 1)]
    ends = [n]
    for group in range(k - 1, 0, -1):
        ends.append(int(cuts[group][ends[-1]]))
    starts = np.array(ends[1:][::-1], dtype=np.int64)
    edges: Floats = (points[starts - 1] + points[starts]) / 2.0
    return edges


@dataclass(frozen=True, slots=True)
class ChangeGroups:
    """Groups of pages by rate, fastest first. `cuts[g]` is the rate below which a page is slower than group g."""

    cuts: Floats
    rates: Floats
    """Mean rate of each group, changes a day."""
    sizes: Ints

    @property
    def count(self) -> int:
        """Number of groups; fewer than asked for when there are fewer different rates."""
        return self.rates.size

    def assign(self, rates: ArrayLike) -> Ints:
        """Group of each rate.

        >>> change_groups([0.0, 0.0, 0.01, 0.5], 3).assign([0.0, 0.02, 2.0]).tolist()
        [2, 1, 0]
        """
        asked = np.asarray(rates, dtype=np.float64)
        slower: Ints = (asked[..., None] < self.cuts).sum(axis=-1)
        return slower

    def intervals(self, cap: float = 91.0) -> Floats:
        """Average days between changes, at most `cap` (the slowest group may never have changed)."""
        with np.errstate(divide="ignore"):
            return np.minimum(1.0 / self.rates, cap)

    def names(self) -> list[str]:
        """The groups in words."""
        return [interval_in_words(rate) for rate in self.rates]

    def as_data(self) -> list[dict[str, Any]]:
        """For JSON."""
        rows = zip(self.names(), self.rates, self.sizes, strict=True)
        return [
            {"class": number, "name": name, "changes_a_day": float(rate), "pages": int(size)}
            for number, (name, rate, size) in enumerate(rows)
        ]


def change_groups(rates: ArrayLike, k: int = 4, *, scale: str = "sqrt") -> ChangeGroups:
    """Put pages into k groups by k-means on the square root of their rates (or on the "rate" itself)."""
    if scale not in ("sqrt", "rate"):
        raise ValueError(f"scale must be 'sqrt' or 'rate', not {scale!r}")
    pages = np.asarray(rates, dtype=np.float64).ravel()
    if pages.size == 0:
        raise ValueError("no pages to put into groups")
    if not np.all(np.isfinite(pages)) or k < 1:
        raise ValueError("groups need finite values and at least one group")
    if pages.min() < 0:
        raise ValueError("a rate cannot be negative")
    return change_groups_of(lambda: [(pages,)], lambda: [(np.sort(pages),)], k, scale=scale)


def change_groups_of(rates: Pieces, ordered: Pieces, k: int, *, scale: str = "sqrt") -> ChangeGroups:
    """The same of rates that come in pieces, and in pieces from the smallest to the largest; few are held at a time."""

    def scaled() -> Iterator[tuple[Floats, ...]]:
        return ((np.sqrt(piece) if scale == "sqrt" else piece,) for (piece,) in ordered())

    edges = _cuts(*_points(scaled, sum(len(piece) for (piece,) in ordered())), k)
    cuts = (edges**2 if scale == "sqrt" else edges)[::-1]
    sizes, sums = np.zeros(cuts.size + 1, dtype=np.int64), np.zeros(cuts.size + 1)
    for (piece,) in evenly(rates()):
        group = (piece[:, None] < cuts).sum(axis=1)
        sizes += np.bincount(group, minlength=cuts.size + 1)
        sums += np.bincount(group, weights=piece, minlength=cuts.size + 1)
    return ChangeGroups(cuts, sums / np.maximum(sizes, 1), sizes)


def interval_in_words(rate: float) -> str:
    """A rate in changes a day as people say it.

    >>> [interval_in_words(r) for r in (30.0, 1.0, 1 / 7, 1 / 45, 1 / 500, 0.0)]
    ['every 48 minutes', 'every day', 'every 7 days', 'every 6 weeks', 'every 16 months', 'no change that counts']
    """
    if rate <= 0.0:
        return "no change that counts"
    days = 1.0 / rate
    for unit, length, limit in (("minute", 1 / 1440, 2 / 24), ("hour", 1 / 24, 0.95), ("day", 1.0, 14.0),
                                ("week", 7.0, 60.0), ("month", 30.44, 730.0)):  # fmt: skip
        if days < limit:
            number = max(round(days / length), 1)
            return f"every {unit}" if number == 1 else f"every {number} {unit}s"
    return f"every {round(days / 365.25)} years"


def seen_in_words(rate: float, slight: int) -> str:
    """How often a page changes; `slight` are the differences readers see of it that are too small to count.

    >>> seen_in_words(1.0, 3), seen_in_words(0.0, 3), seen_in_words(0.0, 0)
    ('every day', 'only slight changes', 'never seen to change')
    """
    if rate > 0.0:
        return interval_in_words(rate)
    return "only slight changes" if slight else "never seen to change"


@dataclass(frozen=True, slots=True)
class ClassTree:
    """A pruned tree in words, what it rests on, and how often it errs on pages it was not grown from."""

    text: str
    importance: dict[str, float]
    """Share of the gain in purity each feature has in the tree."""
    error: float
    error_without: float
    """Of a tree without the link features."""
    error_by_majority: float
    """When every page is put into the largest class."""
    pages: int


@dataclass(frozen=True, slots=True)
class HistoricRules:
    """Windows (visits) and thresholds of Algorithm 1, one per group, fastest first."""

    windows: tuple[int, ...]
    minimum: tuple[float, ...]
    maximum: tuple[float, ...]

    @classmethod
    def alike(cls, windows: tuple[int, ...], minimum: float = 0.2, maximum: float = 0.8) -> "HistoricRules":
        """The same thresholds for all groups, as in the paper's Table 4."""
        return cls(windows, (minimum,) * len(windows), (maximum,) * len(windows))


TABLE_4_WINDOWS = (3, 2, 2, 1)
"""Visits of a page over which each class, the fastest first, takes its mean. Origin: paper 002, table 4."""


class HistoricClassifier:
    """Moves pages one group up or down when their share of changed visits leaves the group's range.

    >>> page = HistoricClassifier(np.array([1]), HistoricRules.alike((10, 8, 6, 2), 0.3, 0.7))
    >>> for changed in [True] * 6 + [False] * 2:  # 6 changes in 8 weekly visits: .75 > .7
    ...     page.visit(np.array([0]), np.array([changed]))
    >>> page.group.tolist()
    [0]
    """

    def __init__(self, group: Ints, rules: HistoricRules) -> None:
        self.group = group.astype(np.int64).copy()
        self._window = np.array(rules.windows)
        self._minimum, self._maximum = np.array(rules.minimum), np.array(rules.maximum)
        self._visits = np.zeros(group.size, dtype=np.int64)
        self._changes = np.zeros(group.size, dtype=np.int64)

    def visit(self, pages: Ints, changed: NDArray[np.bool_], waited: Floats | None = None) -> None:
        """One visit to each of `pages`; how long it was waited for plays no part."""
        self._visits[pages] += 1
        self._changes[pages] += changed
        full = pages[self._visits[pages] >= self._window[self.group[pages]]]
        group = self.group[full]
        average = self._changes[full] / self._window[group]
        slower = (average < self._minimum[group]).astype(np.int64)
        faster = (average > self._maximum[group]).astype(np.int64)
        self.group[full] = np.clip(group + slower - faster, 0, self._window.size - 1)
        self._visits[full] = 0
        self._changes[full] = 0


class BayesianClassifier:
    """A belief over the groups per page, updated by each visit; a page is in the group believed most.

    `per_day` updates as in the paper's worked example, which ignores how long it was waited.
    """

    def __init__(self, beliefs: Floats, intervals: Floats, *, per_day: bool = False) -> None:
        self.beliefs = beliefs.astype(np.float64).copy()
        self._intervals = intervals
        self._per_day = per_day
        self.group: Ints = np.argmax(self.beliefs, axis=1)

    def visit(self, pages: Ints, changed: NDArray[np.bool_], waited: Floats) -> None:
        """One visit to each of `pages`, `waited` days after the last."""
        believed = update_class_beliefs(self.beliefs[pages], self._intervals, waited, changed, per_day=self._per_day)
        self.beliefs[pages] = believed
        self.group[pages] = np.argmax(believed, axis=1)


def sure_beliefs(group: Ints, groups: int, confidence: float = 0.9) -> Floats:
    """Beliefs that put `confidence` on one group and share the rest out."""
    rest = (1.0 - confidence) / max(groups - 1, 1)
    beliefs = np.full((group.size, groups), rest)
    beliefs[np.arange(group.size), group] = confidence if groups > 1 else 1.0
    return beliefs
