"""The longest gap between two visits is bounded, and what that costs too."""

import numpy as np
import pytest

from lab.simulate.made_traces import TraceRecipe, made_trace
from strandline.core.plan.budget import Budget
from strandline.core.plan.longest_gap import LongestGap
from strandline.core.rivals.catalogue import StrategyOptions, priced_plan
from strandline.lab.simulate.run import run


def gaps(world, archive):
    """The longest time each page was unseen, to the end of the world."""
    ends = np.full(len(world), float(world.periods))
    page, time = np.concatenate([archive.page, np.arange(len(world))]), np.concatenate([archive.time, ends])
    order = np.lexsort((time, page))
    page, between = page[order][1:], np.diff(time[order])
    found = np.zeros(len(world))
    np.maximum.at(found, page[page == page.astype(int)], np.where(between > 0, between, 0.0))
    return found


@pytest.mark.parametrize("scan_up_to", [30_000, 10])
def test_after_a_redesign_every_page_is_seen_again_within_the_bound(scan_up_to):
    """Every page changes once; with the objective `pool` slow pages are worth nothing to a plan."""
    world = made_trace(TraceRecipe("redesign", pages=80, days=28))
    options = StrategyOptions("pool", window=672.0, lasting=672.0, longest_gap=240.0, gap_share=0.1)
    settings = options.priced
    plan = priced_plan(options)
    plan.settings = type(settings)(**{**vars(settings), "scan_up_to": scan_up_to})
    budget = Budget(8)
    archive = run(world, plan, budget, known=False)
    bound = plan.longest_gap(budget)
    assert bound == 240.0
    late = archive.time > world.periods / 2.0 + 1.0
    assert len(np.unique(archive.page[late])) == 80, "every new version is caught"
    assert gaps(world, archive).max() <= bound


def test_the_bound_is_what_a_part_of_the_visits_can_do():
    gap = LongestGap(336.0, 0.05)
    assert gap.bound(100, 100.0) == 336.0, "the budget is ample"
    assert gap.bound(1000, 20.0) == 2000.0
    assert LongestGap(336.0, 0.0).bound(10, 10.0) == np.inf
    with pytest.raises(ValueError, match="longest gap"):
        LongestGap(0.0)


def test_no_more_than_its_part_of_the_visits_is_used():
    gap, ages = LongestGap(100.0, 0.1), np.arange(40.0, 80.0)
    raised = [gap.raised(np.zeros(40), ages, Budget(15), (hour, 40)) for hour in range(10)]
    assert sum(int(np.count_nonzero(one)) for one in raised) == 15, "a tenth of 150"
    top = gap.raised(np.full(40, 7.0), ages, Budget(15), (1, 40))
    assert top.argmax() == 39 and top[39] > 7.0 and top[:10].max() == 7.0
    never = np.full(3, np.nan)
    assert gap.raised(np.full(3, 1e30), never, Budget(100), (0, 3)).tolist() == [1e30] * 3
