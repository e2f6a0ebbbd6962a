"""How many changes captures missed, against drawing them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.quality.missed import FACTORS, WIDTH, Gaps, Missed, missed_changes


def slowly(gaps, page):
    """Belief in the factor of one page, and what it makes of its gaps, straight from the definitions."""
    own = [number for number in range(len(gaps.page)) if gaps.group[gaps.page[number]] == gaps.group[page]]
    shown = sum(max(x / (1.0 - np.exp(-max(x, 1e-9))), 1.0) for x in gaps.expected[own][gaps.changed[own]])
    start = (1.0 + shown) / (1.0 + gaps.expected[own].sum())
    weights, means = [], []
    for factor in FACTORS:
        chance = np.exp(-((np.log(factor) - np.log(start) + WIDTH**2 / 2) ** 2) / (2 * WIDTH**2))
        missed = factor * gaps.after[page]
        for one, changed, x in zip(gaps.page, gaps.changed, np.maximum(gaps.expected, 1e-9), strict=True):
            if one == page:
                chance *= 1.0 - np.exp(-factor * x) if changed else np.exp(-factor * x)
                missed += factor * x / (1.0 - np.exp(-factor * x)) - 1.0 if changed else 0.0
        weights.append(chance)
        means.append(missed)
    return np.average(means, weights=weights)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.booleans(), st.floats(0.01, 5.0)), max_size=12),
    st.lists(st.floats(0.0, 3.0), min_size=4, max_size=4),
)
def test_missed_changes_are_those_of_the_definition(seen, after):
    page, changed, expected = zip(*seen, strict=True) if seen else ((), (), ())
    groups = np.array([0, 0, 1, 2])
    gaps = Gaps(np.array(page, np.int64), np.array(changed, bool), np.array(expected, float), np.array(after), groups)
    found = missed_changes(gaps)
    assert found.mean == pytest.approx([slowly(gaps, page) for page in range(4)], rel=1e-6, abs=1e-9)
    assert (found.spread >= 0.0).all()


def test_the_middle_is_right_and_the_interval_holds_the_truth_where_rates_are_known_up_to_a_factor():
    rng, held, errors = np.random.default_rng(1), 0, []
    for _ in range(100):
        believed = rng.uniform(0.1, 2.0, 30)
        true = believed * rng.lognormal(-0.125, 0.5, 30)
        changes = rng.poisson(true[:, None], (30, 25))
        page = np.repeat(np.arange(30), 25)
        gaps = Gaps(page, changes.ravel() > 0, believed[page], np.zeros(30), np.arange(30) % 3)
        found = (changes > 0).sum(axis=1).astype(float)
        middle, low, high = missed_changes(gaps).share(found, np.ones(30), np.arange(30))
        truth = found.sum() / changes.sum()
        held += low <= truth <= high
        errors.append(middle - truth)
    assert abs(np.mean(errors)) < 0.04
    assert held >= 90


def test_a_directory_tells_of_its_pages_that_were_seen_once():
    """Nine quiet pages in one directory, nine lively ones in another, one more in each that was seen once."""
    page = np.repeat(np.r_[0:9, 10:19], 5)
    gaps = Gaps(
        page, page >= 10, np.full(len(page), 0.5), np.where(np.arange(20) % 10 == 9, 1.0, 0.0), np.arange(20) // 10
    )
    found = missed_changes(gaps).mean
    assert found[9] < 0.2
    assert found[19] > 1.0


def test_nothing_to_miss():
    nothing = np.empty(0, dtype=np.int64)
    none = missed_changes(Gaps(nothing, np.empty(0, bool), np.empty(0), np.zeros(1), np.zeros(1, np.int64)))
    assert none.share(np.zeros(1), np.ones(1), np.array([0])) == (1.0, 1.0, 1.0)
    assert len(missed_changes(Gaps(nothing, np.empty(0, bool), np.empty(0), np.zeros(0), nothing)).mean) == 0
    assert Missed(np.array([3.0]), np.array([3.0])).share(np.zeros(1), np.ones(1), np.array([0]))[1] == 0.0


@pytest.mark.parametrize("little", [1e-100, 1e-245, 5e-324])
def test_almost_nothing_missed_is_still_a_share(little):
    for found in (0.0, 3.0):
        middle, low, high = Missed(np.full(1, little), np.full(1, little)).share(
            np.full(1, found), np.ones(1), np.zeros(1, int)
        )
        assert (middle, high) == (1.0, 1.0)
        assert 0.0 <= low <= 1.0
