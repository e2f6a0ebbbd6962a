"""Rows in pieces: the same rows, the same sums, wherever they are cut."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.beliefs.first_sight import COEFFICIENTS, refit, refit_rows, refitted
from strandline.core.history.pieces import evenly
from strandline.core.mining.classes import _points, change_groups, change_groups_of

CUTS = st.lists(st.integers(0, 40), max_size=6).map(sorted)


def cut(columns, places):
    ends = [*places, len(columns[0])]
    return [tuple(column[start:end] for column in columns) for start, end in zip([0, *places], ends, strict=True)]


@given(CUTS, st.integers(1, 17))
def test_pieces_are_cut_evenly(places, size):
    rows = (np.arange(40.0), np.arange(80.0).reshape(40, 2))
    found = list(evenly(cut(rows, places), size))
    assert [len(one[0]) for one in found[:-1]] == [size] * (len(found) - 1)
    assert len(found) == -(-40 // size)
    for column, whole in zip(zip(*found, strict=True), rows, strict=True):
        assert np.array_equal(np.concatenate(column), whole)


def test_nothing_is_no_piece():
    assert list(evenly([], 5)) == []
    assert list(evenly([(np.empty(0),)], 5)) == []


@settings(max_examples=10, deadline=None)
@given(st.lists(st.integers(0, 9000), max_size=6).map(sorted))
def test_the_table_behind_first_sight_does_not_depend_on_cuts(places):
    rng = np.random.default_rng(3)
    features = rng.normal(size=(9000, len(COEFFICIENTS)))
    watched = rng.uniform(0, 30, 9000) * (rng.random(9000) < 0.9)
    found = rng.poisson(0.1 * watched * np.exp(features[:, 0] / 2)).astype(np.float64)
    rate = rng.uniform(0.05, 0.2, 9000)
    wanted = refit(features, (found, watched), rate)
    assert not np.array_equal(wanted, COEFFICIENTS)
    rows = refit_rows(features, (found, watched), rate)
    assert np.array_equal(refitted(lambda: cut(rows, [min(place, len(rows[0])) for place in places])), wanted)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 4000), st.sampled_from((3, 900, 10**6)), st.lists(st.floats(0, 1), max_size=4), st.integers(1, 5))
def test_classes_do_not_depend_on_cuts(count, different, shares, k):
    rates = np.random.default_rng(count).integers(0, different, count) / 64.0
    places = sorted(int(share * count) for share in shares)
    wanted = change_groups(rates, k)
    found = change_groups_of(lambda: cut((rates,), places), lambda: cut((np.sort(rates),), places), k)
    for name in ("cuts", "rates", "sizes"):
        assert np.array_equal(getattr(found, name), getattr(wanted, name)), name


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 5000), st.sampled_from((3, 900, 10**6)), st.lists(st.floats(0, 1), max_size=4))
def test_neighbours_are_merged_as_an_even_split_merges_them(count, different, shares):
    values = np.sort(np.random.default_rng(count).integers(0, different, count) / 64.0)
    places = sorted(int(share * count) for share in shares)
    points, weight = np.unique(values, return_counts=True)
    if points.size > 1024:
        parts = np.array_split(values, 1024)
        points, weight = np.array([part.mean() for part in parts]), np.array([part.size for part in parts])
    found = _points(lambda: cut((values,), places), count)
    assert np.array_equal(found[0], points) and np.array_equal(found[1], weight)
