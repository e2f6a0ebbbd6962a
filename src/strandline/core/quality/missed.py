"""How many changes did captures miss? Asked gap by gap: captures tell more than a page's rate alone.

Between two captures that show the same version nothing was missed. Between two that differ at least one change
happened, and x / (1 - exp(-x)) are expected where x would be without looking. After the last capture x are expected.

    x = expected changes of a gap by the learned rate and hours of its page, times a factor f of the page
    f   is not known: belief in it starts at the factor of the page's directory (changes that its captures show over
        those expected of it, one more on both sides), a lognormal law of mean 1 around it and width WIDTH, and follows
        the gaps: unchanged exp(-f x), changed 1 - exp(-f x)

The factor is what the coarse ladder of learned rates leaves open, and what the directory tells of pages seen once. The
number of missed changes is then known up to two errors: what each page's captures leave open, which averages out over
many pages, and what pages share. Changes that come in bursts, shorter than the time between visits, show as one: then
more was missed than even change would have it (BURSTS), rarely less (SHARED).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

FACTORS: Floats = 2.0 ** np.arange(-5.0, 5.01, 0.5)
"""Values of the factor f of a page that are told apart. Origin: a bound on time."""
WIDTH = 1.0
"""Of the law of f around that of its directory, in its logarithm. Origin: a guess."""
SHARED, BURSTS = 0.4, 0.75
"""Errors of the logarithm of all missed changes together, downwards and upwards. Chosen on worlds with truth: of pages
that change evenly and of pages most of whose changes fall into a few hours, nine of ten intervals hold it (tests).
Origin: measured, tests/core/quality/test_missed.py."""


@dataclass(frozen=True)
class Gaps:
    """Times between captures. Of each gap: its page, whether captures differ, changes expected without looking; of each
    page: those expected after its last capture, and the number of its directory.
    """

    page: Ints
    changed: Bools
    expected: Floats
    after: Floats
    group: Ints


@dataclass(frozen=True)
class Missed:
    """Expected changes of each page that no capture shows, and the variance of their number."""

    mean: Floats
    spread: Floats

    def share(self, found: Floats, unit: Floats, rows: Ints) -> tuple[float, float, float]:
        """Part of the change of some pages that was found, with its 90 % interval: middle, low, high.

        `found` are the changes found on each page, `unit` what one of them counts.

        >>> missed = Missed(np.array([4.0]), np.array([4.0]))
        >>> [round(part, 2) for part in missed.share(np.array([6.0]), np.array([0.5]), np.array([0]))]
        [0.61, 0.26, 0.81]
        """
        unit = unit[rows]
        got, lost = float(unit @ found[rows]), float(unit @ self.mean[rows])
        number = float(self.mean[rows].sum())
        if lost <= 0.0:
            return 1.0, 1.0, 1.0
        alone = float(unit**2 @ self.spread[rows]) / lost / lost  # the square of very little is nothing
        fewer, more = (float(np.exp(1.645 * np.sqrt(error**2 + np.log1p(alone)))) for error in (SHARED, BURSTS))
        nothing = float(np.exp(-number))  # the chance that nothing was missed at all
        middle = 1.0 - lost / (got + lost) * (1.0 - nothing)
        high = 1.0 if nothing >= 0.05 else got / (got + lost / fewer)
        return middle, min(got / (got + lost * more), middle), max(high, middle)


def missed_changes(gaps: Gaps) -> Missed:
    """What captures missed of every page.

    >>> pages, often = np.repeat([0, 1], 4), np.array([True, False, False, False, True, True, True, True])
    >>> missed_changes(Gaps(pages, often, np.full(8, 0.5), np.zeros(2), np.array([0, 1]))).mean.round(1).tolist()
    [0.2, 7.9]
    """
    pages = len(gaps.after)
    own, x = gaps.page[gaps.changed], np.maximum(gaps.expected[gaps.changed], 1e-9)
    still = np.bincount(gaps.page[~gaps.changed], weights=gaps.expected[~gaps.changed], minlength=pages)
    start = _group_factors(gaps, pages)
    top, odds, mean, square = np.full(pages, -np.inf), np.zeros(pages), np.zeros(pages), np.zeros(pages)
    for factor in FACTORS:
        some = -np.expm1(-factor * x)
        count = factor * x / some
        law = (np.log(factor / start) + WIDTH**2 / 2.0) / WIDTH
        belief = np.bincount(own, weights=np.log(some), minlength=pages) - factor * still - law**2 / 2.0
        missed = np.bincount(own, weights=count - 1.0, minlength=pages) + factor * gaps.after
        # Variance of a count that is at least one, and of one that may be nothing.
        noise = np.bincount(own, weights=count * (1.0 + factor * x - count), minlength=pages) + factor * gaps.after
        # Sums over all factors, kept relative to the largest belief so far: there may be very many pages.
        higher = np.maximum(top, belief)
        kept, added = np.exp(top - higher), np.exp(belief - higher)
        odds, mean = odds * kept + added, mean * kept + added * missed
        square, top = square * kept + added * (missed**2 + noise), higher
    mean = mean / odds
    return Missed(mean, np.maximum(square / odds - mean**2, 0.0))


def _group_factors(gaps: Gaps, pages: int) -> Floats:
    """Of each page, how much more its directory changed than was expected of it."""
    if pages == 0:
        return np.empty(0)
    happened = np.where(gaps.changed, gaps.expected / -np.expm1(-np.maximum(gaps.expected, 1e-9)), 0.0)
    groups, own = int(gaps.group.max()) + 1, gaps.group[gaps.page]
    shown = np.bincount(own, weights=np.where(gaps.changed, np.maximum(happened, 1.0), 0.0), minlength=groups)
    hoped = np.bincount(own, weights=gaps.expected, minlength=groups)
    return ((1.0 + shown) / (1.0 + hoped))[gaps.group]
