"""Beliefs of which a part lies elsewhere, against all of them in memory."""

from copy import deepcopy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.beliefs.censored import CensoredLearner
from strandline.core.beliefs.page_beliefs import AWAY, PageBeliefs, no_beliefs


class Elsewhere:
    """Rows in a list, for tests; how many were looked at is counted."""

    def __init__(self, kind):
        self.kind, self.rows, self.most = kind, np.zeros(0, dtype=kind), 0

    def grow(self, count):
        self.rows = np.concatenate([self.rows, np.zeros(max(count - len(self.rows), 0), dtype=self.kind)])

    def take(self, rows):
        self.most = max(self.most, len(rows))
        return self.rows[rows]

    def put(self, rows, values):
        self.rows[rows] = values


def taught(learner, seed, hours=40):
    """A learner whose pages are found and captured by chance, some of them twice in a batch."""
    rng = np.random.default_rng(seed)
    site = np.sort(rng.integers(0, 3, 30))
    learner.grow(site[:20], site[:20] * 2 + np.arange(20) % 2)
    for hour in range(hours):
        if hour == 15:
            learner.add(site[20:], site[20:] * 2, rng.uniform(0.001, 0.1, 10))
        rows = rng.integers(0, len(learner), int(rng.integers(0, 8)))
        changed = rng.random(len(rows)) < 0.5
        time = np.sort(rng.uniform(20.0 * hour, 20.0 * hour + 20.0, len(rows)))
        learner.observe(rows, (time, changed, 0.3 * changed, np.full(len(rows), np.nan)))
        if hour % 10 == 9:
            learner.refresh(20.0 * hour + 20.0)
    return learner


def alike(one, other):
    for some, others in zip(one.state(), other.state(), strict=True):
        assert set(some) == set(others)
        for name, values in some.items():
            np.testing.assert_array_equal(np.asarray(values), np.asarray(others[name]), err_msg=name)
    every = np.arange(len(one))
    for name in ("rate", "importance", "level", "turnover"):
        np.testing.assert_array_equal(getattr(one.estimate(every), name), getattr(other.estimate(every), name))
    np.testing.assert_array_equal(one.levels(every), other.levels(every))
    np.testing.assert_array_equal(one.intervals(every), other.intervals(every))
    last, now = np.zeros(len(every)), 900.0
    np.testing.assert_array_equal(one.stretch(every, last, now), other.stretch(every, last, now))


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000))
def test_what_lies_elsewhere_is_learned_to_the_last_bit(seed):
    near, away = taught(CensoredLearner(), seed), taught(CensoredLearner(rooms=Elsewhere), seed)
    alike(near, away)
    assert not any(len(getattr(away._pages.near, name)) for name in AWAY), "nothing of it is held"


@pytest.mark.parametrize("rooms", [None, Elsewhere])
def test_beliefs_that_come_in_parts_are_those_that_were_kept(rooms):
    learner = taught(CensoredLearner(), 3)
    columns, rest = deepcopy(learner.state())
    rows = np.random.default_rng(1).permutation(len(learner))
    wrong = {name: np.zeros_like(np.asarray(column)[rows[:9]]) for name, column in columns.items()}
    parts = [(rows[:9], wrong), *((some, {n: c[some] for n, c in columns.items()}) for some in np.split(rows, [4, 11]))]
    again = CensoredLearner.from_parts(parts, rest, rooms=rooms)
    alike(learner, again)
    with pytest.raises(KeyError):
        CensoredLearner.from_parts([(rows, {"level": np.asarray(columns["level"])})], deepcopy(rest), rooms=rooms)


def test_only_rows_that_are_asked_for_are_taken():
    pages = PageBeliefs(no_beliefs(0, 2, 3, 4), Elsewhere)
    pages.append(no_beliefs(100, 2, 3, 4))

    def change(beliefs, rows):
        assert len(beliefs.last) == 2, "twice is once"
        beliefs.level[rows] += 1.0
        beliefs.last[rows] = 5.0

    pages.change(np.array([7, 3, 7]), change)
    pages.change(np.empty(0, np.int64), change)
    assert pages._room.most == 2
    assert np.flatnonzero(pages.near.last == 5.0).tolist() == [3, 7]
    assert pages.columns()["level"][np.array([3, 4])].tolist() == [[1.0] * 3, [0.0] * 3]
