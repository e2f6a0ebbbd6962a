import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.mining.classes import (
    BayesianClassifier,
    HistoricClassifier,
    HistoricRules,
    change_groups,
    interval_in_words,
    kmeans_line,
    sure_beliefs,
)


def spread(values, cuts):
    group = np.searchsorted(cuts, values)
    return sum(((values[group == g] - values[group == g].mean()) ** 2).sum() for g in np.unique(group))


@settings(max_examples=60)
@given(st.lists(st.integers(0, 40), min_size=1, max_size=14), st.integers(1, 4))
def test_groups_are_the_best_of_all_possible(values, k):
    data = np.sort(np.array(values, dtype=float))
    points = np.unique(data)
    middles = (points[1:] + points[:-1]) / 2
    best = min(spread(data, np.array(cuts)) for cuts in itertools.combinations(middles, min(k, points.size) - 1))
    assert spread(data, kmeans_line(data, k)) == pytest.approx(best, abs=1e-6)


def test_many_different_values_are_merged_first():
    rng = np.random.default_rng(0)
    data = np.concatenate([rng.normal(m, 0.1, 3000) for m in (0, 5, 9)])
    low, high = kmeans_line(data, 3)
    assert 0.5 < low < 4.5
    assert 5.5 < high < 8.5


def test_groups_edge_cases():
    with pytest.raises(ValueError, match="no pages"):
        change_groups([])
    with pytest.raises(ValueError, match="finite"):
        kmeans_line([1.0, math.nan], 2)
    with pytest.raises(ValueError, match="negative"):
        change_groups([-1.0])
    with pytest.raises(ValueError, match="scale"):
        change_groups([1.0], scale="log")
    one = change_groups([0.0, 0.0, 0.0])
    assert (one.count, one.sizes.tolist(), one.names()) == (1, [3], ["no change that counts"])
    assert one.intervals().tolist() == [91.0]
    assert one.as_data() == [{"class": 0, "name": "no change that counts", "changes_a_day": 0.0, "pages": 3}]


def test_fastest_group_first_and_pages_sit_in_their_group():
    rates = np.concatenate([np.full(5, 1.0), np.full(50, 1 / 30), np.zeros(500)])
    groups = change_groups(rates, 3)
    assert groups.sizes.tolist() == [5, 50, 500]
    assert change_groups(np.arange(100.0)).sizes.size == 4, "as many as in the paper"
    assert (np.diff(groups.rates) < 0).all()
    assert np.bincount(groups.assign(rates)).tolist() == [5, 50, 500]
    assert groups.names() == ["every day", "every 4 weeks", "no change that counts"]
    np.testing.assert_allclose(groups.intervals(), [1.0, 30.0, 91.0])


@given(st.floats(1e-5, 200))
def test_intervals_in_words_are_near_the_truth(rate):
    words = interval_in_words(rate).removeprefix("every ").split()
    number, unit = (1, words[0]) if len(words) == 1 else (int(words[0]), words[1])
    days = {"minute": 1 / 1440, "hour": 1 / 24, "day": 1, "week": 7, "month": 30.44, "year": 365.25}[unit.rstrip("s")]
    assert number * days == pytest.approx(1 / rate, rel=0.5)


def test_the_papers_example_of_the_historic_classifier():
    """Table 2: weekly pages, window 8, thresholds .3 and .7; 6 of 8 moves up, 1 of 8 moves down, 4 of 8 stays."""
    rules = HistoricRules.alike((10, 8, 6, 2), 0.3, 0.7)
    pages = HistoricClassifier(np.array([1, 1, 1]), rules)
    for visit in range(8):
        pages.visit(np.arange(3), np.array([visit < 6, visit < 1, visit < 4]))
    assert pages.group.tolist() == [0, 2, 1]


def slow_historic(start, history, rules):
    """Algorithm 1, one page."""
    group, visits, changes = start, 0, 0
    for changed in history:
        visits, changes = visits + 1, changes + changed
        if visits == rules.windows[group]:
            average = changes / rules.windows[group]
            if average < rules.minimum[group]:
                group = min(group + 1, len(rules.windows) - 1)
            elif average > rules.maximum[group]:
                group = max(group - 1, 0)
            visits = changes = 0
    return group


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 3), st.lists(st.booleans(), max_size=30)), min_size=1, max_size=6))
def test_historic_classifier_equals_algorithm_1(pages):
    rules = HistoricRules.alike((3, 2, 2, 1))
    classifier = HistoricClassifier(np.array([start for start, _ in pages]), rules)
    for i, (_, history) in enumerate(pages):
        for changed in history:
            classifier.visit(np.array([i]), np.array([changed]))
    assert classifier.group.tolist() == [slow_historic(start, history, rules) for start, history in pages]


def test_bayesian_classifier_moves_to_the_group_believed_most():
    pages = BayesianClassifier(sure_beliefs(np.array([0, 0]), 2), np.array([7.0, 30.0]))
    assert pages.group.tolist() == [0, 0]
    for _ in range(6):
        pages.visit(np.array([1]), np.array([False]), np.array([7.0]))
    assert pages.group.tolist() == [0, 1]
    np.testing.assert_allclose(pages.beliefs.sum(axis=1), 1.0)


def test_sure_beliefs():
    np.testing.assert_allclose(sure_beliefs(np.array([2]), 4), [[0.1 / 3, 0.1 / 3, 0.9, 0.1 / 3]])
    np.testing.assert_allclose(sure_beliefs(np.array([0]), 1), [[1.0]])
