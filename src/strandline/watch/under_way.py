"""What a watch has taken on and not had yet, so that no request is promised twice.

Requests that need no plan are spread over what is left of an hour. One that was handed out counts at once, not when its
answer is here: a slow host would be one during which many more are handed out than there is room for.

A page that is shown in a browser has its parts set aside from its first request on: with the last request of a budget
no page is begun that takes seven.
"""

import math
from collections.abc import Callable, Iterable
from typing import Final

from strandline.plan.budget_meter import Purse

_ROUNDING: Final = 1e-9
"""Of a request. Origin: a bound on rounding."""


class UnderWay:
    """Pages that are being asked for, planned and by themselves, and what can be begun beside them."""

    def __init__(self, purse: Callable[[], Purse]) -> None:
        """`purse` as it is now."""
        self._purse = purse
        self._parts: dict[int, float] = {}
        """Requests that the parts of each page will probably take."""
        self._planned: set[int] = set()
        self._unplanned: set[int] = set()
        self._short: dict[str, float] = {}
        """Hosts with a page that could not be paid to its end, and what it takes."""
        self._room, self._begin, self._end, self._taken = 0.0, 0.0, 0.0, 0

    # -- what needs no plan --------------------------------------------------------------------------------------------

    def divide(self, room: float, begin: float, end: float) -> None:
        """So many requests need no plan from a moment on until another. What is under way was paid for by then."""
        self._room, self._begin, self._end, self._taken = max(0.0, room), begin, end, 0
        self._unplanned.clear()

    def room(self, now: float) -> int:
        """Requests without a plan that may begin now."""
        passed = min(1.0, max(0.0, (now - self._begin) / max(self._end - self._begin, 1e-9)))
        return int(min(self._room * passed + 1.0, self._room + _ROUNDING)) - self._taken - len(self._unplanned)

    # -- what can be paid ----------------------------------------------------------------------------------------------

    def payable(self, moment: float) -> int:
        """Requests that may begin now, beside those that pages in browsers will probably still take. Their parts are
        paid one by one and stay set aside until the page is here: too much rather than too little.
        """
        return max(0, self._purse().requests(moment) - math.ceil(sum(self._parts.values()) - _ROUNDING))

    def pays(self, cost: float, moment: float, beside: float = 0.0, place: str = "") -> bool:
        """Whether a page can be paid to its end, beside others that take so much; if not, its host waits. None is taken
        to cost more than the whole budget, or nobody would ever see a page that does. A single request is paid when it
        is sent.
        """
        if cost <= 1.0:
            return True
        purse = self._purse()
        wanted = min(cost, purse.allowance.amount / purse.price) + beside
        purse.hold(wanted + sum(self._parts.values()), moment)
        enough = wanted <= self.payable(moment) + _ROUNDING
        if place and not enough:
            self._short[place] = cost
        return enough

    def short(self, moment: float) -> list[str]:
        """Hosts that wait until the budget has enough for a page of theirs."""
        if self._short:
            self._short = {place: cost for place, cost in self._short.items() if not self.pays(cost, moment)}
        return list(self._short)

    # -- pages ---------------------------------------------------------------------------------------------------------

    def begins(self, page: int, cost: float, planned: bool) -> None:
        """A page was handed out that takes so many requests."""
        (self._planned if planned else self._unplanned).add(page)
        if cost > 1.0:
            self._parts[page] = cost - 1.0

    def ended(self, page: int) -> bool:
        """A visit is over; says whether it was planned."""
        was_planned = page in self._planned
        self._taken += page in self._unplanned
        self.passed_over([page])
        return was_planned

    def passed_over(self, pages: Iterable[int]) -> int:
        """Pages were not asked for after all; says how many of them were planned."""
        before = len(self._planned)
        for page in pages:
            self._parts.pop(page, None)
            self._planned.discard(page)
            self._unplanned.discard(page)
        return before - len(self._planned)
