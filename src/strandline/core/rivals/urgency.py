"""The papers' own strategies: fetch the pages of highest urgency, U(P, t) = omega(P) * omega_k * (t - t_last).

Papers 001 (section 8.1) and 004 (section 6). Three ways to read omega_k:
    Importance          mean importance over all periods       (PageTable.mean_change)
    Pattern             chance of a change in this period, no page importance   (PageTable.chance)
    Importance-Pattern  importance expected in this period     (PageTable.expected_change)
The columns come from known patterns, or from `OnlinePatterns`, which is Algorithm 1's Update: the importance a
capture finds is booked on the period of the capture (known to be wrong after a gap; kept as the papers have it).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from strandline.core.plan.budget import Budget, spend
from strandline.core.plan.strategy import Choice, Floats, Outcomes, PageTable, Visit, visits


def urgency(pages: PageTable, expected: Floats, now: float, *, weighted: bool = True) -> Floats:
    """U = weight * expected change * age; a page never fetched comes before all others.

    Ages count in whole periods: by exact ages the minute of the last fetch, which says nothing about the page, would
    decide between pages that are about as urgent.

    >>> table = PageTable.of(2, weight=[1.0, 2.0], last_visit=[0.5, 8.1])
    >>> urgency(table, np.array([0.5, 0.5]), now=10.0).tolist()
    [5.0, 2.0]
    """
    weight = pages.weight if weighted else np.ones(len(pages))
    age = np.maximum(np.floor(now) - np.floor(pages.last_visit), 0.0)
    value = weight * expected * np.nan_to_num(age)
    never = np.finfo(np.float64).max * (0.5 + 0.25 * weight / max(float(weight.max(initial=0.0)), 1e-300))
    return np.where(np.isnan(pages.last_visit), never, value)


def _plan(pages: PageTable, choice: Choice, expected: Floats, now: float, words: str) -> list[Visit]:
    """The visits of a choice; the reason names what was expected, by `words`."""
    reasons = [
        "never fetched"
        if np.isinf(age)
        else f"{words} {expected[row]:.3g}, last fetched {age:.1f} periods ago, page weight {pages.weight[row]:.3g}"
        for row, age in zip(choice.rows, pages.age(now)[choice.rows], strict=True)
    ]
    return visits(choice, pages, now, reasons)


@dataclass(frozen=True)
class ByUrgency:
    """The most urgent pages; `column` of the page table is omega_k."""

    name: str
    column: str
    words: str
    weighted: bool = True

    def _expected(self, pages: PageTable) -> Floats:
        found: Floats = getattr(pages, self.column)
        return found

    def choose(self, pages: PageTable, budget: Budget, now: float) -> Choice:
        """The most urgent pages."""
        score = urgency(pages, self._expected(pages), now, weighted=self.weighted)
        rows = spend(score, budget, pages)
        return Choice(rows, score[rows])

    def plan(self, pages: PageTable, budget: Budget, now: float) -> Sequence[Visit]:
        """The most urgent pages, with reasons."""
        return _plan(pages, self.choose(pages, budget, now), self._expected(pages), now, self.words)


IMPORTANCE = ByUrgency("importance", "mean_change", "mean change")
PATTERN = ByUrgency("pattern", "chance", "chance of change", weighted=False)
IMPORTANCE_PATTERN = ByUrgency("importance-pattern", "expected_change", "expected change")


class OnlinePatterns:
    """Importance-Pattern that learns its patterns by Algorithm 1's Update from its own captures.

    Each bin of a pattern starts as if one capture had found `start` there; each capture adds what it found to the
    bin of its own period; omega_k is the mean over the captures made in that bin.
    """

    def __init__(self, cycle: NDArray[np.int64], start: float = 0.1) -> None:
        self._cycle = np.asarray(cycle, dtype=np.int64)
        self._bins = int(self._cycle.max()) + 1
        self._start = start
        self._sum = np.empty((0, self._bins))
        self._seen = np.empty((0, self._bins))

    @property
    def name(self) -> str:
        """The name users select it by."""
        return "importance-pattern-online"

    def _grow(self, count: int) -> None:
        missing = count - len(self._sum)
        if missing > 0:
            self._sum = np.vstack([self._sum, np.zeros((missing, self._bins))])
            self._seen = np.vstack([self._seen, np.zeros((missing, self._bins))])

    def observe(self, pages: PageTable, outcomes: Outcomes) -> None:
        """Book the importance found on the bin of the capture."""
        self._grow(len(pages))
        bins = self._cycle[np.floor(outcomes.time).astype(np.int64) % len(self._cycle)]
        np.add.at(self._sum, (outcomes.row, bins), np.where(outcomes.changed, outcomes.importance, 0.0))
        np.add.at(self._seen, (outcomes.row, bins), 1.0)

    def expected(self, count: int, now: float) -> Floats:
        """omega_k of every page for the period of `now`."""
        self._grow(count)
        current = self._cycle[int(np.floor(now)) % len(self._cycle)]
        found: Floats = (self._start + self._sum[:, current]) / (1.0 + self._seen[:, current])
        return found

    def choose(self, pages: PageTable, budget: Budget, now: float) -> Choice:
        """The most urgent pages by the patterns learned so far."""
        score = urgency(pages, self.expected(len(pages), now), now)
        rows = spend(score, budget, pages)
        return Choice(rows, score[rows])

    def plan(self, pages: PageTable, budget: Budget, now: float) -> Sequence[Visit]:
        """The most urgent pages, with reasons."""
        choice = self.choose(pages, budget, now)
        return _plan(pages, choice, self.expected(len(pages), now), now, "learned change")
