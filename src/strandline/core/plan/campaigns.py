"""Campaigns: for some days a site or a set of pages matters more, and then it is over by itself.

An election, a flood, an exhibition: the archivist raises the weight of what is concerned for a time. Because the
weight is all that changes, every strategy that weighs pages follows, and nothing has to be put back.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from strandline.core.plan.budget import Budget
from strandline.core.plan.strategy import (
    Choice,
    Learner,
    Outcomes,
    PageTable,
    Strategy,
    Visit,
    choose,
)

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Campaign:
    """`boost` times the weight for some rows, from `start` until `end` (periods)."""

    name: str
    rows: frozenset[int]
    start: float
    end: float
    boost: float = 10.0

    def __post_init__(self) -> None:
        if not self.boost > 0 or not np.isfinite(self.boost):
            raise ValueError(f"campaign {self.name!r}: the boost must be above zero, not {self.boost:g}")
        if not self.end > self.start:
            raise ValueError(f"campaign {self.name!r} must end after it starts")

    def running(self, now: float) -> bool:
        """Whether it is on."""
        return self.start <= now < self.end


def boosted(pages: PageTable, campaigns: Sequence[Campaign], now: float) -> PageTable:
    """The same pages with the weights that hold now.

    >>> flood = Campaign("flood", frozenset({1}), start=10.0, end=20.0, boost=5.0)
    >>> table = PageTable.of(2)
    >>> [boosted(table, [flood], now).weight.tolist() for now in (9.0, 10.0, 20.0)]
    [[1.0, 1.0], [1.0, 5.0], [1.0, 1.0]]
    """
    active = [campaign for campaign in campaigns if campaign.running(now)]
    if not active:
        return pages
    weight = pages.weight.copy()
    for campaign in active:
        rows = np.array(sorted(row for row in campaign.rows if row < len(pages)), dtype=np.int64)
        weight[rows] *= campaign.boost
    return pages.with_columns(weight=weight)


class WithCampaigns:
    """Any strategy, with campaigns; the reason of a visit names the campaign."""

    def __init__(self, inner: Strategy, campaigns: Sequence[Campaign]) -> None:
        self._inner = inner
        self.campaigns = list(campaigns)

    @property
    def name(self) -> str:
        """The name of the strategy inside."""
        return self._inner.name

    def choose(self, pages: PageTable, budget: Budget, now: float) -> Choice:
        """What the strategy inside chooses with the weights of the moment."""
        return choose(self._inner, boosted(pages, self.campaigns, now), budget, now)

    def plan(self, pages: PageTable, budget: Budget, now: float) -> Sequence[Visit]:
        """What the strategy inside plans with the weights of the moment."""
        planned = self._inner.plan(boosted(pages, self.campaigns, now), budget, now)
        row_of = {int(page): row for row, page in enumerate(pages.page)}
        return [self._named(visit, row_of[visit.page], now) for visit in planned]

    def _named(self, visit: Visit, row: int, now: float) -> Visit:
        names = [c.name for c in self.campaigns if c.running(now) and row in c.rows]
        if not names:
            return visit
        return Visit(visit.page, visit.urgency, f"campaign {', '.join(names)}: {visit.reason}", visit.due)

    def observe(self, pages: PageTable, outcomes: Outcomes) -> None:
        """Pass on what captures found."""
        if isinstance(self._inner, Learner) and len(outcomes.time):
            self._inner.observe(boosted(pages, self.campaigns, float(outcomes.time.max())), outcomes)
