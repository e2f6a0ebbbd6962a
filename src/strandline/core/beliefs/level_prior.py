"""How fast do the pages of a site change, before any of them was watched for long? Empirical Bayes.

The prior of a site is a Gamma law on the grid of rates. Its mean and shape are those under which the captures of the
site's pages so far are most likely; a site with few pages leans on all pages, and everything leans on a start value
until there is evidence. (Level = how many changes; a large shape says that the pages of a site are much alike.)

Pages are not fetched at random: important ones come first, and they change more. A likeliest mean above the start
value is therefore believed only up to the geometric mean of what is now believed of all pages, unseen ones included
(else unseen pages would inherit the rates of hot ones, and under the objective `page` never be tried). Downwards the
mean is free.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SHAPES = (0.5, 1.0, 2.0, 4.0)
"""Shapes of a site's Gamma prior to choose from. Origin: a guess."""
MEANS = 28
"""Means of a site's prior to choose from, spaced evenly between the slowest and the fastest rate.
Origin: a bound on time."""
LEAN = 5.0
"""Pages after which a site's own captures outweigh those of all sites. Origin: a guess."""
SAMPLE = 20_000
"""Pages that are enough to find the prior of all. Origin: a bound on time."""


def gamma_on_grid(grid: Floats, shape: Floats, mean: Floats) -> Floats:
    """Gamma laws as odds on a grid of rates spaced evenly in the logarithm; one row per law.

    >>> odds = gamma_on_grid(np.geomspace(0.01, 1.0, 5), np.array([1.0]), np.array([0.1]))
    >>> round(float(odds.sum()), 6), int(odds.argmax())
    (1.0, 2)
    """
    scaled = shape[:, None] * grid / mean[:, None]
    logs = shape[:, None] * np.log(scaled) - scaled
    odds = np.exp(logs - logs.max(axis=1, keepdims=True))
    found: Floats = odds / odds.sum(axis=1, keepdims=True)
    return found


def some_pages(count: int) -> Ints:
    """Rows, spread evenly, of as many pages as it takes to know what pages have in common.

    >>> len(some_pages(100)), len(some_pages(10_000_000))
    (100, 20000)
    """
    return np.linspace(0, count - 1, min(count, SAMPLE)).astype(np.int64)


def likely_priors(
    level: Floats, site: Ints, grid: Floats, start: tuple[float, float], believed: Floats
) -> tuple[Floats, Floats]:
    """Mean and shape of the prior of every site, and last of a site without any page yet.

    `level` is each page's log-likelihood over the grid, `start` the mean and shape to lean on, `believed` the rate of
    each page under the present prior.
    """
    sites = int(site.max()) + 2
    logs = np.log(np.maximum(believed, 1e-12))
    pages = np.bincount(site, minlength=sites)
    usual = np.exp((LEAN * float(logs.mean()) + np.bincount(site, weights=logs, minlength=sites)) / (LEAN + pages))
    ladder = np.geomspace(grid[0], grid[-1], MEANS)
    mean = np.tile(ladder, len(SHAPES))
    shape = np.repeat(np.array(SHAPES), MEANS)
    laws = gamma_on_grid(grid, shape, mean)
    top = level.max(axis=1, keepdims=True)
    fit = np.log(np.exp(level - top) @ laws.T + 1e-300) + top
    together = fit.sum(axis=0)
    lean = -0.5 * (np.log(mean / start[0]) / 1.5) ** 2 - 0.5 * (np.log(shape / start[1])) ** 2
    everyone = (together + lean) / len(level)
    own = np.stack([np.bincount(site, weights=column, minlength=sites) for column in fit.T], axis=1)
    best = np.argmax(own + LEAN * everyone, axis=1)
    return np.minimum(mean[best], np.maximum(usual, start[0])), shape[best]
