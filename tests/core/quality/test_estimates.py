from typing import NamedTuple

import numpy as np
import pytest

from strandline.core.quality import estimates as module
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


class Rates(NamedTuple):
    """Rates of pages, and how likely each of them is."""

    rate: np.ndarray
    odds: np.ndarray

    def of(self, rows):
        return self.rate[rows], self.odds[rows]


def watched(rate, found, span, last):
    count = len(rate)
    rates = Rates(np.array(rate, float)[:, None], np.ones((count, 1)))
    return Watched(
        np.ones(count), np.full(count, 0.5), rates, np.array(found, float), np.array(span, float), np.array(last, float)
    )


def test_freshness_and_coverage():
    pages = watched([0.1, 0.1], [1, 0], [10, 0], [5.0, np.nan])
    assert freshness(pages, 5.0) == pytest.approx(0.5)
    assert freshness(pages, 15.0) == pytest.approx(0.5 * np.exp(-1.0))
    assert coverage(pages) == 0.5


def test_freshness_of_very_many_pages_is_worked_out_some_at_a_time():
    rng = np.random.default_rng(3)
    count, levels = 2_000, 14
    rates = Rates(rng.gamma(1.0, 0.02, (count, levels)), rng.dirichlet(np.ones(levels), count))
    last = np.where(rng.random(count) < 0.1, np.nan, rng.uniform(0.0, 90.0, count))
    pages = Watched(rng.random(count), np.ones(count), rates, np.ones(count), np.ones(count), last)
    rows = rng.permutation(count)[:1_500]
    at_once = freshness(pages, 99.0, rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_AT_ONCE", 7)
        assert freshness(pages, 99.0, rows) == at_once, "to the last digit"
    age = 99.0 - last[rows]
    fresh = np.nan_to_num((np.exp(-rates.rate[rows] * age[:, None]) * rates.odds[rows]).sum(axis=1))
    assert at_once == float(pages.weight[rows] @ fresh) / float(pages.weight[rows].sum())


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
