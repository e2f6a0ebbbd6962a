import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.plan.timing_wheel import TimingWheel


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.lists(st.tuples(st.integers(0, 11), st.integers(0, 40)), max_size=6)),
        max_size=25,
    )
)
def test_the_wheel_is_a_table_of_due_times(steps):
    """Against a plain dictionary of due times; due beyond one turn of the ring included."""
    wheel, due, now = TimingWheel(12, slots=8), dict.fromkeys(range(12), 0), 0
    for wait, puts in steps:
        now += wait
        taken = sorted(wheel.due(now).tolist())
        expected = sorted(row for row, when in due.items() if when <= now)
        assert taken == expected
        for row in taken:
            due.pop(row)
        for row, ahead in puts:
            wheel.put(np.array([row]), np.array([float(now + ahead)]))
            due[row] = now + ahead


def test_rows_due_next_fill_the_budget():
    wheel = TimingWheel(4, slots=16)
    wheel.put(np.arange(4), np.array([5.0, 7.0, 6.0, 9.0]))
    assert sorted(wheel.due(5, at_least=3).tolist()) == [0, 1, 2]


def test_a_clock_that_jumps_ahead_or_back_loses_no_row():
    wheel = TimingWheel(3, slots=8)
    wheel.put(np.arange(3), np.array([4.0, 100.0, 5000.0]))
    assert sorted(wheel.due(1000).tolist()) == [0, 1]
    wheel.put(np.array([0, 1]), np.array([1001.0, 1002.0]))
    assert wheel.due(10).tolist() == []
    assert sorted(wheel.due(1002).tolist()) == [0, 1]
    assert wheel.due(5000).tolist() == [2]


def test_due_times_go_back_with_the_clock():
    """A clock that was a year ahead and is set right: pages are due as long from now as they were then."""
    wheel = TimingWheel(5, slots=8)
    wheel.put(np.arange(5), np.array([9000.0, 9001.0, 9005.0, 9100.0, 9000.0]))
    assert sorted(wheel.due(9000, at_most=1).tolist() + wheel.due(9000).tolist()) == [0, 4]
    wheel.put(np.array([0]), np.array([9002.0]))
    assert wheel.due(8999).tolist() == []  # an hour more or less is nothing
    assert wheel.due(240).tolist() == []
    wheel.put(np.array([4]), np.array([241.0]))
    assert [sorted(wheel.due(now).tolist()) for now in (241, 242, 244, 245, 339, 340)] == [
        [1, 4],
        [0],
        [],
        [2],
        [],
        [3],
    ]


def test_growing():
    wheel = TimingWheel(1, slots=8)
    wheel.put(np.array([0]), np.array([50.0]))
    wheel.grow(3, due=2.0)
    assert len(wheel) == 3
    assert sorted(wheel.due(2).tolist()) == [1, 2]


def test_a_wheel_needs_slots():
    with pytest.raises(ValueError, match="slots"):
        TimingWheel(3, slots=1)
