"""The price of a fetch follows decisions, is asked about often at first and rarely later, and can be agreed on."""

from types import SimpleNamespace

import numpy as np
import pytest

from strandline.core.plan.budget import Budget
from strandline.core.plan.running_price import RunningPrice, sampled


def test_more_wanted_than_there_is_makes_visits_dearer():
    price = RunningPrice(step=0.1, day=24)
    price.now = 1.0
    price.move(20, Budget(10))
    dearer = price.now
    price.move(0, Budget(10))
    assert dearer == pytest.approx(np.exp(0.1)) and price.now == pytest.approx(1.0)
    price.move(10_000, Budget(10))
    assert price.now == pytest.approx(np.exp(0.1)), "one decision moves it by a step at most"


def test_an_agreed_price_stays():
    price = RunningPrice(step=0.1, day=24)
    price.agree(0.5)
    price.start(SimpleNamespace(last=[]), Budget(10))
    price.move(20, Budget(10))
    assert price.now == 0.5 and not price.due(1e9)


def test_it_is_asked_about_often_at_first_then_once_a_day():
    price = RunningPrice(step=0.1, day=24)
    price.now = 1.0
    asked = [hour for hour in range(24 * 40) if price.due(float(hour))]
    gaps = np.diff(asked)
    assert asked[0] <= 1 and gaps[:3].max() <= 2
    assert (np.diff(gaps) >= -1).all() and set(gaps[-5:].tolist()) == {24}
    price.due(-100.0)
    assert price.due(-99.0), "a clock that was set back does not stop the questions"


@pytest.mark.parametrize("count", [0, 1, 4096, 10_000, 1_000_000])
def test_a_sample_is_bounded_and_spread(count):
    rows = sampled(count)
    assert len(rows) <= 2 * 4096 and (count == 0 or (rows[0] == 0 and rows[-1] >= count - max(1, count // 4096)))


@pytest.mark.parametrize(("days", "decided", "anew"), [(10, 10, True), (30, 10, False), (30, 30, True), (30, 2, False)])
def test_after_two_weeks_the_decisions_must_say_so_too(monkeypatch, days, decided, anew):
    """Pages want twice what there is, by even spacing. Where decisions find the price right, it is left alone."""
    price, budget = RunningPrice(step=1e-9, day=24), Budget(10)
    price.now = 1.0
    monkeypatch.setattr(RunningPrice, "wanted", staticmethod(lambda tables, at: 20.0))
    for hour in range(24 * days):
        price.due(float(hour))
        price.move(decided, budget)
    price.check(SimpleNamespace(last=[]), budget)
    assert (price.now == 0.0) == anew
