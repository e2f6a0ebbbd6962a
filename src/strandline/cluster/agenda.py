"""The agenda of a watch with many workers: whatever is due, by plan or by itself, as far as the common purse allows.

What a visit means for its page is decided as in an embedded watch (watch/agenda.py). Planned visits come from the
desks of sites (cluster/site_leases.py) as due times in the frontier, so they need no leases of their own.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, cast

from strandline.core.capture import Kind
from strandline.plan.budget_meter import Purse
from strandline.plan.due import Due
from strandline.ports import Batch, Catalog, Clock, Task, Visited
from strandline.watch.agenda import PlannedCatalog, WatchAgenda, WatchOrders, WatchParts

_NAP: Final = 0.2


@dataclass(frozen=True, slots=True)
class Means:
    """What a worker of a watch spends, and whose word it takes: the common purse, those of single hosts, whether the
    sitemaps and feeds of an address's site are mostly right, how many are in all, until when one of them is left alone
    at its own word, and how many requests a visit of a page is expected to take.
    """

    purse: Purse
    limits: Mapping[str, Purse]
    trusted: Callable[[str, Kind], bool]
    telling: Callable[[], int]
    left_alone: Callable[[Task, Visited], float]
    cost: Callable[[str], float] = lambda _: 1.0


class _ElsewherePlanned:
    """Implements watch.agenda.Foresight for an agenda whose plan is made at the desks of sites."""

    def __init__(self, cost: Callable[[str], float]) -> None:
        self._cost = cost

    def hour(self, now: float) -> float:
        """Nobody asks."""
        return now / 3600.0

    def plan(self, hour: int, visits: int, most: float) -> list[Due]:
        """Nothing here."""
        return []

    def cost(self, url: str) -> float:
        """Requests that a visit of a page is expected to take."""
        return self._cost(url)

    def away(self, hour: int) -> Collection[str]:
        """Nobody asks."""
        return ()

    def touched(self, pages: Iterable[int]) -> None:
        """Desks look at the index by themselves."""


class SharedWatchAgenda(WatchAgenda):
    """Implements crawl.agenda.Agenda."""

    def __init__(self, catalog: Catalog, clock: Clock, orders: WatchOrders, means: Means) -> None:
        parts = WatchParts(
            catalog=cast(PlannedCatalog, catalog),
            clock=clock,
            purse=means.purse,
            foresight=_ElsewherePlanned(means.cost),
            limits=dict(means.limits),
            left_alone=means.left_alone,
            trusted=means.trusted,
            telling=means.telling,
        )
        super().__init__(parts, orders)
        self.figures.allowed = means.purse.allowance.per_hour

    def open(self, seeds: Iterable[str]) -> None:
        """Go on where the last run stood."""
        self.seeded(seeds)

    def step(self) -> None:
        """What runs beside the crawl has threads of its own."""

    def take(self, free: int, busy: Collection[str]) -> list[Task]:
        """Due pages, hosts in turn; none of a host whose own budget is spent, or with a page that cannot be paid to its
        end; and none at all while what is left is saved for such a page: others would take it.
        """
        moment = self._parts.clock.monotonic()
        short = self._under_way.short(moment)
        if self._parts.purse.saves:
            return []
        closed = {*busy, *self._limits.spent_up(moment), *short}
        taken = self._parts.catalog.take(free, self._parts.clock.now(), self.wanted_from(), closed)
        return self._afforded(taken, self._limits.turn(busy, moment), moment)

    def committed(self, batch: Batch) -> None:
        """Desks look at the index by themselves."""

    def waiting(self) -> tuple[int, float]:
        """What is due."""
        return self._parts.catalog.waiting(self.wanted_from())

    def rest(self) -> tuple[float, str]:
        """A watch never ends by itself."""
        return _NAP, ""
