"""What a caught version is worth, against the allocations that are known to be best."""

import numpy as np
import pytest

from strandline.core.beliefs.estimate import Estimate
from strandline.core.plan.objective import Worth
from strandline.core.plan.priced_kernels import Pages, best_spacing
from strandline.core.rivals.freshness import freshness_optimal


def steady(rate, importance=0.5):
    """What is known of pages that change at a steady rate."""
    count = len(rate)
    return Estimate(
        np.asarray(rate, dtype=np.float32)[:, None], np.full((count, 1), importance, dtype=np.float32),
        np.ones((count, 1)), np.ones((count, 1)), np.ones(1),
    )  # fmt: skip


def wanted(estimate, value, price):
    """Visits a period that each page wants at a price."""
    count = len(value)
    pages = Pages(
        estimate.rate, estimate.importance, estimate.level, value, estimate.mean_rate, estimate.mean_importance,
        np.zeros(count), np.full(count, 0.5), np.ones(count), np.full(count, price), np.zeros(count, dtype=np.bool_),
        np.zeros(count, dtype=np.int64), np.zeros(1, dtype=np.int64), np.zeros(1),
    )  # fmt: skip
    spacing = np.array([best_spacing(pages, row, price)[0] for row in range(count)])
    return 1.0 / np.maximum(spacing, 1.0)


def test_objectives_value_pages_differently():
    estimate, weight = steady([0.5, 0.01]), np.ones(2)
    values = {name: Worth(name).node_values(estimate, weight)[:, 0] for name in ("pool", "page", "middle")}
    assert values["pool"].tolist() == [1.0, 1.0]
    assert values["page"][1] > 20 * values["page"][0]
    middle = values["middle"][1] / values["middle"][0]
    assert 1.0 < middle < values["page"][1] / values["page"][0]
    with pytest.raises(ValueError, match="objective"):
        Worth("fame")


@pytest.mark.parametrize("visits", [3.0, 8.0, 16.0])
def test_of_steady_pages_the_objective_page_wants_what_keeps_most_pages_fresh(visits):
    """Caught versions over all versions of a page, (1 - exp(-x)) / x, is its mean freshness, whose best allocation is
    known. A page that changes every hour was worth 1.6 times too much while an hour with changes counted as one.
    """
    rate = np.geomspace(0.005, 1.0, 40)
    estimate = steady(rate)
    value = Worth("page", window=1e5, lasting=1e9).node_values(estimate, np.ones(40))
    low, high = 1e-12, 1.0
    for _ in range(60):
        price = np.sqrt(low * high)
        low, high = (price, high) if wanted(estimate, value, price).sum() > visits else (low, price)
    best = freshness_optimal(rate, np.ones(40), visits)
    assert wanted(estimate, value, high) == pytest.approx(best, rel=0.01, abs=0.002)


def test_a_page_that_changes_in_every_hour_is_worth_its_weight_however_fast_it_may_be():
    """Nobody can tell two changes of an hour from one, and a rate that was never contradicted has no upper end."""
    value = Worth("page", window=100.0).node_values(steady([1.0, 2.0, 4.0]), np.ones(3))[:, 0]
    assert value * 0.5 * 100.0 == pytest.approx(np.ones(3))
    told = Worth("page", window=100.0, once_per_period=False).node_values(steady([1.0, 4.0]), np.ones(2))[:, 0]
    assert told[0] == pytest.approx(4.0 * told[1])
