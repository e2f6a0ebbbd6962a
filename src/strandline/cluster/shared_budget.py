"""The budget of a watch with many workers: a purse whose coins are set aside in the database before they are spent.

As in an embedded watch (watch/budget_meter.py) no stretch of time as long as the budget's own ever holds more than it
allows, whichever worker sent what; a budget per day or week is dealt out as the day goes on, and what was not spent is
carried over until the day ends. A worker takes some requests at a time and gives back, within a minute, what it did not
send. What a request really cost (bytes; nothing new) is known when it ends, and is settled with the next ones: in bytes
a stretch of time may hold more than the budget by what the answers under way had beyond what was expected of them,
which is paid before the worker sends anything else, or booked when it ends.

A page in a browser takes several requests, and is begun when all of them are set aside. Of all workers one at a time
may save for such a page: it keeps what it has until there is enough, and begins nothing else. Two that save would each
hold what the other one lacks.

A worker that is killed takes what it had set aside with it: at most a minute's requests, once; and what it owed.
"""

import contextlib
import math
from typing import Final

from strandline.core.plan.budget import Allowance
from strandline.errors import StrandlineError
from strandline.learn.known_pages import Hours
from strandline.plan.budget_meter import Counting, Purse
from strandline.ports import Clock
from strandline.store.postgres.purse import Entry, Limit, SharedBook

_SLOTS: Final = 60.0
"""Spans of an hour, or of a budget's own time when that is longer (24 times as many)."""
_SHORTEST: Final = 0.1
"""Seconds of a span, at least: demonstrations have very short hours."""
_LEAD: Final = 0.1
"""Hours by which the budget is dealt out ahead."""
_BLOCK: Final = 10
"""Requests set aside together, at least."""
_LARGEST_BLOCK: Final = 1_000
_NAP: Final = 0.2
"""Seconds until an empty purse is looked into again."""
_PATIENCE: Final = 1.0
"""Times the time of a budget that a worker saves before another one may. Origin: a guess."""
_DAY: Final = 24
_ROUNDING: Final = 1e-9


def slot_of(allowance: Allowance, hours: Hours, now: float) -> tuple[float, float]:
    """First second and length of the span of time a request is booked in."""
    length = max(_SHORTEST, hours.length / _SLOTS, allowance.hours * hours.length / (_SLOTS * _DAY))
    return now // length * length, length


def limit_at(allowance: Allowance, hours: Hours, now: float, whole_hour: bool = False) -> Limit:
    """What a budget allows at a moment, or in all of the hour that is running, with what earlier hours of the day left:
    what was spent so long ago that it no longer counts when the hour ends may be spent again in it.

    What was set aside in a span may be under way in the next one, so two more of them count.
    """
    hour = hours.at(now)
    begun = math.floor(hour)
    midnight = begun if allowance.hours <= 1.0 else begun - begun % _DAY
    passed = (begun + 1.0 if whole_hour else hour + _LEAD) - midnight
    end = hours.seconds(begun + 1.0) if whole_hour else now
    since = end - allowance.hours * hours.length - 2.0 * slot_of(allowance, hours, now)[1]
    return Limit(allowance.amount, since, min(allowance.amount, allowance.per_hour * passed), hours.seconds(midnight))


