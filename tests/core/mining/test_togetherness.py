"""How strongly changes come together, against the likelihood written out, and on sites that are known."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.mining.togetherness import PRIORS, SITE_PRIOR, Found, Togetherness

DIRECTORIES, PAGES = 20, 15
PARENTS = np.array([-1, *[0] * DIRECTORIES], dtype=np.int32)


def crawled(chances, changed):
    """A crawl of directories side by side, each with as many pages; pages of the same place share a name."""
    places = np.repeat(np.arange(DIRECTORIES) + 1, PAGES)
    names = np.tile(np.arange(PAGES), DIRECTORIES)
    return Found(places, names, np.full(places.size, chances), changed.ravel())


def after(draw, weeks=20, chance=0.08):
    rng = np.random.default_rng(5)
    known = Togetherness()
    for _ in range(weeks):
        known.forget(0.9)
        known.learn(PARENTS, crawled(chance, draw(rng)), 1.0)
    return known


def by_itself(rng):
    return rng.random((DIRECTORIES, PAGES)) < 0.08


def in_directories(rng):
    return (rng.random((DIRECTORIES, PAGES)) < 0.5) & (rng.random(DIRECTORIES) < 0.16)[:, None]


def in_names(rng):
    return (rng.random((DIRECTORIES, PAGES)) < 0.5) & (rng.random(PAGES) < 0.16)[None, :]


@pytest.mark.parametrize(("draw", "names"), [(by_itself, False), (in_names, True)])
def test_what_comes_together_is_told_from_what_does_not(draw, names):
    known = after(draw)
    assert known.directory_prior >= 100.0
    assert (known.name_prior <= 3.0) == names
    assert (known.name_prior >= 100.0) == (not names)


def test_where_directories_come_together_names_may_as_well():
    known = after(in_directories)
    assert known.directory_prior <= 3.0
    assert known.name_prior == 1.0


def test_while_nothing_is_known_multipliers_follow_at_once():
    known = Togetherness()
    known.learn(PARENTS, crawled(0.0, np.zeros((DIRECTORIES, PAGES), dtype=bool)), 1.0)
    known.learn(
        np.array([-1], dtype=np.int32), Found(*(np.empty(0, dtype=kind) for kind in (int, int, float, bool))), 1.0
    )
    assert (known.directory_prior, known.name_prior) == (PRIORS[0], PRIORS[0]) == (1.0, 1.0)


def written_out(changed, chance, prior):
    """Negative binomial, directory by directory, around what the whole site showed."""
    top = (SITE_PRIOR + changed.sum()) / (SITE_PRIOR + chance * changed.size)
    shape, total = prior * top, 0.0
    for row in changed:
        c, e = int(row.sum()), chance * row.size
        total += math.lgamma(shape + c) - math.lgamma(shape) - math.lgamma(c + 1)
        total += shape * math.log(prior / (prior + e)) + c * math.log(e / (prior + e))
    return total


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0.01, 0.5))
def test_the_score_is_the_likelihood_up_to_a_constant(seed, chance):
    changed = np.random.default_rng(seed).random((DIRECTORIES, PAGES)) < chance
    known = Togetherness()
    known.learn(PARENTS, crawled(chance, changed), 1.0)
    exact = np.array([written_out(changed, chance, prior) for prior in PRIORS])
    assert np.allclose(known.directories - known.directories[0], exact - exact[0], atol=1e-6)


def test_a_directory_that_is_all_there_is_says_nothing_more():
    changed = in_directories(np.random.default_rng(1))
    found = crawled(0.08, changed)
    flat, deep = Togetherness(), Togetherness()
    flat.learn(PARENTS, found, 1.0)
    parents = np.array([-1, *[0] * DIRECTORIES, *range(1, DIRECTORIES + 1)], dtype=np.int32)
    deep.learn(parents, Found(found.directories + DIRECTORIES, found.names, found.expected, found.changed), 1.0)
    assert np.allclose(flat.directories, deep.directories)


def test_it_is_kept_and_what_does_not_fit_is_forgotten():
    known = after(in_directories, 3)
    again = Togetherness.from_data(known.as_data())
    assert np.array_equal(again.directories, known.directories)
    assert np.array_equal(again.names, known.names)
    assert Togetherness.from_data([[1.0], [2.0]]).directory_prior == Togetherness.from_data([]).name_prior == 1.0
