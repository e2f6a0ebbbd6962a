"""Change classes choose intervals: learned from visits, or from what an archive expects of its pages."""

import numpy as np
import pytest

from lab.simulate.made_traces import TraceRecipe, made_trace
from strandline.checks import check_strategy
from strandline.core.plan.budget import Budget
from strandline.core.plan.strategy import Outcomes, PageTable
from strandline.core.rivals.catalogue import StrategyOptions, make_strategy
from strandline.core.rivals.change_classes import ChangeClasses
from strandline.lab.simulate.run import measure, run


@pytest.mark.parametrize("way", ["historic", "bayesian"])
def test_visits_are_not_in_turn_and_catch_more(way):
    """The strategy was round robin in simulations: all pages were of one class for ever."""
    world = made_trace(TraceRecipe("flat", pages=100, days=21, seed=0))
    archive = run(world, ChangeClasses(24.0, way), Budget(10), known=False)
    turns = run(world, make_strategy("round-robin"), Budget(10), known=False)
    changes = np.diff(world.start)
    fast, slow = changes >= np.quantile(changes, 0.8), changes <= np.quantile(changes, 0.2)
    visits = np.bincount(archive.page, minlength=100)
    assert visits[fast].mean() > 3.0 * visits[slow].mean()
    assert measure(world, archive, 0).pool > measure(world, turns, 0).pool + 0.05


def test_the_classes_of_an_archive_are_those_of_its_rates():
    pages = PageTable.of(40, rate=np.repeat([0.5, 0.05, 0.004, 0.0], 10), last_visit=0.0)
    wanted = ChangeClasses().intervals(pages, 5.0).reshape(4, 10)
    assert (wanted == wanted[:, :1]).all() and (np.diff(wanted[:, 0]) > 0).all()
    assert wanted[0, 0] == pytest.approx(2.0) and wanted[3, 0] == 91.0 * 24.0
    rows = ChangeClasses().choose(pages, Budget(10), 30.0).rows
    assert set(rows.tolist()) == set(range(10)), "the fastest are most overdue"


def test_a_page_moves_when_visits_find_otherwise():
    pages = PageTable.of(40, rate=np.repeat([0.5, 0.05, 0.004, 0.0], 10), last_visit=0.0)
    plan = ChangeClasses()
    before = plan.intervals(pages, 1.0)[[0, 39]]
    for hour in range(4, 24, 4):
        plan.observe(pages, Outcomes.of([0, 39], float(hour), [False, True], 0.3))
    after = plan.intervals(pages, 23.0)[[0, 39]]
    assert after[0] > before[0] and after[1] < before[1]


def test_new_pages_and_odd_tables():
    for way in ("historic", "bayesian"):
        check_strategy(lambda way=way: ChangeClasses(24.0, way))
    plan = ChangeClasses()
    assert plan.plan(PageTable.of(0), Budget(3), 0.0) == []
    small, large = PageTable.of(3, last_visit=0.0), PageTable.of(5, last_visit=0.0)
    assert len(plan.choose(small, Budget(9), 3.0).rows) == 3
    assert len(plan.choose(large, Budget(9), 3.0).rows) == 5
    reasons = [visit.reason for visit in plan.plan(large, Budget(1), 30.0)]
    assert reasons == ["of the class that changes every 10 days, last fetched 30.0 periods ago"]
    daily = make_strategy("change-class", StrategyOptions(period_hours=24.0))
    assert daily.intervals(PageTable.of(2, rate=0.1, last_visit=0.0), 0.0).tolist() == pytest.approx([10.0, 10.0])
