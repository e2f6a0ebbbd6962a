import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.core.history.calendar import Cycle, LocalCalendar, Periods
from strandline.core.history.series import PageSeries, Sighting
from strandline.core.mining.patterns import (
    group_numbers,
    index_threshold,
    indexed_versions,
    page_pattern,
    period_means,
    shared_patterns,
)

MONDAY = 1_736_121_600.0  # 6 January 2025, 00:00 UTC


def page_with(shape, level, days, rng, periods=None) -> PageSeries:
    """Hourly captures of a page whose changes follow a shape of 24 hours."""
    cut = periods or Periods()
    series, calendar = PageSeries.empty(cut), LocalCalendar(cut)
    changed = rng.random(days * 24) < 1 - np.exp(-level * np.tile(shape, days))
    series.observe_all(
        calendar, [Sighting(MONDAY), *(Sighting(MONDAY + (i + 1) * 3600, 0.2 * hit) for i, hit in enumerate(changed))]
    )
    return series


def bump(hour: float, width: float = 2.0) -> np.ndarray:
    distance = np.abs((np.arange(24) + 0.5 - hour + 12) % 24 - 12)
    shape = 0.15 + np.exp(-((distance / width) ** 2) / 2)
    return shape / shape.mean()


SHAPES = {"morning": bump(8), "evening": bump(20), "flat": np.ones(24)}


@pytest.mark.parametrize("seed", [2, 5])
def test_pages_that_keep_the_same_hours_are_found(seed):
    rng = np.random.default_rng(seed)
    pages = {
        f"{name}/{i}": page_with(shape, rng.uniform(0.05, 0.3), 56, rng)
        for name, shape in SHAPES.items()
        for i in range(12)
    }
    groups = shared_patterns(pages)
    assert len(groups) == 3
    for group in groups:
        assert len({member.split("/")[0] for member in group.members}) == 1
        assert len(group.members) == 12
    numbers = group_numbers(groups)
    assert set(numbers) == set(pages)
    morning = groups[numbers["morning/0"]]
    assert 6 <= int(np.argmax(morning.shape[0])) <= 9
    assert morning.busiest(Periods().kinds).startswith(("workday", "saturday", "sunday"))


def test_pages_of_one_shape_stay_together_whatever_their_level():
    rng = np.random.default_rng(2)
    pages = {
        str(i): page_with(SHAPES["evening"], level, 42, rng) for i, level in enumerate(np.geomspace(0.02, 1.0, 20))
    }
    assert len(shared_patterns(pages)) == 1


def test_noise_alone_makes_no_groups():
    rng = np.random.default_rng(8)
    pages = {str(i): page_with(np.ones(24), 0.04, 28, rng) for i in range(40)}
    assert len(shared_patterns(pages)) == 1


def test_equal_pages_and_weeks_are_one_group():
    series = page_with(SHAPES["morning"], 0.4, 28, np.random.default_rng(4))
    assert [len(group.members) for group in shared_patterns({"a": series, "b": series, "c": series})] == [3]
    week = Periods(cycle=Cycle.WEEK, count=168)
    rng = np.random.default_rng(1)
    pages = {str(i): page_with(SHAPES["evening"], 0.3, 28, rng, week) for i in range(6)}
    assert [len(group.members) for group in shared_patterns(pages)] == [6]


def test_few_or_no_changes():
    assert shared_patterns({}) == []
    still = page_with(np.zeros(24), 1.0, 3, np.random.default_rng(0))
    assert shared_patterns({"still": still}) == []
    rng = np.random.default_rng(1)
    rare = page_with(np.ones(24), 0.02, 7, rng)
    assert rare.changes.sum() > 0
    groups = shared_patterns({"rare": rare, "still": still})
    assert [group.members for group in groups] == [("rare",)]


def test_all_changes_in_one_instant():
    series, calendar = PageSeries.empty(Periods()), LocalCalendar(Periods())
    series.observe_all(calendar, [Sighting(MONDAY), *[Sighting(MONDAY, 0.5)] * 20])
    (group,) = shared_patterns({"x": series})
    assert np.isfinite(group.shape).all()
    assert index_threshold(period_means(series), series.observed) == 0.0


