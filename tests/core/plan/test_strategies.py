"""Every strategy keeps the promises of the conformance kit; and the kit notices broken ones."""

import numpy as np
import pytest

from strandline.checks import check_strategy, example_pages, failures
from strandline.core.plan.budget import Budget
from strandline.core.plan.strategy import Outcomes, PageTable, Visit
from strandline.core.rivals.baselines import NutchAdaptive
from strandline.core.rivals.catalogue import READS_TABLE, STRATEGIES, make_strategy

NAMES = [*STRATEGIES, *(f"{name}-learned" for name in sorted(READS_TABLE))]


@pytest.mark.parametrize("name", NAMES)
def test_strategies_keep_their_promises(name):
    assert list(failures(lambda: make_strategy(name))) == []


class Greedy:
    """Plans every page, whatever the budget, without a reason."""

    name = "greedy"

    def plan(self, pages, budget, now):
        return [Visit(int(page), 1.0, "", now) for page in pages.page]


def test_the_kit_names_broken_promises():
    with pytest.raises(AssertionError, match="budget of 1"):
        check_strategy(Greedy)
    broken = list(failures(Greedy))
    assert any("budget of 1" in sentence for sentence in broken)
    assert any("reason" in sentence for sentence in broken)
    assert any("site caps" in sentence for sentence in broken)


def test_unknown_names_are_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="round-robin"):
        make_strategy("clairvoyant")


def test_whole_passes_visit_every_page_once_in_the_order_promised():
    pages = example_pages(30).with_columns(last_visit=np.zeros(30))
    orders = {
        "relevance": np.argsort(-pages.weight),
        "coherence": np.argsort(pages.rate),
        "round-robin": np.arange(30),
    }
    for name, order in orders.items():
        strategy, last, seen = make_strategy(name), np.zeros(30), []
        for period in range(1, 7):
            for visit in strategy.plan(pages.with_columns(last_visit=last.copy()), Budget(5), float(period)):
                last[visit.page - 1000] = visit.due
                seen.append(visit.page - 1000)
        assert seen == order.tolist()


def test_sharc_has_the_fastest_page_in_the_middle():
    pages = PageTable.of(9, rate=np.linspace(0.1, 0.9, 9), last_visit=0.0)
    order = [visit.page for visit in make_strategy("sharc").plan(pages, Budget(9), 1.0)]
    assert order[4] == 8
    assert {order[0], order[-1]} == {0, 1}


def test_nutch_fetches_what_is_due_first_and_starts_from_the_time_between_turns():
    strategy = NutchAdaptive()
    pages = PageTable.of(10, last_visit=0.0)
    first = strategy.choose(pages, Budget(2), 6.0).rows  # every page is due after five periods
    assert first.tolist() == [0, 1]
    strategy.observe(pages, Outcomes.of([0, 1], 6.0, [True, False], 0.5))
    last = np.zeros(10)
    last[:2] = 6.0
    later = strategy.choose(PageTable.of(10, last_visit=last), Budget(9), 9.0)
    assert later.rows.tolist()[-1] == 0  # due at 10; its neighbour, unchanged, at 12
    new = PageTable.of(2, last_visit=[0.0, np.nan])
    assert NutchAdaptive(start=4.0).choose(new, Budget(1), 100.0).rows.tolist() == [1]
    with pytest.raises(ValueError, match="intervals"):
        NutchAdaptive(start=0.5)
