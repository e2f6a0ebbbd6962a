"""What a caught version is worth, by the archive's objective.

    pool     page weight * importance: the share of all important change (paper 001, section 9)
    page     each page's own changes together are worth its weight (paper 004, definition 5.13)
    middle   halfway between the two (geometric mean): neither hot nor static pages are given up
    count    every version is worth 1
    content  items of a list page: an overwritten version has not lost its items, so only turnover counts
An uncertain page has several possible rates (nodes); under `page` each of them gives a version another worth.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from strandline.core.beliefs.estimate import Estimate

Floats = NDArray[np.float64]
Objective = Literal["pool", "page", "middle", "count", "content"]
OBJECTIVES: tuple[str, ...] = get_args(Objective)
TOGETHER = 4096
"""Pages valued in one go: their tables per node and bin fit into memory whatever the size of the archive.
Origin: a bound on memory."""


@dataclass(frozen=True)
class Worth:
    """How versions are valued: the objective, the periods it is judged over, and whether a period has at most one
    change that counts (a crawler cannot tell several of them apart) or as many as happen. `lasting` are the periods
    the archive will be asked about: a version caught u periods late is missing from u of them.
    """

    objective: Objective = "page"
    window: float = 504.0
    once_per_period: bool = True
    lasting: float = 8760.0

    def __post_init__(self) -> None:
        if self.objective not in OBJECTIVES:
            raise ValueError(f"objective must be one of {', '.join(OBJECTIVES)}, not {self.objective!r}")
        if not self.window > 0:
            raise ValueError(f"the window must be above zero, not {self.window:g}")
        if not self.lasting > 0:
            raise ValueError(f"the time an archive lasts must be above zero, not {self.lasting:g}")

    def node_values(self, estimate: Estimate, weight: Floats) -> Floats:
        """Worth of one unit of pending importance, per page and node."""
        odds = estimate.odds
        if self.objective in ("pool", "count", "content"):
            return weight[:, None] * odds
        expected = self._expected(estimate)
        changed = -np.expm1(-self.window * estimate.mean_rate[:, None] * estimate.level)
        # A page that never changes in the window is not judged: hence the chance that it does change.
        per_change = changed / np.maximum(expected, 1e-12)
        if self.objective == "middle":
            per_change = np.sqrt(per_change)
        return weight[:, None] * odds * per_change

    def _expected(self, estimate: Estimate) -> Floats:
        """Importance of all changes expected in the window, per page and node.

        As many as the rate says, so that a steady page gets what keeps it fresh; but of a page that changes in every
        period nobody knows how often it does, and it is not to be given up for that: hence at most one a period. The
        objective `middle` counts periods with changes, which leaves busy pages a little more.
        """
        total = np.empty(estimate.level.shape)
        for begin in range(0, len(total), TOGETHER):
            part = slice(begin, begin + TOGETHER)
            rate = estimate.rate[part, None, :] * estimate.level[part, :, None]
            once = np.minimum(rate, 1.0) if self.objective == "page" else -np.expm1(-rate)
            happening = once if self.once_per_period else rate
            total[part] = (happening * estimate.importance[part, None, :]) @ estimate.share
        return total * self.window
