"""When does a page change? Patterns per kind of day, the index threshold, and pages that share a pattern.

Paper: Ben Saad & Gancarski, JCDL 2011.
    paper: omega_k = sum of mu_k / N_Tseries (6.3.1)       here: period_means; observed periods instead of series
    paper: delta(P) = sum of omega_k / N_T (7.1)            here: index_threshold
    paper: Algorithm 4 (7.2)                                here: indexed_versions
    paper: shared patterns (6.3.4), left to future work     here: shared_patterns, shared_shapes.py
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from strandline.core.history.calendar import Cycle
from strandline.core.history.pieces import AT_ONCE
from strandline.core.history.series import PageSeries
from strandline.core.mining.shared_shapes import Form, SharedShapes, shared_shapes

Floats = NDArray[np.float64]


def period_means(series: PageSeries, *, of: str = "importance") -> Floats:
    """The paper's pattern: mean importance (or number of "changes") per period; nan where nothing was observed.

    Shape (kinds, periods).
    """
    amounts = {"importance": series.importance, "changes": series.changes}[of]
    seen = series.observed > 0
    return np.where(seen, amounts / np.where(seen, series.observed, 1.0), np.nan)


@dataclass(frozen=True, slots=True)
class PagePattern:
    """A page's pattern as it is shown: numbers per period for every kind that was observed; None for a period of a week
    or month in which the page was never watched.
    """

    zone: str
    cycle: Cycle
    kinds: dict[str, tuple[float | None, ...]]
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
    """The pattern of a page. An hour of the day never observed is shown as the mean of its kind, which other days of
    the kind stand for; a day of the week or month never observed has nothing that could stand for it.
    """
    means = period_means(series)
    kinds: dict[str, tuple[float | None, ...]] = {}
    for kind, row, seen in zip(series.periods.kinds, means, series.observed, strict=True):
        if seen.sum() > 0:
            daily = series.periods.cycle is Cycle.DAY
            typical = float(np.average(np.nan_to_num(row), weights=seen)) if daily else None
            kinds[kind] = tuple(typical if np.isnan(value) else float(value) for value in row)
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
    pages: int
    changes: float
    members: tuple[str, ...] = ()
    """Empty where groups were found over more pages than are held together: each page knows its group."""

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
    kinds, count = pages[names[0]].changes.shape

    def pieces() -> Iterator[tuple[Floats, ...]]:
        for start in range(0, len(names), AT_ONCE):
            some = [pages[name] for name in names[start : start + AT_ONCE]]
            yield tuple(
                np.stack([column.ravel() for column in columns]) for columns in zip(*map(_counted, some), strict=True)
            )

    found = shared_shapes(pieces, (kinds, count))
    assert found is not None
    members: list[list[str]] = [[] for _ in found.changes]
    for name, number in zip(names, found.number.tolist(), strict=True):
        members[number].append(name)
    return pattern_groups(found, (kinds, count), members)


def pattern_groups(found: SharedShapes, form: Form, members: Sequence[Sequence[str]] = ()) -> list[PatternGroup]:
    """Groups as they are kept and shown; without `members` it is left open which pages are in them."""
    sizes = np.bincount(found.number, minlength=len(found.changes)).tolist()
    return [
        PatternGroup(number, shape.reshape(form), size, float(changes), tuple(members[number]) if members else ())
        for number, (shape, size, changes) in enumerate(zip(found.shapes, sizes, found.changes, strict=True))
    ]


def _counted(series: PageSeries) -> tuple[Floats, Floats]:
    return series.changes, series.observed


def group_numbers(groups: list[PatternGroup]) -> dict[str, int]:
    """Group of each member."""
    return {member: group.number for group in groups for member in group.members}
