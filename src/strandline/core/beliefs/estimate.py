"""What is believed of pages at one moment: rates and importances per bin of the week, and how sure we are."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """Rate (changes a period) and importance per page and bin, and rate nodes (multipliers) with their odds.

    `share` is the part of the cycle each bin takes. `turnover` is the rate at which a page's items are replaced,
    relative to its change rate (None when not learned).
    """

    rate: NDArray[np.float32]
    importance: NDArray[np.float32]
    level: Floats
    odds: Floats
    share: Floats
    turnover: Floats | None = None

    def of(self, rows: NDArray[np.bool_] | NDArray[np.int64] | slice) -> "Estimate":
        """Of some of the pages."""
        turnover = None if self.turnover is None else self.turnover[rows]
        facts = (self.rate[rows], self.importance[rows], self.level[rows], self.odds[rows])
        return Estimate(*facts, self.share, turnover)

    @property
    def mean_rate(self) -> Floats:
        """Mean changes per period."""
        mean: Floats = self.rate.astype(np.float64) @ self.share
        return mean

    @property
    def rates(self) -> Floats:
        """Rates each page may have, as likely as `odds` says: changes per period."""
        nodes: Floats = self.mean_rate[:, None] * self.level
        return nodes

    @property
    def mean_importance(self) -> Floats:
        """Mean importance of a change: bins weighted by how many changes fall into them."""
        rate = self.rate * self.share
        total = rate.sum(axis=1)
        mean: Floats = np.einsum("ij,ij->i", rate, self.importance) / np.maximum(total, 1e-300)
        still = total <= 0
        if still.any():
            mean[still] = self.importance[still].mean(axis=1)
        return mean
