"""The censored learner recovers what generated its captures."""

from copy import deepcopy

import numpy as np
import pytest

from strandline.core.beliefs.censored import CensoredLearner, LearnerSettings
from strandline.core.beliefs.censored_kernels import changes_given
from strandline.core.beliefs.level_prior import likely_priors

NONE = np.array([np.nan])


def watch(learner, rates, every, until, rng, importance=0.3):
    """Capture pages of constant rates at even intervals."""
    rates = np.asarray(rates)
    count = len(rates)
    learner.grow(np.zeros(count, dtype=np.int64), np.arange(count))
    learner.start_from(np.zeros(count))
    rows = np.arange(count)
    for moment in np.arange(every, until, every):
        changed = rng.random(count) < -np.expm1(-rates * every)
        found = np.where(changed, importance, 0.0)
        learner.observe(rows, (np.full(count, float(moment)), changed, found, np.full(count, np.nan)))
        if moment % 24 == 0:
            learner.refresh(float(moment))
    return learner


def test_rates_are_recovered_although_captures_hide_most_changes():
    rates = np.array([0.01] * 20 + [0.1] * 20 + [0.4] * 20)
    learner = watch(CensoredLearner(), rates, every=6.0, until=1200.0, rng=np.random.default_rng(0))
    found = learner.estimate(np.arange(60)).mean_rate.reshape(3, 20).mean(axis=1)
    assert found == pytest.approx([0.01, 0.1, 0.4], rel=0.35)


def test_the_level_posterior_is_the_product_of_likelihoods():
    """Flat pattern (one bin): the evidence is exactly exp(-a S) and 1 - exp(-a S)."""
    settings = LearnerSettings(cycle=np.zeros(1, dtype=np.int64), clock=False)
    learner = CensoredLearner(settings)
    learner.grow(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64))
    learner.start_from(np.zeros(1))
    expected = np.zeros(len(learner.grid))
    last = 0.0
    for moment, changed in ((5.0, True), (9.5, False), (30.0, True), (31.0, False)):
        learner.observe(np.array([0]), (np.array([moment]), np.array([changed]), np.array([0.2 * changed]), NONE))
        x = learner.grid * (moment - last)
        expected += np.log(-np.expm1(-x)) if changed else -x
        last = moment
    assert learner._beliefs.level[0] == pytest.approx(expected)


def test_changes_given_one_is_the_mean_of_a_truncated_poisson():
    grid, odds = np.array([0.3]), np.array([1.0])
    counted, periods = changes_given(grid, odds, 4.0, 4.0)
    k = np.arange(1, 60)
    mean = 1.2
    chance = np.exp(-mean) * np.cumprod(mean / k)
    assert counted == pytest.approx((k * chance).sum() / chance.sum())
    assert periods == pytest.approx(4 * -np.expm1(-0.3) / -np.expm1(-1.2))


def test_importance_is_per_change_not_per_capture():
    """A page fetched rarely shows large differences; the learner must not think its changes large."""
    learner = watch(CensoredLearner(), np.full(10, 0.5), 12.0, 1200.0, np.random.default_rng(1), importance=0.8)
    found = learner.estimate(np.arange(10)).mean_importance
    assert np.all(found < 0.5)
    plain = LearnerSettings(accumulates=False)
    whole = watch(CensoredLearner(plain), np.full(10, 0.5), 12.0, 1200.0, np.random.default_rng(1), importance=0.8)
    assert whole.estimate(np.arange(10)).mean_importance == pytest.approx(np.full(10, 0.8), rel=0.1)


def test_office_hours_are_learned():
    learner, rng = CensoredLearner(), np.random.default_rng(2)
    count = 30
    learner.grow(np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64))
    learner.start_from(np.zeros(count))
    for hour in range(2, 24 * 21, 2):
        busy = 9 <= hour % 24 <= 18
        changed = rng.random(count) < (0.5 if busy else 0.02)
        unknown = np.full(count, np.nan)
        learner.observe(np.arange(count), (np.full(count, float(hour)), changed, 0.2 * changed, unknown))
        if hour % 24 == 0:
            learner.refresh(float(hour))
    rate = learner.estimate(np.array([0])).rate[0]
    assert rate[10:17].mean() > 5 * rate[0:6].mean()


