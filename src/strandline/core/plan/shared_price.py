"""One budget for sites that are planned apart: one price, and one cut, make their plans fit together.

At a given price of a fetch pages are independent of one another (priced_plan.py), and so are sites: whoever knows the
price can plan a site without knowing the others. Two tables per site, short and of one length, are enough to find it:

    demand   visits an hour the site wants at each of PRICES, by even spacing
    offers   visits the site could make this hour, counted by urgency, in the steps between EDGES

The *price* is where the demands of all sites add up to the budget: the same that one plan over all pages starts from.
Hours differ, though: at noon more pages are worth a fetch than at night. So the visits of an hour are those above a
*cut*, the urgency from which on the offers of all sites add up to what the hour may spend; a plan over all pages takes
its most urgent ones in the same way. A site where a fetch is expected to catch more thereby gets more, and one that
wants nothing leaves its part to the others.
"""

from typing import Final

import numpy as np

from strandline.core.plan.strategy import Floats

PRICES: Final[Floats] = np.logspace(-9.0, 3.0, 49)
"""Prices of a fetch at which sites say how many visits they want, a quarter of a power of ten apart.
Origin: a bound on memory."""
EDGES: Final[Floats] = np.concatenate([-PRICES[::-1], [0.0], PRICES])
NO_OFFERS: Final = len(EDGES) + 1
"""Length of a table of offers: below the first edge, between two, above the last. Origin: derived, from EDGES."""


def price_for(demand: Floats, visits: float) -> float:
    """The price at which the demand, given at each of PRICES, is so many visits.

    >>> round(price_for(1.0 / PRICES, 50.0), 3)
    0.02
    >>> bool(price_for(np.zeros(len(PRICES)), 5.0) == PRICES[0])
    True
    """
    falling = np.minimum.accumulate(demand)
    place = int(np.searchsorted(-falling, -visits, side="right"))
    if place == 0:
        return float(PRICES[0])
    if place == len(PRICES):
        return float(PRICES[-1])
    high, low = falling[place - 1], max(float(falling[place]), 1e-12)
    part = np.log(max(high / visits, 1.0)) / max(np.log(high / low), 1e-12)
    return float(PRICES[place - 1] * (PRICES[place] / PRICES[place - 1]) ** min(part, 1.0))


def counted(urgencies: Floats, costs: Floats | None = None) -> Floats:
    """Offers by urgency: how many lie in each step, or what they cost.

    >>> counted(np.array([-1e9, 0.5, 0.51, 1e30])).sum()
    np.float64(4.0)
    """
    return np.bincount(np.searchsorted(EDGES, urgencies, side="right"), costs, minlength=NO_OFFERS).astype(np.float64)


def cut_for(offers: Floats, visits: float) -> float:
    """The urgency above which so many of the offers lie; minus infinity when there are no more than that.

    >>> urgencies = np.linspace(0.0, 1.0, 1001)
    >>> bool(abs(cut_for(counted(urgencies), 200.0) - 0.8) < 0.02)
    True
    """
    above = np.cumsum(offers[::-1])[::-1]
    if above[0] <= visits:
        return -np.inf
    step = int(np.flatnonzero(above > visits)[-1])
    if step == 0:
        return float(EDGES[0])
    if step == NO_OFFERS - 1:
        return float(EDGES[-1])
    low, high = EDGES[step - 1], EDGES[step]
    return float(high - (high - low) * (visits - (above[step] - offers[step])) / offers[step])


def above_cut(offers: Floats, cut: float) -> float:
    """How many of the offers lie above an urgency.

    >>> float(above_cut(counted(np.array([0.5, 2.0, 3.0])), 1.0))
    2.0
    """
    if cut == -np.inf:
        return float(offers.sum())
    step = int(np.searchsorted(EDGES, cut, side="right"))
    rest = float(offers[step + 1 :].sum())
    if step in (0, NO_OFFERS - 1):
        return rest + float(offers[step])
    low, high = EDGES[step - 1], EDGES[step]
    return rest + float(offers[step] * (high - cut) / (high - low))
