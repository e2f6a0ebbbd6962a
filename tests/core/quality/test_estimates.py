import numpy as np
import pytest

from strandline.core.quality.coherence import Captures
from strandline.core.quality.estimates import (
    Visiting,
    Watched,
    coherence_estimate,
    coverage,
    freshness,
    memento_evidence,
)

from .test_coherence import small_evidence


def watched(rate, found, span, last):
    count = len(rate)
    one = np.ones((count, 1))
    return Watched(
        np.ones(count), np.full(count, 0.5), np.array(rate, float)[:, None], one, np.array(found, float),
        np.array(span, float), np.array(last, float),
    )  # fmt: skip


def test_freshness_and_coverage():
    pages = watched([0.1, 0.1], [1, 0], [10, 0], [5.0, np.nan])
    assert freshness(pages, 5.0) == pytest.approx(0.5)
    assert freshness(pages, 15.0) == pytest.approx(0.5 * np.exp(-1.0))
    assert coverage(pages) == 0.5


def test_evidence_classes():
    known = Captures.of(np.array([2]), np.array([5.0]), 3)
    found = {m.page: m for m in memento_evidence(small_evidence(), 4.0, known)}
    assert found[0].evidence == "proved"
    assert found[1].evidence == "probable"
    assert 0 < found[1].chance < 1
    assert found[2].evidence == "violated"
    assert found[2].chance == 0.0


def test_coherence_estimate_is_a_mean_of_chances():
    bridged = np.exp(-0.8) * (1 - np.exp(-1.2)) / (1 - np.exp(-2.0))
    value = coherence_estimate(small_evidence(), np.array([4.0]))
    assert value == pytest.approx((1.0 + bridged + 2 * np.exp(-0.6)) / 4.0)


def test_intended_against_achieved():
    assert Visiting(10, 8, 2).share == 0.8
    assert Visiting(0, 0, 0).share == 1.0
