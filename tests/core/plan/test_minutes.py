"""Places of pages in a period: every page has one of its own, sites lie together, the fast pages in the middle."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from strandline.core.plan.minutes import FAST, FIRST_PART, Settling, fast_first, places
from strandline.core.plan.strategy import PageTable

PAGES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.floats(0.0, 2.0)), min_size=1, max_size=40)


def laid_out(pages, quiet_below=0.1):
    """Rows in the order of their places."""
    site, directory, rate = (np.array(column) for column in zip(*pages, strict=True))
    found = places(PageTable.of(len(pages), site=site, directory=directory), rate, quiet_below)
    assert sorted(found.tolist()) == [(number + 0.5) / len(pages) for number in range(len(pages))]
    return np.argsort(found), site, directory, rate


@given(PAGES)
def test_the_pages_of_a_site_lie_together(pages):
    order, site, _, _ = laid_out(pages)
    assert site[order].tolist() == sorted(site.tolist())


@given(PAGES)
def test_inside_a_site_rates_rise_to_the_middle_and_fall_again(pages):
    order, site, _, rate = laid_out(pages)
    for name in np.unique(site):
        of_site = rate[order][site[order] == name]
        seen = np.where(of_site < 0.1, 0.0, of_site)
        peak = int(seen.argmax())
        assert (np.diff(seen[: peak + 1]) >= 0).all()
        assert (np.diff(seen[peak:]) <= 0).all()


@given(PAGES)
def test_quiet_pages_lie_outside_directory_by_directory(pages):
    order, site, directory, rate = laid_out(pages)
    for name in np.unique(site):
        quiet = order[(site[order] == name) & (rate[order] < 0.1)]
        assert directory[quiet].tolist() == sorted(directory[quiet].tolist())


@given(PAGES)
def test_where_versions_of_a_period_count_once_fast_pages_come_first(pages):
    site, directory, rate = (np.array(column) for column in zip(*pages, strict=True))
    found = fast_first(PageTable.of(len(pages), site=site, directory=directory), rate, 0.01, visits=5.0)
    fast = rate >= FAST
    assert len(set(found.tolist())) == len(pages)
    assert (found[fast] < FIRST_PART).all()
    assert (found[~fast] >= (FIRST_PART if fast.any() else 0.0)).all()
    assert found.max() < 1.0


def test_more_fast_pages_than_a_host_bears_at_once_take_their_time():
    table, rate = PageTable.of(300), np.ones(300)
    assert fast_first(table, rate, 0.01, visits=70.0).max() > 0.15
    assert fast_first(table, rate, 0.01, visits=200.0).tolist() == places(table, rate, 0.01).tolist()
    spread = PageTable.of(300, host=np.arange(300))
    assert fast_first(spread, rate, 0.01, visits=200.0).max() < FIRST_PART


def test_no_pages_have_no_places():
    assert len(places(PageTable.of(0), np.empty(0), 0.1)) == 0


def test_days_may_be_skipped_between_two_settlings():
    settling = Settling()
    assert [day for day in (7, 7, 12, 13, 16, 17, 40) if settling.due(day)] == [12, 17, 40]
