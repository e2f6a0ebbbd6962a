"""What a run of text is one of: the runs all over the page that look as it does, the section under its heading, the
place it has among parts that look alike.

The passes of `content_kernels` see what holds a run and its siblings. The posts of a forum lie each in a part of its
own, so that their texts are nobody's siblings; and where all of a page lies side by side, only headings divide it.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from strandline.core.blocks.content_kernels import (
    ALIKE,
    CARD,
    CHARS,
    G_CHARS,
    IS_CLEAN,
    LEADER,
    LEVEL,
    LINKED,
    LOOK,
    NODE,
    PARENT,
    PROSE,
    REPEATED,
    Floats,
    Ints,
    Rows,
)

FARTHEST: Final = 200
"""Runs to the next paragraph that are told apart. Origin: a guess."""
LOWEST_HEADING: Final = 6
"""The level of the least heading. Origin: a definition."""
_SPREAD: Final = np.uint64(0x9E3779B97F4A7C15)
"""Spreads numbers of looks over 64 bits, so that three of them make one. Origin: a definition."""
_OF_KIN: Final = ("count", "share", "linked", "prose", "mean", "clean")
KIN_NAMES: Final = (
    *(f"looks{levels}_{name}" for levels in (3, 2) for name in _OF_KIN),
    *(f"section_{name}" for name in ("count", "linked", "prose", "clean", "chars", "number")),
    *(f"{what}_{side}" for what in ("prose", "plain") for side in ("before", "after")),
    *("since_prose", "until_prose"),
    *(f"{which}_{name}" for which in ("repeated", "card") for name in ("number", "relative")),
)


class _Kin(NamedTuple):
    """Of each run what all runs of its kin are together."""

    number: Floats
    chars: Floats
    linked: Floats
    prose: Floats
    clean: Floats


def kin_columns(tree: Ints, sums: Floats, runs: Floats, order: Ints) -> Rows:
    """The columns `KIN_NAMES`, a row a run; the tables are those of `content_kernels`, filled, and `order` sorts the
    nodes by parent, then by look.
    """
    nodes = runs[:, NODE].astype(np.int64)
    chars, prose = runs[:, CHARS], runs[:, PROSE]
    total = max(float(chars.sum()), 1.0)
    columns: list[NDArray[np.generic]] = []
    above = np.maximum(tree[:, PARENT], 0)
    look = tree[:, LOOK].astype(np.uint64)
    of_two = (look * _SPREAD ^ look[above]) * _SPREAD
    of_three = (of_two ^ look[above[above]]) * _SPREAD
    for looks in (of_three, of_two):
        kin = _together(looks[nodes], runs)
        some = np.maximum(kin.chars, 1.0)
        columns += [kin.number, kin.chars / total, kin.linked / some, kin.prose / some, kin.chars / kin.number]
        columns.append(kin.clean / some)
    section = np.cumsum(runs[:, LEVEL] <= LOWEST_HEADING)
    kin = _together(section, runs)
    some = np.maximum(kin.chars, 1.0)
    columns += [kin.number, kin.linked / some, kin.prose / some, kin.clean / some, np.log2(1.0 + kin.chars), section]
    for values in (prose, np.where(runs[:, IS_CLEAN] > 0, chars - runs[:, LINKED], 0.0)):
        met = np.cumsum(values)
        columns += [met - values, met[-1] - met]
    columns += [_since(prose > 0), _since(prose[::-1] > 0)[::-1]]
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    for which in (REPEATED, CARD):
        node = tree[nodes, which]
        first = tree[node, LEADER]
        mean = sums[first, G_CHARS] / np.maximum(tree[node, ALIKE], 1)
        columns.append(np.where(node >= 0, place[node] - place[first], -1))
        columns.append(np.where(node >= 0, sums[node, CHARS] / np.maximum(mean, 1.0), 0.0))
    return np.stack(columns, axis=1).astype(np.float32)


def _together(ids: NDArray[np.generic], runs: Floats) -> _Kin:
    _, kin = np.unique(ids, return_inverse=True)
    clean = runs[:, CHARS] * runs[:, IS_CLEAN]
    of_each = (None, runs[:, CHARS], runs[:, LINKED], runs[:, PROSE], clean)
    return _Kin(*(np.bincount(kin, values)[kin].astype(np.float64) for values in of_each))


def _since(paragraphs: NDArray[np.bool_]) -> Ints:
    """How many runs ago the last paragraph was."""
    places = np.arange(len(paragraphs))
    last = np.maximum.accumulate(np.where(paragraphs, places, -FARTHEST))
    before = np.concatenate([[-FARTHEST], last[:-1]])
    ago: Ints = np.minimum(places - before, FARTHEST)
    return ago
