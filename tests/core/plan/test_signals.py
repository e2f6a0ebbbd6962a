"""Signals age pages by what they are worth: against the chances that a simulation of many pages counts."""

from types import SimpleNamespace

import numpy as np
import pytest

from strandline.core.beliefs.censored import CensoredLearner
from strandline.core.plan.budget import Budget
from strandline.core.plan.knowledge import LearnedPatterns
from strandline.core.plan.priced_plan import PricedPlan, PricedPlanSettings
from strandline.core.plan.signals import SignalBook, SiteSignals, aged, stretched
from strandline.core.plan.strategy import Listener, Outcomes, PageTable

RATE, RECALL, PRECISION = 0.2, 0.7, 0.6


def lived(rng, hours, rate=RATE):
    """Whether a page has changed so many hours after its last visit, and the signals since."""
    said = rng.random(rng.poisson(rate * hours)) < RECALL
    wrong = rng.poisson(RECALL * rate * (1.0 / PRECISION - 1.0) * hours)
    return len(said) > 0, int(said.sum()) + wrong


def test_how_good_signals_are_is_learned_whenever_pages_are_visited():
    """Visits after signals, and visits whatever was said: both teach the same."""
    for follows in (False, True):
        rng, site = np.random.default_rng(5), SiteSignals()
        for _ in range(6_000):
            hours = rng.uniform(0.5, 6.0)
            changed, heard = lived(rng, hours)
            if heard or not follows:
                site.visited(float(heard), (1.0 - site.recall) * RATE * hours, changed)
        assert 1.0 - site.false == pytest.approx(PRECISION, abs=0.04)
        if not follows:
            assert site.recall == pytest.approx(RECALL, abs=0.06)


def test_a_page_is_as_old_as_the_chance_that_it_has_changed():
    rng = np.random.default_rng(6)
    book = SignalBook(listens=True)
    pages = PageTable.of(1, last_visit=0.0)
    book.hear(pages, np.array([0]))
    book._sites[0] = SiteSignals(
        right=RECALL * 1e6, wrong=RECALL * 1e6 * (1.0 / PRECISION - 1.0), unsaid=(1 - RECALL) * 1e6, told=RECALL * 1e6
    )
    tables = SimpleNamespace(last=np.zeros(1), phase=np.zeros(1), stretch=np.ones(1), mean_rate=np.full(1, RATE))
    seen = [lived(rng, 4.0) for _ in range(60_000)]
    for heard in (0, 1, 2):
        book._heard[:] = heard
        stretch = stretched(tables, np.array([0]), 4, book.heard(np.array([0]), 4))[0]
        truth = np.mean([changed for changed, signals in seen if signals == heard])
        assert -np.expm1(-RATE * 4.0 * stretch) == pytest.approx(truth, abs=0.02)


def test_a_signal_makes_a_page_older_that_was_visited_in_the_same_period():
    book, pages = SignalBook(listens=True), PageTable.of(2, last_visit=4.4)
    book.hear(pages, np.array([0]))
    columns = {name: np.full(2, value) for name, value in (("phase", 0.2), ("stretch", 1.0), ("mean_rate", RATE))}
    tables = SimpleNamespace(last=np.full(2, 4.4), **columns)
    with aged(book, tables, np.arange(2), 4):
        assert RATE * ((4.2 - tables.last) * tables.stretch)[0] == pytest.approx(np.log(2.0)), "half of them are right"
        assert tables.last[1] == 4.4 and tables.stretch[1] == 1.0
    assert tables.last.tolist() == [4.4, 4.4] and tables.stretch.tolist() == [1.0, 1.0]


def plan_of(heeds=True):
    plan = PricedPlan(LearnedPatterns(CensoredLearner()), PricedPlanSettings())
    return plan.heed() if heeds else plan


def chosen(plan, good, bad, signals):
    """What is chosen first of twenty pages of two sites that are visited in turn and change once in twenty hours, when
    signals came of which so much is known.
    """
    pages = PageTable.of(20, site=np.arange(20) // 10, directory=np.arange(20) // 10, last_visit=0.0)
    rng, last = np.random.default_rng(3), np.zeros(20)
    for hour in range(1, 200):
        rows = (2 * hour + np.arange(2)) % 20
        changed = rng.random(2) < -np.expm1(-0.05 * (hour + 0.5 - last[rows]))
        plan.choose(pages, Budget(2), float(hour))
        plan.observe(pages, Outcomes.of(rows, hour + 0.5, changed, np.where(changed, 0.5, 0.0)))
        last[rows] = hour + 0.5
        pages = pages.with_columns(last_visit=last.copy())
    plan.hear(pages, np.array(signals), np.full(len(signals), 200.0))
    if plan._signals._sites:
        plan._signals._sites.update({0: good, 1: bad})
    return plan.choose(pages, Budget(1), 201.0).rows.tolist()


def test_signals_that_are_right_are_followed_and_wrong_ones_are_not():
    plan, right, wrong = plan_of(), SiteSignals(1e3, 1.0, 1e3, 1e3), SiteSignals(1.0, 1e3, 1e3)
    assert isinstance(plan, Listener) and plan.name == "priced-plan-heeding"
    assert chosen(plan, right, wrong, [6, 17]) == [6], "visited only a few hours ago"
    assert chosen(plan_of(), wrong, right, [6, 17]) == [17]
    unheard = chosen(plan_of(heeds=False), right, wrong, [6, 17])
    assert unheard not in ([6], [17])
    assert chosen(plan_of(), wrong, wrong, [6, 17]) == unheard, "as if nothing had been said"


def test_decisions_leave_the_age_of_pages_as_it_was():
    pages = PageTable.of(30, site=0, last_visit=0.0)
    plan = plan_of()
    plan.choose(pages, Budget(3), 1.0)
    before = plan._tables.rows.stretch.copy()
    plan.hear(pages, np.arange(5), np.full(5, 1.0))
    plan.choose(pages, Budget(3), 2.0)
    plan.reason(3, 2.0)
    assert plan._tables.rows.stretch.tolist() == before.tolist()


def test_a_page_of_a_large_archive_is_looked_at_when_it_is_heard_of():
    pages = PageTable.of(400, site=0, last_visit=0.0)
    plan = PricedPlan(LearnedPatterns(CensoredLearner()), PricedPlanSettings(scan_up_to=10)).heed()
    for hour in range(1, 60):
        rows = plan.choose(pages, Budget(4), float(hour)).rows
        plan.observe(
            pages, Outcomes(rows, np.full(len(rows), hour + 0.5), np.zeros(len(rows), bool), np.zeros(len(rows)))
        )
        last = pages.last_visit.copy()
        last[rows] = hour + 0.5
        pages = pages.with_columns(last_visit=last)
    fresh = int(np.nanargmax(pages.last_visit))
    plan._signals.hear(pages, np.array([fresh]))
    plan._signals._sites[0] = SiteSignals(right=1e4, wrong=1.0, unsaid=10.0, told=1e4)
    plan.hear(pages, np.array([fresh]), np.array([60.0]))
    assert fresh in plan.choose(pages, Budget(4), 61.0).rows.tolist()
