import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.history.rates import (
    GammaRates,
    change_rate,
    count_index,
    expected_changes,
    freshness_index,
    update_class_beliefs,
)


def test_a_page_that_never_changed_has_rate_zero():
    assert change_rate(182, 0) == 0.0
    assert math.copysign(1.0, float(change_rate(182, 0))) == 1.0


@given(st.integers(0, 1000), st.integers(0, 1000))
def test_rate_follows_the_formula(visits, changes):
    if changes > visits:
        with pytest.raises(ValueError, match="between 0 and the number of visits"):
            change_rate(visits, changes)
    else:
        wanted = -math.log((visits - changes + 0.5) / (visits + 0.5))
        assert change_rate(visits, changes) == pytest.approx(wanted, abs=1e-12)


@given(
    st.lists(st.tuples(st.floats(0.01, 1), st.floats(0.5, 400)), min_size=2, max_size=6),
    st.floats(0.1, 200),
    st.booleans(),
)
def test_beliefs_follow_bayes(groups, waited, changed):
    weights = np.array([w for w, _ in groups])
    prior, intervals = weights / weights.sum(), [f for _, f in groups]
    likelihood = [1 - math.exp(-waited / f) if changed else math.exp(-waited / f) for f in intervals]
    joint = [p * q for p, q in zip(prior, likelihood, strict=True)]
    ours = update_class_beliefs(prior, intervals, waited, changed)
    if sum(joint) > 0:
        np.testing.assert_allclose(ours, np.array(joint) / sum(joint), rtol=1e-9, atol=1e-12)


def test_beliefs_of_many_pages_at_once_and_the_impossible():
    two = update_class_beliefs([[0.5, 0.5], [1.0, 0.0]], [1.0, np.inf], [1.0, 1.0], [False, True])
    np.testing.assert_allclose(two, [[1 / (1 + math.e), math.e / (1 + math.e)], [1.0, 0.0]])
    # A change, but all belief on "never changes": belief stays, nothing becomes NaN.
    assert update_class_beliefs([0.0, 1.0], [1.0, np.inf], 5.0, True).tolist() == [0.0, 1.0]
    with pytest.raises(ValueError, match="must be positive"):
        update_class_beliefs([1.0], [0.0], 1.0, True)


@given(st.floats(1e-9, 60))
def test_expected_changes_is_the_mean_of_a_truncated_poisson(mass):
    terms = [k * math.exp(-mass + k * math.log(mass) - math.lgamma(k + 1)) for k in range(1, 400)]
    assert expected_changes(mass) == pytest.approx(sum(terms) / -math.expm1(-mass), rel=1e-6)


def test_gamma_rate_finds_the_true_rate_when_visits_outpace_changes():
    rng = np.random.default_rng(4)
    true, pages, waits = 0.3, np.arange(400), rng.uniform(0.1, 1, size=300)
    rates = GammaRates.unseen(400)
    for wait in waits:
        changed = rng.poisson(true * wait, size=400) > 0
        rates.visit(pages, wait, changed, rates.mean(0.2, 1.0))
    assert rates.mean(0.2, 1.0).mean() == pytest.approx(true, rel=0.06)


def test_gamma_rate_without_visits_is_the_prior_and_time_runs_forward():
    rates = GammaRates.unseen(3)
    np.testing.assert_allclose(rates.mean([0.1, 0.2, 0.3], 2.0), [0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="cannot come before"):
        rates.visit(np.array([0]), -1.0, False, 0.1)


@settings(max_examples=60)
@given(st.floats(0.2, 8), st.floats(1, 300), st.floats(0, 200))
def test_closed_indices_equal_numeric_integrals_over_the_gamma(a, b, x):
    """C = E[1 - e^-rx - r x e^-rx], F = E[(1 - e^-rx) / r - x e^-rx]; here by sums over quantile cells of r."""
    grid = np.linspace(-40, 12, 40_001)  # log r
    log_density = a * (grid + math.log(b)) - b * np.exp(grid) - math.lgamma(a)
    weight = np.exp(log_density) * (grid[1] - grid[0])
    rate = np.exp(grid)
    quiet = np.exp(-rate * x)
    one, two, three = np.array([a]), np.array([b]), np.array([x])
    count = float((weight * (1 - quiet - rate * x * quiet)).sum())
    fresh = float((weight * (-np.expm1(-rate * x) / rate - x * quiet)).sum())
    assert count_index(one, two, three)[0] == pytest.approx(count, abs=2e-3)
    assert freshness_index(one, two, three)[0] == pytest.approx(fresh, rel=2e-2, abs=2e-2)


def test_freshness_index_is_smooth_where_the_shape_is_one():
    b, x = np.array([20.0]), np.array([9.0])
    at = freshness_index(np.array([1.0]), b, x)[0]
    assert freshness_index(np.array([1.0 + 1e-7]), b, x)[0] == pytest.approx(at, rel=1e-5)
