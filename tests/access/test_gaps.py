"""The time between captures, and what is expected of it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.access.gaps import Hours, Pages, Said, Sights, changes_until, gaps_of
from strandline.core.beliefs.estimate import Estimate
from strandline.core.quality.missed import missed_changes

CYCLE = np.array([0, 1, 1, 0, 2], dtype=np.int64)


def estimated(rate):
    rate = np.array(rate, dtype=np.float32)
    count, bins = rate.shape
    return Estimate(rate, np.full_like(rate, 0.5), np.ones((count, 3)), np.full((count, 3), 1 / 3), np.full(bins, 1.0))


def pages(rate, count=1, **facts):
    nobody = np.full(count, np.nan)
    every = {"site": np.zeros(count, np.int64), "directory": np.zeros(count, np.int64), "ended": nobody, "said": Said()}
    return Pages(estimated(np.tile(rate, (count, 1))), Hours(), **(every | facts))


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.floats(-30, 60)), min_size=1, max_size=20),
    st.lists(st.floats(0, 5), min_size=9, max_size=9),
    st.lists(st.integers(-3, 3), min_size=3, max_size=3),
)
def test_expected_changes_follow_the_hours_of_each_page(asked, rates, shift):
    """Against stepping through the hours one by one."""
    rate = np.array(rates).reshape(3, 3)
    asked.sort()
    row, time = (np.array(column) for column in zip(*asked, strict=True))
    found = changes_until(estimated(rate), Hours(CYCLE, np.array(shift, float)), row, time.astype(float))

    def slowly(page, until):
        total, now, end = 0.0, min(0.0, until), max(0.0, until)
        while now < end:
            following = min(np.floor(now) + 1.0, end)
            total += np.float32(rate[page, CYCLE[int(np.floor(now)) % 5]]) * (following - now)
            now = following
        return total if until > 0 else -total

    for place, (page, moment) in enumerate(asked):
        assert found[place] == pytest.approx(slowly(page, moment + shift[page]), abs=1e-4)


def test_gaps_are_those_between_captures_and_after_the_last():
    sights = Sights.of(np.array([0, 0, 0, 1]), np.array([1.0, 3.0, 6.0, 2.0]), np.array([False, True, False, False]))
    gaps = gaps_of(pages([0.5], 3), sights, 10.0)
    assert (gaps.page.tolist(), gaps.changed.tolist()) == ([0, 0], [True, False])
    assert gaps.expected.tolist() == [1.0, 1.5]
    assert gaps.after.tolist() == [2.0, 4.0, 0.0], "the third page was never captured"
    gone = gaps_of(pages([0.5], 3, ended=np.array([7.0, 1.0, np.nan])), sights, 10.0)
    assert gone.after.tolist() == [0.5, 0.0, 0.0]


def test_no_captures_no_gaps():
    nothing = np.empty(0, dtype=np.int64)
    gaps = gaps_of(pages([0.5], 2), Sights.of(nothing, np.empty(0), np.empty(0, dtype=bool)), 10.0)
    assert (len(gaps.page), gaps.after.tolist()) == (0, [0.0, 0.0])


@pytest.mark.parametrize(
    ("time", "seen", "readings", "until"),
    [
        (8.2, 9.0, [7.0, 8.0, 9.0], 8.0),
        (8.2, 9.5, [7.0, 8.0, 9.5], np.nan),  # told by the visit itself, for instance by its Last-Modified
        (8.2, 9.0, [9.0], np.nan),  # asked for the first time since the last capture: how often it changed is not known
        (8.2, 9.0, [], np.nan),
        (-1.0, 9.0, [7.0, 9.0], np.nan),  # of a change before the last capture
        (9.9, 9.0, [7.0, 9.0], np.nan),  # of a change that lies in the future
    ],
)
def test_a_site_that_was_asked_and_said_nothing_tells_something(time, seen, readings, until):
    sights = Sights.of(np.zeros(2, np.int64), np.array([0.0, 9.5]), np.array([False, True]))
    said = Said(np.array([0]), np.array([time]), np.array([seen]), {0: np.array(readings)})
    found = said.silent_until(sights, np.zeros(1, np.int64))
    assert np.array_equal(found, [np.nan, until], equal_nan=True)


def test_what_was_said_of_a_time_still_to_come_is_no_silence_before_it():
    """At seven a feed told of a change at nine: it was asked at eight, and had told already."""
    sights = Sights.of(np.zeros(2, np.int64), np.array([0.0, 9.5]), np.array([False, True]))
    said = Said(np.array([0]), np.array([9.0]), np.array([7.0]), {0: np.array([7.0, 8.0])})
    assert np.isnan(said.silent_until(sights, np.zeros(1, np.int64))).all()


def test_visits_that_a_feed_called_for_do_not_make_a_page_seem_to_change_all_the_time():
    rng, days, per_day = np.random.default_rng(4), 60, 4.0
    rows, times, changed, told, true = [], [], [], [], 0
    for page in range(20):
        changes = np.cumsum(rng.exponential(24 / per_day, 2 * days * 4))
        changes = changes[changes < 24.0 * days]
        true += len(changes)
        looks = np.unique(np.concatenate([np.arange(0.0, 24.0 * days, 48.0), np.ceil(changes) + 0.3]))
        seen = np.diff(np.searchsorted(changes, looks), prepend=0) > 0
        rows += [page] * len(looks)
        times += looks.tolist()
        changed += seen.tolist()
        told += [(page, when, np.ceil(when)) for when in changes]
    sights = Sights.of(np.array(rows), np.array(times), np.array(changed))
    columns = [np.array(column) for column in zip(*told, strict=True)]
    said = Said(columns[0].astype(np.int64), columns[1], columns[2], {0: np.arange(24.0 * days)})
    found = int(sights.new.sum())
    believed = pages([3.0 * per_day / 24.0], 20)  # rates that were learned from such visits are too high, too
    fooled = missed_changes(gaps_of(believed, sights, 24.0 * days)).mean.sum() + found
    knowing = missed_changes(gaps_of(pages([3.0 * per_day / 24.0], 20, said=said), sights, 24.0 * days)).mean.sum()
    assert knowing + found == pytest.approx(true, rel=0.1)
    assert fooled > 1.5 * true


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9), st.booleans(), st.booleans()), max_size=20))
def test_two_kinds_of_versions_of_the_same_captures(captures):
    columns = [np.array(column) for column in zip(*captures, strict=True)] or [np.empty(0, np.int64)] * 4
    row, time = columns[0].astype(np.int64), columns[1].astype(float)
    changed, shown = columns[2].astype(bool), columns[3].astype(bool)
    pair = Sights.pair(row, time, changed, shown)
    for found, expected in zip(pair, (Sights.of(row, time, changed), Sights.of(row, time, shown)), strict=True):
        for name in ("row", "time", "version"):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    assert Sights.pair(row, time, changed, None)[1].version.tolist() == pair[0].version.tolist()
