"""Ben Saad & Gancarski, JCDL 2011: the pattern example, the mean, the index threshold; and the real pages."""

import os
from pathlib import Path

import numpy as np
import pytest

from strandline.core.history.calendar import LocalCalendar, Periods
from strandline.core.history.series import PageSeries, Sighting
from strandline.core.mining.patterns import (
    index_threshold,
    indexed_versions,
    page_pattern,
    period_means,
    shared_patterns,
)
from strandline.lab.experiments.pattern_data import item_importance, read_traces

DATA = Path(os.environ.get("STRANDLINE_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))
EXAMPLE = (0.1, 0.3, 0.6, 0.42, 0.37, 0.83)  # example 3.2.1: workdays in six periods of four hours
MONDAY = 1_736_121_600.0


def test_example_3_2_1_comes_back_from_series_that_average_to_it():
    """Two workdays, one above and one below the printed pattern: their mean is the pattern (6.3.1)."""
    periods = Periods(count=6)
    series, calendar = PageSeries.empty(periods), LocalCalendar(periods)
    amounts = [x * 0.5 for x in EXAMPLE] + [x * 1.5 for x in EXAMPLE]
    captures = [Sighting(MONDAY + (i + 1) * 4 * 3600, amount) for i, amount in enumerate(amounts)]
    series.observe_all(calendar, [Sighting(MONDAY), *captures])
    np.testing.assert_allclose(period_means(series)[0], EXAMPLE)
    assert page_pattern(series).kinds == {"workday": pytest.approx(EXAMPLE)}


def test_index_threshold_of_the_example():
    assert index_threshold(EXAMPLE) == pytest.approx(2.62 / 6)


def test_a_version_below_the_threshold_is_indexed_once_enough_was_skipped():
    delta = index_threshold(EXAMPLE)
    assert indexed_versions([0.5, 0.2, 0.2, 0.1, 0.0, 0.0], delta).tolist() == [True, False, False, False, True, False]


@pytest.mark.shared_data
def test_patterns_of_real_news_pages():
    if not (DATA / "pages").is_dir():
        pytest.skip(f"no page versions in {DATA}")
    from strandline.lab.experiments import pattern_data

    folder = DATA / "pages"
    news, _ = pattern_data.read_traces(folder / "news_items_dev.jsonl.xz", 1, lambda _: None)
    assert len(news) == 25
    assert sum(int((trace.importances > 0).sum()) for trace in news) == 55_796
    assert {trace.zone for trace in news} == {"Europe/Berlin"}
    series = {trace.url: trace.series() for trace in news}
    for trace in news:
        one = series[trace.url]
        assert one.importance.sum() == pytest.approx(trace.importances[1:].sum())
        night, day = one.changes[0, 0:5].sum(), one.changes[0, 9:14].sum()
        assert day > night  # more change by day than by night, as the paper says
    groups = shared_patterns(series)
    assert 2 <= len(groups) <= 8
    assert sum(len(group.members) for group in groups) == 25


def test_items_and_folders():
    assert item_importance([], []) == 0.0
    assert item_importance([1, 2, 3], [4, 5, 6]) == pytest.approx(1.0)
    with pytest.raises(ValueError, match="no page versions"):
        read_traces(Path(__file__).parent, 5, lambda _: None)
