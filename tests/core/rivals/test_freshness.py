"""Allocated frequencies must be reached when the allocation is carried out period by period."""

import numpy as np

from strandline.core.plan.budget import Budget
from strandline.core.plan.strategy import PageTable, choose, moments
from strandline.core.rivals.freshness import Frequency


def test_pages_due_in_every_period_are_fetched_in_every_period() -> None:
    # Three pages far more important than the rest are wanted once a period, wherever in the period they fall.
    weight = np.concatenate([np.full(3, 1e4), np.ones(37)])
    strategy, budget = Frequency(weighted=True), Budget(8)
    pages = PageTable.of(40, weight=weight, rate=np.full(40, 0.5), last_visit=np.zeros(40))
    assert np.all(strategy.allocation(pages, budget)[:3] == 1.0)
    fetched = np.zeros(40)
    for period in range(1, 101):
        choice = choose(strategy, pages, budget, float(period))
        last = pages.last_visit.copy()
        last[choice.rows] = period + moments(choice, budget.visits)
        pages = pages.with_columns(last_visit=last)
        fetched[choice.rows] += 1
    assert fetched[:3].tolist() == [100.0, 100.0, 100.0]
    # The others are alike and share the rest evenly.
    assert fetched[3:].sum() == 500
    assert fetched[3:].max() - fetched[3:].min() <= 1
