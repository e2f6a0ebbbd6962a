"""A page that begins another life is learned anew within a few visits; a steady one is not forgotten."""

from copy import deepcopy

import numpy as np
import pytest

from strandline.core.beliefs.censored import CensoredLearner, LearnerSettings
from strandline.core.beliefs.new_life import ASKED, LEAD, asked, doubted, foretold, note_silence, weigh_asked

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
    """Chance makes some of ninety steady pages look still for a while; nothing of what they taught is lost by it."""
    rates = np.array([0.02] * 30 + [0.2] * 30 + [0.6] * 30)
    found = lived(rates, every=6.0, until=2000.0, seed=3, directories=np.zeros(90, dtype=np.int64))
    weight = found._beliefs.level.max(axis=1) - found._beliefs.level.min(axis=1)
    forgotten = weight < 0.2 * np.median(weight.reshape(3, 30), axis=1).repeat(30)
    assert not forgotten.any()
    assert rate(found).reshape(3, 30).mean(axis=1) == pytest.approx([0.02, 0.2, 0.6], rel=0.25)
    assert np.abs(np.log(rate(found) / rates)).reshape(3, 30).mean(axis=1).max() < 0.4


def test_what_chance_made_believed_is_taken_back_by_the_next_find():
    found = lived([0.5] * 10, every=4.0, until=800.0)
    before = np.median(rate(found))
    for visit in range(6):
        capture(found, 800.0 + 4.0 * visit, np.zeros(10, dtype=bool))
    assert np.median(rate(found)) < 0.2 * before
    for visit in range(6, 9):
        capture(found, 800.0 + 4.0 * visit, np.ones(10, dtype=bool))
    assert np.median(rate(found)) == pytest.approx(before, rel=0.25)


def test_siblings_that_fell_silent_make_it_likelier():
    nothing, alone, together = np.zeros(len(ASKED)), np.zeros(2), np.zeros(2)
    assert asked(nothing, alone, 100.0, True) == ASKED[0]
    for _ in range(4):
        note_silence(together, (-1.0, 0.5), 100.0, True)
    assert asked(nothing, together, 101.0, False) == ASKED[0], "a batch of changes is no new life"
    assert asked(nothing, together, 101.0, True) < ASKED[0] - 2.0, "four siblings did a day ago"
    assert asked(nothing, together, 200.0, True) > ASKED[0] - 0.1, "long ago"
    note_silence(together, (0.5, 1.5), 101.0, True)
    assert together[0] == 4.0, "each page is noted once"
    for _ in range(10):
        note_silence(together, (-1.0, -1.0), 101.0, False)
    assert asked(nothing, together, 101.0, True) > ASKED[0] - 1.5, "its other pages live"


def test_a_site_asks_what_foretold_its_own_captures_best():
    evidence = np.zeros(len(ASKED))
    for _ in range(20):  # each time a new start is ahead by 8 the old belief turns out to be right
        weigh_asked(evidence, 8.0, np.log(0.9), np.log(0.1))
    assert evidence.argmax() == len(ASKED) - 1, "never"
    assert evidence.min() == -LEAD
    for _ in range(10):
        weigh_asked(evidence, 8.0, np.log(0.1), np.log(0.9))
    assert ASKED[evidence.argmax()] == ASKED.min(), "what was best for long is given up as soon as it is wrong"
    assert asked(evidence, np.zeros(2), 0.0, True) == ASKED.min()
    same = evidence.copy()
    weigh_asked(same, 0.0, np.log(0.3), np.log(0.9))
    assert same == pytest.approx(evidence), "without doubt all of them say the same"


def test_a_directory_is_believed_sooner_than_a_page_alone():
    """Three silent visits say little of a page that changes every eight hours, and more where busier siblings are: both
    its site and its directory are then thought to fall silent.
    """
    silent, rates = np.zeros(20, dtype=bool), [0.5] * 8 + [0.12] * 12
    one_each, shared = np.arange(20), np.zeros(20, dtype=np.int64)
    left = []
    for directories in (one_each, shared):
        found = lived(rates, every=12.0, until=960.0, seed=5, directories=directories)
        for visit in range(3):
            capture(found, 960.0 + 12.0 * visit, silent)
        left.append(rate(found)[8:].mean())
    assert left[1] < 0.85 * left[0], left


def test_doubt_is_what_a_new_start_foretells_better():
    prior = np.log(np.array([0.5, 0.5]))
    level, recent = np.array([0.0, -50.0]), np.zeros(2)
    chance = np.log(np.array([0.01, 0.9]))
    old, anew = foretold(prior, level, chance), foretold(prior, recent, chance)
    assert old == pytest.approx(np.log(0.01)) and anew == pytest.approx(np.log(0.455))
    found = doubted(recent, chance, 0.0, anew - old)
    assert found == pytest.approx(np.log(0.455 / 0.01)) and recent == pytest.approx(chance)
    assert doubted(recent, chance, 0.1, -0.5) == 0.0
    assert (recent == 0.0).all(), "the old belief did better: the new one starts now"


def test_what_is_kept_goes_on():
    found = lived([0.5] * 3, every=4.0, until=400.0)
    for visit in range(2):
        capture(found, 400.0 + 4.0 * visit, np.zeros(3, dtype=bool))
    again = CensoredLearner.from_state(*deepcopy(found.state()), ONE_BIN)
    for one in (found, again):
        for visit in range(3):
            capture(one, 408.0 + 4.0 * visit, np.zeros(3, dtype=bool))
    assert rate(again) == pytest.approx(rate(found))
