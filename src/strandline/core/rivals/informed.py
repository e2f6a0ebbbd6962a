"""Give any strategy what was learned: rates and expected change of each page, from captures instead of an oracle.

The strategies of the papers read rates and patterns from the page table. Wrapped in `Informed`, they run on an
archive that has only its own captures to learn from.
"""

from collections.abc import Sequence

import numpy as np

from strandline.core.plan.budget import Budget
from strandline.core.plan.knowledge import Knowledge
from strandline.core.plan.renewal import Renewal
from strandline.core.plan.strategy import (
    Choice,
    Floats,
    Learner,
    Listener,
    Outcomes,
    PageTable,
    Rows,
    Strategy,
    Visit,
    choose,
)


class Informed:
    """A strategy with the page table filled from what captures taught."""

    def __init__(self, inner: Strategy, knowledge: Knowledge, periods_per_day: int = 24) -> None:
        self._inner = inner
        self._knowledge = knowledge
        self._renewal = Renewal(periods_per_day)
        self._rate: Floats = np.empty((0, 0))
        self._importance: Floats = np.empty((0, 0))
        self._share: Floats = np.empty(0)

    @property
    def name(self) -> str:
        """The name of the strategy inside, marked as learned."""
        return f"{self._inner.name}-learned"

    def _fill(self, rows: Rows, count: int) -> None:
        estimate = self._knowledge.estimate(rows)
        if self._rate.shape != (count, estimate.rate.shape[1]):
            self._rate = np.zeros((count, estimate.rate.shape[1]))
            self._importance = np.zeros_like(self._rate)
        self._share = estimate.share
        self._rate[rows] = estimate.rate
        self._importance[rows] = estimate.importance

    def _informed(self, pages: PageTable, now: float) -> PageTable:
        if self._renewal.due(now) or len(self._rate) != len(pages):
            self._knowledge.grow(pages)
            self._knowledge.refresh(now)
            self._fill(np.arange(len(pages)), len(pages))
        current = self._knowledge.cycle[(int(np.floor(now)) + pages.shift) % len(self._knowledge.cycle)]
        every = np.arange(len(pages))
        chance = -np.expm1(-self._rate)
        return pages.with_columns(
            rate=self._rate @ self._share,
            chance=chance[every, current],
            expected_change=chance[every, current] * self._importance[every, current],
            mean_change=(chance * self._importance) @ self._share,
        )

    def choose(self, pages: PageTable, budget: Budget, now: float) -> Choice:
        """What the strategy inside chooses, knowing what was learned."""
        if len(pages) == 0:
            return Choice.nothing()
        return choose(self._inner, self._informed(pages, now), budget, now)

    def plan(self, pages: PageTable, budget: Budget, now: float) -> Sequence[Visit]:
        """What the strategy inside plans, knowing what was learned."""
        return [] if len(pages) == 0 else self._inner.plan(self._informed(pages, now), budget, now)

    def hear(self, pages: PageTable, rows: Rows, times: Floats) -> None:
        """Signals are for the strategy inside."""
        if isinstance(self._inner, Listener):
            self._inner.hear(pages, rows, times)

    def observe(self, pages: PageTable, outcomes: Outcomes) -> None:
        """Learn from captures."""
        if len(outcomes.row) == 0:
            return
        self._knowledge.observe(pages, outcomes)
        if isinstance(self._inner, Learner):
            self._inner.observe(pages, outcomes)
        self._fill(np.unique(outcomes.row), len(pages))