def test_a_trusted_change_time_sharpens_the_level():
    rows, late = np.array([0]), np.array([100.0])
    vague, sharp = CensoredLearner(), CensoredLearner()
    for learner, hint in ((vague, NONE), (sharp, np.array([99.0]))):
        learner.grow(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64))
        learner.start_from(np.zeros(1))
        learner.observe(rows, (late, np.array([True]), np.array([0.3]), hint))
    assert sharp.estimate(rows).mean_rate[0] > vague.estimate(rows).mean_rate[0]


def test_first_sight_means_are_priors():
    learner = CensoredLearner()
    sight = np.array([np.nan, 0.5, 0.001])
    learner.grow(np.zeros(3, dtype=np.int64), np.zeros(3, dtype=np.int64), sight)
    mean = learner.estimate(np.arange(3)).mean_rate
    assert mean[1] > 0.2 > mean[0] > 0.0
    assert mean[2] < mean[1] / 20


def stay_quiet(learner, rows, until):
    """Every fifth day all pages are looked at, and nothing is found."""
    count = len(rows)
    for day in range(5, until, 5):
        nothing = np.zeros(count, dtype=bool)
        learner.observe(rows, (np.full(count, float(day)), nothing, np.zeros(count), np.full(count, np.nan)))
        learner.refresh(float(day))


def test_batches_of_a_directory_run_its_clock():
    """Half of a directory is seen to change on one day: the clock of the other half runs faster."""
    settings = LearnerSettings.daily()
    learner = CensoredLearner(settings)
    directory = np.repeat([0, 1], 20)
    learner.grow(np.zeros(40, dtype=np.int64), directory)
    learner.start_from(np.zeros(40))
    rows = np.arange(40)
    stay_quiet(learner, rows, 40)
    seen = rows[:10]
    learner.observe(seen, (np.full(10, 37.0), np.ones(10, dtype=bool), np.full(10, 0.5), np.full(10, np.nan)))
    stretch = learner.stretch(rows, np.full(40, 35.0), 38.0)
    assert stretch[10:20].mean() > 3 * stretch[20:].mean()


def test_a_trusted_change_time_runs_the_clock_of_its_own_day():
    """Ten pages are found to have changed on day 30, by what their servers say; the rest were quiet until then."""
    learner = CensoredLearner(LearnerSettings.daily())
    learner.grow(np.zeros(20, dtype=np.int64), np.zeros(20, dtype=np.int64))
    learner.start_from(np.zeros(20))
    rows = np.arange(20)
    stay_quiet(learner, rows, 30)
    seen = rows[:10]
    learner.observe(seen, (np.full(10, 36.0), np.ones(10, dtype=bool), np.full(10, 0.5), np.full(10, 30.5)))
    before = learner.stretch(rows[10:], np.full(10, 30.0), 31.0)
    after = learner.stretch(rows[10:], np.full(10, 31.0), 36.0)
    assert before.min() > 3.0
    assert after.max() < 1.0


def test_state_survives_bytes():
    learner = watch(CensoredLearner(), [0.1, 0.3], 5.0, 300.0, np.random.default_rng(4))
    copy = CensoredLearner.from_state(*deepcopy(learner.state()))
    finding = (np.array([301.0]), np.array([True]), np.array([0.4]), NONE)
    for one in (learner, copy):
        one.observe(np.array([1]), finding)
        one.refresh(312.0)
    rows = np.arange(2)
    assert np.array_equal(learner.estimate(rows).rate, copy.estimate(rows).rate)
    with pytest.raises(ValueError, match="grid"):
        CensoredLearner.from_state(*deepcopy(learner.state()), LearnerSettings(levels=9))


def test_site_priors_follow_the_evidence():
    grid = np.geomspace(1e-3, 1.0, 14)
    level = np.concatenate([-50 * np.tile(grid, (100, 1)), 5 * np.log(np.tile(grid, (100, 1))) - 20 * grid])
    site = np.repeat([0, 1], 100)
    mean, _ = likely_priors(level, site, grid, (0.01, 1.0), np.repeat([0.05, 0.3], 100))
    assert mean[0] < 0.02
    assert mean[1] == pytest.approx(0.25, rel=0.4)
    # Most pages are not yet believed to be fast: what few fast ones say is not believed of all.
    cautious, _ = likely_priors(level, site, grid, (0.01, 1.0), np.full(200, 0.02))
    assert cautious[1] == pytest.approx(0.02, rel=0.01)


