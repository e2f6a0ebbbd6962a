"""Which code a kernel runs: shipped when it fits sources and arguments, else numba's; never that of other sources."""

import sys

import numpy as np
import pytest

from strandline.core.compiled import compiled
from strandline.core.history import tree_kernels
from strandline.core.plan import wheel_kernels
from strandline.kernels import kernel, shipped


@pytest.fixture
def made_anew(monkeypatch):
    """A kernel that has not looked for its code yet, and what has been told of code forgotten."""
    shipped.changed.cache_clear()
    yield lambda old: kernel.Kernel(old.function, old.counts_references)
    shipped.changed.cache_clear()


PARENTS = np.array([-1, 0, 0, 1], np.int32)
VALUES = np.array([1.0, 2.0, 3.0, 4.0])


def sums(parents, values):
    """What subtree_sums does, slowly: parents come before their children."""
    found = [float(value) for value in values]
    for row in range(len(parents) - 1, 0, -1):
        found[parents[row]] += found[row]
    return found


def test_shipped_code_and_numba_agree(made_anew):
    again = made_anew(tree_kernels.subtree_sums)
    expected = sums(PARENTS, VALUES)
    assert again(PARENTS, VALUES).tolist() == again.compiled_here(PARENTS, VALUES).tolist() == expected


def test_code_of_other_sources_is_not_used(made_anew, monkeypatch):
    monkeypatch.setattr(shipped, "digest", lambda name: "another")
    assert shipped.variants("strandline.core.history.tree_kernels", "subtree_sums") == []
    assert made_anew(tree_kernels.subtree_sums)(PARENTS, VALUES).tolist() == sums(PARENTS, VALUES)


def test_without_code_and_numba_one_line_says_what_to_install(made_anew, monkeypatch):
    monkeypatch.setattr(shipped, "digest", lambda name: "another")
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(ModuleNotFoundError, match=r"strandline\[compile\]"):
        made_anew(tree_kernels.subtree_sums)(PARENTS, VALUES)


def test_arrays_laid_out_otherwise_give_the_same(made_anew):
    wide = np.repeat(VALUES, 2)[::2]
    assert made_anew(tree_kernels.subtree_sums)(PARENTS, wide).tolist() == sums(PARENTS, VALUES)


def test_what_is_written_to_a_copy_reaches_its_original(made_anew):
    wide = np.full(6, -1, np.int64)
    first, following = wide[::2], np.full(4, -1, np.int64)
    made_anew(wheel_kernels.add_members)(first, following, np.array([0, 1, 0]), 0)
    plain, chain = np.full(3, -1, np.int64), np.full(4, -1, np.int64)
    made_anew(wheel_kernels.add_members)(plain, chain, np.array([0, 1, 0]), 0)
    assert first.tolist() == plain.tolist() != [-1, -1, -1]
    assert following.tolist() == chain.tolist()


def test_kernels_know_their_defaults_names_and_each_other():
    @compiled
    def doubled(value: int) -> int:
        return 2 * value

    @compiled
    def raised(value: int, by: int = 1) -> int:
        return doubled(value) + by

    assert raised(3) == 7
    assert raised(by=3, value=3) == 9
    assert raised.__name__ == "raised"
