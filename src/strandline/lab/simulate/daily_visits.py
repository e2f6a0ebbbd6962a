"""A schedule run on recorded change histories: each day the B pages of highest index are fetched.

A fetch tells only whether the page changed since the last one. On day 0 all pages are held. A page that is gone
costs one fetch and is not asked for again. *Caught*: fetches that found a new version. *Stale*: share of page-days that
end with a newer version unseen. Budgets are given as days per turn: 28 means N / 28 fetches a day for N pages.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from strandline.core.beliefs.first_sight import (
    COEFFICIENTS,
    FirstSight,
    archive_base,
    refit,
    site_level,
    site_prior,
    static_factors,
)
from strandline.core.history.rates import GammaRates, count_index, freshness_index
from strandline.core.mining.classes import HistoricClassifier, HistoricRules
from strandline.lab.simulate.histories import Histories, SitePages, site_pages

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(slots=True)
class Held:
    """What a crawler knows of its pages; policies read it and nothing else."""

    day: int
    last: Ints
    rates: GammaRates
    turn: float
    """Days per turn: N / B."""

    @property
    def age(self) -> Floats:
        """Days since the last fetch."""
        return (self.day - self.last).astype(np.float64)


class Policy(Protocol):
    """Ranks pages each day and is told what the fetches found."""

    def start(self, histories: Histories) -> None:
        """Before day 1."""
        ...

    def index(self, held: Held) -> Floats:
        """What a fetch of each page would be worth today; the highest are fetched."""
        ...

    def rate(self, held: Held, pages: Ints) -> Floats:
        """Expected changes a day of some pages, for the bookkeeping of `Held.rates`."""
        ...

    def found(self, pages: Ints, changed: NDArray[np.bool_], held: Held) -> None:
        """What the fetches of today found."""
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """Fetches and catches up to each day (row 0 is day 0), and stale and lived page-days of each day."""

    fetched: Ints
    caught: Ints
    stale: Ints
    lived: Ints

    def per_thousand(self, day: int) -> float:
        """Catches per 1000 fetches up to a day (or the end of the window)."""
        last = min(day, self.fetched.size - 1)
        return 1000.0 * float(self.caught[last]) / max(float(self.fetched[last]), 1.0)

    def catches(self, day: int) -> int:
        """Fetches that found a new version up to a day (or the end of the window)."""
        return int(self.caught[min(day, self.caught.size - 1)])

    def stale_share(self, day: int) -> float:
        """Share of the page-days up to a day that were stale."""
        return float(self.stale[1 : day + 1].sum()) / max(float(self.lived[1 : day + 1].sum()), 1.0)


def run(histories: Histories, policy: Policy, turn: float, rng: np.random.Generator) -> Outcome:
    """Run a policy through the whole window with N / turn fetches a day."""
    pages, days = histories.pages, histories.days
    held = Held(0, np.zeros(pages, dtype=np.int64), GammaRates.unseen(pages), turn)
    known = np.ones(pages, dtype=bool)
    everyone = np.arange(pages)
    totals = np.zeros((4, days + 1), dtype=np.int64)
    policy.start(histories)
    spent = 0
    for day in range(1, days + 1):
        held.day = day
        budget = min(int(pages * day / turn) - spent, int(known.sum()))
        spent = int(pages * day / turn)
        chosen = _highest(np.where(known, policy.index(held), -np.inf), budget, rng)
        gone = histories.last_day[chosen] < day
        known[chosen[gone]] = False
        alive = chosen[~gone]
        changed = histories.seen[alive, day] > histories.seen[alive, held.last[alive]]
        held.rates.visit(alive, day - held.last[alive], changed, policy.rate(held, alive))
        policy.found(alive, changed, held)
        held.last[alive] = day
        exists = histories.last_day >= day
        stale = exists & (histories.seen[everyone, day] > histories.seen[everyone, held.last])
        totals[:, day] = chosen.size, int(changed.sum()), int(stale.sum()), int(exists.sum())
    return Outcome(np.cumsum(totals[0]), np.cumsum(totals[1]), totals[2], totals[3])


def _highest(index: Floats, budget: int, rng: np.random.Generator) -> Ints:
    """The pages of highest index; ties by lot."""
    if budget <= 0:
        return np.zeros(0, dtype=np.int64)
    lot = rng.permutation(index.size)
    return lot[np.argsort(-index[lot], kind="stable")[:budget]]


class _Plain:
    """Policies that learn no rates."""

    def start(self, histories: Histories) -> None:
        """Nothing to prepare."""

    def rate(self, held: Held, pages: Ints) -> Floats:
        """Any constant will do: nobody reads the counts."""
        return np.full(pages.size, 0.01)

    def found(self, pages: Ints, changed: NDArray[np.bool_], held: Held) -> None:
        """Nothing to remember."""


class Uniform(_Plain):
    """All pages in turn."""

    def index(self, held: Held) -> Floats:
        """Oldest first."""
        return held.age


class Nutch(_Plain):
    """Apache Nutch's rule: the interval of a page shrinks by a fifth when it changed and grows by a fifth when not."""

    def start(self, histories: Histories) -> None:
        """All pages begin alike."""
        self._interval = np.ones(histories.pages)

    def index(self, held: Held) -> Floats:
        """Age in intervals."""
        age: Floats = held.age / self._interval
        return age

    def found(self, pages: Ints, changed: NDArray[np.bool_], held: Held) -> None:
        """Adapt the intervals."""
        self._interval[pages] *= np.where(changed, 0.8, 1.2)


