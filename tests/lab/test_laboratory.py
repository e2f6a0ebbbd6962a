"""Budgets of a simulation, as people write them."""

import pytest

from strandline.errors import UsageError
from strandline.lab.laboratory import SimulationWish, run_simulation


def wish(budgets):
    synthetic = (14, 50, 1, 0)
    return SimulationWish(None, None, None, "round-robin", budgets, "pool", 0.0, synthetic, True, False, None)


def test_requests_a_day_are_the_same_as_their_percentage_of_the_pages():
    told = run_simulation(wish("120/day, 10/hour, 9999/hour"), None)
    same = run_simulation(wish("10,20,100"), None)
    assert [row.budget for row in told] == [10.0, 20.0, 100.0]
    assert [row.pool for row in told] == [row.pool for row in same]


@pytest.mark.parametrize("budgets", ["ten", "5/fortnight", "20 MB/day", "0/day"])
def test_what_is_no_budget_is_said(budgets):
    with pytest.raises(UsageError):
        run_simulation(wish(budgets), None)
