"""The rivals: fixed passes over all pages, and fixed or adaptive intervals.

Paper 004, section 7 names Relevance, Coherence (Spaniol et al.), SHARC (Denev et al.) and Frequency (see
freshness.py). A *pass* fetches every page once in a fixed order and then starts again; since the order is
fixed, the next pages of the pass are those fetched longest ago, so a pass needs no memory of its own.
    Relevance     by page importance, most important first
    SHARC         organ pipe: the fastest-changing pages nearest the middle of the pass
    Coherence     least risky (slowest-changing) first
    round robin   in table order
The order runs over the whole crawl list. RelevanceTop begins again at the top in each period.
Nutch is the +-20 % interval rule of Apache Nutch's adaptive schedule; the intervals of paper 002 are in
change_classes.py.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from strandline.core.plan.budget import Budget, spend
from strandline.core.plan.minutes import organ_pipe
from strandline.core.plan.strategy import Choice, Floats, Outcomes, PageTable, Rows, Visit, visits


@dataclass(frozen=True)
class Passes:
    """Every page in turn, in an order made from the page table; `words` name it in reasons."""

    name: str
    order: Callable[[PageTable], Rows]
    words: str

    def choose(self, pages: PageTable, budget: Budget, now: float) -> Choice:
        """The next pages of the pass: those fetched longest ago, ties in pass order."""
        order = self.order(pages)
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        last = np.where(np.isnan(pages.last_visit), -np.inf, pages.last_visit)
        place = np.empty(len(order), dtype=np.float64)
        place[np.lexsort((rank, last))] = -np.arange(len(order), dtype=np.float64)
        rows = spend(place, budget, pages)
        return Choice(rows, place[rows])

    def plan(self, pages: PageTable, budget: Budget, now: float) -> Sequence[Visit]:
        """The next pages of the pass, with reasons."""
        choice = self.choose(pages, budget, now)
        reasons = [
            f"never fetched; next in the pass ({self.words})"
            if np.isinf(age)
            else f"next in the pass ({self.words}), last fetched {age:.1f} periods ago"
            for age in pages.age(now)[choice.rows]
        ]
        return visits(choice, pages, now, reasons)


ROUND_ROBIN = Passes("round-robin", lambda pages: np.arange(len(pages)), "table order")
RELEVANCE = Passes("relevance", lambda pages: np.argsort(-pages.weight, kind="stable"), "most important first")
SHARC = Passes("sharc", lambda pages: organ_pipe(pages.rate), "fast pages in the middle")
COHERENCE = Passes("coherence", lambda pages: np.argsort(pages.rate, kind="stable"), "least risky first")


@dataclass(frozen=True)
class RelevanceTop:
    """The most important pages, again in each period."""

    name: str = "relevance-top"

    def choose(self, pages: PageTable, budget: Budget, now: float) -> Choice:
        """The most important pages."""
        rows = spend(pages.weight, budget, pages)
        return Choice(rows, pages.weight[rows])

    def plan(self, pages: PageTable, budget: Budget, now: float) -> Sequence[Visit]:
        """The most important pages, with reasons."""
        choice = self.choose(pages, budget, now)
        return visits(choice, pages, now, [f"page weight {weight:.3g}" for weight in choice.urgency])


def overdue(pages: PageTable, interval: Floats, budget: Budget, now: float) -> Choice:
    """The pages that are most overdue, in parts of their interval."""
    lateness = pages.age(now) / interval
    never = np.isinf(lateness)
    if never.any():
        known = lateness[~never]
        lateness = np.where(never, 2.0 * max(float(known.max(initial=1.0)), 1.0), lateness)
    rows = spend(lateness, budget, pages)
    return Choice(rows, lateness[rows])


def _interval_reasons(pages: PageTable, choice: Choice, interval: Floats, now: float) -> list[str]:
    ages = pages.age(now)[choice.rows]
    return [
        "never fetched"
        if np.isinf(age)
        else f"wanted every {interval[row]:.3g} periods, last fetched {age:.1f} periods ago"
        for row, age in zip(choice.rows, ages, strict=True)
    ]


class NutchAdaptive:
    """An interval per page: 20 % shorter after a change, 20 % longer after none; the page due first is fetched first.

    Intervals start at `start`, by default at the time between two turns of a page at this budget.
    """

    def __init__(self, start: float | None = None, shortest: float = 1.0, longest: float = 8760.0) -> None:
        if not 0 < shortest <= (shortest if start is None else start) <= longest:
            raise ValueError("intervals must satisfy 0 < shortest <= start <= longest")
        self._limits = (shortest, longest)
        self._start = start
        self._interval = np.empty(0)

    @property
    def name(self) -> str:
        """The name users select it by."""
        return "nutch"

    def _intervals(self, count: int) -> Floats:
        missing = count - len(self._interval)
        if missing > 0:
            start = 24.0 if self._start is None else self._start
            self._interval = np.concatenate([self._interval, np.full(missing, np.clip(start, *self._limits))])
        return self._interval

    def observe(self, pages: PageTable, outcomes: Outcomes) -> None:
        """Shorten the interval of pages that changed, lengthen that of the others."""
        interval = self._intervals(len(pages))
        np.multiply.at(interval, outcomes.row, np.where(outcomes.changed, 0.8, 1.2))
        np.clip(interval, *self._limits, out=interval)

    def choose(self, pages: PageTable, budget: Budget, now: float) -> Choice:
        """The pages longest due."""
        if self._start is None and len(pages):
            self._start = len(pages) / budget.of_period
        age = pages.age(now)
        late = age - self._intervals(len(pages))
        known = late[np.isfinite(late)]
        late = np.where(np.isinf(age), 1.0 + max(float(known.max(initial=0.0)), 0.0), late)
        rows = spend(late, budget, pages)
        return Choice(rows, late[rows])

    def plan(self, pages: PageTable, budget: Budget, now: float) -> Sequence[Visit]:
        """The pages longest due, with reasons."""
        choice = self.choose(pages, budget, now)
        return visits(choice, pages, now, _interval_reasons(pages, choice, self._intervals(len(pages)), now))
