"""The price of a fetch, kept in step with what is believed of the pages.

A price that fits moves by itself, a little with every decision. While a plan is new, beliefs move faster than that: the
first pages found to change each hour make a fetch worth a hundred times what it seemed at first. With a price that lags
by days everything seems worth a fetch, and the plan cannot tell good ones from very good ones. So it is asked often at
first, later once a day, how many visits all pages want at this price. Where that is far off, and after two weeks the
decisions say the same, the price is found anew. (What pages want by even spacing alone is not enough: where changes
come in batches the decisions know better.)
"""

import numpy as np

from strandline.core.plan.budget import Budget
from strandline.core.plan.priced_kernels import Pages, wanted_visits
from strandline.core.plan.strategy import Floats, Rows

SAMPLE = 4096
"""Pages that are enough to find the price. Origin: a bound on time."""
FAR = 1.25
"""Times more, or less, visits wanted than there are: then the price is far off. Origin: a guess."""
TELLING, LATELY = 0.25, 0.3
"""Part of the visits that decisions wanted too many or too few, lately, and how much one decision moves that.
Origin: a guess."""
NEW = 14.0
"""Days in which what pages want is believed whatever decisions say: these still follow from everything having been
fetched at once. Origin: a guess."""
SETTLED = 4.0
"""A price of this age is asked about again after a fourth of it. Origin: a guess."""


class RunningPrice:
    """The price of one plan. `step` is how far a decision moves it at most, `day` the periods between two checks at
    most.
    """

    def __init__(self, step: float, day: int) -> None:
        self.now = 0.0
        self._step, self._day = step, day
        self._agreed = 0.0
        self._budgeted, self._pages = 0.0, 0
        self._begun = self._check_at = -np.inf
        self._excess, self._young = 0.0, True

    def agree(self, price: float) -> None:
        """Stay at a price that was found elsewhere."""
        self._agreed = price

    def due(self, moment: float) -> bool:
        """Whether it is time to ask whether the price still fits; what is asked about should be up to date then."""
        if self._agreed > 0 or self.now <= 0:
            return False
        if moment < self._begun or self._begun == -np.inf:  # clocks are set back
            self._begun, self._check_at = moment, moment + 1.0
            return False
        if moment < self._check_at:
            return False
        self._young = moment - self._begun < NEW * self._day
        self._check_at = moment + float(np.clip((moment - self._begun) / SETTLED, 1.0, self._day))
        return True

    def check(self, tables: Pages, budget: Budget) -> None:
        """Find the price anew if it is far off."""
        wanted = self.wanted(tables, self.now) / budget.of_period
        too_low = wanted >= FAR and (self._young or self._excess > TELLING)
        too_high = wanted <= 1.0 / FAR and (self._young or self._excess < -TELLING)
        if too_low or too_high:
            self.now = 0.0

    def start(self, tables: Pages, budget: Budget) -> None:
        """The price at which even spacing would use up the budget; asked again when budget or archive jump."""
        visits, count = budget.of_period, len(tables.last)
        if self._agreed > 0:
            self.now = self._agreed
            return
        jumped = not 0.67 < visits / max(self._budgeted, 1e-9) < 1.5 or count > 1.5 * self._pages
        if self.now > 0 and not jumped:
            return
        self._budgeted, self._pages = visits, count
        some = sampled(count)
        top = float((tables.value[some].sum(axis=1) * tables.mean_importance[some]).max(initial=0.0))
        low, high = max(top, 1e-12) * 1e-7, max(top, 1e-12)
        for _ in range(40):
            middle = float(np.sqrt(low * high))
            if self.wanted(tables, middle) > visits:
                low = middle
            else:
                high = middle
        self.now = high

    @staticmethod
    def wanted(tables: Pages, price: float) -> float:
        """Visits per period that all pages want at a price, by a sample of them."""
        count = len(tables.last)
        return wanted_visits(tables, price, max(1, count // SAMPLE)) * count / max(len(sampled(count)), 1)

    def demand(self, tables: Pages, prices: Floats) -> Floats:
        """The same at each of these prices."""
        return np.array([self.wanted(tables, price) for price in prices.tolist()])

    def move(self, wanted: int, budget: Budget) -> None:
        """Follow a decision in which so many pages wanted a visit."""
        if self._agreed > 0:
            return
        excess = float(np.clip((wanted - budget.visits) / budget.visits, -1.0, 1.0))
        part = min(budget.visits / budget.of_period, 1.0)
        self._excess += LATELY * (excess - self._excess)
        self.now *= float(np.exp(self._step * part * excess))


def sampled(count: int) -> Rows:
    """Rows that stand for so many pages."""
    return np.arange(0, count, max(1, count // SAMPLE))
