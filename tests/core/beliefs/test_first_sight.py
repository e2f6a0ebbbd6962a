import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.beliefs.features import MODEL_FEATURES, Directories, model_features, read_address
from strandline.core.beliefs.first_sight import (
    COEFFICIENTS,
    DEFAULT,
    FirstSight,
    SiteRecord,
    SiteSight,
    archive_base,
    directory_factors,
    fit_table,
    refit,
    ridge_poisson,
    site_level,
    site_prior,
    static_factors,
)


def slow_directory_factor(directory, addresses, found, expected, kappa):
    """Straight from the definition, by recursion over the path."""
    if not directory:
        return 1.0
    above = slow_directory_factor(directory[:-1], addresses, found, expected, kappa)
    inside = [i for i, address in enumerate(addresses) if address.directory[: len(directory)] == directory]
    return (kappa + sum(found[i] for i in inside)) / (kappa / above + sum(expected[i] for i in inside))


pages = st.lists(
    st.tuples(
        st.lists(st.sampled_from("abc"), max_size=4).map(lambda parts: "/" + "/".join(parts)),
        st.floats(0, 30),
        st.floats(0, 30),
    ),
    min_size=1,
    max_size=20,
)


@settings(max_examples=60)
@given(pages, st.floats(0.5, 50))
def test_directory_factors_equal_the_definition(rows, kappa):
    addresses = [read_address(path) for path, _, _ in rows]
    found, expected = np.array([n for _, n, _ in rows]), np.array([e for _, _, e in rows])
    ours = directory_factors(Directories(addresses), found, expected, FirstSight(directory_weight=kappa))
    for i, address in enumerate(addresses):
        wanted = slow_directory_factor(address.directory, addresses, found, expected, kappa)
        assert ours[i] == pytest.approx(wanted)


def test_nothing_known_means_the_base_times_the_static_factor():
    addresses = [read_address(path) for path in ("/", "/a/b.html", "/a/2019/c.html")]
    features = np.zeros((3, 9))
    features[:, 0] = [5.0, 6.0, 7.0]
    static = static_factors(features)
    prior = site_prior(Directories(addresses), static, (np.zeros(3), np.zeros(3)), 0.01)
    assert static.mean() == pytest.approx(1.0)
    assert prior.level == pytest.approx(0.01)
    np.testing.assert_allclose(prior.mean, 0.01 * static)
    assert "directory 1.00" in prior.reason(0)


def test_a_busy_directory_lifts_its_new_pages():
    addresses = [read_address(path) for path in ("/news/1.html", "/news/2.html", "/old/1.html", "/old/2.html")]
    found, watched = np.array([40.0, 0.0, 0.0, 0.0]), np.array([100.0, 0.0, 100.0, 0.0])
    prior = site_prior(Directories(addresses), np.ones(4), (found, watched), 0.01)
    assert prior.mean[1] > 2 * prior.mean[3]


def test_level_and_base():
    assert site_level(np.array([3.0]), np.array([100.0]), np.array([1.0]), 0.005) == pytest.approx(4 / 300)
    assert archive_base(np.array([])) == DEFAULT.first_base
    assert static_factors(np.zeros((0, 9))).size == 0


def test_every_feature_has_its_coefficient():
    assert COEFFICIENTS.shape == (len(MODEL_FEATURES),)
    assert np.isfinite(COEFFICIENTS).all()


def test_static_factors_survive_enormous_pages():
    huge = np.zeros((2, 9))
    huge[0, 0] = 5000.0
    assert np.isfinite(static_factors(huge)).all()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([0.0, 1.0, 50.0]))
def test_regression_finds_the_top_of_its_likelihood(seed, penalty):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(300, 3))
    towards = rng.normal(size=3) / 3
    time = rng.uniform(10, 100, 300)
    counts = rng.poisson(time * np.exp(features @ [0.4, -0.3, 0.0] - 3)).astype(float)
    if counts.sum() == 0:
        return
    found = ridge_poisson(features, counts, time, penalty, towards)
    design = np.column_stack([features, np.ones(300)])
    slope = design.T @ (counts - time * np.exp(design @ found)) - penalty * np.append(found[:3] - towards, 0.0)
    assert np.abs(slope).max() < 1e-3 * (1 + counts.sum())


