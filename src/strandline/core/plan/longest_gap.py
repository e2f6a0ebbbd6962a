"""No page stays unseen for ever: the longest gap between two visits, and the part of the budget that sees to it.

A plan gives pages up of which nothing is expected, or nothing that is worth a visit at this budget. What it expects may
be wrong, and nobody would notice. Pages unseen for long are therefore looked at whatever is expected of them, longest
unseen first, with at most a part of the visits:

    turn      pages / visits: periods in which every page could be visited once
    pass      turn / part: the same with that part of the visits alone
    late      half of the longest gap that is wished for, or a pass if that is longer
    bound     late + a pass, and at least what is wished for

No page is unseen for longer than the bound, unless its host takes no more visits or it must not be fetched. With a
twentieth of 500 visits a day, a thousand pages need two times 40 days: a gap that is not to be had is not kept. Where
the budget is scarce, hardly any page is unseen for a whole pass, and next to nothing is spent on this.
"""

from dataclasses import dataclass

import numpy as np

from strandline.core.plan.budget import Allowance, Budget
from strandline.core.plan.strategy import Floats


@dataclass(frozen=True)
class LongestGap:
    """The gap that is wished for, in periods, and the part of all visits that may be used for it (0: no bound)."""

    periods: float = 336.0
    part: float = 0.05

    def __post_init__(self) -> None:
        if not self.periods > 0 or not 0 <= self.part <= 1:
            raise ValueError("the longest gap must be above zero, and its part of the visits within 0..1")

    def _pass(self, pages: int, visits: float) -> float:
        return pages / (self.part * visits) if self.part * visits > 0 else float("inf")

    def late(self, pages: int, visits: float) -> float:
        """Periods after which a page is looked at whatever is expected of it."""
        return max(self.periods / 2.0, self._pass(pages, visits))

    def bound(self, pages: int, visits: float) -> float:
        """Periods that a page may be unseen at most.

        >>> LongestGap(336.0, 0.05).bound(100, 20.0), round(LongestGap(336.0, 0.05).bound(1000, 500 / 24), 3)
        (336.0, 1920.0)
        """
        return max(self.periods, self.late(pages, visits) + self._pass(pages, visits))

    def raised(self, advantage: Floats, age: Floats, budget: Budget, now: tuple[int, int]) -> Floats:
        """Advantages with those of the pages longest unseen above all others, of as many as a period may look at so.
        Pages never fetched have no age (NaN) and come first anyway. now = period, number of all pages.
        """
        period, pages = now
        late = np.flatnonzero(age >= self.late(pages, budget.of_period))
        if len(late) == 0:
            return advantage
        looks = Allowance(self.part * budget.of_period, 1.0).whole(period, period + 1)
        first = late[np.argsort(-age[late], kind="stable")[: min(looks, budget.visits)]]
        known = advantage[~np.isnan(age)]
        found = advantage.copy()
        found[first] = max(float(known.max(initial=0.0)), 0.0) * 2.0 + age[first] / self.periods
        return found
