"""Spending: no span of time as long as the budget's own ever holds more than it allows.

A budget of 40/hour means that whichever hour somebody looks at, the server's log holds at most 40 requests of ours.
A request is paid for when it is sent and counts until one span after it was *answered*: the server saw it in between,
so two requests that are apart by the budget's span for us are apart by at least that for the server.

Within the span the plan decides. A budget per day or week is dealt out by the hour; what an hour leaves is carried over
until the day ends. Delays are measured by the monotonic clock, so setting the clock on the wall buys nothing.
"""

import math
from collections import deque
from collections.abc import Iterable
from typing import Final, Literal

from strandline.core.plan.budget import Allowance

USUAL_SIZE: Final = 30_000.0
"""Bytes an answer is expected to have before any has come. Origin: a guess."""
FRONTIER_SHARE: Final = 0.8
"""Part of what is left of an hour that what is due by itself may take while the plan wants anything.
Origin: a guess."""
FRONTIER_STEP: Final = 0.005
"""Part of an hour in which addresses become due to the frontier together. Origin: a guess."""
LEAST_COST: Final = 0.01
"""What an answer without a body costs of a request, when unchanged pages count by their bytes. Origin: a guess."""
_MEMORY: Final = 0.05
"""Weight of the newest answer in the usual size. Origin: a guess."""
_DAY: Final = 24.0
"""Hours. Origin: a unit."""
_ROUNDING: Final = 1e-9
"""Of a request. Origin: a bound on rounding."""

Counting = Literal["request", "bytes"]


class Purse:
    """One budget. `length` is the seconds of an hour; `past` holds age in seconds and cost of requests made before."""

    def __init__(
        self,
        allowance: Allowance,
        length: float,
        now: float,
        past: Iterable[tuple[float, float]] = (),
        unchanged: Counting = "request",
    ) -> None:
        self.allowance = allowance
        self.span = allowance.hours * length
        self._length = length
        self._unchanged = unchanged
        self._paid: deque[tuple[float, float]] = deque(sorted((now - max(0.0, age), cost) for age, cost in past))
        self._spent = sum(cost for _, cost in self._paid)
        self._open: dict[int, float] = {}
        self._size = USUAL_SIZE

    def room(self, now: float) -> float:
        """What may be spent now, in requests or bytes."""
        while self._paid and self._paid[0][0] <= now - self.span:
            self._spent -= self._paid.popleft()[1]
        if not self._paid:
            self._spent = 0.0  # sums of fractions do not end at zero by themselves
        return self.allowance.amount - self._spent - sum(self._open.values())

    def requests(self, now: float) -> int:
        """Requests that may begin now."""
        room = self.room(now)
        return max(0, int(room / self.price + _ROUNDING))

    def hold(self, requests: float, now: float) -> None:
        """So many are wanted together. Who shares a purse with others sets them aside, or saves for them."""

    @property
    def saves(self) -> bool:
        """Whether nothing else is to be begun, since there would never be enough for what is wanted together."""
        return False

    def payable(self, now: float, seconds: float) -> float:
        """Requests that can be paid in so many seconds from now on, or what may be set aside of them. Nothing is
        forgotten by asking, as it is by `room`.
        """
        end = now + seconds
        spent = sum(cost for time, cost in self._paid if time > end - self.span) + sum(self._open.values())
        return max(0.0, (self.allowance.amount - spent) / self.price)

    @property
    def price(self) -> float:
        """What a request is expected to cost."""
        return self._size if self.allowance.in_bytes else 1.0

    def begun(self, ticket: int) -> float:
        """A request is being sent: what it is expected to cost is set aside."""
        self._open[ticket] = self.price
        return self.price

    def ended(self, ticket: int, now: float, octets: float, unchanged: bool) -> float:
        """It is over: what it cost. A request that was never begun costs nothing."""
        if self._open.pop(ticket, None) is None:
            return 0.0
        cost = self._cost(octets, unchanged)
        if not unchanged:
            self._size += _MEMORY * (octets - self._size)
        self._paid.append((now, cost))
        self._spent += cost
        return cost

    def parts_ended(self, now: float, requests: float) -> None:
        """So many requests for the parts of a page are over, beside its own."""
        if requests > 0:
            self._paid.append((now, requests * self.price))
            self._spent += requests * self.price

    def _cost(self, octets: float, unchanged: bool) -> float:
        if self.allowance.in_bytes:
            return octets
        if unchanged and self._unchanged == "bytes":
            return min(1.0, max(LEAST_COST, octets / max(self._size, 1.0)))
        return 1.0

    def spent(self, now: float, seconds: float) -> float:
        """What was spent in the last so many seconds, with what is set aside."""
        return sum(cost for time, cost in self._paid if time > now - seconds) + sum(self._open.values())

    def for_hour(self, hour: float, now: float) -> float:
        """What the hour that is running may spend in all, given what was spent earlier in the same day.

        `hour` counts from a midnight. A budget per hour is that; a longer one is dealt out evenly, and what earlier
        hours of the day left is added.
        """
        if self.allowance.hours <= 1.0:
            return self.allowance.amount
        whole = int(hour)
        midnight = whole - whole % int(_DAY)
        if self.allowance.in_bytes:
            dealt = self.allowance.per_hour * (whole + 1 - midnight)
        else:
            dealt = float(self.allowance.whole(midnight, whole + 1))
        this_hour = self.spent(now, (hour - whole) * self._length)
        today = self.spent(now, (hour - midnight) * self._length)
        return max(0.0, dealt - (today - this_hour))


def left_for_plan(left: int, due: float) -> int:
    """Visits the plan may make of those left in an hour, when so many requests are due by themselves.

    >>> left_for_plan(20, 3), left_for_plan(20, 100), left_for_plan(0, 5)
    (17, 4, 0)
    """
    return max(0, round(left - min(due, FRONTIER_SHARE * left)))


def even_share(allowance: Allowance, hour: int, price: float = 1.0) -> float:
    """Requests of an hour when a budget is dealt out evenly, at so much each. One by the hour has no share: nothing is
    carried over that could be spent too soon.

    >>> even_share(Allowance(36, 24), 0), even_share(Allowance(36, 24), 1), even_share(Allowance(3, 1), 0)
    (1, 2, inf)
    """
    if allowance.hours <= 1.0:
        return math.inf
    return math.ceil(allowance.per_hour / price) if allowance.in_bytes else allowance.whole(hour, hour + 1)
