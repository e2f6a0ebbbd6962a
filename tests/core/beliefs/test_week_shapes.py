"""How common the hours are that pages keep."""

import numpy as np

from strandline.core.beliefs.censored import HOURS_OF_WEEK, CensoredLearner
from strandline.core.beliefs.week_shapes import first_shares, learned_shares, start_shapes


def watched(in_hours, pages=60, days=10, seed=3):
    """A learner that saw pages every two hours; they change at any hour, or in four hours of the day only."""
    rng = np.random.default_rng(seed)
    learner = CensoredLearner()
    learner.grow(np.zeros(pages, dtype=np.int64), np.zeros(pages, dtype=np.int64))
    learner.start_from(np.zeros(pages))
    rows = np.arange(pages)
    for time in np.arange(2.0, 24.0 * days, 2.0):
        open_hours = in_hours is None or in_hours <= time % 24.0 - 1.0 < in_hours + 4.0
        changed = rng.random(pages) < (0.18 if in_hours is None else 0.7 * open_hours)
        learner.observe(rows, (np.full(pages, time), changed, np.where(changed, 0.3, 0.0), np.full(pages, np.nan)))
        if time % 24.0 == 0.0:
            learner.refresh(time)
    return learner.estimate(rows)


def unevenness(estimate):
    """How much the hours of a page differ, beside its mean rate."""
    return float(np.mean(estimate.rate.std(axis=1) / estimate.rate.mean(axis=1)))


def test_pages_that_keep_no_hours_are_believed_to_keep_none():
    """Each page's captures fit some hours by chance; all pages together say that there are none."""
    assert unevenness(watched(None)) < 0.2


def test_pages_that_keep_hours_are_believed_to_keep_them():
    estimate = watched(8.0)
    rate = estimate.rate[:, HOURS_OF_WEEK[:24]]
    inside, outside = rate[:, 8:12].mean(), rate[:, np.r_[0:6, 14:24]].mean()
    assert inside > 8.0 * outside


def test_shares_are_those_of_the_pages_that_tell_something():
    """Of 200 pages half speak clearly for the fourth shape and half for none; those that say nothing change nothing."""
    told = np.zeros((200, 12))
    told[:100, 3] = 9.0
    told[100:, 0] = 9.0
    found = learned_shares(told)
    assert abs(found[3] - 0.5) < 0.04 and abs(found[0] - 0.5) < 0.04 and abs(found.sum() - 1.0) < 1e-9
    assert np.allclose(learned_shares(np.zeros((50, 12))), first_shares(12))


def test_an_archive_whose_periods_know_no_hours_has_one_shape():
    assert start_shapes(1).shape == (1, 1) and learned_shares(np.zeros((4, 1))).tolist() == [1.0]


def test_what_is_common_is_kept():
    learner = CensoredLearner()
    learner.grow(np.zeros(30, dtype=np.int64), np.zeros(30, dtype=np.int64))
    learner.start_from(np.zeros(30))
    rows = np.arange(30)
    for time in range(1, 60):
        changed = np.full(30, 9 <= time % 24 < 17)
        learner.observe(rows, (np.full(30, float(time)), changed, changed * 0.4, np.full(30, np.nan)))
    learner.refresh(60.0)
    again = CensoredLearner.from_state(*learner.state())
    assert unevenness(learner.estimate(rows)) > 0.5
    assert np.array_equal(again.estimate(rows).rate, learner.estimate(rows).rate)
