"""Pages that are valued by an objective of their own: collections in which something else counts than in the archive.

Objectives count in different units (objective.py), so what pages are worth by one cannot be held against what others
are worth by another. A group with its own objective divides among its pages what the archive's objective would give
the group: all changes it expects are together worth as much as by that one. How much the group gets beside others is
then a matter of weights, as before.

    worth of a version = by the group's objective * (sum of what is expected, by the archive's) / (the same, by its own)

The sums are taken when a plan is opened, and whenever it renews what pages share. Where pages are planned apart, site
by site, the factors are found for all of them together and agreed upon.
"""

from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from strandline.core.beliefs.estimate import Estimate
from strandline.core.growing import with_room
from strandline.core.plan.objective import Objective, Worth
from strandline.core.plan.strategy import Floats, PageTable, Rows


class Valued(NamedTuple):
    """What a plan reckons with, of some pages: see priced_kernels.Pages."""

    rate: NDArray[np.float32]
    importance: NDArray[np.float32]
    level: Floats
    value: Floats
    mean_rate: Floats
    mean_importance: Floats

    @property
    def expected(self) -> Floats:
        """What the changes of a period are worth, those that are caught or not."""
        found: Floats = (self.value * self.level).sum(axis=1) * self.mean_rate * self.mean_importance
        return found

    def put(self, rows: NDArray[np.bool_], others: "Valued") -> None:
        """Take some rows from others."""
        columns: Iterable[tuple[NDArray[Any], NDArray[Any]]] = zip(self, others, strict=True)
        for own, other in columns:
            own[rows] = other


def valued(worth: Worth, estimate: Estimate, weight: Floats, items: Floats) -> Valued:
    """Pages as an objective sees them."""
    content = worth.objective == "content" and estimate.turnover is not None
    rate = estimate.rate
    if content and estimate.turnover is not None:
        rate = (rate * estimate.turnover[:, None]).astype(np.float32)
    flat = content or worth.objective == "count"
    if worth.objective == "count":
        weight = np.sign(weight)
    elif worth.objective == "content":
        weight = weight * items
    return Valued(
        rate,
        np.ones_like(rate) if flat else estimate.importance,
        np.ones_like(estimate.level) if content else estimate.level,
        worth.node_values(estimate, weight),
        rate.astype(np.float64) @ estimate.share,
        np.ones(len(rate)) if flat else estimate.mean_importance,
    )


class Aims:
    """The archive's objective, and those of groups of pages: PageTable.aim is the place of a page's group in `own`."""

    def __init__(self, worth: Worth, own: Sequence[Objective] = ()) -> None:
        self._worth = worth
        self._own = [replace(worth, objective=objective) for objective in own]
        self._aim = np.empty(0, dtype=np.int64)
        self._expected = np.empty((0, 2))
        """Of pages with an objective of their own: by the archive's, and by theirs."""
        self._factors: Floats | None = None
        self._agreed = False

    @property
    def are_many(self) -> bool:
        """Whether some pages have an objective of their own."""
        return bool(self._own)

    def value(self, table: PageTable, rows: Rows, estimate: Estimate) -> Valued:
        """What some pages are worth, by the objective of each."""
        weight, items = table.weight[rows], table.items[rows]
        found = valued(self._worth, estimate, weight, items)
        aim = table.aim[rows]
        if not self._own or not len(rows):
            return found
        found = deepcopy(found)  # what is believed stays as it is
        self._make_room(int(rows.max()) + 1)
        self._aim[rows] = aim
        self._expected[rows] = 0.0
        for number in np.unique(aim[aim >= 0]).tolist():
            group = aim == number
            own = valued(self._own[number], estimate.of(group), weight[group], items[group])
            self._expected[rows[group]] = np.stack([found.expected[group], own.expected], axis=1)
            found.put(group, own)
        if self._factors is None:
            self.settle()
        assert self._factors is not None
        found.value[aim >= 0] *= self._factors[aim[aim >= 0], None]
        return found

    def forget(self) -> None:
        """Other pages come."""
        self._aim, self._expected = np.empty(0, dtype=np.int64), np.empty((0, 2))
        if not self._agreed:
            self._factors = None

    def _make_room(self, count: int) -> None:
        if len(self._aim) < count:
            before = len(self._aim)
            self._aim = with_room(self._aim, before, count)
            self._expected = with_room(self._expected, before, count)
            self._aim[before:] = -1

    @property
    def expected(self) -> Floats:
        """What the changes of each group are worth a period: by the archive's objective, and by its own."""
        found = np.zeros((len(self._own), 2))
        theirs = self._aim >= 0
        np.add.at(found, self._aim[theirs], self._expected[theirs])
        return found

    def settle(self) -> bool:
        """Make each group worth what it would be by the archive's objective; whether that changed anything."""
        if self._agreed or not self._own:
            return False
        before, self._factors = self._factors, factors(self.expected)
        return before is None or not np.array_equal(before, self._factors)

    def agree(self, found: Floats) -> None:
        """Take factors that were found elsewhere: these pages are a part of the groups."""
        self._factors, self._agreed = found, True


def factors(expected: Floats) -> Floats:
    """By what the worth of each group is multiplied; 1 for one of which nothing is expected.

    >>> factors(np.array([[6.0, 2.0], [0.0, 0.0]])).tolist()
    [3.0, 1.0]
    """
    theirs, own = expected[:, 0], expected[:, 1]
    known = (theirs > 0.0) & (own > 0.0)
    found: Floats = np.divide(theirs, own, out=np.ones(len(own)), where=known)
    return found
