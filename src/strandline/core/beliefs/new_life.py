"""Has a page begun another life? Redesigned, given up, or suddenly in the news: then what it did before says little.

A rate learned from hundreds of captures moves slowly, and rightly so while the page is what it was. After each capture
two beliefs are asked how likely its finding was: the one learned from everything, and one that started anew some
captures ago. While the old one foretells as well, the new start is moved to now; where the new one does better, what it
is ahead by adds up (the page's *doubt*, a logarithm of odds: Page's CUSUM test). When it is ahead by CERTAIN, what came
before the new start is forgotten.

Pages of a directory are given up together. Each page of it that fell silent lately makes another one likelier, so less
is asked of the silence of its siblings; in a week half of that is forgotten. Changes that come together say no such
thing: a batch is soon over, and the clock of the directory knows of it (clock_kernels.py).
"""

import numpy as np
from numpy.typing import NDArray

from strandline.core.compiled import compiled

Floats = NDArray[np.float64]

CERTAIN = 6.0
"""Log-odds by which a new start must foretell better: one in some hundred captures of a steady page is so by chance."""
LEAST = 2.0
"""What is asked at least, however many siblings fell silent."""
CONTAGION = 4.0
"""Times likelier a page has fallen silent for each sibling that did lately."""
WEEK = 7.0


@compiled
def foretold(prior: Floats, level: Floats, chance: Floats) -> float:
    """Log-chance of a finding by a belief; `chance` is its log-likelihood at each rate."""
    top = -np.inf
    for j in range(len(prior)):
        top = max(top, prior[j] + level[j])
    whole, part = 0.0, 0.0
    for j in range(len(prior)):
        odds = np.exp(prior[j] + level[j] - top)
        whole += odds
        part += odds * np.exp(chance[j])
    return float(np.log(max(part, 1e-300) / whole))


@compiled
def doubted(prior: Floats, level: Floats, recent: Floats, chance: Floats, doubt: float) -> float:
    """Take a finding into the belief that started anew; returns what it is ahead by. When it is not, it starts now."""
    found = doubt + foretold(prior, recent, chance) - foretold(prior, level, chance)
    for j in range(len(recent)):
        recent[j] += chance[j]
    if found <= 0.0:
        recent[:] = 0.0
        return 0.0
    return float(found)


@compiled
def begun_anew(upheaval: Floats, doubt: float, day: float, silent: bool) -> bool:
    """Whether a page with so much doubt has begun another life; if it fell silent, that is noted for its directory.

    upheaval = pages of the directory that fell silent, fading, and the day up to which they have faded.
    """
    if doubt <= LEAST:
        return False
    lately = upheaval[0] * 0.5 ** (max(day - upheaval[1], 0.0) / WEEK) if silent else 0.0
    if doubt <= max(LEAST, CERTAIN - np.log1p(CONTAGION * lately)):
        return False
    if silent:
        upheaval[0] = lately + 1.0
        upheaval[1] = day
    return True
