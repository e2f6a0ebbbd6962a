"""GREEDY-NCIS against its definition: value functions by simulation, and the optimum of freshness without signals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.checks import failures
from strandline.core.plan.budget import Budget
from strandline.core.plan.strategy import Outcomes, PageTable
from strandline.core.rivals.greedy_ncis import GreedyNcis, crawl_value, effective_age, poisson_tail


def simulated(age, unsignalled, signals, false, rng, runs=40_000):
    """Time between fetches, and of it fresh, when a page is fetched at an effective age: drawn cycle by cycle."""
    step = np.log(signals / false) / unsignalled
    between, fresh = np.empty(runs), np.empty(runs)
    right = signals - false
    for run in range(runs):
        time, heard, stale = 0.0, 0, np.inf
        stale = rng.exponential(1.0 / unsignalled)
        while True:
            until = rng.exponential(1.0 / signals)
            due = max(age - heard * step, time)
            if time + until >= due:
                time = due
                break
            time += until
            heard += 1
            if rng.random() < right / signals:
                stale = min(stale, time)
        between[run], fresh[run] = time, min(time, stale)
    return fresh.mean() - np.exp(-unsignalled * age) * between.mean()


@pytest.mark.parametrize(("age", "rates"), [(3.0, (0.2, 0.5, 0.2)), (6.0, (0.1, 0.3, 0.2)), (1.0, (0.5, 1.0, 0.4))])
def test_the_value_is_what_cycles_bring(age, rates):
    value = crawl_value(np.array([age]), *(np.array([rate]) for rate in rates))[0]
    assert value == pytest.approx(simulated(age, *rates, np.random.default_rng(1)), abs=0.03)


@given(st.floats(0.01, 2.0), st.floats(0.0, 20.0))
def test_without_signals_it_is_the_value_of_freshness(rate, age):
    still = np.zeros(1)
    value = crawl_value(np.array([age]), np.array([rate]), still, still)[0]
    assert value == pytest.approx((1.0 - (1.0 + rate * age) * np.exp(-rate * age)) / rate, abs=1e-9)


@given(st.integers(1, 6), st.floats(0.0, 12.0))
def test_the_tail_is_the_obvious_sum(least, mean):
    term, below = np.exp(-mean), 0.0
    for number in range(least):
        below += term
        term = term * mean / (number + 1)
    assert poisson_tail(least, np.array([mean]))[0] == pytest.approx(1.0 - below, abs=1e-12)


@settings(max_examples=50)
@given(st.floats(0.05, 1.0), st.floats(0.1, 2.0), st.floats(0.01, 0.9), st.integers(0, 4))
def test_a_signal_makes_a_page_look_older_by_as_much_as_it_tells(unsignalled, signals, part, heard):
    false = part * signals
    old = effective_age(*(np.array([x]) for x in (2.0, float(heard), unsignalled, signals, false)))[0]
    assert np.exp(-unsignalled * old) == pytest.approx(np.exp(-2.0 * unsignalled) * part**heard, rel=1e-6)


def test_it_keeps_the_promises_of_a_strategy():
    assert list(failures(GreedyNcis)) == []


def test_it_learns_whose_signals_are_right():
    pages = PageTable.of(40, site=np.arange(40) // 20, last_visit=0.0, rate=0.05)
    strategy = GreedyNcis()
    for period in range(1, 30):
        told = np.array([period % 20, 20 + period % 20])
        strategy.hear(pages, told, np.full(2, float(period)))
        strategy.observe(pages, Outcomes.of(told, float(period), [True, False]))
    recall, false = strategy.quality(pages)
    assert recall[0] > 0.9 and false[0] < false[20]
    strategy.hear(pages, np.array([7, 27]), np.full(2, 30.0))
    assert strategy.choose(pages, Budget(1), 31.0).rows.tolist() == [7]


def test_where_nothing_is_signalled_age_is_time_without_a_warning():
    with np.errstate(all="raise"):
        age = effective_age(np.array([2.0, 3.0]), np.array([0.0, 1.0]), np.full(2, 0.1), np.zeros(2), np.zeros(2))
    assert age[0] == 2.0 and age[1] > 3.0
