"""Bursts of changes are noticed where a site has them, and nowhere else."""

from copy import deepcopy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.beliefs.bursts import HABITS, SPEAKS, habit_of, still_unchanged, stirred_ages, weigh_habits
from strandline.core.beliefs.censored import CensoredLearner, LearnerSettings

ONE_BIN = LearnerSettings(cycle=np.zeros(1, dtype=np.int64), clock=False)


@settings(max_examples=30)
@given(rate=st.floats(0.001, 2.0), length=st.floats(0.1, 40.0), lasting=st.floats(1.0, 20.0), pace=st.floats(0.05, 3.0))
def test_the_chance_of_no_change_in_a_burst_is_that_of_a_long_sum(rate, length, lasting, pace):
    """The burst ends in one of many small steps, or not at all."""
    step = length / 20_000
    end = (np.arange(20_000) + 0.5) * step
    ended = np.sum(np.exp(-end / lasting) / lasting * np.exp(-pace * end - rate * (length - end))) * step
    lasts = np.exp(-length / lasting - pace * length)
    found = still_unchanged(rate * length, length, lasting, pace)
    assert found == pytest.approx((lasts + ended, lasts), rel=1e-3, abs=1e-9)


@settings(max_examples=50)
@given(before=st.floats(0.0, 1.0), expected=st.floats(1e-4, 20.0), length=st.floats(0.1, 500.0), changed=st.booleans())
def test_chances_stay_chances_and_evidence_finite(before, expected, length, changed):
    chance, evidence = np.full(len(HABITS), before, dtype=np.float32), np.zeros(1 + len(HABITS))
    weigh_habits(chance, evidence, expected, length, changed)
    assert ((chance >= 0.0) & (chance <= 1.0)).all() and np.isfinite(evidence).all() and (evidence <= 0.0).all()
    if not changed:
        assert (chance <= np.float32(before) * 1.0001).all(), "nothing found speaks against a burst"


def test_a_habit_must_speak_clearly():
    evidence = np.zeros((3, 1 + len(HABITS)))
    evidence[1, 4], evidence[2, 4] = SPEAKS * 2.0, -SPEAKS * 2.0
    assert habit_of(evidence).tolist() == [-1, 3, -1]
    assert habit_of(np.zeros((0, 1 + len(HABITS)))).tolist() == []


def test_a_page_in_a_burst_ages_faster_until_it_is_over():
    habit, rate = np.full(3, len(HABITS) - 1), np.full(3, 0.01)
    soon = stirred_ages(np.array([0.0, 0.5, 1.0]), habit, rate, np.ones(3))
    assert (
        soon[0] == pytest.approx(1.0)
        and soon[0] < soon[1] < soon[2]
        and soon[2] == pytest.approx(HABITS[-1, 2] / 0.01, rel=0.1)
    )
    late = stirred_ages(np.array([0.0, 0.5, 1.0]), habit, rate, np.full(3, 1000.0))
    assert late == pytest.approx(np.ones(3), abs=0.5)


def watched(times, hours, every=2.0):
    """A learner of pages of one site, each captured every few hours."""
    learner = CensoredLearner(ONE_BIN)
    learner.grow(np.zeros(len(times), dtype=np.int64), np.zeros(len(times), dtype=np.int64))
    learner.start_from(np.zeros(len(times)))
    rows = np.arange(len(times))
    for moment in np.arange(every, hours, every):
        changed = np.array([bool(np.any((page > moment - every) & (page <= moment))) for page in times])
        found = np.full(len(rows), moment), changed, np.where(changed, 0.3, 0.0), np.full(len(rows), np.nan)
        learner.observe(rows, found)
    learner.refresh(hours)
    return learner


def test_bursts_are_told_from_steady_pages_of_the_same_number_of_changes():
    rng, hours, rows = np.random.default_rng(4), 500.0, np.arange(12)
    begins = [rng.uniform(0.0, hours, 4) for _ in rows]
    bursty = [np.sort((begin[:, None] + rng.exponential(0.8, (4, 12)).cumsum(axis=1)).ravel()) for begin in begins]
    steady = [np.sort(rng.uniform(0.0, hours, 48)) for _ in rows]
    assert (watched(steady, hours).stirred(rows) == 0.0).all()
    learner = watched(bursty, hours)
    assert learner._habit[0] >= 0
    learner.observe(rows[:2], (np.full(2, 501.0), np.array([True, False]), np.full(2, 0.3), np.full(2, np.nan)))
    stirred = learner.stirred(rows[:2])
    assert stirred[0] > 0.3 > stirred[1]
    ages = learner.stretch(rows[:2], np.full(2, 501.0), 502.0)
    assert ages[0] > 3.0 * ages[1]
    again = CensoredLearner.from_state(*deepcopy(learner.state()), ONE_BIN)
    assert again.stirred(rows) == pytest.approx(learner.stirred(rows))
    learner._clock.habits[:, 1:] -= 1e6  # as captures may speak that came after the last renewal
    columns, rest = deepcopy(learner.state())
    assert CensoredLearner.from_state(columns, rest, ONE_BIN).stirred(rows) == pytest.approx(learner.stirred(rows))
    del rest["habit"]
    assert not CensoredLearner.from_state(columns, rest, ONE_BIN).stirred(rows).any(), "kept by an earlier release"