class TrueRates(_Plain):
    """A crawler that was told each page's average rate; a bound, not a policy."""

    def start(self, histories: Histories) -> None:
        """Look into the future."""
        self._rate = histories.seen[:, -1] / np.maximum(histories.last_day, 1)

    def index(self, held: Held) -> Floats:
        """The count index of a known Poisson rate."""
        mass = self._rate * held.age
        worth: Floats = 1.0 - np.exp(-mass) * (1.0 + mass)
        return worth


class Clairvoyant(_Plain):
    """A crawler that knows which pages differ today; a bound."""

    def start(self, histories: Histories) -> None:
        """Look into the future."""
        self._histories = histories

    def index(self, held: Held) -> Floats:
        """Pages with an unseen version first, the fastest of them last (they come again)."""
        seen, everyone = self._histories.seen, np.arange(self._histories.pages)
        waiting = (seen[:, held.day] > seen[everyone, held.last]) & (self._histories.last_day >= held.day)
        return np.where(waiting, 1.0 + 1.0 / (1.0 + seen[:, -1]), 0.0)


class _Gamma:
    """Policies with a Gamma-Poisson rate per page; subclasses say what they expect at first sight."""

    def __init__(self, settings: FirstSight, objective: str = "count") -> None:
        self.settings = settings
        self._worth = {"count": count_index, "freshness": freshness_index}[objective]
        self._guarded = objective == "count"

    def start(self, histories: Histories) -> None:
        self._mean = np.full(histories.pages, self.settings.first_base)

    def refresh(self, held: Held) -> None:
        """Set `_mean`, the expected rate of each page before its own history."""

    def index(self, held: Held) -> Floats:
        self.refresh(held)
        weight = self.settings.prior_weight
        worth = self._worth(weight + held.rates.found, weight / self._mean + held.rates.watched, held.age)
        if self._guarded:
            overdue = held.age > self.settings.guard * held.turn
            worth = np.where(overdue, worth + 1e6 * held.age, worth)
        return worth

    def rate(self, held: Held, pages: Ints) -> Floats:
        return held.rates.mean(self._mean, self.settings.prior_weight)[pages]

    def found(self, pages: Ints, changed: NDArray[np.bool_], held: Held) -> None:
        """The rates are kept by the run."""


