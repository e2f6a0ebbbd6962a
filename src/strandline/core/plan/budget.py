"""How much may be fetched, and how the best use of it is picked without sorting all pages.

Paper 004, section 4.1: "a total of M pages in each period". Here the allowance may also be bytes, and sites and
hosts may have caps of their own (politeness, contracts with the site).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

SAMPLE = 1024
"""Scores of a large table that are sorted to guess where to cut it; the cut itself is exact.
Origin: a bound on time."""
HOURS = {"hour": 1.0, "h": 1.0, "day": 24.0, "d": 24.0, "week": 168.0, "w": 168.0}
"""Hours of the spans a budget may name. Origin: a unit."""
UNITS = {"": 1.0, "kb": 1e3, "mb": 1e6, "gb": 1e9, "kib": 1024.0, "mib": 1024.0**2, "gib": 1024.0**3}
"""Bytes of the units a budget may name. Origin: a unit."""
BUDGET = re.compile(r"\s*([0-9]*\.?[0-9]+)\s*([kmg]i?b)?\s*(?:/|per)\s*(hour|day|week|h|d|w)\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Allowance:
    """A lasting allowance: so many requests, or so many bytes, per so many hours."""

    amount: float
    hours: float
    in_bytes: bool = False

    def __post_init__(self) -> None:
        if not self.amount > 0 or not self.hours > 0 or not np.isfinite(self.amount):
            raise ValueError(f"a budget must be above zero, not {self.amount:g} per {self.hours:g} h")

    @staticmethod
    def parse(text: str) -> "Allowance":
        """Read "500/day", "20 per hour" or "200 MB/day".

        >>> Allowance.parse("480/day").per_hour
        20.0
        """
        match = BUDGET.fullmatch(text)
        if match is None:
            raise ValueError(f"a budget is written like 500/day, 20/hour or 200MB/day, not {text!r}")
        amount, unit, span = match.groups()
        scale = UNITS[(unit or "").lower()]
        return Allowance(float(amount) * scale, HOURS[span.lower()], in_bytes=unit is not None)

    @property
    def per_hour(self) -> float:
        """The allowance of one hour."""
        return self.amount / self.hours

    def whole(self, start: float, end: float) -> int:
        """Whole units that fall into the hours (start, end]: over time nothing is lost to rounding.

        >>> sum(Allowance(10, 24).whole(h, h + 1) for h in range(24))
        10
        """
        if end <= start:
            return 0
        return int(np.floor(end * self.per_hour + 1e-9) - np.floor(start * self.per_hour + 1e-9))


@dataclass(frozen=True)
class Budget:
    """What one decision may spend. Caps name the most visits of a site or host in this period. When a period takes
    several decisions, `per_period` says what all of them together may spend; prices go by that.
    """

    visits: int
    max_bytes: float | None = None
    site_cap: int | None = None
    host_cap: int | None = None
    site_caps: Mapping[int, int] = field(default_factory=dict)
    host_caps: Mapping[int, int] = field(default_factory=dict)
    per_period: float | None = None

    def __post_init__(self) -> None:
        if self.visits < 1:
            raise ValueError(f"a budget must allow at least one visit, not {self.visits}")
        if self.max_bytes is not None and not self.max_bytes > 0:
            raise ValueError(f"a byte budget must be above zero, not {self.max_bytes:g}")
        for cap in (self.site_cap, self.host_cap, *self.site_caps.values(), *self.host_caps.values()):
            if cap is not None and cap < 0:
                raise ValueError(f"a cap cannot be negative: {cap}")

    @property
    def of_period(self) -> float:
        """Visits of the whole period."""
        return float(self.visits) if self.per_period is None else self.per_period

    @property
    def capped(self) -> bool:
        """Whether anything but the number of visits limits the choice."""
        caps = (self.max_bytes, self.site_cap, self.host_cap, self.site_caps, self.host_caps)
        return any(cap is not None and cap != {} for cap in caps)

    def left_after(self, rows: Rows, costs: "Costs", visits: int) -> "Budget":
        """What so many more visits may spend in the same period when these rows are visited in it already.

        >>> from strandline.core.plan.strategy import PageTable
        >>> Budget(9, host_caps={0: 3}).left_after(np.array([0, 1]), PageTable.of(2), 5).host_caps
        {0: 1}
        """

        def left(caps: Mapping[int, int], places: Rows) -> dict[int, int]:
            return {place: max(0, cap - int(np.count_nonzero(places == place))) for place, cap in caps.items()}

        site_caps, host_caps = left(self.site_caps, costs.site[rows]), left(self.host_caps, costs.host[rows])
        return replace(self, visits=visits, site_caps=site_caps, host_caps=host_caps)


class Costs(Protocol):
    """The columns that caps are counted by."""

    @property
    def site(self) -> Rows:
        """Site of each page."""
        ...

    @property
    def host(self) -> Rows:
        """Host of each page."""
        ...

    @property
    def size(self) -> Floats:
        """Expected bytes of a fetch."""
        ...


class SomeCosts(NamedTuple):
    """The same of some pages."""

    site: Rows
    host: Rows
    size: Floats

    @staticmethod
    def of(costs: Costs, rows: Rows) -> "SomeCosts":
        """Of these rows."""
        return SomeCosts(costs.site[rows], costs.host[rows], costs.size[rows])


def spend(urgency: Floats, budget: Budget, costs: Costs) -> Rows:
    """Rows of the most urgent pages that the budget allows, most urgent first.

    Only finite urgencies above -inf are candidates; NaN never wins; among equals the first row wins. Without caps
    this is one partial selection over all pages and a sort of the chosen ones; with caps the selection is widened
    until the caps leave enough of it.

    >>> from strandline.core.plan.strategy import PageTable
    >>> spend(np.array([0.1, 0.9, 0.5]), Budget(2), PageTable.of(3)).tolist()
    [1, 2]
    """
    scores = urgency
    if len(scores) and np.isnan(scores.max()):
        scores = np.where(np.isnan(scores), -np.inf, scores)
    wanted = min(budget.visits, len(scores))
    reach = wanted
    while True:
        best = _best(scores, reach)
        kept = _allowed(best, budget, costs) if budget.capped else best
        if len(kept) >= wanted or reach >= len(scores):
            return kept[:wanted]
        reach = min(len(scores), 4 * reach)


def _best(scores: Floats, count: int) -> Rows:
    """The rows of largest score, in order. Among equals the first rows win, so that plans do not depend on how a
    partition happens to fall.
    """
    if count == 0:
        return np.empty(0, dtype=np.int64)
    rows = _candidates(scores, count)
    if count < len(rows):
        own = scores[rows]
        least = np.partition(own, len(own) - count)[len(own) - count]
        rows = rows[own >= least]
    rows = rows[np.argsort(-scores[rows], kind="stable")][:count]
    return rows[scores[rows] > -np.inf]


def _candidates(scores: Floats, count: int) -> Rows:
    """Rows that surely hold the `count` largest scores: in a long table a sample shows where to cut."""
    if len(scores) > 64 * SAMPLE and count < len(scores) // 3:
        sample = np.sort(scores[:: len(scores) // SAMPLE])
        share = count / len(scores)
        place = int(len(sample) * (1.0 - share - 4.0 * np.sqrt(share / len(sample)))) - 1
        rows = np.flatnonzero(scores >= sample[max(place, 0)])
        if len(rows) >= count:
            return rows
    return np.arange(len(scores))


def _allowed(rows: Rows, budget: Budget, costs: Costs) -> Rows:
    """Rows one after the other, as long as their site, their host and the bytes allow; too large ones are skipped."""
    site_left = dict(budget.site_caps)
    host_left = dict(budget.host_caps)
    bytes_left = np.inf if budget.max_bytes is None else budget.max_bytes
    kept: list[int] = []
    for row in rows.tolist():
        site, host, size = int(costs.site[row]), int(costs.host[row]), float(costs.size[row])
        at_site = site_left.get(site, budget.visits if budget.site_cap is None else budget.site_cap)
        at_host = host_left.get(host, budget.visits if budget.host_cap is None else budget.host_cap)
        if at_site < 1 or at_host < 1 or size > bytes_left:
            continue
        site_left[site], host_left[host], bytes_left = at_site - 1, at_host - 1, bytes_left - size
        kept.append(row)
        if len(kept) == budget.visits:
            break
    return np.array(kept, dtype=np.int64)
