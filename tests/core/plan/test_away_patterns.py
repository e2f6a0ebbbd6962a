"""A plan whose patterns lie elsewhere decides as one that holds them, to the last bit."""

from copy import deepcopy

import numpy as np
import pytest

from strandline.core.plan.budget import Budget
from strandline.core.plan.knowledge import LearnedPatterns
from strandline.core.plan.live_pages import LivePages
from strandline.core.plan.objective import Worth
from strandline.core.plan.priced_plan import PricedPlan, PricedPlanSettings
from strandline.core.plan.strategy import Outcomes, PageTable


class Room:
    """Rows that lie in another array; notes what was asked for."""

    taken = 0

    def __init__(self, kind):
        self._rows = np.zeros(0, dtype=kind)

    def grow(self, count):
        wider = np.zeros(max(count, len(self._rows)), dtype=self._rows.dtype)
        wider[: len(self._rows)] = self._rows
        self._rows = wider

    def take(self, rows):
        Room.taken += len(rows)
        return self._rows[rows]

    def put(self, rows, values):
        self._rows[rows] = values


def some_pages(rng, first, count):
    place = rng.integers(0, 6, count)
    return PageTable.of(
        count,
        page=np.arange(first, first + count),
        site=place // 3,
        directory=place,
        host=place // 3,
        shift=rng.integers(-3, 4, count),
        weight=rng.random(count),
        last_visit=np.where(rng.random(count) < 0.8, 0.0, np.nan),
    )


def decisions(seed, rooms):
    """What a plan chooses while pages are added, found changed, and weighed anew."""
    rng = np.random.default_rng(seed)
    live = LivePages(some_pages(rng, 0, 150))
    fast = rng.random(400) < 0.4
    plan = PricedPlan(LearnedPatterns(), PricedPlanSettings(worth=Worth("pool"), scan_up_to=20))
    plan.follow(live, rooms)
    told = []
    for period in range(60):
        if period % 9 == 5:
            live.append(some_pages(rng, len(live.table), 10))
        if period % 7 == 3:
            live.write(rng.integers(0, len(live.table), 4), weight=rng.random())
        if period == 40:
            plan = deepcopy(plan)
            live = plan._tables.live
        choice = plan.choose(live.table, Budget(8), float(period))
        told.append((choice.rows.tolist(), choice.urgency.tolist(), choice.moment.tolist()))
        told.append([plan.reason(row, float(period)) for row in choice.rows.tolist()[:2]])
        changed = fast[choice.rows] & (rng.random(len(choice.rows)) < 0.8)
        plan.observe(live.table, Outcomes.of(choice.rows, period + 0.5, changed, 0.3))
        live.write(choice.rows, quietly=True, last_visit=period + 0.5)
    return told


@pytest.mark.parametrize("seed", range(4))
def test_decisions_are_the_same(seed):
    Room.taken = 0
    near, away = decisions(seed, lambda _: None), decisions(seed, lambda _: Room)
    assert near == away
    assert Room.taken > 100  # patterns were asked for at all


def test_few_pages_are_looked_through_in_memory():
    Room.taken = 0
    live = LivePages(some_pages(np.random.default_rng(1), 0, 15))
    plan = PricedPlan(LearnedPatterns(), PricedPlanSettings(worth=Worth("pool"), scan_up_to=20))
    plan.follow(live, lambda _: Room)
    assert len(plan.choose(live.table, Budget(4), 1.0).rows) == 4
    assert Room.taken == 0 and len(plan._tables.rows.rate) == 15
