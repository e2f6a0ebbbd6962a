"""Captures in a room elsewhere against the same in memory."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.access.gaps import Sights
from strandline.core.beliefs.page_beliefs import NearRows
from strandline.learn.file_rows import FileRows
from strandline.plan import away_sights as module
from strandline.plan.away_sights import SightsNoted

PAGES = 9


def same(one: Sights, other: Sights) -> None:
    """The same pages, moments and changes; how versions are counted is nobody's business."""
    assert (one.row.tolist(), one.time.tolist()) == (other.row.tolist(), other.time.tolist())
    assert one.new.tolist() == other.new.tolist()


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([NearRows, FileRows]), st.sampled_from([1, 4, 4_096]))
def test_captures_elsewhere_are_those_in_memory(seed, rooms, together):
    rng = np.random.default_rng(seed)
    looks = int(rng.integers(0, 60))
    row = rng.permutation(PAGES)[rng.integers(0, PAGES - 2, looks)]
    time, changed, shown = np.round(rng.uniform(0.0, 50.0, looks), 1), rng.random(looks) < 0.4, rng.random(looks) < 0.6
    near = Sights.pair(row, time, changed, shown)
    noted = SightsNoted(rooms, PAGES)
    for some in np.array_split(rng.permutation(PAGES), 3):  # pages come in any order
        own = np.isin(row, some)
        noted.add(row[own], time[own], (changed[own], shown[own]))
    left_out = rng.random(PAGES) < 0.2
    rows = rng.permutation(PAGES)[: int(rng.integers(0, PAGES + 1))]
    begin, end = sorted(rng.uniform(-5.0, 55.0, 2).tolist())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_AT_ONCE", together)
        for expected, found in zip(near, map(noted.sights, ("changes", "shown")), strict=True):
            same(found.some(np.arange(PAGES)), expected)
            same(found.some(rows), expected.some(rows))
            same(found.near(rows, begin, end), expected.near(rows, begin, end))
            assert found.counts(PAGES).tolist() == expected.counts(PAGES).tolist()
            assert found.latest(7.0) == expected.latest(7.0)
            part, expected = found.until(end).without(left_out), expected.until(end).without(left_out)
            same(part.some(np.arange(PAGES)), expected)
            assert part.latest(7.0) == expected.latest(7.0)
