"""Strategies that keep copies fresh rather than catch versions: Frequency, weighted freshness, LambdaCrawl.

Cho & Garcia-Molina (TODS 2003): fetch page i with frequency f_i so that the mean freshness
sum_i w_i (f_i/r_i)(1 - exp(-r_i/f_i)) is largest while the f_i sum to the budget. At the optimum every page has
the same marginal gain, (w_i/r_i)[1 - (1+x)exp(-x)] = mu with x = r_i/f_i, and pages that change too fast get
nothing. Unweighted this is the papers' *Frequency*; weighted by importance it is the optimum of Azar et al.
LambdaCrawl (Kolobov et al. 2019) minimises the harmonic staleness penalty instead:
f = (-r + sqrt(r^2 + 4 w r / lambda)) / 2, so every page keeps a share.
A page is due 1/f after its last fetch, and the page due first is fetched first.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from strandline.core.plan.budget import Budget, spend
from strandline.core.plan.strategy import Choice, Floats, PageTable, Visit, visits

_X = np.concatenate([[0.0], np.geomspace(1e-4, 60.0, 4000)])
"""Points at which the marginal gain of a page is tabled; beyond the last it is 1. Origin: a bound on rounding."""
_GAIN = 1.0 - (1.0 + _X) * np.exp(-_X)
"""The gain at these. Origin: derived, from _X."""
SELDOM = 1e-9
"""Fetches a period that are as good as none. Origin: a bound on rounding."""


def frequencies(pull: Callable[[float], Floats], budget: float) -> Floats:
    """Frequencies (at most one a period) that use up the budget; `pull(price)` falls with the price."""
    low, high = 1e-18, 1e6
    for _ in range(80):
        middle = float(np.sqrt(low * high))
        if np.minimum(pull(middle), 1.0).sum() > budget:
            low = middle
        else:
            high = middle
    return np.minimum(pull(high), 1.0)


def freshness_optimal(rate: Floats, weight: Floats, budget: float) -> Floats:
    """Fetch frequencies that maximise weighted mean freshness.

    >>> f = freshness_optimal(np.array([0.01, 0.02, 50.0]), np.ones(3), budget=0.05)
    >>> bool(f[2] == 0.0), round(float(f.sum()), 3)
    (True, 0.05)
    """
    rate = np.maximum(rate, 1e-9)

    def pull(price: float) -> Floats:
        level = price * rate / np.maximum(weight, 1e-300)
        x = np.interp(level, _GAIN, _X)
        # For small x the gain is x^2/2: the table is too coarse there.
        x = np.where(level < 1e-6, np.sqrt(2.0 * level), x)
        wanted = rate / np.maximum(x, 1e-12)
        return np.where((level >= 1.0) | (weight <= 0), 0.0, wanted)

    return frequencies(pull, budget)


def lambda_crawl(rate: Floats, weight: Floats, budget: float) -> Floats:
    """Fetch frequencies of LambdaCrawl.

    >>> lambda_crawl(np.array([0.1, 0.1]), np.ones(2), budget=0.5).round(3).tolist()
    [0.25, 0.25]
    """
    rate = np.maximum(rate, 1e-9)

    def pull(price: float) -> Floats:
        found: Floats = (-rate + np.sqrt(rate**2 + 4.0 * weight * rate / price)) / 2.0
        return found

    return frequencies(pull, budget)


@dataclass(frozen=True)
class Frequency:
    """Even fetches at the frequencies of one of the three allocations."""

    weighted: bool = False
    harmonic: bool = False

    @property
    def name(self) -> str:
        """The name users select it by."""
        if self.harmonic:
            return "lambda-crawl"
        return "freshness" if self.weighted else "frequency"

    def allocation(self, pages: PageTable, budget: Budget) -> Floats:
        """Wanted fetches per period of every page."""
        if self.harmonic:
            return lambda_crawl(pages.rate, pages.weight, float(budget.visits))
        weight = pages.weight if self.weighted else np.ones(len(pages))
        return freshness_optimal(pages.rate, weight, float(budget.visits))

    def _score(self, pages: PageTable, budget: Budget, now: float) -> Floats:
        """Periods that each page is overdue. Pages of frequency zero fill an unused budget, oldest first."""
        never = np.isnan(pages.last_visit)
        age = np.where(never, 0.0, pages.age(now))
        late = age - 1.0 / np.maximum(self.allocation(pages, budget), SELDOM)
        return np.where(never, 10.0 + pages.weight + max(float(late.max(initial=0.0)), 0.0), late)

    def choose(self, pages: PageTable, budget: Budget, now: float) -> Choice:
        """The pages most overdue against their wanted frequency."""
        score = self._score(pages, budget, now)
        rows = spend(score, budget, pages)
        return Choice(rows, score[rows])

    def plan(self, pages: PageTable, budget: Budget, now: float) -> Sequence[Visit]:
        """The pages most overdue against their wanted frequency, with reasons."""
        choice = self.choose(pages, budget, now)
        wanted = self.allocation(pages, budget)
        ages = pages.age(now)
        reasons = [
            "never fetched"
            if np.isinf(ages[row])
            else f"wanted {wanted[row]:.3g} times a period, last fetched {ages[row]:.1f} periods ago"
            for row in choice.rows
        ]
        return visits(choice, pages, now, reasons)
