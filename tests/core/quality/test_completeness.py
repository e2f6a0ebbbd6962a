import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.quality.completeness import Changes, Weights, caught_versions, completeness, page_completeness


@st.composite
def archives(draw):
    """A few pages with changes and captures at small integer times, so that ties happen."""
    pages = draw(st.integers(1, 4))
    times = [sorted(draw(st.sets(st.integers(0, 12), max_size=6))) for _ in range(pages)]
    captures = draw(st.lists(st.tuples(st.integers(0, pages - 1), st.integers(-1, 13)), max_size=15))
    importances = [[draw(st.integers(1, 9)) / 10 for _ in page] for page in times]
    weights = [draw(st.integers(1, 5)) for _ in range(pages)]
    return times, importances, captures, weights


def as_arrays(times, importances):
    start = np.concatenate([[0], np.cumsum([len(page) for page in times])]).astype(np.int64)
    flat = np.array([t for page in times for t in page], dtype=float)
    return Changes(start, flat, np.array([x for page in importances for x in page], dtype=float))


def slow_caught(times, captures):
    """A capture shows the last change not after it."""
    caught = [[False] * len(page) for page in times]
    for page, moment in captures:
        before = [k for k, t in enumerate(times[page]) if t <= moment]
        if before:
            caught[page][before[-1]] = True
    return caught


@settings(max_examples=100, deadline=None)
@given(archives())
def test_completeness_is_the_definition(archive):
    times, importances, captures, weights = archive
    changes = as_arrays(times, importances)
    page = np.array([c[0] for c in captures], dtype=np.int64)
    moment = np.array([c[1] for c in captures], dtype=float)
    caught = caught_versions(changes, page, moment)
    expected = slow_caught(times, captures)
    assert caught.tolist() == [flag for flags in expected for flag in flags]

    site = np.arange(len(times)) % 2
    found = completeness(changes, caught, Weights(np.array(weights, dtype=float), site))
    ratios = {
        i: sum(x for x, flag in zip(importances[i], expected[i], strict=True) if flag) / sum(importances[i])
        for i in range(len(times))
        if times[i]
    }
    if not ratios:
        assert found.by_page == found.pool == found.count == found.archive == 1.0
        return
    total = sum(weights[i] for i in ratios)
    assert found.by_page == pytest.approx(sum(weights[i] * ratios[i] for i in ratios) / total)
    value = [w * x for w, page in zip(weights, importances, strict=True) for x in page]
    assert found.pool == pytest.approx(np.dot(value, caught) / sum(value))
    assert found.count == pytest.approx(caught.mean())
    sites = []
    for name in (0, 1):
        members = [i for i in ratios if i % 2 == name]
        if members:
            sites.append(sum(weights[i] * ratios[i] for i in members) / sum(weights[i] for i in members))
    assert found.archive == pytest.approx(np.mean(sites))


def test_unscored_changes_do_not_count():
    changes = Changes(np.array([0, 3]), np.array([1.0, 5.0, 9.0]), np.array([0.2, 0.4, 0.4]))
    caught = np.array([False, True, False])
    found = completeness(changes, caught, Weights(np.ones(1), scored=changes.time >= 4.0))
    assert found.pool == pytest.approx(0.5)
    assert found.count == pytest.approx(0.5)


def test_a_page_that_never_changed_is_complete():
    assert page_completeness(np.empty(0), np.empty(0, dtype=bool)) == 1.0