class SharedPurse(Purse):
    """The whole budget, as one worker sees it."""

    def __init__(
        self, allowance: Allowance, hours: Hours, clock: Clock, book: SharedBook, unchanged: Counting = "request"
    ) -> None:
        super().__init__(allowance, hours.length, clock.monotonic(), (), unchanged)
        self._hours = hours
        self._clock = clock
        self._book = book
        self._pot = 0.0
        """What is set aside and not spent; below zero when more was sent, or cost more, than was set aside."""
        self._slot = 0.0
        self._granted, self._used = 0, 0
        """Requests set aside, and sent, in the span that is running."""
        self._block = _BLOCK
        self._refused = 0.0
        self._back: Entry | None = None
        self._saving: float | None = None
        """Since when we save for something that takes more than there is."""

    def requests(self, now: float) -> int:
        """Requests that may begin now; sets some aside when there are none."""
        moment = self._clock.now()
        self._turn(moment)
        if self._pot < self.price * (1.0 - _ROUNDING):
            self._set_aside(self._block + math.ceil(max(0.0, -self._pot) / self.price - _ROUNDING), moment)
        return max(0, int(self._pot / self.price + _ROUNDING))

    def hold(self, requests: float, now: float) -> None:
        """So many are wanted together: what is missing is set aside, or as much of it as there is."""
        moment = self._clock.now()
        self._turn(moment)
        missing = math.ceil(requests - self._pot / self.price - _ROUNDING)
        if missing > 0 and moment < self._refused:
            return
        got = self._set_aside(missing, moment) if missing > 0 else 0
        if got >= missing:
            self._save_no_more()
        elif self._saving is None and self._book.may_save():
            self._saving = moment
        elif self._saving is None and got:  # somebody else saves, and lacks them
            self._pot -= got * self.price
            self._granted -= got
            self._book.add(Entry("", self._slot, -got * self.price, -got))

    @property
    def saves(self) -> bool:
        """Whether what is set aside is saved."""
        return self._saving is not None

    def _save_no_more(self) -> None:
        if self._saving is not None:
            self._book.save_no_more()
            self._saving = None

    def _set_aside(self, wanted: int, moment: float) -> int:
        """So many more, or as many as there are; says how many."""
        if moment < self._refused:
            return 0
        limit = limit_at(self.allowance, self._hours, moment)
        got = self._book.set_aside(Entry("", self._slot, wanted * self.price, wanted), limit, self._back)
        self._back = None
        self._pot += got * self.price
        self._granted += got
        self._refused = moment + _NAP if got < wanted else 0.0
        return got

    def _turn(self, moment: float) -> None:
        """A new span begins: what was not sent in the last one goes back."""
        slot, _ = slot_of(self.allowance, self._hours, moment)
        if slot == self._slot:
            return
        idle = self._used == 0 and self._saving is None and not self.allowance.in_bytes
        self._settle()
        self._slot, self._refused = slot, 0.0
        if idle and self._back is not None:  # others may have a use for it
            self._give_back()
            self._refused = moment + _NAP
        if self._saving is not None and moment > self._saving + _PATIENCE * self.span:
            self._save_no_more()

    def _settle(self) -> None:
        """What was set aside and not sent is to go back."""
        left = max(0.0, self._pot)
        if left or self._granted != self._used:
            back = self._back or Entry("", self._slot, 0.0, 0)
            self._back = back._replace(cost=back.cost - left, requests=back.requests + self._used - self._granted)
        self._pot -= left
        self._block = min(_LARGEST_BLOCK, max(_BLOCK, self._used // 4))
        self._granted, self._used = 0, 0

    def begun(self, ticket: int) -> float:
        """A request is being sent."""
        price = super().begun(ticket)
        self._pot -= price
        self._used += 1
        return price

    def ended(self, ticket: int, now: float, octets: float, unchanged: bool) -> float:
        """It is over: what it cost less than expected may be spent on others, what it cost more is owed."""
        expected = self._open.get(ticket, 0.0)
        cost = super().ended(ticket, now, octets, unchanged)
        self._pot += expected - cost
        self.room(now)  # forgets what is long past
        return cost

    def close(self) -> None:
        """Give back what was not spent, and leave what is owed in the book: nobody else would pay it."""
        self._settle()
        if self._pot < 0.0:
            back = self._back or Entry("", self._slot, 0.0, 0)
            self._back, self._pot = back._replace(cost=back.cost - self._pot), 0.0
        self._give_back()
        with contextlib.suppress(StrandlineError):
            self._save_no_more()

    def _give_back(self) -> None:
        if self._back is not None:
            with contextlib.suppress(StrandlineError):  # a database that is away keeps it
                self._book.add(self._back)
            self._back = None


class HostPurse(Purse):
    """The budget of a single host. One worker asks a host at a time, so it is enough to look before each request."""

    def __init__(self, host: str, allowance: Allowance, hours: Hours, clock: Clock, book: SharedBook) -> None:
        super().__init__(allowance, hours.length, clock.monotonic())
        self._host = host
        self._hours = hours
        self._clock = clock
        self._book = book
        self._looked = -math.inf
        self._left = 0.0

    def requests(self, now: float) -> int:
        """Requests that may begin now."""
        if now >= self._looked + _NAP:
            self._looked = now
            limit = limit_at(self.allowance, self._hours, self._clock.now())
            self._left = self._book.left(self._host, limit._replace(dealt=self.allowance.amount))
        return max(0, int(self._left + _ROUNDING))

    def begun(self, ticket: int) -> float:
        """A request is being sent."""
        now = self._clock.now()
        slot, _ = slot_of(self.allowance, self._hours, now)
        span = max(self.allowance.hours, _DAY) * self._hours.length
        self._book.add(Entry(self._host, slot, 1.0, 1), forget=now - 2.0 * span)
        self._left -= 1.0
        return 1.0

    def ended(self, ticket: int, now: float, octets: float, unchanged: bool) -> float:
        """A request is a request, whatever came of it."""
        return 1.0