def test_a_strong_penalty_keeps_the_table_and_a_weak_one_learns():
    rng = np.random.default_rng(3)
    features = rng.normal(size=(2000, 2))
    counts = rng.poisson(np.exp(features @ [0.8, 0.0] - 1)).astype(float)
    ones = np.ones(2000)
    np.testing.assert_allclose(ridge_poisson(features, counts, ones, 1e9)[:2], 0.0, atol=1e-3)
    np.testing.assert_allclose(ridge_poisson(features, counts, ones, 0.0)[:2], [0.8, 0.0], atol=0.1)


def test_regression_refuses_nothing_to_learn_from():
    with pytest.raises(ValueError, match="needs pages"):
        ridge_poisson(np.zeros((3, 2)), np.zeros(3), np.ones(3), 1.0)
    with pytest.raises(ValueError, match="no site with changes"):
        fit_table([SiteRecord(np.zeros((3, 9)), np.zeros(3), np.ones(3))])


def test_a_table_of_several_sites_gives_each_the_same_say():
    rng = np.random.default_rng(6)
    sites = []
    for size, slope in ((200, 0.5), (20_000, 0.1)):
        features = rng.normal(size=(size, 1))
        counts = rng.poisson(0.5 * np.exp(slope * features[:, 0])).astype(float)
        sites.append(SiteRecord(features, counts, np.full(size, 100.0)))
    assert fit_table(sites)[0] == pytest.approx(0.3, abs=0.1)


def test_refit_waits_for_enough_captures_then_moves():
    rng = np.random.default_rng(2)
    features = np.zeros((400, 9))
    features[:, 4] = rng.integers(0, 2, 400)
    watched, rate = np.full(400, 100.0), np.full(400, 0.02)
    found = rng.poisson(2.0 * np.where(features[:, 4] > 0, 2.5, 0.5)).astype(float)
    moved = refit(features, (found, watched), rate)
    assert moved[4] > COEFFICIENTS[4] + 0.3
    np.testing.assert_array_equal(refit(features[:100], (found[:100], watched[:100]), rate[:100]), COEFFICIENTS)
    few = np.zeros(400)
    np.testing.assert_array_equal(refit(features, (few, watched), rate), COEFFICIENTS)


@settings(max_examples=60)
@given(pages, st.floats(0.001, 1.0))
def test_a_site_says_of_its_own_pages_what_the_three_factors_say(rows, base):
    addresses = [read_address(path) for path, _, _ in rows]
    found, watched = np.array([n for _, n, _ in rows]), np.array([e for _, _, e in rows])
    sight = SiteSight(addresses, found, watched)
    sight.lean_on(base)
    nothing = np.zeros(len(rows))
    static = static_factors(model_features(addresses, nothing, nothing, nothing))
    prior = site_prior(Directories(addresses), static, (found, watched), base)
    assert sight.level == pytest.approx(prior.level)
    np.testing.assert_allclose(sight.mean, prior.mean)


@settings(max_examples=60)
@given(pages, st.lists(st.sampled_from("abcd2"), max_size=4))
def test_a_page_found_later_is_expected_to_do_what_it_would_have_been_expected_to_do_at_first(rows, parts):
    """Against the slow way: everything anew, with the page in it."""
    late = read_address("/" + "/".join([*parts, "x.html"]))
    addresses = [read_address(path) for path, _, _ in rows]
    found, watched = np.array([n for _, n, _ in rows]), np.array([e for _, _, e in rows])
    sight = SiteSight(addresses, found, watched)
    ours = sight.expected(late)
    nothing = np.zeros(len(rows) + 1)
    features = model_features([*addresses, late], nothing, nothing, nothing)
    before = static_factors(features[:-1])
    score = features @ COEFFICIENTS / 2.0
    static = before[0] * math.exp(score[-1] - score[0])
    prior = site_prior(Directories(addresses), before, (found, watched), DEFAULT.first_base)
    factor = 1.0
    for depth in range(len(late.directory), -1, -1):
        members = [i for i, one in enumerate(addresses) if one.directory[:depth] == late.directory[:depth]]
        if members:
            expected = watched * prior.level * before
            inside = late.directory[:depth]
            factor = slow_directory_factor(inside, addresses, found, expected, DEFAULT.directory_weight)
            break
    assert 0 < ours < prior.level * factor * math.exp(4.0)
    # The page's own arrival moves what its neighbours count (pages in and below their directories), a little.
    assert ours == pytest.approx(prior.level * factor * static, rel=0.35)


def test_the_first_page_of_a_site_is_expected_to_be_like_those_of_other_sites():
    sight = SiteSight([], np.empty(0), np.empty(0))
    sight.lean_on(0.3)
    assert 0.1 < sight.expected(read_address("/a/b.html")) < 1.0
    assert sight.mean.size == 0
