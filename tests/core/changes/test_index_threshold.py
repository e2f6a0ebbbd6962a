"""Which versions enter the search index: delta of paper 001, the mean of the page's pattern, with accumulation."""

import pytest

from strandline.core.changes.index_threshold import IndexGate
from strandline.core.changes.observation import PageState

HOUR, DAY = 3600.0, 86_400.0


def gated(importances, pause, mean_of_changes=False):
    """Which versions are admitted, as study asks version by version."""
    admitted, passed_over, total = [], 0.0, 0.0
    for number, value in enumerate(importances):
        state = PageState(importance=total, changes=number, passed_over=passed_over, time=number * pause, begun=0.0)
        threshold = (total / number if number else 0.0) if mean_of_changes else state.threshold
        gate = IndexGate(threshold if number else 0.0, passed_over)
        admitted.append(gate.admits(value))
        passed_over, total = gate.skipped, total + value
    return admitted


def test_versions_of_like_importance_are_all_searchable():
    """53 versions of about .33, a day apart: each weighs far more than an hour of its page does on average."""
    versions = [0.33 + 0.05 * (-1) ** number * (number % 7) / 7 for number in range(53)]
    assert all(gated(versions, DAY))
    assert gated(versions, DAY, mean_of_changes=True).count(False) > 10, "what the mean of changes left out"


def test_a_page_that_changes_every_hour_is_indexed_by_what_adds_up():
    """Small changes wait until they are worth an average hour together; large ones enter at once."""
    versions = [0.5 if number % 6 == 0 else 0.02 for number in range(60)]
    admitted = gated(versions, HOUR)
    assert all(admitted[::6]) and admitted.count(False) > 20
    skipped = 0.0
    for value, kept in zip(versions, admitted, strict=True):
        skipped = 0.0 if kept else skipped + value
        assert skipped < 0.5


def test_the_threshold_is_the_mean_over_hours_and_never_above_that_of_changes():
    day = PageState(importance=1.2, changes=3, time=10 * DAY + DAY, begun=10 * DAY)
    assert day.threshold == pytest.approx(1.2 / 24)
    short_hours = PageState(importance=1.2, changes=3, time=60.0, begun=0.0)
    assert short_hours.threshold == pytest.approx(0.4)
    assert PageState(importance=1.2, changes=3).threshold == pytest.approx(0.4)
    assert PageState().threshold == 0.0
