"""Captures of a site's pages as two columns."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.learn import packed_looks
from strandline.learn.packed_looks import Looks, LooksShelf

PAGE = st.lists(st.tuples(st.floats(0, 1e9), st.booleans()), min_size=1, max_size=5)


@given(st.lists(st.lists(st.lists(PAGE, max_size=5), max_size=4), max_size=3), st.integers(1, 9))
def test_pages_are_as_they_were(sites, at_once):
    def looks(page):
        return Looks(np.array([time for time, _ in page]), np.array([found for _, found in page]))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packed_looks, "_AT_ONCE", at_once)
        shelf, packed = LooksShelf(), []
        for parts in sites:
            for pages in parts:
                shelf.add(list(map(looks, pages)))
            packed.append(shelf.site())
        for parts, kept in zip(sites, packed, strict=True):
            wanted = [looks(page) for pages in parts for page in pages]
            assert len(kept) == len(wanted)
            for found in (list(kept), kept[:], [kept[place] for place in range(len(wanted))]):
                for one, other in zip(found, wanted, strict=True):
                    assert one.times.tolist() == other.times.tolist()
                    assert one.changed.tolist() == other.changed.tolist()
                    assert one.changed.dtype == np.bool_
