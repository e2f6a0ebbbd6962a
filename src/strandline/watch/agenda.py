"""The agenda of a watch: what the plan wants this hour, what turns up by itself, and never more than the budget.

Each hour the plan chooses pages to visit again and the minute of each. Beside it runs the frontier, with everything
that has a time of its own:

    pages seen for the first time        at once, hosts in turn, nearest to a seed first
    requisites, sitemaps, feeds          with the page that names them; again after as long as they stayed the same
    failed visits                        after a back-off; a failure is no deletion
    pages that are gone (404, 410)       a second visit confirms it; then ever more rarely, in case they come back
    addresses that never were there      after a week, then ever more rarely (absences.py)
    pages that are refused (401, 403)    after a day, then ever more rarely

The plan gets what the frontier does not need, the frontier at most four fifths of an hour while the plan wants
anything; both are spread over the hour. Every request is paid from the purse, whatever it is for.
"""

import math
from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from strandline.core.capture import Evidence, Exchange, Kind, Request
from strandline.core.urls import authority
from strandline.crawl.absences import hours_until_asked
from strandline.crawl.visits import Timing
from strandline.plan.budget_meter import FRONTIER_SHARE, FRONTIER_STEP, Purse, left_for_plan
from strandline.plan.due import Due, requests_of
from strandline.ports import PLANNED, Batch, Catalog, Clock, Found, Task, Visited
from strandline.watch.hour_figures import HourFigures
from strandline.watch.parts_again import PartsAgain
from strandline.watch.place_limits import Affords, PlaceLimits
from strandline.watch.under_way import UnderWay

_DAY: Final = 24.0
"""Hours. Origin: a unit."""
_WEEK: Final = 168.0
"""Hours. Origin: a unit."""
_MONTH: Final = 720.0
"""Hours. Origin: a unit."""
_REFUSED: Final = (_DAY, _MONTH)
"""Hours after which a page that is refused is asked for again."""
_LOOK: Final = 0.25
"""Part of an hour after which the rest of it is divided anew between the plan and the frontier. Origin: a guess."""
_IDLE: Final = 0.05
"""Part of an hour's requests that may be without a use before it is divided anew. Origin: a guess."""
_MEMORY: Final = 0.05
"""Weight of the newest address in the part of them that is asked for. Origin: a guess."""
_DOUBT: Final = 0.5
"""Part of what this lacks of all that is given back with each hour: what was refused says little of what is found next,
and requests kept for nothing go back to the plan within a quarter of an hour. Origin: a guess."""
_ROUNDING: Final = 1e-9
"""Of a request. Origin: a bound on rounding."""
_LONGEST_NAP: Final = 0.2
"""Seconds after which is looked again whether something is due. Origin: a guess."""
_ERRORS: Final = 10
"""Errors that are kept to be shown. Origin: a bound on memory."""


class PlannedCatalog(Catalog, Protocol):
    """A catalog whose pages can be leased by name."""

    def lease(self, pages: Sequence[int], now: float) -> list[Task]:
        """Lease these pages, whenever they are due; those being fetched already are left out."""

    def plan_visited(self) -> None:
        """From now on visits of pages that were visited before are planned."""

    def due_by(self, moment: float, closed: Collection[str] = ()) -> int:
        """Pages and parts of pages that are due by a time by themselves, without those of closed hosts."""


class Foresight(Protocol):
    """The plan, as the agenda sees it."""

    def hour(self, now: float) -> float:
        """Hours since a Monday midnight, at a UTC second."""

    def plan(self, hour: int, visits: int, most: float) -> list[Due]:
        """The visits of an hour that so many requests are enough for, and `most` can be paid, in the order of time;
        what captures taught by then is taken in.
        """

    def cost(self, url: str) -> float:
        """Requests that a visit of a page is expected to take."""

    def away(self, hour: int) -> Collection[str]:
        """Hosts that are left alone until an hour is over, because they failed or asked for it."""

    def touched(self, pages: Iterable[int]) -> None:
        """Pages were visited, or passed over."""


