"""Versions of a site as differences."""

import numpy as np

from strandline.core.history.site_versions import SiteHistory


def pages_at(history, version):
    return sorted(history.index.page_path(int(page)) for page in np.flatnonzero(history.live_at(version)))


def test_whole_versions_become_differences():
    versions = [{"a/x": "1", "b": "1"}, {"a/x": "2"}, {"a/x": "2", "c": "1"}]
    history = SiteHistory.from_versions((str(number), version) for number, version in enumerate(versions))
    assert history.times == ["0", "1", "2"]
    assert [pages_at(history, version) for version in range(3)] == [sorted(version) for version in versions]
    assert [len(one.updated) for one in history.changes] == [0, 1, 0]
    assert [len(one.deleted) for one in history.changes] == [0, 1, 0]


def test_no_versions():
    assert SiteHistory.from_versions([]).versions == 0
