"""How often does a page change? Four answers from what visits saw.

A visit tells whether the page differs from the visit before, nothing more.

1. `change_rate`: n visits at regular intervals, X of them found a change (Barbosa et al., WIDM 2005, formula 1, after
   Cho & Garcia-Molina, TOIT 2003):  r = -ln((n - X + 0.5) / (n + 0.5)) per interval. Printed without parentheses
   in the paper; that reading would be negative.
2. `update_class_beliefs`: the Bayesian estimator of Cho & Garcia-Molina: a belief over groups, each with an average
   interval f_g between changes; a visit after T multiplies it by P(no change) = e^(-T/f_g), or by 1 - that.
   The paper's worked example (.89 where this gives .81) follows when the chance of a change within ONE day, 1/f_g,
   is used for a visit that spans a week; `per_day=True` does that.
3. `GammaRates`: Poisson changes whose rate has a Gamma prior; visits at any distance; the number of changes that one
   "it changed" stands for is filled in by its expectation. Made for visits about as frequent as changes: a page found
   changed at every visit has an open-ended rate, and this belief then stays nearer its prior than it should.
4. `count_index`, `freshness_index`: what a visit now would be worth under such a belief.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def change_rate(visits: ArrayLike, changes: ArrayLike) -> Floats:
    """Changes per interval between visits; finite even when every visit found a change.

    >>> float(change_rate(182, 0)), round(float(change_rate(100, 50)), 4), round(float(change_rate(3, 3)), 4)
    (0.0, 0.6882, 1.9459)
    """
    n, x = np.asarray(visits, dtype=np.float64), np.asarray(changes, dtype=np.float64)
    if np.any(x < 0) or np.any(x > n):
        raise ValueError("changes must lie between 0 and the number of visits")
    rate: Floats = -np.log((n - x + 0.5) / (n + 0.5)) + 0.0  # + 0.0: no negative zero
    return rate


def update_class_beliefs(
    beliefs: ArrayLike, intervals: ArrayLike, waited: ArrayLike, changed: ArrayLike, *, per_day: bool = False
) -> Floats:
    """Beliefs (..., groups) after a visit that came `waited` days after the last; `intervals` in days (inf: never).

    The paper's page, 0.9 "one week", 0.1 "one month", unchanged after a week:
        >>> update_class_beliefs([0.9, 0.1], [7, 30], 7, False).round(3).tolist()
        [0.807, 0.193]
        >>> update_class_beliefs([0.9, 0.1], [7, 30], 7, False, per_day=True).round(3).tolist()
        [0.889, 0.111]
    """
    prior = np.asarray(beliefs, dtype=np.float64)
    every = np.asarray(intervals, dtype=np.float64)
    if np.any(every <= 0):
        raise ValueError("the average interval of a group must be positive")
    if per_day:
        quiet = np.broadcast_to(np.maximum(1.0 - 1.0 / every, 0.0), prior.shape)
    else:
        quiet = np.exp(-np.asarray(waited, dtype=np.float64)[..., None] / every)
    likelihood = np.where(np.asarray(changed, dtype=bool)[..., None], 1.0 - quiet, quiet)
    joint = prior * likelihood
    total = joint.sum(axis=-1, keepdims=True)
    # An observation that no group allows (a change, all belief on "never") teaches nothing.
    return np.where(total > 0.0, joint / np.where(total > 0.0, total, 1.0), prior)


@dataclass(slots=True)
class GammaRates:
    """Beliefs about the rates of many pages: expected changes `found` in `watched` days, before any prior."""

    found: Floats
    watched: Floats

    @classmethod
    def unseen(cls, pages: int) -> "GammaRates":
        """Nothing observed yet."""
        return cls(np.zeros(pages), np.zeros(pages))

    def mean(self, prior_mean: ArrayLike, prior_weight: ArrayLike) -> Floats:
        """Expected changes a day when the prior is Gamma(prior_weight, prior_weight / prior_mean)."""
        weight = np.asarray(prior_weight, dtype=np.float64)
        rate: Floats = (weight + self.found) / (weight / np.asarray(prior_mean, dtype=np.float64) + self.watched)
        return rate

    def visit(self, pages: NDArray[np.int64], waited: ArrayLike, changed: ArrayLike, rate: ArrayLike) -> None:
        """Add one visit to each of `pages`; `rate` is the belief before the visit, `waited` in days.

        A visit that found a change stands for L / (1 - e^-L) changes, L = rate x waited.

        >>> rates = GammaRates.unseen(1)
        >>> rates.visit(np.array([0]), 2.0, True, 0.5)
        >>> round(float(rates.found[0]), 4), float(rates.watched[0])
        (1.582, 2.0)
        """
        since = np.asarray(waited, dtype=np.float64)
        if np.any(since < 0):
            raise ValueError("a visit cannot come before the last one")
        self.watched[pages] += since
        self.found[pages] += np.where(changed, expected_changes(np.asarray(rate) * since), 0.0)


def expected_changes(mass: ArrayLike) -> Floats:
    """Expected number of Poisson(mass) events given that there was at least one.

    >>> expected_changes([0.0, 1.0, 50.0]).round(4).tolist()
    [1.0, 1.582, 50.0]
    """
    x = np.asarray(mass, dtype=np.float64)
    small = x < 1e-6
    safe = np.where(small, 1.0, x)
    return np.where(small, 1.0 + x / 2.0, safe / -np.expm1(-safe))


def count_index(shape: Floats, scale: Floats, age: Floats) -> Floats:
    """Worth of visiting a page of Gamma(shape, scale) rate after `age`, when new versions are counted.

    Chance that there is a new version, less what waiting would add at the current slope:
    1 - q - a x q / (b + x) with q = (b / (b + x))^a.
    """
    quiet = (scale / (scale + age)) ** shape
    index: Floats = 1.0 - quiet - shape * age * quiet / (scale + age)
    return index


def freshness_index(shape: Floats, scale: Floats, age: Floats) -> Floats:
    """Worth of visiting when stale time is to be kept small: expected fresh time so far, less age x chance of fresh.

    b^a ((b + x)^(1 - a) - b^(1 - a)) / (1 - a) - x q; at a = 1 the first term is b ln((b + x) / b).
    """
    quiet = (scale / (scale + age)) ** shape
    growth = np.log1p(age / scale)
    power = 1.0 - shape
    near_one = np.abs(power) < 1e-9
    # b^a ((b+x)^(1-a) - b^(1-a)) / (1-a) = b (e^((1-a) ln((b+x)/b)) - 1) / (1-a)
    fresh = np.where(near_one, growth, np.expm1(power * growth) / np.where(near_one, 1.0, power))
    index: Floats = scale * fresh - age * quiet
    return index
