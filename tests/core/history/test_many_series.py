"""Series of many pages at once are those of each page by itself, to the last bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.history import many_series as module
from strandline.core.history.calendar import Cycle, LocalCalendar, Periods
from strandline.core.history.many_series import AT_ONCE, many_series
from strandline.core.history.series import PageSeries, Sighting

START = 1_790_000_000.0
PERIODS = (Periods(), Periods("Europe/Paris", "FR", count=8), Periods(cycle=Cycle.WEEK, count=21))
CAPTURES = st.lists(
    st.tuples(st.sampled_from((0.0, 0.0, 60.0, 5_000.0, 86_400.0, 4e6)), st.sampled_from((0.0, 0.0, 0.2, 1.0))),
    min_size=1,
    max_size=12,
)


@settings(max_examples=60, deadline=None)
@given(st.lists(CAPTURES, max_size=6), st.sampled_from(PERIODS), st.sampled_from((5, 12, AT_ONCE)))
def test_as_page_by_page(pages, periods, most):
    calendar = LocalCalendar(periods)
    columns = []
    for captures in pages:
        times = START + np.cumsum([wait for wait, _ in captures])
        columns.append((times, np.array([amount for _, amount in captures])))
    columns = [page for page in columns if page[0].size <= most]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "AT_ONCE", most)
        found = list(many_series(calendar, columns))
    assert len(found) == len(columns)
    for (times, amounts), series in zip(columns, found, strict=True):
        wanted = PageSeries.empty(periods)
        wanted.observe_all(calendar, [Sighting(*one) for one in zip(times.tolist(), amounts.tolist(), strict=True)])
        assert series.as_data() == wanted.as_data()


def test_a_page_with_very_many_captures_is_refused():
    times = START + np.arange(AT_ONCE + 1.0)
    with pytest.raises(ValueError, match="by itself"):
        list(many_series(LocalCalendar(Periods()), [(times, times * 0.0)]))
