"""Captures of a site's pages as two columns."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from strandline.learn.packed_looks import Looks, PackedLooks


@given(st.lists(st.lists(st.tuples(st.floats(0, 1e9), st.booleans()), min_size=1, max_size=5), max_size=8))
def test_pages_are_as_they_were(pages):
    looks = [Looks(np.array([time for time, _ in one]), np.array([found for _, found in one])) for one in pages]
    packed = PackedLooks(looks)
    assert len(packed) == len(looks)
    for found in (list(packed), packed[:], [packed[place] for place in range(len(looks))]):
        for one, other in zip(found, looks, strict=True):
            assert one.times.tolist() == other.times.tolist()
            assert one.changed.tolist() == other.changed.tolist()
            assert one.changed.dtype == np.bool_
