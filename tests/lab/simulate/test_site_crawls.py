import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.quality.test_maintenance import maintenance
from strandline.core.history.site_versions import SiteHistory
from strandline.core.skip.site_level import BurstSettings
from strandline.lab.simulate.site_crawls import KnownSite

paths = st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map("/".join)
versions = st.lists(st.dictionaries(paths, st.sampled_from("12"), min_size=1, max_size=9), min_size=2, max_size=5)
PLAIN = BurstSettings(oldest_share=0.0)


def known(listed):
    return KnownSite(SiteHistory.from_versions((str(number), version) for number, version in enumerate(listed)))


@settings(max_examples=100, deadline=None)
@given(versions)
def test_a_trace_goes_from_nothing_to_everything(listed):
    site = known(listed)
    last = len(listed) - 2
    outlook = site.learned(0, last).outlook(site.shape, last + 1.0)
    trace = site.trace(outlook, last, last + 1, PLAIN)
    assert trace.bypass[0] == 1.0
    assert trace.recall[0] == 0.0
    assert trace.bypass[-1] == pytest.approx(0.0)
    assert (np.diff(trace.bypass) <= 0).all()
    assert (np.diff(trace.recall) >= 0).all()
    if len(site.history.changes[-1]):
        assert trace.recall[-1] == 1.0


@settings(max_examples=100, deadline=None)
@given(versions, st.sets(st.integers(0, 8)))
def test_skipping_counts_as_the_set_counts_do(listed, chosen):
    site = known(listed)
    mask = np.isin(np.arange(site.shape.directories), list(chosen))
    index, shape = site.history.index, site.shape
    for before in range(len(listed) - 1):
        counted = site.skipping(mask, before, before + 1)
        direct = maintenance(
            listed[before], listed[before + 1], lambda path: bool(mask[shape.page_directories[index.find(path)]])
        )
        assert counted == direct


def test_changes_add_up_over_a_distance():
    site = known([{"a": "1", "b": "1", "c": "1"}, {"a": "2", "b": "1", "c": "1"}, {"a": "2", "b": "1", "d": "1"}])
    assert site.changed_between(0, 2).sum() == 2  # a has other content, c is gone
    counted = site.skipping(np.array([True]), 0, 2)
    assert (counted.changed, counted.missed, counted.bypass_ratio) == (3, 3, 1.0)


def test_a_new_page_is_seen_only_through_its_hub():
    week = {"a/index.html": "1", "a/x": "1", "b/index.html": "1", "b/y": "1"}
    site = known([week, {**week, "b/new": "1"}])
    outlook = site.learned(0, 0).outlook(site.shape, 1.0)
    hub = site.shown_by(outlook, np.array([site.history.index.find("b/new")]))
    assert site.history.index.page_path(int(hub[0])) == "b/index.html"


def test_recall_between_requests_is_interpolated():
    site = known([{"a": "1", "b": "1"}, {"a": "2", "b": "1"}])
    outlook = site.learned(0, 0).outlook(site.shape, 1.0)
    trace = site.trace(outlook, 0, 1, PLAIN)
    assert trace.recall_at([1.0, 0.75, 0.5, 0.0]) == pytest.approx([0.0, 0.5, 1.0, 1.0], abs=1e-6)


def test_a_full_crawl_catches_all_deletes():
    site = known([{f"old/{n}": "1" for n in range(5)}, {f"new/{n}": "1" for n in range(5)}])
    outlook = site.learned(0, 0).outlook(site.shape, 1.0)
    assert site.trace(outlook, 0, 1, PLAIN).recall_at([0.0]) == pytest.approx([1.0])


def test_a_site_that_lost_all_its_pages_can_not_be_followed():
    site = known([{"a": "1"}, {}, {"b": "1"}])
    rates = site.learned(0, 1)
    trace = site.trace(rates.outlook(site.shape, 2.0), 1, 2, PLAIN)
    assert trace.recall.tolist() == [0.0]
