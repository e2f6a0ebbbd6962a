"""How likely each run of text is the page's own content, and which runs to take as it.

The trees and small networks were learned from pages whose content somebody marked (`experiments.content_training`).
They judge a page by itself. Where other pages of its site are known, what those say, too, is not what this one is about
(`site_template`).
"""

from collections.abc import Hashable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from strandline.core.blocks.content_features import features
from strandline.core.blocks.content_nets import Judges
from strandline.core.blocks.page_told import NOTHING_TOLD, PageTold
from strandline.core.blocks.site_template import NO_TEMPLATE, Template
from strandline.core.blocks.tree import LayoutTree, hashed

Scores = NDArray[np.float64]
GENEROUS: Final = 0.85
"""Power of a score when runs are taken. Runs of one part are content together or not at all, so a part that is doubted
is worth more than the sum of its doubts says. Origin: measured, with earlier trees, on the marked pages by
site: F1 .853 at 1, .854 at .9, .855 from .85 to .7; by another division of the sites .850 at 1 and .851 at .85."""
SHARED: Final = 0.05
"""Part of its score that is left to a run which other pages of the site show, too. Origin: a guess."""


def content_scores(
    layout: LayoutTree, judges: Judges, template: Template = NO_TEMPLATE, told: PageTold = NOTHING_TOLD
) -> Scores:
    """The score of each item of a page, in [0, 1]; -1 for what is no text."""
    scores = np.full(len(layout.items), -1.0)
    rows = np.flatnonzero(layout.item_kinds == 0)
    if rows.size:
        scores[rows] = judges.scores(features(layout, rows, told))
    if template:
        scores[[row for row in rows.tolist() if hashed(layout.items[row][1]) in template]] *= SHARED
    return scores


def chosen(scores: Scores, words: NDArray[np.float64], said: Sequence[Hashable]) -> NDArray[np.bool_]:
    """The runs to take so that agreement with the true content, as F1 over words, is expected to be highest.

    Runs are taken from the likeliest down, as long as that raises 2 * expected hits / (words taken + words expected).
    A page of which little is sure is so taken more generously than one whose text is sure. What is said again, for
    another width of window or folded, is taken once: `said` is what each run says.

        >>> chosen(np.array([0.9, 0.2, 0.5, 0.8]), np.array([100.0, 100.0, 10.0, 100.0]), "abca").tolist()
        [True, False, True, False]
    """
    if not scores.size:
        return np.zeros(0, np.bool_)
    order = np.argsort(-scores, kind="stable")
    first = {said[k]: k for k in order[::-1].tolist()}
    once = np.zeros(scores.size, np.bool_)
    once[list(first.values())] = True
    hoped = np.where(once, scores, 0.0) ** GENEROUS
    order = np.argsort(-hoped, kind="stable")
    hits = np.cumsum((hoped * words)[order])
    agreement = 2.0 * hits / np.maximum(np.cumsum(words[order]) + hits[-1], 1e-9)
    taken: NDArray[np.bool_] = once & (hoped >= hoped[order[int(np.argmax(agreement))]])
    return taken
