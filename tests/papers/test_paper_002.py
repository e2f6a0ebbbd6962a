"""Barbosa et al., WIDM 2005: the estimator, the Bayes example, the historic classifier; groups of real histories."""

import os
from pathlib import Path

import numpy as np
import pytest

from strandline.core.beliefs.first_sight import COEFFICIENTS
from strandline.core.history.rates import change_rate, update_class_beliefs
from strandline.core.mining.classes import HistoricClassifier, HistoricRules, change_groups

DATA = Path(os.environ.get("STRANDLINE_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))


def test_estimator():
    assert change_rate(182, 0) == 0.0
    assert change_rate(100, 100) == pytest.approx(-np.log(0.5 / 100.5))


def test_bayes_example_correct_and_as_printed():
    """0.9 one week, 0.1 one month, unchanged after a week: .81 by Bayes' rule; the paper prints .89 and .11."""
    right = update_class_beliefs([0.9, 0.1], [7, 30], 7, False)
    printed = update_class_beliefs([0.9, 0.1], [7, 30], 7, False, per_day=True)
    assert right.round(3).tolist() == [0.807, 0.193]
    assert printed.round(3).tolist() == [0.889, 0.111]
    assert printed.round(2).tolist() == [0.89, 0.11]


def test_with_window_one_the_historic_classifier_moves_at_once():
    page = HistoricClassifier(np.array([0]), HistoricRules.alike((1, 1)))
    page.visit(np.array([0]), np.array([False]))
    assert page.group.tolist() == [1]


@pytest.fixture(scope="module")
def histories():
    file = DATA / "histories" / "histories_dev.tsv.gz"
    if not file.is_file():
        pytest.skip(f"no change histories in {DATA}")
    from strandline.lab.simulate.histories import read_histories

    return read_histories(file)


@pytest.mark.shared_data
def test_groups_of_the_real_pages(histories):
    assert (histories.pages, histories.days, len(histories.sites)) == (20_820, 182, 8)
    rates = change_rate(histories.last_day, np.minimum(histories.seen[:, -1], histories.last_day))
    by_rate, by_root = change_groups(rates, 4, scale="rate"), change_groups(rates, 4)
    assert by_rate.sizes[0] < 50 < by_root.sizes[0]  # why the root is taken
    np.testing.assert_allclose(1 / by_root.rates[:3], [21.7, 48.4, 121.1], atol=0.2)
    assert by_root.rates[3] == 0.0
    assert by_root.sizes.sum() == 20_820


@pytest.mark.shared_data
def test_the_shipped_table_is_what_the_data_give(histories):
    from strandline.lab.experiments.class_schedules import shared_table

    np.testing.assert_allclose(shared_table(histories), COEFFICIENTS, atol=6e-4)


@pytest.mark.shared_data
def test_first_sight_ranks_pages_of_sites_it_never_saw(histories):
    from strandline.lab.experiments.class_schedules import ranking

    assert np.nanmean(list(ranking(histories, own=False).values())) >= 0.72
    within = ranking(histories, own=True)
    assert np.mean([auc for site, auc in within.items() if site != "flink"]) >= 0.78
