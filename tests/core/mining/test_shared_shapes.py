"""Groups over pages that come in pieces, against all pages at once."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.history.pieces import evenly
from strandline.core.mining import shared_shapes as module
from strandline.core.mining.shared_shapes import shared_shapes

FORM = (2, 12)


def counted(pages, seed=5):
    """Changes and times of pages of three kinds: mornings, evenings, and any time."""
    rng = np.random.default_rng(seed)
    hours = np.arange(24) % 12
    shapes = np.stack([np.exp(-((hours - 3) ** 2) / 4) + 0.05, np.exp(-((hours - 9) ** 2) / 4) + 0.05, np.ones(24)])
    times = rng.uniform(3.0, 20.0, (pages, 24))
    kind = rng.integers(0, 3, pages)
    level = np.where(np.arange(pages) % 4 == 0, 0.03, rng.uniform(0.3, 1.5, pages))[:, None]
    counts = rng.poisson(level * shapes[kind] / shapes[kind].mean(axis=1, keepdims=True) * times).astype(np.float64)
    counts[:, 0] += counts.sum(axis=1) == 0
    return counts, times, kind


def shape_of(counts, times, parent):
    """One group, held together: the formula as it stands."""
    shape = start = np.ones(counts.shape[1]) if parent is None else parent
    pull = 30.0 * times.sum(axis=0) / times.sum()
    for _ in range(5):
        level = counts.sum(axis=1) / (times * shape).sum(axis=1)
        shape = np.maximum((pull * start + counts.sum(axis=0)) / (pull + level @ times), 1e-6)
        shape = shape / np.average(shape, weights=times.sum(axis=0) + 1e-12)
    return shape


@pytest.fixture(scope="module")
def pages():
    counts, times, kind = counted(300)
    return counts, times, kind, shared_shapes(lambda: [(counts, times)], FORM)


def test_groups_are_the_kinds_and_their_shapes_follow_the_formula(pages):
    counts, times, kind, found = pages
    assert len(found.shapes) == 3
    often = counts.sum(axis=1) >= 30
    for group in range(3):
        inside = kind[(found.number == group) & often]
        assert np.bincount(inside).max() > 0.9 * inside.size
    common = shape_of(counts, times, None)
    for group, shape in enumerate(found.shapes):
        own = found.number == group
        np.testing.assert_allclose(shape, shape_of(counts[own], times[own], common), rtol=1e-12)
        assert found.changes[group] == pytest.approx(counts[own].sum())
    sizes = np.bincount(found.number).tolist()
    assert sizes == sorted(sizes, reverse=True)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(0, 300), max_size=5).map(sorted))
def test_how_pages_are_kept_changes_no_bit(pages, places):
    counts, times, _, wanted = pages
    ends = [*places, 300]
    found = shared_shapes(lambda: [(counts[a:b], times[a:b]) for a, b in zip([0, *places], ends, strict=True)], FORM)
    assert np.array_equal(found.shapes, wanted.shapes)
    assert np.array_equal(found.number, wanted.number)
    assert np.array_equal(found.changes, wanted.changes)


def test_many_pieces_give_what_one_gives(pages, monkeypatch):
    counts, times, _, wanted = pages
    monkeypatch.setattr(
        module, "evenly", lambda some: [(c[a : a + 7], t[a : a + 7]) for c, t in some for a in range(0, 300, 7)]
    )
    found = shared_shapes(lambda: [(counts, times)], FORM)
    assert np.array_equal(found.number, wanted.number)
    np.testing.assert_allclose(found.shapes, wanted.shapes, rtol=1e-9)


def test_of_very_many_pages_an_even_share_makes_the_groups(monkeypatch):
    counts, times, kind = counted(1200, seed=7)
    monkeypatch.setattr(module, "_MOST_MAKERS", 150)
    found = shared_shapes(lambda: [(counts, times)], FORM)
    assert len(found.shapes) == 3 and found.number.size == 1200
    often = counts.sum(axis=1) >= 30
    agreed = sum(np.bincount(kind[(found.number == group) & often]).max() for group in range(3))
    assert agreed > 0.9 * often.sum()


@pytest.mark.parametrize("loud", [0, 1, 40])
def test_pieces_in_which_no_page_changes_often(monkeypatch, loud):
    counts, times, _ = counted(60)
    quiet = np.zeros((40, 24))
    quiet[:, 5] = 1.0
    counts, times = np.concatenate([quiet, counts[:loud]]), np.tile(times, (2, 1))
    monkeypatch.setattr(module, "evenly", partial(evenly, size=8))
    found = shared_shapes(lambda: [(counts, times[: len(counts)])], FORM)
    assert found.number.size == 40 + loud
    assert np.bincount(found.number).sum() == 40 + loud and np.isfinite(found.shapes).all()


def test_without_pages_there_are_no_groups():
    assert shared_shapes(lambda: [], FORM) is None
