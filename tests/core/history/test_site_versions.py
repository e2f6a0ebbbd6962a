import numpy as np
import pytest

from strandline.core.history.site_versions import SiteHistory

DAY = 86400.0


def pages_at(history, version):
    return sorted(history.index.page_path(int(page)) for page in np.flatnonzero(history.live_at(version)))


def test_versions_from_captures():
    captures = [
        (0.1 * DAY, "a", "1"),
        (0.2 * DAY, "b", "1"),
        (1.5 * DAY, "a", "2"),
        (1.6 * DAY, "a", "3"),
        (4.0 * DAY, "b", None),
        (4.1 * DAY, "c", "1"),
    ]
    history = SiteHistory.from_captures(captures, DAY)
    assert history.times == ["86400", "172800", "432000"]  # nobody looked on the days between
    assert [pages_at(history, version) for version in range(3)] == [["a", "b"], ["a", "b"], ["a", "c"]]
    assert [len(changes.updated) for changes in history.changes] == [0, 1, 0]
    assert [len(changes.deleted) for changes in history.changes] == [0, 0, 1]


def test_captures_of_unchanged_pages_still_make_a_version():
    history = SiteHistory.from_captures([(0.0, "a", "1"), (DAY, "a", "1")], DAY)
    assert [len(changes) for changes in history.changes] == [1, 0]


def test_no_captures_no_versions():
    assert SiteHistory.from_captures([], DAY).versions == 0


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="in order of time"):
        SiteHistory.from_captures([(DAY, "a", "1"), (0.0, "a", "1")], DAY)
    with pytest.raises(ValueError, match="period must be longer"):
        SiteHistory.from_captures([], 0.0)


def test_whole_versions_and_captures_agree():
    versions = [{"a/x": "1", "b": "1"}, {"a/x": "2"}, {"a/x": "2", "c": "1"}]
    whole = SiteHistory.from_versions((str(number), version) for number, version in enumerate(versions))
    captures = []
    for number, version in enumerate(versions):
        gone = versions[number - 1].keys() - version.keys() if number else set()
        captures += [(number * DAY, path, version.get(path)) for path in [*sorted(version), *gone]]
    seen = SiteHistory.from_captures(captures, DAY)
    assert [pages_at(seen, version) for version in range(3)] == [pages_at(whole, version) for version in range(3)]