def test_a_clock_set_back_teaches_nothing():
    learner = CensoredLearner()
    learner.grow(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64))
    learner.start_from(np.array([50.0]))
    learner.observe(np.array([0]), (np.array([40.0]), np.array([True]), np.array([0.4]), NONE))
    assert np.all(learner._beliefs.level == 0.0)


def watched_at(rates, step, captures, seed):
    """Pages of known rates, fetched every `step` periods."""
    rng, count = np.random.default_rng(seed), len(rates)
    learner = CensoredLearner(LearnerSettings(clock=False))
    learner.grow(np.zeros(count, dtype=np.int64), np.arange(count))
    learner.start_from(np.zeros(count))
    for k in range(1, captures + 1):
        changed = rng.random(count) < -np.expm1(-rates * step)
        now = np.full(count, k * step)
        learner.observe(np.arange(count), (now, changed, np.where(changed, 0.4, 0.0), np.full(count, np.nan)))
        if k % 10 == 0:
            learner.refresh(k * step)
    return learner


@pytest.mark.parametrize(("step", "captures"), [(1.0, 60), (6.0, 40), (24.0, 30)])
def test_nine_intervals_of_ten_hold_the_true_rate(step, captures):
    rates = np.exp(np.random.default_rng(1).uniform(np.log(0.003), np.log(1.0), 400))
    learner = watched_at(rates, step, captures, seed=2)
    low, high = learner.intervals(np.arange(400))
    assert 0.85 <= np.mean((low <= rates) & (rates <= high)) <= 0.99
    narrow, wide = learner.intervals(np.arange(400), 0.5)
    assert np.all((low <= narrow) & (narrow < wide) & (wide <= high))


def test_a_page_changed_at_every_visit_has_an_open_ended_rate():
    """Daily visits cannot tell one change a day from fifty: the interval must hold both."""
    low, high = watched_at(np.full(50, 1.0), 24.0, 20, seed=3).intervals(np.arange(50))
    assert np.all(low < 0.6)
    assert np.all(high > 2.0)


def test_pages_added_later_are_believed_to_be_like_their_site():
    rates = np.repeat([0.5, 0.005], 100)
    learner = CensoredLearner(LearnerSettings(clock=False))
    site = np.repeat([0, 1], 100)
    learner.grow(site, site)
    learner.start_from(np.zeros(200))
    rng = np.random.default_rng(4)
    for k in range(1, 40):
        changed = rng.random(200) < -np.expm1(-rates * 2.0)
        now = np.full(200, 2.0 * k)
        learner.observe(np.arange(200), (now, changed, np.where(changed, 0.4, 0.0), np.full(200, np.nan)))
    learner.refresh(80.0)
    before = learner.estimate(np.arange(200)).mean_rate
    learner.add(np.array([0, 1, 2]), np.array([0, 1, 5]))
    hot, quiet, foreign = learner.estimate(np.arange(200, 203)).mean_rate
    assert hot > 10 * quiet
    assert quiet < foreign < hot
    assert np.array_equal(learner.estimate(np.arange(200)).mean_rate, before)
    again = CensoredLearner.from_state(*deepcopy(learner.state()), LearnerSettings(clock=False))
    assert len(again) == 203
    again.add(np.array([2]), np.array([9]))
    assert again.estimate(np.array([203])).mean_rate[0] == pytest.approx(foreign, rel=1e-6)


def test_a_page_left_alone_for_long_is_not_taken_for_unimportant():
    """The difference gathered over weeks, shared out to every change in between, says almost nothing of one change."""
    learner = CensoredLearner()
    learner.grow(np.zeros(2, dtype=np.int64), np.zeros(2, dtype=np.int64))
    learner.start_from(np.zeros(2))
    unknown = np.full(400, np.nan)
    learner.observe(
        np.zeros(400, dtype=np.int64), (np.arange(1.0, 401.0), np.ones(400, np.bool_), np.full(400, 0.2), unknown)
    )
    learner.refresh(400.0)
    learner.observe(np.array([1, 1]), (np.array([400.0, 800.0]), np.ones(2, np.bool_), np.full(2, 0.95), unknown[:2]))
    often, rarely = learner.estimate(np.array([0, 1])).mean_importance
    assert often == pytest.approx(0.2, rel=0.1)
    assert rarely > 0.8 * often
