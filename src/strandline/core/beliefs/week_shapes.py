"""In which hours of the week do pages change? A few shapes to start from, and how common each of them is.

Every page is held against each shape. A handful of captures fits some shape by chance, and on a site without any hours
a plan that believes it waits for hours that are no better. So the shapes are not equally likely beforehand: how many
pages have which is learned from all pages together (empirical Bayes, by expectation and maximization), from a start in
which half of them have no hours at all.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAN = 10.0
"""Pages that the start counts for: half of them without hours, the rest spread over the other shapes.
Origin: a guess."""
ROUNDS = 30
"""Of expectation and maximization. Origin: a bound on time."""


def start_shapes(bins: int) -> Floats:
    """Week shapes to start from: flat, eight bumps, office hours, weekend, noon and evening."""
    if bins != 48:
        return np.ones((1, bins))
    hours = np.arange(24) + 0.5

    def bump(centre: float) -> Floats:
        gap = np.minimum(np.abs(hours - centre), 24 - np.abs(hours - centre))
        found: Floats = 0.1 + np.exp(-0.5 * (gap / 2.5) ** 2)
        return found

    office = np.where((hours > 8) & (hours < 18), 1.0, 0.1)
    days = [np.ones(24), *(bump(centre) for centre in range(1, 24, 3))]
    shapes = [np.concatenate([day, day]) for day in days]
    shapes.append(np.concatenate([office, 0.15 * office]))
    shapes.append(np.concatenate([np.full(24, 0.3), np.full(24, 2.0)]))
    twice = bump(12.5) + bump(20.0)
    shapes.append(np.concatenate([twice, twice]))
    found = np.array(shapes)
    mean = (5.0 * found[:, :24].mean(axis=1) + 2.0 * found[:, 24:].mean(axis=1)) / 7.0
    normal: Floats = found / mean[:, None]
    return normal


def first_shares(shapes: int) -> Floats:
    """How common each shape is thought to be before anything was captured; the first shape has no hours.

    >>> first_shares(1).tolist(), first_shares(3).tolist()
    ([1.0], [0.5, 0.25, 0.25])
    """
    if shapes == 1:
        return np.ones(1)
    return np.concatenate([[0.5], np.full(shapes - 1, 0.5 / (shapes - 1))])


def learned_shares(told: Floats) -> Floats:
    """How common each shape is, from the log-likelihood of each page under each shape."""
    start = LEAN * first_shares(told.shape[1])
    likely = np.exp(told - told.max(axis=1, keepdims=True))
    found = start / LEAN
    for _ in range(ROUNDS):
        odds = likely * found
        odds /= odds.sum(axis=1, keepdims=True)
        found = (start + odds.sum(axis=0)) / (LEAN + len(told))
    return found


def running_sums(shape: Floats, cycle: Ints) -> Floats:
    """Of each shape over the periods of the cycle, which are in these bins; from 0 on."""
    return np.concatenate([np.zeros((len(shape), 1)), np.cumsum(shape[:, cycle], axis=1)], axis=1)
