"""Hours of a watch as seconds that were lived."""

import datetime as dt

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.history.lived_time import LivedTime

START = 1_790_000_000.0


def test_without_a_watch_of_its_own_hours_time_is_that_of_the_clock():
    time = LivedTime()
    assert time.by_clock
    assert time.pace == 1.0
    assert time.lived(START) == time.clock(START) == START


def test_the_first_watch_begins_on_a_monday_midnight_and_hours_go_on_at_another_speed():
    time = LivedTime(((START, 0.0, 2.0), (START + 20.0, 10.0, 36.0)))
    begin = dt.datetime.fromtimestamp(time.lived(START), dt.UTC)
    assert (begin.weekday(), begin.hour, begin.minute) == (0, 0, 0)
    assert 0.0 <= START - time.lived(START) < 7 * 86_400
    hours = (
        time.lived(np.array([START - 3600.0, START, START + 2.0, START + 20.0, START + 56.0])) - time.lived(START)
    ) / 3600
    assert hours.tolist() == [-1.0, 0.0, 1.0, 10.0, 11.0]
    assert time.pace == 0.01


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.tuples(st.floats(1.0, 1e5), st.floats(0.5, 3600.0)), min_size=1, max_size=4),
    st.lists(st.floats(-1e5, 1e6), min_size=1, max_size=8),
)
def test_order_is_kept_and_there_is_a_way_back(watches, moments):
    pieces, start, hour = [], START, 0.0
    for lasts, length in watches:
        pieces.append((start, hour, length))
        start, hour = start + lasts, hour + lasts / length
    time = LivedTime(tuple(pieces))
    clock = np.sort(np.array(moments)) + START
    lived = time.lived(clock)
    assert (np.diff(lived) >= 0).all()
    assert np.allclose([time.clock(float(one)) for one in lived], clock, rtol=0, atol=1e-3)
