"""Any strategy, told to leave out the pages that directory rules skip.

Paper 000 puts its site-level rules before a page-level policy of choice; this is that combination. Pages are left
out by weight: rows keep their place, so strategies that learn by row are not disturbed, and what a strategy
chooses all the same (a whole-site pass, say) is dropped from its answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from strandline.core.plan.budget import Budget
from strandline.core.plan.strategy import Choice, Learner, Outcomes, PageTable, Strategy, Visit, choose


@dataclass(frozen=True)
class Skipping:
    """`inner` without the pages of `skipped` (page numbers as in `PageTable.page`)."""

    inner: Strategy
    skipped: NDArray[np.int64]

    @property
    def name(self) -> str:
        """The inner strategy's name, with a mark."""
        return f"{self.inner.name}-skipping"

    def plan(self, pages: PageTable, budget: Budget, now: float) -> Sequence[Visit]:
        """The inner strategy's visits, skipped pages left out."""
        visits = self.inner.plan(self._without(pages), budget, now)
        left_out = frozenset(self.skipped.tolist())
        return [visit for visit in visits if visit.page not in left_out]

    def choose(self, pages: PageTable, budget: Budget, now: float) -> Choice:
        """The same as arrays."""
        choice = choose(self.inner, self._without(pages), budget, now)
        kept = ~np.isin(pages.page[choice.rows], self.skipped)
        moment = None if choice.moment is None else choice.moment[kept]
        return Choice(choice.rows[kept], choice.urgency[kept], moment)

    def observe(self, pages: PageTable, outcomes: Outcomes) -> None:
        """Hand captures on to an inner strategy that learns."""
        if isinstance(self.inner, Learner):
            self.inner.observe(pages, outcomes)

    def _without(self, pages: PageTable) -> PageTable:
        weight = np.where(np.isin(pages.page, self.skipped), 0.0, pages.weight)
        return pages.with_columns(weight=weight)
