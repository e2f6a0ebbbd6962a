"""What a crawl takes next, and when what it visited is wanted again.

The loop asks, keeps and commits; an agenda decides. `PassAgenda` goes once over what is in scope; the agenda of a watch
(watch_agenda.py) follows a plan and a budget, for as long as it is let.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Final, Protocol

from strandline.core.capture import Evidence, Exchange, Kind, Request
from strandline.crawl.absences import hours_until_asked
from strandline.crawl.orders import Orders
from strandline.crawl.visits import Timing
from strandline.ports import Batch, Catalog, Clock, Found, Task, Visited

_HOUR: Final = 3600.0
"""Seconds. Origin: a unit."""


class Agenda(Protocol):
    """Decides for the loop. All of it is called from the loop's one thread."""

    def open(self, seeds: Iterable[str]) -> None:
        """The run begins."""

    def step(self) -> None:
        """Time has passed; called often, so it costs little."""

    def seeded(self, seeds: Iterable[str]) -> None:
        """These are seeds from now on."""

    @property
    def keeps_closed(self) -> bool:
        """Whether pages of a site that may not be asked now wait until it may; else they are passed over."""

    def free(self, wanted: int) -> int:
        """How many of so many requests may begin now."""

    def take(self, free: int, busy: Collection[str]) -> list[Task]:
        """Pages to ask for now, at most so many, none of a busy host; they are leased."""

    def begun(self, request: Request) -> None:
        """A request is about to be sent: of a page, a requisite, robots.txt, a probe."""

    def ended(self, exchange: Exchange) -> None:
        """It was answered, or failed."""

    def timing(self) -> Timing:
        """How a visit that ends now is placed in time."""

    def settled(self, task: Task, visited: Visited) -> Visited:
        """A concluded visit, with the time its page is wanted next."""

    def wanted_from(self) -> float:
        """When addresses found now are wanted."""

    def passed_over(self) -> float:
        """When a page that was not asked for after all is looked at again."""

    def committed(self, batch: Batch) -> None:
        """A batch is durable."""

    def waiting(self) -> tuple[int, float]:
        """Pages that wait, and the earliest UTC second one may be asked for."""

    def rest(self) -> tuple[float, str]:
        """Nothing can be asked now: seconds to sleep, and why the run is over (empty when it goes on)."""

    def over(self) -> None:
        """The run ends, since nothing is left to be asked soon."""


class PassAgenda:
    """One pass over what is in scope: every page due by its start, hosts in turn, best priority first."""

    def __init__(self, catalog: Catalog, clock: Clock, orders: Orders) -> None:
        self._catalog = catalog
        self._clock = clock
        self._orders = orders
        self._start = 0.0

    def open(self, seeds: Iterable[str]) -> None:
        """Go on with an unfinished pass, or begin a new one."""
        self._start, _ = self._catalog.open_pass(self._clock.now())
        self.seeded(seeds)

    keeps_closed = False
    """A pass ends when everything was looked at."""

    def seeded(self, seeds: Iterable[str]) -> None:
        """They belong to this pass."""
        self._catalog.add(Found(seed, Kind.PAGE, "seed", 0, 0, 0.0, self._start) for seed in seeds)

    def step(self) -> None:
        """A pass has nothing to do beside the crawl."""

    def free(self, wanted: int) -> int:
        """A pass has no budget: connections and manners limit it."""
        return wanted

    def take(self, free: int, busy: Collection[str]) -> list[Task]:
        """Due pages, hosts in turn."""
        return self._catalog.take(free, self._clock.now(), self._start, busy)

    def begun(self, request: Request) -> None:
        """Nothing is counted."""

    def ended(self, exchange: Exchange) -> None:
        """Nothing is counted."""

    def timing(self) -> Timing:
        """Visits are placed relative to the start of the pass."""
        return Timing(self._start, self._clock.now(), self._orders.revisit, self._orders.retries)

    def settled(self, task: Task, visited: Visited) -> Visited:
        """Timing has said it all, but for addresses that are not there: these rest for longer than a pass. What was
        there before is looked for once more in the next pass, seeds in every one.
        """
        if visited.evidence is not Evidence.ABSENT:
            return visited
        known, lived, now = self._catalog.page(task.url), task.original is not None, self._clock.now()
        new = known is None or known.evidence is not Evidence.ABSENT
        via = "" if known is None else known.via
        if (task.hops == 0 and via != "archive") or (lived and new):
            return visited
        lasted = 0.0 if known is None or new else now - known.since
        return replace(visited, due=max(visited.due, now + _HOUR * hours_until_asked(lasted / _HOUR, lived, via)))

    def wanted_from(self) -> float:
        """What is found belongs to this pass."""
        return self._start

    def passed_over(self) -> float:
        """In the next pass."""
        return max(self._clock.now(), self._start + 0.001)

    def committed(self, batch: Batch) -> None:
        """Nothing is learned during a pass."""

    def waiting(self) -> tuple[int, float]:
        """Pages of this pass that are still to be asked for."""
        return self._catalog.waiting(self._start)

    def rest(self) -> tuple[float, str]:
        """Wait for what may be asked again soon, or end the pass."""
        waiting, earliest = self.waiting()
        wait = earliest - self._clock.now()
        return (max(0.01, wait), "") if waiting and wait <= self._orders.patience else (0.0, "complete")

    def over(self) -> None:
        """What failed, or belongs to a host that may not be asked now, is asked for in the next pass beside all else: a
        picture on a server that is gone must not keep pages from being looked at again.
        """
        self._catalog.close_pass(self._clock.now())
