"""What is believed of pages at one moment: rates and importances per bin of the week, and how sure we are."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

OPEN_END, TOLD = 0.5, 2.0
"""Log-likelihood by which captures must speak against the fastest and the slowest rate to have told something.
Origin: a guess."""


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


def rate_intervals(grid: Floats, odds: Floats, told: Floats, share: float) -> tuple[Floats, Floats]:
    """Rates between which each page's rate lies with a chance of `share`, as likely below them as above: by the `odds`
    of the rates of the grid, and what captures alone `told` of them, as log-likelihoods; one row per page.

    Each rate of the grid stands for all rates nearer to it than to the next one. A page found changed at every capture
    may have any higher rate, and its captures cannot say which: then the upper end is that of the grid.
    """
    logs = np.log(grid)
    half = (logs[1] - logs[0]) / 2.0
    edges = np.concatenate([logs - half, logs[-1:] + half])
    below = np.concatenate([np.zeros((len(odds), 1)), np.cumsum(odds, axis=1)], axis=1)
    tail = (1.0 - share) / 2.0
    low, high = (np.array([np.interp(part, one, edges) for one in below]) for part in (tail, 1.0 - tail))
    best = told.max(axis=1)
    high[(told[:, -1] > best - OPEN_END) & (told[:, 0] < best - TOLD)] = edges[-1]
    return np.exp(low), np.exp(high)
