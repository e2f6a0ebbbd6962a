"""A page that begins another life is learned anew within a few visits; a steady one is not forgotten."""

import numpy as np
import pytest

from strandline.core.beliefs.censored import CensoredLearner, LearnerSettings
from strandline.core.beliefs.new_life import begun_anew, doubted, foretold

ONE_BIN = LearnerSettings(cycle=np.zeros(1, dtype=np.int64), clock=False)


def learner(pages, directories=None):
    found = CensoredLearner(ONE_BIN)
    found.grow(np.zeros(pages, dtype=np.int64), np.arange(pages) if directories is None else directories)
    found.start_from(np.zeros(pages))
    return found


def capture(learner, moment, changed):
    rows = np.arange(len(changed))
    times = np.full(len(rows), float(moment))
    learner.observe(rows, (times, changed, np.where(changed, 0.3, 0.0), np.full(len(rows), np.nan)))


def lived(rates, every, until, seed=0, directories=None):
    """A learner that captured pages of these rates at even intervals."""
    found, rng = learner(len(rates), directories), np.random.default_rng(seed)
    for moment in np.arange(every, until, every):
        capture(found, moment, rng.random(len(rates)) < -np.expm1(-np.asarray(rates) * every))
    return found


def rate(learner):
    return learner.estimate(np.arange(len(learner))).mean_rate


def test_a_busy_page_that_falls_silent_is_believed_within_a_few_visits():
    found = lived([0.5] * 10, every=4.0, until=800.0)
    assert np.median(rate(found)) == pytest.approx(0.5, rel=0.3)
    for visit in range(5):
        capture(found, 800.0 + 4.0 * visit, np.zeros(10, dtype=bool))
    assert np.median(rate(found)) < 0.1, "five visits after two hundred"


def test_a_still_page_that_comes_to_life_is_believed_within_a_few_visits():
    found = lived([0.0] * 4, every=6.0, until=1200.0)
    assert rate(found).max() < 0.002
    for visit in range(4):
        capture(found, 1200.0 + 6.0 * visit, np.ones(4, dtype=bool))
    assert rate(found).min() > 0.05


def test_steady_pages_are_not_forgotten():
    rates = np.array([0.02] * 30 + [0.2] * 30 + [0.6] * 30)
    found = lived(rates, every=6.0, until=2000.0, seed=3)
    weight = found._beliefs.level.max(axis=1) - found._beliefs.level.min(axis=1)
    forgotten = weight < 0.2 * np.median(weight.reshape(3, 30), axis=1).repeat(30)
    assert forgotten.mean() < 0.1, "about one of twenty lives of 330 captures begins anew by chance"
    assert rate(found).reshape(3, 30).mean(axis=1) == pytest.approx([0.02, 0.2, 0.6], rel=0.25)


def test_siblings_that_fell_silent_make_it_likelier():
    alone, together = np.zeros(2), np.zeros(2)
    assert not begun_anew(alone, 5.0, 100.0, True) and begun_anew(alone, 6.5, 100.0, True)
    for _ in range(4):
        begun_anew(together, 7.0, 100.0, True)
    assert not begun_anew(together, 4.0, 101.0, False), "a batch of changes is no new life"
    assert begun_anew(together, 4.0, 101.0, True), "four siblings did a day ago"
    assert not begun_anew(together, 1.9, 101.0, True), "something must speak for it"
    assert not begun_anew(together, 4.5, 200.0, True), "long ago"


def test_a_directory_is_believed_sooner_than_a_page_alone():
    """Three silent visits say little of a page that changes every eight hours, and more where busier siblings are."""
    silent, rates = np.zeros(20, dtype=bool), [0.5] * 8 + [0.12] * 12
    one_each, shared = np.arange(20), np.zeros(20, dtype=np.int64)
    left = []
    for directories in (one_each, shared):
        found = lived(rates, every=12.0, until=960.0, seed=5, directories=directories)
        for visit in range(3):
            capture(found, 960.0 + 12.0 * visit, silent)
        left.append(rate(found)[8:].mean())
    assert left[1] < 0.7 * left[0]


def test_doubt_is_what_a_new_start_foretells_better():
    prior = np.log(np.array([0.5, 0.5]))
    level, recent = np.array([0.0, -50.0]), np.zeros(2)
    chance = np.log(np.array([0.01, 0.9]))
    assert foretold(prior, level, chance) == pytest.approx(np.log(0.01))
    found = doubted(prior, level, recent, chance, 0.0)
    assert found == pytest.approx(np.log(0.455 / 0.01)) and recent == pytest.approx(chance)
    assert doubted(prior, level, recent, np.log(np.array([0.9, 1e-4])), 0.1) == 0.0
    assert (recent == 0.0).all(), "the old belief did better: the new one starts now"


def test_what_is_kept_goes_on():
    found = lived([0.5] * 3, every=4.0, until=400.0)
    for visit in range(2):
        capture(found, 400.0 + 4.0 * visit, np.zeros(3, dtype=bool))
    again = CensoredLearner.from_bytes(found.to_bytes(), ONE_BIN)
    for one in (found, again):
        for visit in range(3):
            capture(one, 408.0 + 4.0 * visit, np.zeros(3, dtype=bool))
    assert rate(again) == pytest.approx(rate(found))
