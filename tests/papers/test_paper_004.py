"""Numbered examples of paper 004 (importance of changes and quality of archives)."""

import numpy as np
import pytest

from strandline.core.plan.budget import Budget
from strandline.core.plan.strategy import PageTable
from strandline.core.quality.coherence import coherence
from strandline.core.quality.completeness import Changes, Weights, caught_versions, completeness, page_completeness
from strandline.core.rivals.urgency import IMPORTANCE_PATTERN, urgency


def test_example_5_11_completeness():
    """Two pages: P1 caught .6 and .5 of .1 .6 .5 .2; P2 caught .12 of .12 .45. The paper truncates to two digits."""
    changes = Changes(
        np.array([0, 4, 6]),
        np.array([1.0, 2.0, 4.0, 6.0, 1.0, 5.0]),
        np.array([0.1, 0.6, 0.5, 0.2, 0.12, 0.45]),
    )
    caught = caught_versions(changes, np.array([0, 0, 1]), np.array([3.0, 5.0, 4.0]))
    assert caught.tolist() == [False, True, True, False, True, False]
    found = completeness(changes, caught, Weights(np.ones(2)))
    assert found.of_page == pytest.approx([1.1 / 1.4, 0.12 / 0.57])
    assert [int(100 * value) / 100 for value in found.of_page] == [0.78, 0.21]
    assert found.by_page == pytest.approx(0.498, abs=5e-4)
    assert page_completeness(changes.importance[:4], caught[:4]) == pytest.approx(0.786, abs=5e-4)


def test_example_5_21_coherence():
    """Versions 1-3 share an instant, 4 and 5 do not: 1.08 of 1.90 (the paper prints .56)."""
    begin, end = np.array([1.0, 2.0, 0.0, 6.5, 9.0]), np.array([6.0, 5.0, 4.0, 8.0, 10.0])
    found = coherence(begin, end, np.array([0.2, 0.54, 0.34, 0.22, 0.6]))
    assert found.by_weight == pytest.approx(1.08 / 1.90)
    assert int(100 * found.by_weight) == 56
    assert found.by_count == pytest.approx(3 / 5)
    assert 2.0 <= found.instant <= 4.0


def test_section_6_urgency_and_descending_order():
    pages = PageTable.of(3, weight=[1.0, 0.5, 1.0], expected_change=[0.2, 0.9, 0.1], last_visit=[0.0, 4.0, 8.0])
    assert urgency(pages, pages.expected_change, 10.0) == pytest.approx([2.0, 2.7, 0.2])
    assert [visit.page for visit in IMPORTANCE_PATTERN.plan(pages, Budget(2), 10.0)] == [1, 0]
