"""GREEDY-NCIS: crawling with noisy signals of change (Busa-Fekete et al., WWW 2025, arXiv 2502.02430).

Page i changes at rate D, a part r of its changes is signalled, and false signals come at rate n. Then

    unsignalled changes  a = (1 - r) D        signals  g = r D + n
    the copy is fresh, a time t and k signals after it was made, with chance exp(-a t) (n/g)^k = exp(-a (t + b k)),
    b = -ln(n/g)/a: a signal is worth as much as so much more time. t + b k is the *effective* age.

Fetching whenever the effective age reaches s takes psi(s) between fetches and keeps the copy fresh for w(s) of it:

    psi(s) = sum over k b < s of P(k + 1, g (s - k b)) / g
    w(s)   = sum over k b < s of n^k / (a + g)^(k+1) P(k + 1, (a + g)(s - k b))

with P(m, x) the chance that a Poisson number of mean x is at least m. The page whose value mu (w(s) - exp(-a s) psi(s))
at its present effective age is largest is fetched first: at the optimum all pages are fetched at the same value, which
a constant budget finds by itself. Without signals this is the freshness optimum of Azar et al. Rates come from the page
table; how good signals are is learned site by site from what fetches found, or told.
"""

from collections.abc import Sequence

import numpy as np

from strandline.core.plan.budget import Budget, spend
from strandline.core.plan.strategy import Choice, Floats, Outcomes, PageTable, Rows, Visit, visits

TERMS = 8
"""Signals that are told apart; more are as good as so many. Origin: a bound on work."""
LEAST = 1e-6
"""Rates below which nothing is divided. Origin: a bound on rounding."""
PRIOR = 2.0
"""Changes and signals that a site is believed to have shown beforehand. Origin: a guess."""


def poisson_tail(least: int, mean: Floats) -> Floats:
    """The chance that a Poisson number is at least so much.

    >>> poisson_tail(1, np.array([0.0, 0.5])).round(4).tolist()
    [0.0, 0.3935]
    """
    term = np.exp(-mean)
    below = term.copy()
    for number in range(1, least):
        term = term * mean / number
        below = below + term
    return np.clip(1.0 - below, 0.0, 1.0)


def effective_age(age: Floats, heard: Floats, unsignalled: Floats, signals: Floats, false: Floats) -> Floats:
    """Time since the copy was made, signals counted as time."""
    signals = np.maximum(signals, LEAST)
    step = np.log(signals / np.maximum(false, LEAST * signals)) / np.maximum(unsignalled, LEAST)
    return age + np.where(heard > 0, np.maximum(step, 0.0) * heard, 0.0)


def crawl_value(age: Floats, unsignalled: Floats, signals: Floats, false: Floats) -> Floats:
    """What a fetch at an effective age is worth, for pages of weight 1.

    >>> still = np.zeros(1)
    >>> round(float(crawl_value(np.array([2.0]), np.array([0.5]), still, still)[0]), 4)  # (1 - 2/e) / .5
    0.5285
    """
    a, g, n = np.maximum(unsignalled, LEAST), np.maximum(signals, 0.0), np.maximum(false, 0.0)
    heard = g > LEAST
    rate = np.where(heard, g, 1.0)
    step = np.where(heard, np.log(rate / np.maximum(n, LEAST * rate)) / a, np.inf)
    between, fresh = np.zeros(len(a)), np.zeros(len(a))
    for count in range(TERMS):
        left = np.maximum(age - (count * step if count else 0.0), 0.0)
        between += np.where(heard, poisson_tail(count + 1, rate * left) / rate, left if count == 0 else 0.0)
        part = n**count / (a + g) ** (count + 1)
        fresh += part * poisson_tail(count + 1, (a + g) * left)
    value: Floats = np.maximum(fresh - np.exp(-a * age) * between, 0.0)
    return value


class GreedyNcis:
    """Fetch the pages of highest crawl value. `recall` and `false` (a period and page) are learned unless told."""

    name = "greedy-ncis"

    def __init__(self, recall: float | None = None, false: float | None = None) -> None:
        self._told = (recall, false)
        self._heard: Floats = np.empty(0)
        """Signals since each page's last fetch."""
        self._counts: dict[int, Floats] = {}
        """Of each site: changes found, those that had been signalled, signals that were false, page periods watched."""

    def hear(self, pages: PageTable, rows: Rows, times: Floats) -> None:
        """Signals came."""
        self._grow(len(pages))
        np.add.at(self._heard, rows, 1.0)

    def observe(self, pages: PageTable, outcomes: Outcomes) -> None:
        """Fetches show whether signals were right, and which changes came without one."""
        self._grow(len(pages))
        watched = outcomes.time - np.nan_to_num(pages.last_visit[outcomes.row])
        for row, changed, periods in zip(outcomes.row, outcomes.changed, watched, strict=True):
            counts = self._counts.setdefault(int(pages.site[row]), np.zeros(4))
            heard = self._heard[row]
            counts += (changed, changed and heard > 0, max(heard - changed, 0.0), max(periods, 0.0))
        self._heard[outcomes.row] = 0.0

    def quality(self, pages: PageTable) -> tuple[Floats, Floats]:
        """Part of the changes that is signalled, and false signals a period, of each page."""
        sites, place = np.unique(pages.site, return_inverse=True)
        counts = np.array([self._counts.get(int(site), np.zeros(4)) for site in sites]).reshape(len(sites), 4)
        found, signalled, false, watched = counts.T
        recall = (signalled + 0.5 * PRIOR) / (found + PRIOR)
        noise = (false + 0.01 * PRIOR) / (watched + PRIOR)
        told_recall, told_false = self._told
        return (
            np.full(len(pages), told_recall) if told_recall is not None else recall[place],
            np.full(len(pages), told_false) if told_false is not None else noise[place],
        )

    def _value(self, pages: PageTable, now: float) -> Floats:
        self._grow(len(pages))
        recall, false = self.quality(pages)
        rate = np.maximum(pages.rate, LEAST)
        if not self._heard.any() and not self._counts:
            recall = np.zeros(len(pages))  # nothing was ever heard
        unsignalled, signals = (1.0 - recall) * rate, recall * rate + np.where(recall > 0, false, 0.0)
        never = np.isnan(pages.last_visit)
        age = np.where(never, 0.0, pages.age(now))
        old = effective_age(age, self._heard, unsignalled, signals, false)
        value = pages.weight * crawl_value(old, unsignalled, signals, np.where(recall > 0, false, 0.0))
        return np.where(never, 1.0 + pages.weight + float(value.max(initial=0.0)), value)

    def _grow(self, count: int) -> None:
        if len(self._heard) < count:
            self._heard = np.concatenate([self._heard, np.zeros(count - len(self._heard))])

    def choose(self, pages: PageTable, budget: Budget, now: float) -> Choice:
        """The pages of highest value."""
        value = self._value(pages, now)
        rows = spend(value, budget, pages)
        return Choice(rows, value[rows])

    def plan(self, pages: PageTable, budget: Budget, now: float) -> Sequence[Visit]:
        """The pages of highest value, with reasons."""
        choice = self.choose(pages, budget, now)
        ages = pages.age(now)
        reasons = [
            "never fetched"
            if np.isinf(ages[row])
            else f"last fetched {ages[row]:.1f} periods ago, {int(self._heard[row])} signals since"
            for row in choice.rows
        ]
        return visits(choice, pages, now, reasons)
