import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.mining.near_reference import degree_of_change
from strandline.core.changes.directories import PageChanges
from strandline.core.history.delta_tree import SMALLEST, DeltaTree
from strandline.core.history.site_versions import SiteHistory
from strandline.lab.simulate.site_generator import GeneratorSettings, generate_site

paths = st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map("/".join)
versions = st.lists(st.dictionaries(paths, st.sampled_from("12"), max_size=8), max_size=6)


def history_of(listed):
    return SiteHistory.from_versions((str(number), version) for number, version in enumerate(listed))


@settings(max_examples=100, deadline=None)
@given(versions)
def test_streamed_degrees_are_those_of_whole_versions(listed):
    history = history_of(listed)
    tree = DeltaTree((0.3,), history.index)
    for version, changes in enumerate(history.changes):
        degrees = tree.add_changes(history.shape, changes)
        if version == 0:
            assert degrees is None
            continue
        for directory in range(1, history.shape.directories):
            path = tuple(history.index.directory_path(directory).split("/"))
            assert degrees[directory] == float(degree_of_change(listed[version - 1], listed[version], path))


@settings(max_examples=100, deadline=None)
@given(versions)
def test_listings_and_differences_give_the_same_tree(listed):
    history = history_of(listed)
    by_changes = DeltaTree.of(history, (0.2, 0.5))
    by_listing = DeltaTree((0.2, 0.5), history.index)
    for version in listed:
        pages = history.index.pages(sorted(version))
        digests = np.array([int(version[path]) for path in sorted(version)], dtype=np.uint64)
        by_listing.add_version(history.shape, pages, digests)
    for alpha in (0.2, 0.5):
        left, right = by_changes.window(alpha), by_listing.window(alpha)
        assert np.array_equal(left.bits, right.bits)
        assert np.array_equal(left.present, right.present)
        assert left.root == right.root


@settings(max_examples=50, deadline=None)
@given(versions)
def test_presence_is_that_of_the_versions(listed):
    tree = DeltaTree.of(history_of(listed), (SMALLEST,))
    for first in range(len(listed)):
        for last in range(first, len(listed)):
            window = tree.window(None, first, last)
            present = {window.directory_path(int(d)) for d in np.flatnonzero(window.present) if d}
            above = {
                p.rsplit("/", n)[0] for v in listed[first : last + 1] for p in v for n in range(1, p.count("/") + 1)
            }
            assert present == above
            assert window.transitions == last - first


def test_the_tree_can_grow_while_it_is_filled():
    history = SiteHistory()
    tree = DeltaTree((SMALLEST,), history.index)
    for week in range(200):
        history.add(str(week), [f"week{week}/page"], [f"week{week - 1}/page"] if week else [], [])
        tree.add_changes(history.index.shape(), history.changes[-1])
    rows = tree.window().bit_rows()
    assert rows.shape == (201, 199)
    # Every week's directory changes when it appears and when it disappears, and the root each week.
    assert rows[0].all()
    assert rows[1:].sum() == 199 + 199
    assert tree.memory > 0


def test_importance_of_updates_decides_whether_a_directory_changed():
    history = history_of([{"a/x": "1", "a/y": "1"}, {"a/x": "2", "a/y": "1"}])
    changes = history.changes[1]
    light = PageChanges(changes.inserted, changes.deleted, changes.updated, np.array([0.1]))
    for change, expected in ((changes, 1), (light, 0)):
        tree = DeltaTree((0.2,), history.index)
        tree.add_changes(history.shape, history.changes[0])
        tree.add_changes(history.shape, change)
        assert tree.window().change_counts[history.index.find_directory("a")] == expected


def test_windows_outside_the_history_are_refused():
    tree = DeltaTree.of(history_of([{"a/x": "1"}, {"a/x": "2"}]), (0.1,))
    for first, last in ((0, 2), (-1, 1), (1, 0)):
        with pytest.raises(ValueError, match="no versions"):
            tree.window(None, first, last)


def test_an_empty_tree_has_no_root():
    assert DeltaTree((0.1,)).window().root == -1
    assert DeltaTree((0.1,)).window().directory_path(3) == "#3"


def test_a_million_nodes():
    site = generate_site(GeneratorSettings(1_000_000, 10, 8, 3, 0.03), np.random.default_rng(1))
    tree = DeltaTree((0.01,))
    for changes in site.changes:
        tree.add_changes(site.shape, changes)
    window = tree.window()
    assert window.present.sum() > 99_000  # a few directories got no page
    assert window.change_counts[0] == 2


def test_pages_alive_at_a_version():
    history = history_of([{"a": "1"}, {"a": "1", "b": "1"}, {"b": "2"}])
    assert [history.live_at(version).tolist() for version in range(3)] == [[True, False], [True, True], [False, True]]
