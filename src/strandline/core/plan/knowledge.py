"""What a plan believes of pages: true patterns (in simulations), or a learner fed by its own captures."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from strandline.core.beliefs.censored import CensoredLearner
from strandline.core.beliefs.estimate import Estimate
from strandline.core.plan.strategy import Floats, Outcomes, PageTable, Rows


class Knowledge(Protocol):
    """What the priced plan asks."""

    @property
    def cycle(self) -> NDArray[np.int64]:
        """Bin of each period of the cycle (a week of hours)."""
        ...

    def estimate(self, rows: Rows) -> Estimate:
        """Rates, importances and rate nodes of some pages."""
        ...

    def grow(self, pages: PageTable) -> None:
        """Make room for pages seen for the first time."""
        ...

    def observe(self, pages: PageTable, outcomes: Outcomes) -> None:
        """Learn from captures."""
        ...

    def refresh(self, now: float) -> bool:
        """Once a day: relearn what pages share. True when estimates of all pages may have moved."""
        ...

    def stretch(self, pages: PageTable, rows: Rows, now: float | Floats) -> Floats:
        """Effective age over age of some pages: how fast their group's clock ran since their last fetch."""
        ...

    def stirred(self, rows: Rows) -> Floats:
        """Chance of some pages to be in a burst of changes."""
        ...

    def together(self, rows: Rows) -> Floats:
        """How much a change of some pages tells of their siblings: 0 nothing, 1 all."""
        ...


@dataclass(frozen=True)
class KnownPatterns:
    """True patterns, as only a simulation has them."""

    rate: Floats
    importance: Floats
    cycle: NDArray[np.int64]

    def estimate(self, rows: Rows) -> Estimate:
        """The truth, with one node."""
        share = np.bincount(self.cycle, minlength=self.rate.shape[1]) / len(self.cycle)
        ones = np.ones((len(rows), 1))
        rate, importance = self.rate[rows].astype(np.float32), self.importance[rows].astype(np.float32)
        return Estimate(rate, importance, ones, ones, share)

    def grow(self, pages: PageTable) -> None:
        """Patterns are known for all pages from the start."""
        if len(pages) != len(self.rate):
            raise ValueError(f"patterns of {len(self.rate)} pages cannot serve {len(pages)}")

    def observe(self, pages: PageTable, outcomes: Outcomes) -> None:
        """There is nothing left to learn."""

    def refresh(self, now: float) -> bool:
        """Nothing moves."""
        return False

    def stretch(self, pages: PageTable, rows: Rows, now: float | Floats) -> Floats:
        """Clocks run evenly."""
        return np.ones(len(rows))

    def stirred(self, rows: Rows) -> Floats:
        """Patterns are all there is."""
        return np.zeros(len(rows))

    def together(self, rows: Rows) -> Floats:
        """Each page changes by itself."""
        return np.zeros(len(rows))


class TaughtPatterns:
    """Patterns of a learner that somebody else teaches, each page's in its own time zone (PageTable.shift)."""

    def __init__(self, learner: CensoredLearner | None = None) -> None:
        self.learner = CensoredLearner() if learner is None else learner

    @property
    def cycle(self) -> NDArray[np.int64]:
        """Bin of each period of the cycle."""
        return self.learner.cycle

    def estimate(self, rows: Rows) -> Estimate:
        """Beliefs of the learner."""
        return self.learner.estimate(rows)

    def grow(self, pages: PageTable) -> None:
        """Who teaches makes room."""

    def observe(self, pages: PageTable, outcomes: Outcomes) -> None:
        """Who teaches did."""

    def refresh(self, now: float) -> bool:
        """Who teaches may have."""
        return True

    def stretch(self, pages: PageTable, rows: Rows, now: float | Floats) -> Floats:
        """The group clock of the learner."""
        local = pages.shift[rows].astype(np.float64)
        return self.learner.stretch(rows, pages.last_visit[rows] + local, now + local)

    def stirred(self, rows: Rows) -> Floats:
        """What the last captures say of bursts."""
        return self.learner.stirred(rows)

    def together(self, rows: Rows) -> Floats:
        """What the group clock of the learner found."""
        return self.learner.together(rows)


class LearnedPatterns(TaughtPatterns):
    """Patterns learned from the captures of the plan itself. A first fetch (last visit before any outcome) is taken
    from the table.
    """

    def __init__(self, learner: CensoredLearner | None = None) -> None:
        super().__init__(learner)
        self._started = False

    def grow(self, pages: PageTable) -> None:
        """Make room; pages fetched before the learner knew them start from that fetch."""
        if len(pages) > len(self.learner) or not self._started:
            since = len(self.learner) if self._started else 0
            self._started = True
            self.learner.grow(pages.site, pages.directory)
            self.learner.start_from(pages.last_visit + pages.shift, since)

    def observe(self, pages: PageTable, outcomes: Outcomes) -> None:
        """Feed the learner."""
        self.grow(pages)
        unknown: Floats = np.full(len(outcomes.row), np.nan)
        hints = unknown if outcomes.last_change is None else outcomes.last_change
        local = pages.shift[outcomes.row].astype(np.float64)
        findings = (outcomes.time + local, outcomes.changed, outcomes.importance, hints + local)
        self.learner.observe(outcomes.row, findings)

    def refresh(self, now: float) -> bool:
        """Relearn shapes, profiles and priors."""
        self.learner.refresh(now)
        return True
