"""The price and the cut of many sites against one look at all pages."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.plan.budget import Budget
from strandline.core.plan.knowledge import KnownPatterns
from strandline.core.plan.priced_plan import PricedPlan
from strandline.core.plan.shared_price import EDGES, NO_OFFERS, PRICES, above_cut, counted, cut_for, price_for
from strandline.core.plan.strategy import PageTable

urgencies = st.lists(st.floats(-100.0, 100.0), min_size=1, max_size=60)


@settings(max_examples=100, deadline=None)
@given(urgencies, st.integers(0, 80))
def test_a_cut_lets_as_many_through_as_a_look_at_all_of_them_but_for_one_step(found, visits):
    every = np.array(found)
    offers = counted(every)
    cut = cut_for(offers, visits)
    if len(every) <= visits:
        assert cut == -np.inf
        return
    step = int(np.searchsorted(EDGES, cut, side="right"))
    surely, perhaps = offers[step + 1 :].sum(), offers[max(step - 1, 0) :].sum()
    assert surely <= visits <= perhaps
    exactly = np.sort(every)[::-1][visits - 1] if visits else np.inf
    place = int(np.searchsorted(EDGES, exactly, side="right"))
    assert not visits or step - 1 <= place <= NO_OFFERS
    assert above_cut(offers, cut) == pytest.approx(visits, abs=max(1e-6, offers[step]))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(1e-4, 0.9), min_size=1, max_size=8), st.floats(0.01, 0.99))
def test_the_price_is_where_demands_add_up_to_the_budget(sizes, part):
    """Each site wants one visit less for each doubling of the price, down to none."""
    demand = sum(np.maximum(0.0, 10.0 - np.log2(PRICES / size)) for size in sizes)
    visits = part * float(demand[0])
    price = price_for(demand, visits)
    wanted = sum(np.maximum(0.0, 10.0 - np.log2(price / size)) for size in sizes)
    steps = np.diff(demand)
    assert abs(wanted - visits) <= abs(steps.min()) + 1e-9


def plan_of(rates):
    cycle = np.zeros(168, dtype=np.int64)
    return PricedPlan(KnownPatterns(rates[:, None], np.full((len(rates), 1), 0.5), cycle))


def table_of(rates):
    return PageTable.of(len(rates), page=np.arange(len(rates)), last_visit=np.full(len(rates), -5.0), rate=rates)


def test_sites_planned_apart_find_the_price_of_one_plan_over_all_their_pages():
    rng = np.random.default_rng(7)
    sites = [rng.uniform(0.001, 0.2, 40), rng.uniform(0.0005, 0.01, 60), rng.uniform(0.1, 0.9, 20)]
    budget = Budget(12)
    whole = plan_of(np.concatenate(sites))
    whole.ready(table_of(np.concatenate(sites)), budget, 0.0)
    demands = []
    for rates in sites:
        one = plan_of(rates)
        one.ready(table_of(rates), budget, 0.0)
        demands.append(one.demand(PRICES))
    price = price_for(np.sum(demands, axis=0), budget.of_period)
    assert price == pytest.approx(whole.price, rel=0.05)
    agreed = plan_of(sites[2])
    agreed.agree(price)
    agreed.choose(table_of(sites[2]), budget, 0.0)
    assert agreed.price == price
    shares = [float(np.interp(np.log(price), np.log(PRICES), demand)) for demand in demands]
    assert sum(shares) == pytest.approx(12.0, rel=0.1)
    assert shares[2] / 20 > shares[0] / 40 > shares[1] / 60, "what changes more often gets more"
