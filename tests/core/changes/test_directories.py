import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.changes.directories import SiteIndex, tree_difference

# Dots, empty segments and letters outside ASCII are names like any other.
names = st.sampled_from(["a", "b", "", ".", "..", "é", "頁?q=1"])
paths = st.lists(names, min_size=1, max_size=4).map("/".join)
versions = st.dictionaries(paths, st.sampled_from("12"), max_size=8)


@settings(max_examples=100, deadline=None)
@given(versions, versions)
def test_a_difference_turns_one_version_into_the_next(before, after):
    difference = tree_difference(before, after)
    assert (before.keys() - difference.deleted) | difference.inserted == after.keys()
    assert difference.updated == {path for path in before if path in after and before[path] != after[path]}
    assert not difference.inserted & difference.deleted
    assert len(difference.changed) == sum(map(len, (difference.inserted, difference.deleted, difference.updated)))


@settings(max_examples=100, deadline=None)
@given(st.lists(paths, max_size=12))
def test_an_index_numbers_pages_and_directories(listed):
    index = SiteIndex()
    numbers = index.pages(listed)
    shape = index.shape()
    assert len(index) == shape.pages == len(set(listed))
    assert [index.page_path(int(page)) for page in numbers] == listed
    assert all(shape.parents[d] < d for d in range(shape.directories))
    for page, path in zip(numbers.tolist(), listed, strict=True):
        assert index.find(path) == page
        above, directory = [], int(shape.page_directories[page])
        while directory:
            above.append(index.directory_path(directory))
            directory = int(shape.parents[directory])
        assert above[::-1] == ["/".join(path.split("/")[:depth]) for depth in range(1, path.count("/") + 1)]


def test_a_very_deep_path():
    index = SiteIndex()
    index.page("/".join(["d"] * 3000))
    assert index.shape().directories == 3000


def test_pages_of_the_same_name_share_a_group():
    index = SiteIndex()
    pages = index.pages(["en/news/a.html", "de/news/a.html", "en/news/", "de/news/", "en/other/", "b/index.html"])
    groups = index.shape().name_groups[pages].tolist()
    assert groups[0] == groups[1]
    assert groups[2] == groups[3]
    assert len({groups[0], groups[2], groups[4], groups[5]}) == 4
    assert index.shape().index_pages.tolist() == [False, False, True, True, True, True]


def test_directories_can_be_found():
    index = SiteIndex()
    index.page("a/b/c")
    assert index.find_directory("a/b") == 2
    assert index.find_directory("") == 0
    assert index.find_directory("x") is None
    assert index.find("nowhere") is None
    assert np.array_equal(index.shape().parents, [-1, 0, 1])
