"""Pages that are due, never fetched, kept out by caps, or related: without looking at the others."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.growing import with_room
from strandline.core.plan.budget import Budget
from strandline.core.plan.due_pages import LATE, DuePages, put_off
from strandline.core.plan.priced_kernels import Pages
from strandline.core.plan.timing_wheel import Chains, TimingWheel


def pages(last, value):
    count = len(last)
    ones = np.ones((count, 1))
    return Pages(
        ones.astype(np.float32), ones.astype(np.float32), ones, np.asarray(value, float)[:, None], np.full(count, 0.1),
        np.ones(count), np.asarray(last, float), np.full(count, 0.5), np.ones(count), np.full(count, 0.2),
        np.zeros(count, np.bool_), np.zeros(count, np.int64), np.zeros(1, np.int64), np.zeros(1),
    )  # fmt: skip


def test_never_fetched_pages_come_first_the_most_valuable_before_all():
    table = pages([np.nan, 0.0, np.nan, np.nan, np.nan], [1.0, 1.0, 5.0, 0.0, 3.0])
    due = DuePages()
    due.expect(table, np.arange(5), 0.2, 100.0)
    assert due.take(100, 2, 10).tolist() == [2, 4, 1]  # page 1 is due as well
    assert due.take(100, 1, 10).tolist() == [0]
    assert due.take(100, 1, 10).tolist() == [3]  # of no value: only when there is nothing else
    due.list_new(table, np.array([4]), 100.0)
    due.list_new(table, np.array([4]), 100.0)
    assert due.take(100, 5, 10).tolist() == [4]  # listed twice, named once


def test_a_page_never_fetched_that_is_worth_less_than_before_waits_its_turn():
    """A campaign is over: what it had raised goes back to its place."""
    due = DuePages()
    due.expect(pages([np.nan, np.nan], [50.0, 8.0]), np.arange(2), 0.2, 100.0)
    due.expect(pages([np.nan, np.nan], [5.0, 8.0]), np.array([0]), 0.2, 101.0)
    assert [due.take(101, 1, 1).tolist() for _ in range(3)] == [[1], [0], []]


def test_pages_never_fetched_that_are_listed_over_and_over_take_no_more_room():
    due, rng = DuePages(), np.random.default_rng(2)
    for hour in range(200):
        worth = rng.uniform(1.0, 9.0, 50)
        due.expect(pages([np.nan] * 50, worth), np.arange(50), 0.2, float(hour))
    assert len(due._new) < 50 * 30
    assert due.take(200, 50, 50).tolist() == np.argsort(-worth).tolist()


def test_pages_kept_out_by_a_cap_return_as_the_cap_allows():
    budget = Budget(10, host_caps={7: 2, 8: 0})
    advantage = np.array([1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0])
    wait = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 3.0, np.inf])
    worth = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0])
    again = put_off(np.array([7, 7, 7, 8, 9, 7, 7]), budget, (advantage, wait, worth), latest=50.0)
    assert again.tolist() == [1.0, 1.0, 2.0, LATE, 1.0, 3.0, LATE]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 30), min_size=1, max_size=40), st.integers(1, 7))
def test_what_is_not_taken_stays_due_and_nothing_is_lost(times, most):
    """Taking a few at a time names every due row once, the longest due first."""
    wheel = TimingWheel(len(times), slots=64)
    wheel.put(np.arange(len(times)), np.array(times, float))
    taken = []
    while len(rows := wheel.due(15, at_most=most)):
        assert len(rows) <= most
        taken += rows.tolist()
    assert sorted(taken) == [row for row, time in enumerate(times) if time <= 15]
    assert [times[row] for row in taken] == sorted(times[row] for row in taken)
    assert sorted(wheel.due(30).tolist()) == [row for row, time in enumerate(times) if time > 15]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.lists(st.integers(0, 9), max_size=5), max_size=8))
def test_chains_are_lists_of_rows_by_group(parts):
    chains, groups = Chains(), []
    for part in parts:
        chains.add(np.array(part, dtype=np.int64))
        groups += part
    for group in range(11):
        assert sorted(chains.of(group).tolist()) == [row for row, own in enumerate(groups) if own == group]
        assert len(chains.of(group, at_most=2)) <= 2


def test_room_is_doubled_not_added():
    room = with_room(np.arange(20.0), 20, 21)
    assert len(room) == 40
    assert with_room(room, 21, 40) is room
    assert room[:20].tolist() == list(range(20))
