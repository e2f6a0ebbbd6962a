"""A budget is kept in every span of time, whatever is asked of it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.plan.budget import Allowance
from strandline.plan.budget_meter import LEAST_COST, USUAL_SIZE, Purse


def test_what_was_spent_comes_back_one_span_after_the_answer():
    purse = Purse(Allowance(2, 1), 10.0, 100.0)
    purse.begun(1)
    purse.begun(2)
    assert purse.requests(100.0) == 0
    purse.ended(1, 103.0, 500, False)
    purse.ended(2, 105.0, 500, False)
    assert [purse.requests(now) for now in (112.9, 113.0, 114.9, 115.0)] == [0, 1, 1, 2]


@settings(max_examples=60, deadline=None)
@given(
    amount=st.integers(1, 6),
    steps=st.lists(st.tuples(st.floats(0.0, 4.0), st.floats(0.0, 3.0)), min_size=1, max_size=60),
)
def test_no_span_of_the_servers_log_holds_more_than_the_budget(amount, steps):
    """The server sees a request somewhere between its beginning and its end."""
    purse = Purse(Allowance(amount, 1), 10.0, 0.0)
    now, seen, open_until = 0.0, [], []
    for ticket, (gap, lasts) in enumerate(steps):
        now += gap
        for ends, number in sorted(open_until):
            if ends <= now:
                purse.ended(number, ends, 100, False)
                open_until.remove((ends, number))
        if purse.requests(now):
            purse.begun(ticket)
            seen.append(now + lasts * (ticket % 3) / 2)
            open_until.append((now + lasts, ticket))
    seen.sort()
    for start in seen:
        assert sum(start <= time < start + 10.0 for time in seen) <= amount


def test_spending_before_a_restart_counts_and_a_clock_set_back_makes_nothing_free():
    purse = Purse(Allowance(3, 1), 10.0, 1000.0, past=[(9.0, 1.0), (-500.0, 1.0), (11.0, 1.0)])
    assert purse.requests(1000.0) == 1
    assert purse.requests(1001.0) == 2
    assert purse.requests(1010.0) == 3


def test_a_daily_budget_is_dealt_out_and_what_is_left_is_carried_over_until_midnight():
    purse = Purse(Allowance(48, 24), 60.0, 0.0)
    assert purse.for_hour(0.0, 0.0) == 2
    assert purse.for_hour(3.5, 210.0) == 8, "nothing was spent for three hours"
    for ticket in range(5):
        purse.begun(ticket)
        purse.ended(ticket, 210.0 + ticket, 10, False)
    assert purse.for_hour(3.9, 234.0) == 8, "what this hour spent is part of its own"
    assert purse.for_hour(4.5, 270.0) == 5
    assert purse.for_hour(24.2, 1452.0) == 2, "a new day"


def test_an_hourly_budget_carries_nothing_over():
    purse = Purse(Allowance(5, 1), 60.0, 0.0)
    assert purse.for_hour(7.5, 450.0) == 5


def test_bytes_are_set_aside_by_what_answers_usually_have():
    purse = Purse(Allowance(100_000, 24, in_bytes=True), 3600.0, 0.0)
    assert purse.requests(0.0) == int(100_000 // USUAL_SIZE)
    purse.begun(1)
    assert purse.ended(1, 1.0, 1_000, False) == 1_000
    assert purse.room(1.0) == 99_000
    assert purse.price < USUAL_SIZE


@pytest.mark.parametrize(("counting", "cost"), [("request", 1.0), ("bytes", LEAST_COST)])
def test_an_unchanged_answer_costs_what_the_user_says(counting, cost):
    purse = Purse(Allowance(10, 1), 60.0, 0.0, unchanged=counting)
    purse.begun(1)
    assert purse.ended(1, 1.0, 150, True) == pytest.approx(cost, abs=0.01)
    purse.begun(2)
    assert purse.ended(2, 1.0, 40_000, False) == 1.0
    assert purse.ended(3, 1.0, 40_000, False) == 0.0, "never begun"