@dataclass(frozen=True, slots=True)
class WatchOrders:
    """`length` is the seconds of an hour; `hold` the seconds after which a page that is gone is asked again."""

    length: float = 3600.0
    hold: float = 600.0
    retries: int = 5


@dataclass(frozen=True, slots=True)
class WatchParts:
    """What a watch decides with, and whom it tells."""

    catalog: PlannedCatalog
    clock: Clock
    purse: Purse
    foresight: Foresight
    paid: Callable[[int, float, float], None] = lambda _number, _time, _cost: None
    """Keeps what a request costs: its number, UTC time and cost, negative until it is answered."""
    hour_ended: Callable[[HourFigures], None] = lambda _: None
    step: Callable[[], None] = lambda: None
    """Goes on with whatever runs beside the crawl; called often."""
    paused: Callable[[], str] = lambda: ""
    """Why nothing may be asked for now; empty when there is no reason."""
    limits: dict[str, Purse] = field(default_factory=dict)
    """Purses of single hosts and sites."""
    closed: Callable[[float], Collection[str]] = lambda _: ()
    """Hosts that may not be asked at a UTC second, because of what was said of their sites."""
    plan_ready: Callable[[], bool] = lambda: False
    """Whether a plan that was opened beside the crawl waits to be asked."""
    left_alone: Callable[[Task, Visited], float] = lambda _task, _visited: 0.0
    """Until when a feed or sitemap is left alone at its own word."""
    told: Callable[[Sequence[Found]], None] = lambda _: None
    """Hears what sitemaps and feeds say of pages."""
    trusted: Callable[[str, Kind], bool] = lambda *_: False
    """Whether what the sitemaps and feeds of an address's site say is mostly right."""
    telling: Callable[[], int] = lambda: 0
    """How many sitemaps and feeds say mostly what is right, with those that others ask; 0 where there are no others."""


