"""The agenda of a watch with many workers: whatever is due, by plan or by itself, as far as the common purse allows.

What a visit means for its page is decided as in an embedded watch (crawl/watch_agenda.py). Planned visits come from the
desks of sites (app/cluster/desks.py) as due times in the frontier, so they need no leases of their own. The budget is
counted in one place for all workers: a request that is not set aside there is not sent.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Final, cast

from strandline.core.capture import Exchange, Kind, Request
from strandline.core.plan.budget import Allowance
from strandline.crawl.watch_agenda import Planned, PlannedCatalog, WatchAgenda, WatchOrders, WatchParts
from strandline.crawl.watch_budget import Purse
from strandline.ports import Batch, Catalog, Clock, Found, Task

_BLOCK: Final = 10
"""Requests set aside together."""
_NAP: Final = 0.2


@dataclass(frozen=True, slots=True)
class CommonPurse:
    """The budget of all workers. `spend` sets aside requests of an hour (its first second, how many at most) and says
    how many may be sent.
    """

    allowance: Allowance
    spend: Callable[[float, int], int]


class _ElsewherePlanned:
    """Implements crawl.watch_agenda.Foresight for an agenda whose plan is made at the desks of sites."""

    def hour(self, now: float) -> float:
        """Nobody asks."""
        return now / 3600.0

    def plan(self, hour: int, visits: int) -> list[Planned]:
        """Nothing here."""
        return []

    def touched(self, pages: Iterable[int]) -> None:
        """Desks look at the index by themselves."""


class SharedWatchAgenda(WatchAgenda):
    """Implements crawl.agenda.Agenda."""

    def __init__(self, catalog: Catalog, clock: Clock, orders: WatchOrders, common: CommonPurse) -> None:
        purse = Purse(common.allowance, orders.length, clock.monotonic())
        super().__init__(WatchParts(cast(PlannedCatalog, catalog), clock, purse, _ElsewherePlanned()), orders)
        self._catalog = catalog
        self._time = clock
        self._spend = common.spend
        self._hour = orders.length
        self._granted, self._granted_for, self._refused = 0, 0.0, 0.0

    def open(self, seeds: Iterable[str]) -> None:
        """Go on where the last run stood."""
        self._catalog.add(Found(seed, Kind.PAGE, "seed", 0, 0, 0.0, self.wanted_from()) for seed in seeds)

    def step(self) -> None:
        """What runs beside the crawl has threads of its own."""

    def free(self, wanted: int) -> int:
        """As many as were set aside; what an hour leaves is not carried over."""
        now = self._time.now()
        hour = now // self._hour * self._hour
        if hour != self._granted_for:
            # What was sent beyond what was set aside (robots.txt, a redirect) is paid by the next hour.
            self._granted, self._granted_for, self._refused = min(self._granted, 0), hour, 0.0
        if self._granted < wanted and now >= self._refused:
            got = self._spend(hour, max(_BLOCK, wanted - self._granted))
            self._granted += got
            self._refused = now + _NAP if not got else 0.0
        return max(0, min(wanted, self._granted))

    def take(self, free: int, busy: Collection[str]) -> list[Task]:
        """Due pages, hosts in turn."""
        return self._catalog.take(free, self._time.now(), self.wanted_from(), busy)

    def begun(self, request: Request) -> None:
        """One of those set aside is sent."""
        self._granted -= 1
        self.figures.requests += 1
        self.requests += 1

    def ended(self, exchange: Exchange) -> None:
        """Count what came."""
        self.figures.octets += exchange.body_length + len(exchange.response_head)

    def committed(self, batch: Batch) -> None:
        """Desks look at the index by themselves."""

    def waiting(self) -> tuple[int, float]:
        """What is due."""
        return self._catalog.waiting(self.wanted_from())

    def rest(self) -> tuple[float, str]:
        """A watch never ends by itself."""
        return _NAP, ""
