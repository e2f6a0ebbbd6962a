"""How likely each run of text is the page's own content, and which runs to take as it.

The trees were learned from pages whose content somebody marked (`experiments.content_training`). A page is judged by
itself: nothing is remembered from other pages.
"""

import numpy as np
from numpy.typing import NDArray

from strandline.core.blocks.content_features import features
from strandline.core.blocks.content_trees import Trees
from strandline.core.blocks.tree import LayoutTree

Scores = NDArray[np.float64]


def content_scores(layout: LayoutTree, trees: Trees) -> Scores:
    """The score of each item of a page, in [0, 1]; -1 for what is no text."""
    scores = np.full(len(layout.items), -1.0)
    rows = np.flatnonzero(layout.item_kinds == 0)
    if rows.size:
        scores[rows] = trees.scores(features(layout, rows))
    return scores


def chosen(scores: Scores, words: NDArray[np.float64]) -> NDArray[np.bool_]:
    """The runs to take so that agreement with the true content, as F1 over words, is expected to be highest.

    Runs are taken from the likeliest down, as long as that raises 2 * expected hits / (words taken + words expected).
    A page of which little is sure is so taken more generously than one whose text is sure.

        >>> chosen(np.array([0.9, 0.2, 0.5]), np.array([100.0, 100.0, 10.0])).tolist()
        [True, False, True]
    """
    if not scores.size:
        return np.zeros(0, np.bool_)
    order = np.argsort(-scores, kind="stable")
    hits = np.cumsum((scores * words)[order])
    agreement = 2.0 * hits / np.maximum(np.cumsum(words[order]) + hits[-1], 1e-9)
    least = scores[order[int(np.argmax(agreement))]]
    taken: NDArray[np.bool_] = scores >= least
    return taken