class WatchAgenda:
    """Implements Agenda for a watch."""

    def __init__(self, parts: WatchParts, orders: WatchOrders, first_request: int = 1) -> None:
        self._parts = parts
        self._orders = orders
        self._visits: deque[Due] = deque()
        self._under_way = UnderWay(lambda: self._parts.purse)
        self._limits = PlaceLimits(lambda: self._parts.limits)
        self._offset = first_request
        self._look = 0.0
        """Hour at which the rest of this one is divided anew."""
        self._idle = 0.0
        """Requests without a use when it was divided last; below zero for those that are due and have to wait."""
        self._again = PartsAgain()
        self._plan_was_last = False  # whether the requests taken last were planned
        self._sent_share = 1.0
        """Part of what the frontier hands out that is asked for: the rest is refused by robots.txt and scope."""
        self.figures = HourFigures(-1, 0.0, 0.0)
        self.requests = 0
        self.errors: deque[dict[str, object]] = deque(maxlen=_ERRORS)
        """The last failures, newest last."""

    @property
    def purse(self) -> Purse:
        """What may be spent."""
        return self._parts.purse

    @property
    def planned(self) -> int:
        """Visits left of this hour's plan."""
        return len(self._visits)

    def change(self, purse: Purse, limits: dict[str, Purse], foresight: Foresight) -> None:
        """Go on with another budget and plan: the rest of the hour is divided anew."""
        self._parts = replace(self._parts, purse=purse, limits=limits, foresight=foresight)
        hour, self._look = foresight.hour(self._parts.clock.now()), 0.0
        self.figures.allowed = purse.for_hour(hour, self._parts.clock.monotonic())

    # -- time ------------------------------------------------------------------------------------------------------

    def open(self, seeds: Iterable[str]) -> None:
        """Go on where the last run stood."""
        self._parts.catalog.plan_visited()
        self.seeded(seeds)

    keeps_closed = True

    def seeded(self, seeds: Iterable[str]) -> None:
        """They are wanted at once."""
        self._parts.catalog.add(Found(seed, Kind.PAGE, "seed", 0, 0, 0.0, self.wanted_from()) for seed in seeds)

    def step(self) -> None:
        """Turn the hour when it is time, and look again at the rest of it now and then."""
        self._parts.step()
        now = self._parts.clock.now()
        moment = self._parts.foresight.hour(now)
        if int(moment // 1) != self.figures.hour:
            self._turn(moment, now)
        elif self._parts.plan_ready():
            self._divide(moment, now, anew=True)
        elif moment >= self._look:
            self._divide(moment, now)

    def _turn(self, moment: float, now: float) -> None:
        """An hour ends, the next begins."""
        if self.figures.hour >= 0:
            self._parts.hour_ended(self.figures)
        allowed = self._parts.purse.for_hour(moment, self._parts.clock.monotonic())
        self.figures = HourFigures(int(moment // 1), now, allowed)
        self._sent_share += _DOUBT * (1.0 - self._sent_share)
        self._divide(moment, now, anew=True)

    def _divide(self, moment: float, now: float, anew: bool = False) -> None:
        """Divide what is left of the hour between the plan and what is due by itself."""
        self._look = moment // _LOOK * _LOOK + _LOOK
        passed = moment - self.figures.hour
        if not anew:
            self._leave_out(self._parts.foresight.away(self.figures.hour))
        left = int((self.figures.allowed - self._spent(passed)) / self._parts.purse.price + _ROUNDING)
        due = self._parts.catalog.due_by(now + (1.0 - passed) * self._orders.length, self._parts.closed(now))
        idle = left - requests_of(self._visits) - due
        if not anew and min(0.0, self._idle) <= idle <= max(1.0, _IDLE * self.figures.allowed):
            return  # everything goes as planned
        own = (1.0 - FRONTIER_SHARE) * self.figures.allowed / self._parts.purse.price
        rest = (1.0 - passed) * self._orders.length
        most = self._parts.purse.payable(self._parts.clock.monotonic(), rest)
        if not anew and idle < 0 and requests_of(self._visits) <= min(max(1.0, own), most):
            return  # more is due than can be asked for; what the plan has left is its own
        visits = left_for_plan(left, math.ceil(self._sent_share * due - _ROUNDING))
        others = 0 if anew else self.figures.planned - len(self._visits)  # intended, and made or begun by now
        self._visits = deque(self._parts.foresight.plan(self.figures.hour, visits, most))
        self.figures.planned = others + len(self._visits)
        self._idle = left - requests_of(self._visits) - due
        self._under_way.divide(left - requests_of(self._visits), now, now + rest)

    def _leave_out(self, away: Collection[str]) -> None:
        """Hosts are left alone until the hour is over: others have their visits, and nobody missed them."""
        left = deque(visit for visit in self._visits if authority(visit.url) not in away) if away else self._visits
        self.figures.planned -= len(self._visits) - len(left)
        self._visits = left

    def _spent(self, passed: float) -> float:
        return self._parts.purse.spent(self._parts.clock.monotonic(), passed * self._orders.length)

    # -- what is asked for -------------------------------------------------------------------------------------------

    def free(self, wanted: int) -> int:
        """As many as the purse holds."""
        if self._parts.paused():
            return 0
        return min(wanted, self._under_way.payable(self._parts.clock.monotonic()))

    def take(self, free: int, busy: Collection[str]) -> list[Task]:
        """Planned visits whose minute has come, and what is due by itself, as far as the hour allows it."""
        now, moment = self._parts.clock.now(), self._parts.clock.monotonic()
        closed, affords = {*busy, *self._limits.spent_up(moment)}, self._limits.turn(busy, moment)
        # In turns: a host that is asked for planned visits all the time would never be asked for anything else.
        tasks = self._by_themselves(free, now, closed, affords) if (first := self._plan_was_last) else []
        closed.update(task.authority for task in tasks)
        costs = self._due(free - len(tasks), now, closed, affords)
        planned = self._parts.catalog.lease(list(costs), now) if costs else []
        for task in planned:
            self._under_way.begins(task.page, costs[task.page], planned=True)
        free = min(free, self._under_way.payable(moment))
        self._plan_was_last = bool(planned)
        return tasks + planned if first else planned + self._by_themselves(free - len(planned), now, closed, affords)

    def _by_themselves(self, free: int, now: float, closed: Collection[str], affords: Affords) -> list[Task]:
        if (room := min(free, self._under_way.room(now))) <= 0:
            return []
        moment = self._parts.clock.monotonic()
        closed = {*closed, *self._under_way.short(moment)}
        return self._afforded(self._parts.catalog.take(room, now, self.wanted_from(), closed), affords, moment)

    def _due(self, free: int, now: float, closed: set[str], affords: Affords) -> dict[int, float]:
        """Pages whose minute has come, and what each takes, one for each host that may be asked; these hosts are closed
        then. None is begun that cannot be paid to its end, nor any that comes after it.
        """
        pages, later, moment = dict[int, float](), list[Due](), self._parts.clock.monotonic()
        while self._visits and self._visits[0].due <= now and len(pages) < free:
            if not self._under_way.pays(self._visits[0].cost, moment, sum(pages.values())):
                break
            visit = self._visits.popleft()
            if (place := authority(visit.url)) in closed or not affords(visit.url):
                later.append(visit)
                continue
            closed.add(place)
            pages[visit.page] = visit.cost
        self._visits.extendleft(reversed(later))
        return pages

    def _afforded(self, tasks: list[Task], affords: Affords, moment: float) -> list[Task]:
        """Those that the budget, and those of their hosts and sites, are enough for; the others go back."""
        kept = list[Task]()
        for task in tasks:
            cost = self._parts.foresight.cost(task.url) if task.kind is Kind.PAGE else 1.0
            if self._under_way.pays(cost, moment, len(kept), task.authority) and affords(task.url):
                kept.append(task)
                self._under_way.begins(task.page, cost, planned=False)
        if back := {task.page for task in tasks} - {task.page for task in kept}:
            self._parts.catalog.release(sorted(back))
        return kept

    def begun(self, request: Request) -> None:
        """Pay for a request, before it is sent."""
        cost = self._parts.purse.begun(request.ticket)
        for purse in self._limits.paying(request.url):
            purse.begun(request.ticket)
        self._parts.paid(self._offset + request.ticket, self._parts.clock.now(), -cost)
        self.figures.requests += 1
        self.requests += 1

    def ended(self, exchange: Exchange) -> None:
        """Settle what a request really cost."""
        moment, number = self._parts.clock.monotonic(), exchange.request.ticket
        octets = exchange.body_length + len(exchange.response_head)
        unchanged = exchange.status == 304
        for purse in self._limits.paying(exchange.request.url):
            purse.ended(number, moment, octets, unchanged)
        cost = self._parts.purse.ended(number, moment, octets, unchanged)
        if cost:
            self._parts.paid(self._offset + number, self._parts.clock.now(), cost)
        self.figures.octets += octets

    # -- what came of it -------------------------------------------------------------------------------------------

    def timing(self) -> Timing:
        """Retries are due at once, after their back-off."""
        pace, now = self._orders.length / 3600.0, self._parts.clock.now()
        return Timing(self.wanted_from(), now, 0.0, self._orders.retries, pace=pace)

    def settled(self, task: Task, visited: Visited) -> Visited:
        """When a page is wanted again: planned, unless something about it must be found out first."""
        self._count(task, visited)
        if 0 < visited.attempts <= self._orders.retries:
            return visited
        if visited.attempts:
            return replace(visited, due=self._after(_DAY), not_before=0.0)
        if visited.evidence is Evidence.PRESENT:
            part = task.kind is not Kind.PAGE
            due = max(self._parts.left_alone(task, visited), self._part_again(task, visited)) if part else PLANNED
            return replace(visited, due=due)
        return replace(visited, due=self._ever_more_rarely(task, visited))

    def _count(self, task: Task, visited: Visited) -> None:
        figures = self.figures
        if not self._under_way.ended(task.page):
            self._sent_share += _MEMORY * (1.0 - self._sent_share)
        if task.kind is not Kind.PAGE:
            figures.parts += 1
        elif task.original is None:
            figures.firsts += 1
        else:
            figures.revisits += 1
            if visited.capture is not None and visited.evidence is Evidence.PRESENT:
                figures.unchanged += visited.capture.revisit
                figures.changed += not visited.capture.revisit
        if visited.attempts:
            figures.failed += 1
            problem = f"{visited.outcome}: {visited.detail}" if visited.detail else str(visited.outcome)
            status = visited.capture.status if visited.capture is not None else 0
            self.errors.append({"time": visited.time, "url": task.url, "problem": f"{status} {problem}".lstrip("0 ")})

    def _part_again(self, task: Task, visited: Visited) -> float:
        """Requisites, sitemaps and feeds."""
        same = task.original if visited.capture is not None and visited.capture.revisit else None
        age = (self._parts.clock.now() - same.time) / self._orders.length if same else 0.0
        tells = task.kind in (Kind.FEED, Kind.SITEMAP) and self._parts.trusted(task.url, task.kind)
        requests = self.figures.allowed / self._parts.purse.price
        among = self._parts.telling() if tells else 0
        hours = self._again.hours(task.kind, task.page, unchanged_for=age, tells=tells, an_hour=requests, among=among)
        return self._after(hours)

    def _ever_more_rarely(self, task: Task, visited: Visited) -> float:
        """A page that is gone: soon once more, to confirm it, then as absences.py says; of an address under which
        nothing was ever seen, nothing has to be confirmed. A page that is refused: after as long as it has been so.
        """
        new = (known := self._parts.catalog.page(task.url)) is None or known.evidence is not visited.evidence
        lasted = 0.0 if known is None or new else (self._parts.clock.now() - known.since) / self._orders.length
        if visited.evidence is not Evidence.ABSENT:
            return self._after(min(max(lasted, _REFUSED[0]), _REFUSED[1]))
        if (lived := task.original is not None) and new:
            return self._after(self._orders.hold / self._orders.length)
        return self._after(hours_until_asked(lasted, lived, "" if known is None else known.via))

    def _after(self, hours: float) -> float:
        return self._parts.clock.now() + hours * self._orders.length

    def wanted_from(self) -> float:
        """What is found is wanted at once. Time moves in small steps, because each costs the frontier a transaction."""
        step = FRONTIER_STEP * self._orders.length
        return self._parts.clock.now() // step * step

    def passed_over(self) -> float:
        """Next week: robots.txt and scope seldom change, and some pages name new refused addresses at every visit."""
        return self._after(_WEEK)

    def committed(self, batch: Batch) -> None:
        """The plan looks at these pages anew."""
        self._sent_share *= (1.0 - _MEMORY) ** len(batch.skipped)
        self.figures.planned -= self._under_way.passed_over(skipped.page for skipped in batch.skipped)
        pages = [visited.page for visited in batch.visited if visited.page]
        self._parts.foresight.touched(pages + [skipped.page for skipped in batch.skipped])
        if claims := [found for found in batch.found if found.lastmod is not None]:
            self._parts.told(claims)

    def waiting(self) -> tuple[int, float]:
        """What is due by itself, and what is left of this hour's plan."""
        count, earliest = self._parts.catalog.waiting(self.wanted_from())
        planned = self._visits[0].due if self._visits else earliest
        return count + len(self._visits), min(earliest, planned)

    def rest(self) -> tuple[float, str]:
        """A watch never ends by itself."""
        nap = self._visits[0].due - self._parts.clock.now() if self._visits else _LONGEST_NAP
        return min(max(nap, 0.002), _LONGEST_NAP, max(FRONTIER_STEP * self._orders.length, 0.002)), ""

    def over(self) -> None:
        """It never is."""
