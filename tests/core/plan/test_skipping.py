import numpy as np

from strandline.core.plan.baselines import RoundRobin, Sharc
from strandline.core.plan.budget import Budget
from strandline.core.plan.skipping import Skipping
from strandline.core.plan.strategy import Choice, Outcomes, PageTable
from strandline.core.plan.urgency import Importance

PAGES = PageTable.of(8, page=np.arange(100, 108), weight=1.0, last_visit=0.0, rate=0.1)
SKIPPED = np.array([101, 103, 105])


def test_skipped_pages_are_never_chosen():
    for inner in (RoundRobin(), Sharc(), Importance()):
        strategy = Skipping(inner, SKIPPED)
        budget = Budget(visits=20)
        planned = {visit.page for visit in strategy.plan(PAGES, budget, 5.0)}
        assert planned
        assert not planned & set(SKIPPED.tolist())
        chosen = strategy.choose(PAGES, budget, 5.0)
        assert not set(PAGES.page[chosen.rows].tolist()) & set(SKIPPED.tolist())
        assert len(chosen.rows) == len(chosen.urgency)
        assert strategy.name == f"{inner.name}-skipping"


def test_their_share_of_the_budget_goes_to_the_other_pages():
    strategy = Skipping(Importance(), np.arange(100, 105))
    assert {visit.page for visit in strategy.plan(PAGES, Budget(visits=3), 5.0)} == {105, 106, 107}


def test_skipping_nothing_changes_nothing():
    budget = Budget(visits=4)
    plain = Importance().choose(PAGES, budget, 5.0)
    same = Skipping(Importance(), np.empty(0, dtype=np.int64)).choose(PAGES, budget, 5.0)
    assert np.array_equal(plain.rows, same.rows)


class Note:
    """Remembers how often it was told something; chooses fixed moments."""

    name = "note"

    def __init__(self):
        self.told = 0

    def plan(self, pages, budget, now):
        return []

    def choose(self, pages, budget, now):
        return Choice(np.arange(3), np.ones(3), np.array([0.1, 0.2, 0.3]))

    def observe(self, pages, outcomes):
        self.told += 1


def test_captures_reach_a_learner_and_moments_are_kept():
    inner = Note()
    strategy = Skipping(inner, SKIPPED)
    strategy.observe(PAGES, Outcomes.of(0, 1.0, True))
    assert inner.told == 1
    assert strategy.choose(PAGES, Budget(visits=3), 0.0).moment.tolist() == [0.1, 0.3]
    Skipping(RoundRobin(), SKIPPED).observe(PAGES, Outcomes.of(0, 1.0, True))
