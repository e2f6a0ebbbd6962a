"""From beliefs to rates: what a learner would say of some pages now, compiled."""

import numpy as np

from strandline.core.beliefs.censored_kernels import (
    Beliefs,
    Floats,
    Ints,
    Rules,
    Shared,
    Singles,
    level_odds,
    page_pattern,
    shape_odds,
)
from strandline.core.beliefs.clock_kernels import Clock
from strandline.core.compiled import compiled


@compiled
def thirds(grid: Floats, odds: Floats, mean: float, node: Floats) -> None:
    """Means of the three thirds of the posterior, relative to its mean."""
    j, used = 0, 0.0
    for q in range(3):
        left, total = 1.0 / 3.0, 0.0
        while left > 1e-12 and j < len(grid):
            take = min(left, odds[j] - used)
            total += take * grid[j]
            left -= take
            used += take
            if used >= odds[j] - 1e-15:
                j += 1
                used = 0.0
        if left > 1e-12:
            total += left * grid[len(grid) - 1]
        node[q] = 3.0 * total / max(mean, 1e-300)


@compiled
def estimate_rows(
    state: tuple[Beliefs, Shared, Clock, Rules], rows: Ints, total: Floats, rate: Singles, importance: Singles,
    node: Floats,
) -> None:  # fmt: skip
    """Fill rate and importance per bin, rate nodes (columns 0..2) and relative turnover (column 3)."""
    beliefs, shared, _, rules = state
    odds = np.empty(len(shared.grid))
    shapes = np.empty(beliefs.shape.shape[1])
    overall = (0.6 + total[0]) / (2.0 + total[1])
    usual = (0.5 + total[2]) / (0.5 / 0.02 + total[3])
    for i in range(len(rows)):
        row = rows[i]
        mean = level_odds(beliefs, shared, row, odds)
        shape_odds(beliefs, row, shapes)
        page = (2.0 * overall + beliefs.importance[row, 0]) / (2.0 + beliefs.importance[row, 1])
        pattern = page_pattern(beliefs, shared, row, shapes, rules.correction)
        for b in range(rate.shape[1]):
            profile = 0.0
            for c in range(len(shapes)):
                profile += shapes[c] * shared.profile[c, b]
            rate[i, b] = mean * pattern[0, b]
            own = (rules.bin_changes + beliefs.gain[row, b]) / (rules.bin_changes + beliefs.gained[row, b])
            importance[i, b] = min(max(page * profile * own, 1e-4), 1.0)
        thirds(shared.grid, odds, mean, node[i])
        turning = (0.5 + beliefs.turnover[row, 0]) / (0.5 / usual + beliefs.turnover[row, 1])
        node[i, 3] = turning / max(mean, 1e-12)
