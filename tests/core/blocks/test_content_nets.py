"""Networks as their tables say, one unit after the other; and what they and the trees say together."""

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.core.blocks.content_features import NAMES
from strandline.core.blocks.content_nets import FARTHEST, OF_NETS, Judges, Nets
from strandline.dom.content import shipped_judges


def by_hand(nets, row):
    read = []
    for value, middle, spread in zip(row.tolist(), nets.middle.tolist(), nets.spread.tolist(), strict=True):
        drawn = math.copysign(math.log1p(abs(value)), value)
        read.append(min(max((drawn - middle) / spread, -FARTHEST), FARTHEST))
    total = nets.start
    for unit in range(nets.bias.size):
        reached = nets.bias[unit] + sum(one * weight for one, weight in zip(read, nets.hidden[:, unit], strict=True))
        total += float(nets.out[unit]) * max(0.0, float(reached))
    return total


@given(st.integers(0, 30))
def test_judges_by_hand(seed):
    judges = shipped_judges()
    rng = random.Random(seed)
    row = np.array([rng.choice((0.0, 1.0, -1.0, 0.3, 7.0, 400.0)) for _ in NAMES], np.float32)
    leaning = by_hand(judges.nets, row)
    assert judges.nets.log_odds(row[None, :])[0] == pytest.approx(leaning, abs=1e-3)
    together = OF_NETS * leaning + (1 - OF_NETS) * float(judges.trees.log_odds(row[None, :])[0])
    assert judges.scores(row[None, :])[0] == pytest.approx(1 / (1 + math.exp(-together)), abs=1e-3)


def test_one_unit():
    nets = Nets(*(np.array(one, np.float32) for one in ([0.0], [math.log(2)], [[2.0]], [-1.0], [3.0])), start=0.5)
    rows = np.array([[0.0], [1.0], [-1.0], [1e9]], np.float32)
    assert nets.log_odds(rows).tolist() == pytest.approx([0.5, 3.5, 0.5, 3 * (2 * FARTHEST - 1) + 0.5])


@given(st.lists(st.floats(-(2.0**100), 2.0**100, width=32), min_size=len(NAMES), max_size=len(NAMES)))
def test_no_number_makes_a_score_that_is_none(numbers):
    judges = shipped_judges()
    (score,) = judges.scores(np.array([numbers], np.float32)).tolist()
    assert 0.0 <= score <= 1.0
    assert isinstance(judges, Judges)
