"""Small neural networks of one hidden layer, beside the trees: what `experiments.content_training` learned.

    leaning = mean over networks of  out . max(0, W x + b) + c,   x = (log row - middle) / spread, at most `FARTHEST`

Trees judge by steps, networks by sums: on pages unlike those learned from they err differently, so that the mean of
their log odds errs less than either. Rows are drawn together by logarithms first, since a run may have ten letters or
ten thousand.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from strandline.core.blocks.content_trees import Trees

Reals = NDArray[np.float32]
FARTHEST: Final = 4.0
"""Spreads from the middle that a number counts at most, so that one that was never met decides nothing alone.
Origin: a guess."""
OF_NETS: Final = 0.5
"""Part of the networks in the log odds, the rest is that of the trees. Origin: a guess."""


def drawn_together(rows: Reals) -> Reals:
    """The logarithm of each number of a row, on both sides of 0.

    >>> drawn_together(np.array([[0.0, -1.0]], np.float32)).round(2).tolist() == [[0.0, np.float32(-0.69)]]
    True
    """
    drawn: Reals = np.copysign(np.log1p(np.abs(rows)), rows)
    return drawn


@dataclass(frozen=True)
class Nets:
    """Networks side by side: their hidden units stand in one layer, and `out` is divided by their number."""

    middle: Reals
    spread: Reals
    hidden: Reals  # a row a number of a run, a column a unit
    bias: Reals
    out: Reals
    start: float = 0.0

    def prepared(self, rows: Reals) -> Reals:
        """Rows as the networks read them."""
        apart: Reals = np.clip((drawn_together(rows) - self.middle) / self.spread, -FARTHEST, FARTHEST)
        return apart

    def log_odds(self, rows: Reals) -> NDArray[np.float64]:
        """How the networks lean, for each row."""
        units = np.maximum(self.prepared(rows) @ self.hidden + self.bias, 0.0)
        leaning: NDArray[np.float64] = (units @ self.out).astype(np.float64) + self.start
        return leaning


@dataclass(frozen=True)
class Judges:
    """Trees and networks that judge together."""

    trees: Trees
    nets: Nets

    def scores(self, rows: Reals) -> NDArray[np.float64]:
        """The score of each row, in [0, 1]."""
        leaning = (1.0 - OF_NETS) * self.trees.log_odds(rows) + OF_NETS * self.nets.log_odds(rows)
        scores: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-leaning))
        return scores