def test_different_periods_cannot_be_shared():
    rng = np.random.default_rng(3)
    day = page_with(np.ones(24), 0.5, 7, rng)
    week = page_with(np.ones(24), 0.5, 7, rng, Periods(cycle=Cycle.WEEK, count=168))
    with pytest.raises(ValueError, match="same cycle"):
        shared_patterns({"a": day, "b": week})


def test_the_shown_pattern_is_json_with_24_numbers_per_kind():
    rng = np.random.default_rng(3)
    data = json.loads(
        json.dumps(page_pattern(page_with(SHAPES["morning"], 0.4, 9, rng), group=1).as_data(), allow_nan=False)
    )
    assert data["zone"] == "UTC"
    assert set(data["kinds"]) == {"workday", "saturday", "sunday"}  # no holiday was observed
    assert all(len(values) == 24 for values in data["kinds"].values())
    assert data["group"] == 1


def test_a_page_seen_once_has_no_pattern_yet():
    series, calendar = PageSeries.empty(Periods()), LocalCalendar(Periods())
    series.observe(calendar, Sighting(MONDAY))
    pattern = page_pattern(series)
    assert pattern.kinds == {}
    assert pattern.threshold == 0.0


def test_an_unobserved_hour_is_shown_as_the_mean_of_its_kind():
    series, calendar = PageSeries.empty(Periods()), LocalCalendar(Periods())
    hours = [Sighting(MONDAY + i * 3600, 0.5 if i else 0.0) for i in range(13)]
    series.observe_all(calendar, hours)
    assert np.isnan(period_means(series)[0, 12:]).all()
    assert page_pattern(series).kinds["workday"] == pytest.approx((0.5,) * 24)
    np.testing.assert_allclose(period_means(series, of="changes")[0, :12], 1.0)


@given(st.lists(st.lists(st.floats(0, 1), min_size=6, max_size=6), min_size=1, max_size=8))
def test_threshold_is_the_mean_of_the_pattern(days):
    pattern = np.mean(days, axis=0)
    assert index_threshold(pattern) == pytest.approx(float(np.sum(pattern)) / 6)


def slow_indexing(importances, delta):
    """Algorithm 4, line by line."""
    indexed, imp = [], 0.0
    for mu in importances:
        if mu >= delta or imp >= delta:
            indexed.append(True)
            imp = 0.0
        else:
            indexed.append(False)
            imp = imp + mu
    return indexed


@given(st.lists(st.floats(0, 1), max_size=60), st.floats(0, 1))
def test_indexing_follows_algorithm_4_and_bounds_what_is_skipped(importances, delta):
    chosen = indexed_versions(importances, delta).tolist()
    assert chosen == slow_indexing(importances, delta)
    skipped = 0.0
    for amount, kept in zip(importances, chosen, strict=True):
        skipped = 0.0 if kept else skipped + amount
        assert skipped < 2 * delta or delta == 0.0


def test_what_was_skipped_is_enough_when_it_is_just_the_threshold():
    assert indexed_versions([0.25, 0.25, 0.0, 0.25], 0.5).tolist() == [False, False, True, False]


def test_nonsense_is_refused():
    with pytest.raises(ValueError, match="from 0 up"):
        indexed_versions([0.1, float("nan")], 0.5)
    with pytest.raises(ValueError, match="from 0 up"):
        indexed_versions([-0.1], 0.5)
    assert indexed_versions([], 0.5).size == 0


@pytest.mark.parametrize("cycle", [Cycle.WEEK, Cycle.MONTH])
def test_days_of_a_week_or_month_that_were_never_watched_are_not_made_up(cycle):
    periods = Periods("UTC", None, cycle, 7 if cycle is Cycle.WEEK else 31)
    count = periods.count
    observed, importance = np.zeros((1, count)), np.zeros((1, count))
    observed[0, :3], importance[0, :3] = 2.0, (0.2, 0.4, 0.0)
    series = PageSeries(periods, importance, np.ceil(importance), observed, captures=3)
    (values,) = page_pattern(series).kinds.values()
    assert values[:3] == pytest.approx((0.1, 0.2, 0.0)) and values[3:] == (None,) * (count - 3)
    assert None in next(iter(page_pattern(series).as_data()["kinds"].values()))
