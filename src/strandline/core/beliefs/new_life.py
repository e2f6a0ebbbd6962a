"""Has a page begun another life? Redesigned, given up, or suddenly in the news: then what it did before says little.

A rate learned from hundreds of captures moves slowly, and rightly so while the page is what it was. After each capture
two beliefs are asked how likely its finding was: the one learned from everything, and one that started anew some
captures ago. While the old one foretells as well, the new start is moved to now; where the new one does better, what it
is ahead by adds up (the page's *doubt*, a logarithm of odds: Page's CUSUM test).

Both are believed, each as far as it goes: by odds of doubt against what is ASKED for a new life. So five silent visits
are answered at once, and taken back by the next find: chance makes steady pages look still for a while, and nothing of
what they taught is lost by it. Only when the new life is SURE is what came before forgotten.

How much is to be asked differs: front pages are still at night, and a new start foretells each night better than all
the days before. So each capture also tells how well beliefs foretold it with each of ASKED, and a site uses what has
done best on its own pages.

Pages of a directory are given up together. Each page of it that fell silent lately makes another one likelier, so less
is asked of the silence of its siblings; in a week half of that is forgotten, and a part with every page of the
directory that is found changed. Changes that come together say no such thing: a batch is soon over, and the clock of
the directory knows of it (clock_kernels.py).
"""

import numpy as np
from numpy.typing import NDArray

from strandline.core.compiled import compiled

Floats = NDArray[np.float64]

ASKED: Floats = np.array([6.0, 4.0, 9.0, 1e9])
"""Log-odds by which a new start must foretell better to be believed as much as the old belief; the last means never.
The first holds while nothing is known.
"""
SURE = 20.0
"""Doubt with which what came before is forgotten for good."""
LEAD = 10.0
"""Log-odds by which one of ASKED may be ahead of another: what was best for long may be wrong tomorrow."""
LEAST = 2.0
"""What is asked at least, however many siblings fell silent."""
CONTAGION = 4.0
"""Times likelier a page has fallen silent for each sibling that did lately."""
WEEK = 7.0
ALIVE = 0.8
"""Part that is left of the silence of a directory when one of its pages is found changed."""


@compiled
def fill_odds(prior: Floats, told: Floats, odds: Floats) -> None:
    """The posterior of a prior and a log-likelihood."""
    top = -np.inf
    for j in range(len(odds)):
        odds[j] = prior[j] + told[j]
        top = max(top, odds[j])
    total = 0.0
    for j in range(len(odds)):
        odds[j] = np.exp(odds[j] - top)
        total += odds[j]
    for j in range(len(odds)):
        odds[j] /= total


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
def doubted(recent: Floats, chance: Floats, doubt: float, ahead: float) -> float:
    """Take a finding that the belief that started anew foretold better by `ahead` into it; returns what it is ahead by
    in all. When it is not, it starts now.
    """
    found = doubt + ahead
    for j in range(len(recent)):
        recent[j] += chance[j]
    if found <= 0.0:
        recent[:] = 0.0
        return 0.0
    return float(found)


@compiled
def weigh_asked(evidence: Floats, doubt: float, old: float, anew: float) -> None:
    """Book how well a finding was foretold with each of ASKED: by the old belief and the new one (log-chances), as far
    as each was believed.
    """
    best = -np.inf
    for c in range(len(ASKED)):
        part = 1.0 / (1.0 + np.exp(min(ASKED[c] - doubt, 700.0))) if doubt > 0.0 else 0.0
        evidence[c] += np.log(max((1.0 - part) * np.exp(old) + part * np.exp(anew), 1e-300))
        best = max(best, evidence[c])
    for c in range(len(ASKED)):
        evidence[c] = max(evidence[c] - best, -LEAD)


@compiled
def asked(evidence: Floats, upheaval: Floats, day: float, silent: bool) -> float:
    """What is asked of a page to be believed in a new life: what did best on its site, less where siblings fell silent.

    upheaval = pages of its directory that fell silent, fading, and the day up to which they have faded.
    """
    usual = ASKED[np.argmax(evidence)]
    if not silent:
        return float(usual)
    lately = upheaval[0] * 0.5 ** (max(day - upheaval[1], 0.0) / WEEK)
    return float(max(min(LEAST, usual), usual - np.log1p(CONTAGION * lately)))


@compiled
def note_silence(upheaval: Floats, margins: tuple[float, float], day: float, silent: bool) -> None:
    """Note for a directory that one of its pages fell silent, or lives. margins = by how much more than is asked its
    new life was believed before, and is now.
    """
    if not silent:
        upheaval[0] *= ALIVE
    elif margins[0] <= 0.0 < margins[1]:
        upheaval[0] = upheaval[0] * 0.5 ** (max(day - upheaval[1], 0.0) / WEEK) + 1.0
        upheaval[1] = day
