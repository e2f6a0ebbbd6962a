"""A small sum of decision trees, evaluated on rows of numbers: what `experiments.content_training` learned.

    log odds = start + sum over trees of the value of the leaf a row falls into

A node asks whether one number of the row is at most a limit: then `left`, else `right`. A leaf has no feature (-1).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from strandline.core.blocks.content_kernels import add_leaves


@dataclass(frozen=True)
class Trees:
    """All nodes of all trees in one table; `roots` are the first node of each."""

    roots: NDArray[np.int64]
    feature: NDArray[np.int64]
    limit: NDArray[np.float32]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    value: NDArray[np.float32]
    start: float = 0.0

    def log_odds(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """The sum of the leaves each row falls into."""
        sums = np.full(len(rows), self.start)
        add_leaves(rows, self.roots, self._nodes, self.limit, self.value, sums)
        return sums

    @cached_property
    def _nodes(self) -> NDArray[np.int64]:
        return np.stack((self.feature, self.left, self.right), axis=1)