class NoPrior(_Gamma):
    """The same start for every page."""


class SiteMean(_Gamma):
    """The start of a page is the average of its site."""

    def start(self, histories: Histories) -> None:
        """Sort the pages by site."""
        super().start(histories)
        self._rows = [np.flatnonzero(histories.site == i) for i in range(len(histories.sites))]

    def refresh(self, held: Held) -> None:
        """Levels of all sites, each shrunk to the geometric mean of the others."""
        ones = [np.ones(rows.size) for rows in self._rows]
        for rows, level in zip(self._rows, _levels(self._rows, ones, held, self.settings), strict=True):
            self._mean[rows] = level


class DirectoryAndPage(_Gamma):
    """The recommended model: site level x directory x static factor of the page."""

    def __init__(
        self,
        settings: FirstSight,
        objective: str = "count",
        tables: Mapping[str, Floats] | None = None,
        *,
        own_captures: bool = False,
    ) -> None:
        """`tables`: coefficients for some sites (learned without them); the others get the shipped table."""
        super().__init__(settings, objective)
        self._tables = tables or {}
        self._own_captures = own_captures

    def start(self, histories: Histories) -> None:
        """Look at all pages once."""
        super().start(histories)
        self._sites: Sequence[SitePages] = site_pages(histories)
        tables = [self._tables.get(site.name, COEFFICIENTS) for site in self._sites]
        self._start_table = np.mean(tables, axis=0)
        self._static = [static_factors(site.features, table) for site, table in zip(self._sites, tables, strict=True)]
        self._without_static = self._mean.copy()

    def refresh(self, held: Held) -> None:
        """All three factors, daily; the table itself weekly."""
        if self._own_captures and held.day % 7 == 0:
            self._move_table(held)
        rows = [site.rows for site in self._sites]
        levels = _levels(rows, self._static, held, self.settings)
        for i, site in enumerate(self._sites):
            base = archive_base(np.delete(levels, i), self.settings)
            history = (held.rates.found[site.rows], held.rates.watched[site.rows])
            prior = site_prior(site.directories, self._static[i], history, base, self.settings)
            self._mean[site.rows] = prior.mean
            self._without_static[site.rows] = prior.level * prior.directory

    def _move_table(self, held: Held) -> None:
        order = np.concatenate([site.rows for site in self._sites])
        features = np.vstack([site.features for site in self._sites])
        history = (held.rates.found[order], held.rates.watched[order])
        table = refit(features, history, self._without_static[order], self._start_table, self.settings)
        self._static = [static_factors(site.features, table) for site in self._sites]


def _levels(rows: Sequence[Ints], static: Sequence[Floats], held: Held, settings: FirstSight) -> Floats:
    """Level of each site against the geometric mean of the others, themselves against the fixed first base."""

    def levels(bases: Sequence[float]) -> Floats:
        return np.array(
            [
                site_level(held.rates.found[r], held.rates.watched[r], s, base)
                for r, s, base in zip(rows, static, bases, strict=True)
            ]
        )

    rough = levels([settings.first_base] * len(rows))
    return levels([archive_base(np.delete(rough, i), settings) for i in range(len(rows))])


class PaperClasses(_Plain):
    """Paper 002: a start class per page, moved by the historic classifier; pages wait as long as their class says."""

    def __init__(self, start_groups: Ints, intervals: Floats, rules: HistoricRules) -> None:
        self._start, self._intervals, self._rules = start_groups, intervals, rules

    def start(self, histories: Histories) -> None:
        """Put the pages into their start classes."""
        self._classes = HistoricClassifier(self._start, self._rules)

    def index(self, held: Held) -> Floats:
        """Age in intervals of the class, so that any budget is spent to the full."""
        age: Floats = held.age / self._intervals[self._classes.group]
        return age

    def found(self, pages: Ints, changed: NDArray[np.bool_], held: Held) -> None:
        """Move the pages whose window is full."""
        self._classes.visit(pages, changed)
