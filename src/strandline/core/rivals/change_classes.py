"""Fixed intervals per change class, the classes learned from the archive's own history (Barbosa et al., WIDM 2005).

    paper: rate of a page from n visits with X changes        here: core/history/rates.change_rate
    paper: k-means on the rates, four groups                  here: change_groups (core/mining/classes.py), once a day
    paper: interval of a group, 1 / its mean rate             here: the same, 91 days at most
    paper: static classifier at first sight                   here: the group of the rate the page table expects
    paper: Algorithm 1, historic classifier                   here: `historic`, the windows of Table 4
    paper: Bayesian classifier                                here: `bayesian`, .9 on the first group

A page hardly visited is in the group of the rate that is expected of it: in an archive what its address, its directory
and its site say (first_sight.py), in a simulation the same for all. From its third visit on its own rate counts, and
from then on the classifier moves it by what visits find. Pages most overdue, in parts of their interval, come first.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from strandline.core.history.rates import change_rate
from strandline.core.mining.classes import (
    TABLE_4_WINDOWS,
    BayesianClassifier,
    ChangeGroups,
    HistoricClassifier,
    HistoricRules,
    change_groups,
    interval_in_words,
    sure_beliefs,
)
from strandline.core.plan.budget import Budget
from strandline.core.plan.strategy import Choice, Floats, Outcomes, PageTable, Rows, Visit, visits
from strandline.core.rivals.baselines import overdue

Way = Literal["historic", "bayesian"]
CLASSES = len(TABLE_4_WINDOWS)
KNOWN_AFTER = 3
"""Visits after which a page's own rate decides its first class. Origin: a guess."""


class ChangeClasses:
    """The strategy. `per_day` are the periods of a day."""

    def __init__(self, per_day: float = 24.0, way: Way = "historic") -> None:
        self._per_day, self._way = per_day, way
        self._seen: Floats = np.zeros((0, 3))
        """Per page: visits that could be compared, how many found a change, and the days they cover."""
        self._last = np.empty(0)
        self._groups: ChangeGroups | None = None
        self._placed = np.empty(0, dtype=np.bool_)
        """Pages whose own rate has decided their class once: from then on the classifier moves them."""
        self._classifier: HistoricClassifier | BayesianClassifier | None = None
        self._day = -1

    @property
    def name(self) -> str:
        """The name users select it by."""
        return "change-class" if self._way == "historic" else "change-class-bayesian"

    def _grow(self, pages: PageTable) -> None:
        old, count = len(self._last), len(pages)
        if count > old:
            self._seen = np.vstack([self._seen, np.zeros((count - old, 3))])
            self._last = np.concatenate([self._last, pages.last_visit[old:]])
            self._day = -1

    def observe(self, pages: PageTable, outcomes: Outcomes) -> None:
        """Count visits and let the classifier move pages."""
        self._grow(pages)
        rows = outcomes.row
        waited = (outcomes.time - self._last[rows]) / self._per_day
        able = waited > 0.0
        np.add.at(self._seen, rows[able], np.column_stack([np.ones(able.sum()), outcomes.changed[able], waited[able]]))
        if self._classifier is not None and len(self._classifier.group) == len(pages):
            self._classifier.visit(rows[able], outcomes.changed[able], waited[able])
        self._last[rows] = np.fmax(self._last[rows], outcomes.time)

    def _renew(self, pages: PageTable, now: float) -> None:
        """Once a day: groups and intervals anew from what all visits found."""
        self._grow(pages)
        day = int(now // self._per_day)
        if day == self._day and self._groups is not None:
            return
        self._day = day
        count, changed, days = self._seen.T
        known = (count >= KNOWN_AFTER) & (days > 0.0)
        rates = np.maximum(pages.rate, 0.0) * self._per_day
        rates[known] = change_rate(count[known], changed[known]) * count[known] / days[known]
        groups = change_groups(rates, CLASSES)
        group, old = groups.assign(rates), self._classifier
        alike = old is not None and self._groups is not None and groups.count == self._groups.count
        if old is not None and alike:
            before = len(self._placed)
            group[:before] = np.where(self._placed, old.group[:before], group[:before])
        if old is None or not alike or len(old.group) != len(pages):
            self._classifier = self._made(group, groups)
        else:
            old.group[:] = group
        self._groups, self._placed = groups, known

    def _made(self, group: Rows, groups: ChangeGroups) -> HistoricClassifier | BayesianClassifier:
        if self._way == "historic":
            return HistoricClassifier(group, HistoricRules.alike(TABLE_4_WINDOWS[: groups.count]))
        return BayesianClassifier(sure_beliefs(group, groups.count), groups.intervals())

    def intervals(self, pages: PageTable, now: float) -> Floats:
        """Periods between two visits that each page's class asks for."""
        self._renew(pages, now)
        assert self._groups is not None
        assert self._classifier is not None
        found: Floats = self._groups.intervals()[self._classifier.group] * self._per_day
        return found

    def choose(self, pages: PageTable, budget: Budget, now: float) -> Choice:
        """The most overdue pages."""
        if len(pages) == 0:
            return Choice.nothing()
        return overdue(pages, self.intervals(pages, now), budget, now)

    def plan(self, pages: PageTable, budget: Budget, now: float) -> Sequence[Visit]:
        """The most overdue pages, with reasons."""
        if len(pages) == 0:
            return []
        choice, wanted = self.choose(pages, budget, now), self.intervals(pages, now)
        reasons = [
            "never fetched"
            if np.isinf(age)
            else f"of the class that changes {interval_in_words(self._per_day / wanted[row])}, "
            f"last fetched {age:.1f} periods ago"
            for row, age in zip(choice.rows, pages.age(now)[choice.rows], strict=True)
        ]
        return visits(choice, pages, now, reasons)
