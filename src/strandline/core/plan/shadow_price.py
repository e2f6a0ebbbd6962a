"""What would more requests buy? The price of a fetch, read backwards.

With every page fetched at its best even spacing, the expected captured value depends only on the price at which
the wanted visits fill the budget. Comparing two budgets gives "100 more requests a day would catch x % more".
"""

from dataclasses import dataclass

import numpy as np

from strandline.core.plan.priced_kernels import Pages, captured_value, wanted_visits


@dataclass(frozen=True)
class MoreRequests:
    """Expected captured value per period now and with more visits, and the relative gain."""

    price: float
    value: float
    more_value: float

    @property
    def gain(self) -> float:
        """Relative gain: 0.03 is three percent more caught."""
        return self.more_value / self.value - 1.0 if self.value > 0 else 0.0


def clearing_price(pages: Pages, visits: float) -> float:
    """The price at which all pages together want just the visits there are."""
    top = float((pages.value.sum(axis=1) * pages.mean_importance).max(initial=0.0))
    low, high = max(top, 1e-12) * 1e-9, max(top, 1e-12)
    for _ in range(50):
        middle = float(np.sqrt(low * high))
        if wanted_visits(pages, middle) > visits:
            low = middle
        else:
            high = middle
    return high


def worth_of_more(pages: Pages, visits: float, more: float) -> MoreRequests:
    """What `more` visits a period on top of `visits` would catch."""
    if not visits > 0 or more < 0:
        raise ValueError("visits must be above zero and more visits not negative")
    now, then = clearing_price(pages, visits), clearing_price(pages, visits + more)
    return MoreRequests(now, captured_value(pages, now), captured_value(pages, then))
