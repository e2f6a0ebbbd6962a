"""The table of trees comes back as it was written, and is of the numbers that are made today."""

import numpy as np

from strandline.core.blocks.content_features import NAMES
from strandline.core.blocks.content_trees import Trees
from strandline.dom.content import shipped_trees, write_trees


def test_trees_come_back_as_they_were_written(tmp_path):
    trees = shipped_trees()
    assert trees.feature.max() < len(NAMES)
    write_trees(trees, str(tmp_path / "trees.npz"))
    with np.load(tmp_path / "trees.npz") as table:
        assert all(np.array_equal(table[name], getattr(trees, name)) for name in ("roots", "left", "limit", "value"))
    assert isinstance(trees, Trees)
