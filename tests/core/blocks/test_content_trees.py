"""Trees as their table says, one node after the other."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.core.blocks.content_features import NAMES
from strandline.core.blocks.content_trees import Trees
from strandline.dom.content import shipped_judges


@given(st.integers(0, 1000))
def test_trees_by_hand(seed):
    trees = shipped_judges().trees
    rng = random.Random(seed)
    row = np.array([rng.choice((0.0, 1.0, 0.3, 7.0, 400.0)) for _ in NAMES], np.float32)
    total = trees.start
    for root in trees.roots.tolist():
        node = root
        while trees.feature[node] >= 0:
            node = int(trees.left[node] if row[trees.feature[node]] <= trees.limit[node] else trees.right[node])
        total += float(trees.value[node])
    assert trees.log_odds(row[None, :])[0] == pytest.approx(total, abs=1e-9)


def test_one_tree():
    whole, real = np.array([0, -1, -1]), np.array([0.5, 0, 0], np.float32)
    children = np.array([1, 0, 0]), np.array([2, 0, 0])
    tree = Trees(np.array([0]), whole, real, *children, np.array([0, -2, 2], np.float32))
    assert tree.log_odds(np.array([[0.5], [0.6]], np.float32)).tolist() == [-2.0, 2.0]
