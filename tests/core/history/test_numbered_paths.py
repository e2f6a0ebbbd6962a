"""Numbers of paths that lie in bytes, against an index that grows and a dictionary."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.changes.directories import SiteIndex
from strandline.core.history.numbered_paths import NumberedPaths, WrittenPaths

NAME = st.sampled_from(["a", "b", "", "index.html", "?q=1", "\udc80ä"])
PATH = st.lists(NAME, min_size=1, max_size=4).map("/".join)


def written(paths):
    found = WrittenPaths()
    for path in paths:
        found.append(path)
    return found


@settings(max_examples=100)
@given(st.lists(PATH, unique=True, max_size=12), st.randoms())
def test_pages_and_directories_have_the_numbers_of_an_index_that_grows(paths, chance):
    places = chance.sample(range(len(paths)), len(paths) - len(paths) // 3)
    wanted, found = SiteIndex(), NumberedPaths(written(paths), np.array(places, dtype=np.int64))
    numbers = wanted.pages(paths[place] for place in places)
    assert len(found) == len(wanted) == len(places)
    shape, other = found.shape(), wanted.shape()
    for name in ("parents", "page_directories", "name_groups", "index_pages"):
        assert np.array_equal(getattr(shape, name), getattr(other, name)), name
    assert [found.directory_path(n) for n in range(shape.directories)] == [
        wanted.directory_path(n) for n in range(shape.directories)
    ]
    for path in paths:
        assert found.find(path) == wanted.find(path)
        assert found.find_directory(path) == wanted.find_directory(path)
    assert found.pages(paths[place] for place in places).tolist() == numbers.tolist()
    with pytest.raises(KeyError):
        found.page("nowhere")


@settings(max_examples=100)
@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 3)), max_size=12), st.booleans())
def test_of_the_same_paths_the_one_worth_most_is_chosen(pages, alike):
    with pytest.MonkeyPatch.context() as patch:
        if alike:  # paths that differ have the same mark
            patch.setattr("strandline.core.history.numbered_paths.hash", lambda path: ord(path) % 2, raising=False)
        paths = written([path for path, _ in pages])
    wanted = {}
    for place, (path, worth) in enumerate(pages):
        if worth > pages[wanted.setdefault(path, place)][1]:
            wanted[path] = place
    found = paths.chosen(np.array([worth for _, worth in pages], dtype=np.int64))
    assert found.tolist() == list(wanted.values())
