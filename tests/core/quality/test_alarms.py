"""Alarms keep silent over noise and find real drops soon, whatever the site's own normal is."""

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from strandline.core.quality.alarms import (
    COLD,
    GONE,
    LEAST_VISITS,
    SETTLED,
    SMALLER,
    Judged,
    Normal,
    Point,
    is_strange,
    judge,
    normal_of,
)


class Series:
    """Observations judged one after the other, as the watch does."""

    def __init__(self, signal):
        self.signal = signal
        self.past = []
        self.is_open = False
        self.events = []

    def see(self, value, visits=0):
        judged = judge(self.past, Point(value, visits), self.signal, self.is_open)
        self.past.append(Point(value, visits, judged.strange))
        if judged.change:
            self.is_open = judged.change == "opens"
            self.events.append((len(self.past), judged.change))
        if judged.change == "settles":
            self.past = [Point(one.value, one.visits) for one in self.past[-SETTLED:]]
        return judged


chances = st.floats(0.0, 0.4)
seeds = st.integers(0, 2**32 - 1)


def stationary(chance, visits, wobble, seed):
    """What is told of 150 observations whose share is the same all the time, but for chance and habit."""
    rng = np.random.default_rng(seed)
    series = Series(GONE)
    for _ in range(150):
        p = float(np.clip(chance + wobble * rng.standard_normal(), 0.0, 1.0))
        series.see(rng.binomial(visits, p) / visits, visits)
    return series.events


@given(chances, st.integers(20, 300), st.floats(0.0, 0.05), seeds)
@settings(max_examples=60, deadline=None)
def test_no_alarm_on_stationary_shares(chance, visits, wobble, seed):
    assert stationary(chance, visits, wobble, seed) == []


def test_few_visits_and_restless_habits_seldom_alarm():
    told = sum(bool(stationary(0.05, LEAST_VISITS, 0.1, seed)) for seed in range(100))
    assert told <= 1, "a spread learned from the first few observations is not to be relied on"


@given(st.integers(20, 100_000), st.floats(0.0, 0.2), seeds)
@settings(max_examples=60, deadline=None)
def test_no_alarm_on_stationary_numbers(pages, noise, seed):
    rng = np.random.default_rng(seed)
    series = Series(SMALLER)
    for _ in range(150):
        series.see(max(0.0, round(pages * (1.0 + noise * rng.uniform(-1.0, 1.0)))))
    assert series.events == []


@given(st.floats(0.0, 0.2), st.integers(20, 300), seeds, st.integers(COLD, 60))
@example(0.1875, 20, 2760529531, 10)
@settings(max_examples=60, deadline=None)
def test_a_real_trouble_is_found_at_its_second_observation_and_closes_at_the_second_after(chance, visits, seed, calm):
    rng = np.random.default_rng(seed)
    series = Series(GONE)
    for _ in range(calm):
        series.see(rng.binomial(visits, chance) / visits, visits)
    for _ in range(5):
        series.see(rng.binomial(visits, 0.98) / visits, visits)
    for _ in range(3):
        series.see(rng.binomial(visits, chance / 2) / visits, visits)
    assert series.events == [(calm + 2, "opens"), (calm + 7, "closes")]


@given(st.integers(10, 100_000), st.integers(COLD, 60), seeds)
@settings(max_examples=60, deadline=None)
def test_a_site_that_halves_is_found(pages, calm, seed):
    rng = np.random.default_rng(seed)
    series = Series(SMALLER)
    for _ in range(calm):
        series.see(round(pages * (1.0 + 0.02 * rng.uniform(-1.0, 1.0))))
    for _ in range(2):
        series.see(pages // 2)
    assert series.events == [(calm + 2, "opens")]


@given(st.lists(st.floats(0.0, 1.0), max_size=COLD))
def test_no_alarm_on_a_cold_start(values):
    series = Series(GONE)
    for value in values:
        assert series.see(value, 50) == Judged(False, "", None)


def test_as_many_visits_as_it_takes_are_enough():
    usual = Normal(0.02, 0.01, 0.1, 30)
    assert [is_strange(Point(1.0, LEAST_VISITS + more), usual, GONE) for more in (-1, 0)] == [False, True]


def test_what_lasts_becomes_normal_and_says_so():
    series = Series(GONE)
    for _ in range(20):
        series.see(0.0, 30)
    for _ in range(40):
        series.see(0.9, 30)
    assert series.events == [(22, "opens"), (20 + SETTLED, "settles")]
    assert normal_of(series.past, GONE).median == 0.9
    series.see(0.0, 30)
    assert not series.is_open


def test_one_bad_observation_is_no_alarm_and_does_not_shape_the_normal():
    series = Series(GONE)
    for _ in range(20):
        series.see(0.0, 30)
    assert series.see(1.0, 30).strange
    assert not series.see(0.0, 30).strange
    assert series.events == [] and normal_of(series.past, GONE).worst == 0.0
