"""Signals come first as far as their site's word is good, and cost nothing where it is not."""

import numpy as np

from strandline.checks import failures
from strandline.core.plan.budget import Budget
from strandline.core.plan.heeding import Heeding
from strandline.core.plan.strategy import Outcomes, PageTable
from strandline.core.rivals.baselines import ROUND_ROBIN


def test_it_keeps_the_promises_of_a_strategy():
    assert list(failures(lambda: Heeding(ROUND_ROBIN))) == []


def test_signalled_pages_come_first_where_they_are_right_more_often_than_other_visits():
    pages = PageTable.of(20, site=np.arange(20) // 10, last_visit=np.arange(20.0))
    plan = Heeding(ROUND_ROBIN)
    for _ in range(100):  # usual visits find little; the signals of one site are right, of the other wrong
        plan.hear(pages, np.array([5, 15]), np.array([1.0, 1.0]))
        plan.observe(pages, Outcomes.of([5, 15, 1, 11], 31.0, [True, False, False, False]))
    assert plan.trust(0) > 0.9 and plan.trust(1) < 0.1
    plan.hear(pages, np.array([6, 16]), np.array([32.0, 32.0]))
    assert plan.choose(pages, Budget(4), 33.0).rows.tolist() == [6, 0, 1, 2]
    reasons = [visit.reason for visit in plan.plan(pages, Budget(4), 33.0)]
    assert [reason.startswith("said to have changed") for reason in reasons] == [True, False, False, False]


def test_where_every_visit_finds_something_signals_are_not_needed():
    pages = PageTable.of(20, last_visit=np.arange(20.0))
    plan = Heeding(ROUND_ROBIN)
    for _ in range(50):
        plan.hear(pages, np.array([5]), np.array([1.0]))
        plan.observe(pages, Outcomes.of([5, 1], 31.0, [False, True]))
    plan.hear(pages, np.array([6]), np.array([32.0]))
    assert plan.choose(pages, Budget(2), 33.0).rows.tolist() == [0, 1]


def test_no_more_than_half_of_a_budget_follows_signals_and_no_page_comes_twice():
    pages = PageTable.of(20, last_visit=np.arange(20.0))
    plan = Heeding(ROUND_ROBIN, least=0.0)
    plan._usual = 0.0
    plan.hear(pages, np.arange(10, 16), np.ones(6))
    for visits in (1, 4, 6, 9):
        rows = plan.choose(pages, Budget(visits), 30.0).rows.tolist()
        assert len(rows) == len(set(rows)) == visits
        assert sum(row >= 10 for row in rows) == min(6, max(1, visits // 2))
