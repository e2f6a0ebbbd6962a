"""All captures in little memory, against the columns that plans learn from."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.learn.experience import sighted
from strandline.learn.known_pages import Hours
from strandline.plan import all_looks as module
from strandline.plan.all_looks import AllLooks, all_looks

HOURS = Hours(0.0)


class Look(NamedTuple):
    page: int
    time: float
    status: int
    changed: bool
    importance: float
    held: bool


looks = st.builds(
    Look,
    st.integers(1, 6),
    st.integers(0, 50).map(lambda hours: 1800.0 * hours),
    st.sampled_from([200, 200, 304, 404]),
    st.booleans(),
    st.sampled_from([0.001, 0.2]),
    st.sampled_from([False, False, True]),
)
claims = st.tuples(st.integers(1, 7), st.floats(0.0, 9e4), st.floats(0.0, 9e4))


@settings(max_examples=80, deadline=None)
@given(st.lists(looks, max_size=40), st.lists(claims, max_size=15), st.permutations(range(5)), st.sampled_from([1, 7]))
def test_captures_read_some_pages_at_a_time_are_all_of_them(seen, told, rows, together):
    seen = sorted(seen, key=lambda one: (one.page, one.time))
    row_of = dict(enumerate(rows, 1))  # a page is not known
    every = np.arange(5)
    expected = AllLooks.of(sighted(row_of, seen, HOURS, told))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_AT_ONCE", together)
        found = all_looks(row_of, seen, HOURS, told)
    for one, other in ((found.sights, expected.sights), (found.shown, expected.shown)):
        own, same = one.some(every), other.some(every)
        assert (own.row.tolist(), own.time.tolist()) == (same.row.tolist(), same.time.tolist())
        assert own.new.tolist() == same.new.tolist()
    assert sorted(zip(*map(np.ndarray.tolist, found.told), strict=True)) == sorted(
        zip(*map(np.ndarray.tolist, expected.told), strict=True)
    )
