"""The desk where every page stops before it is asked for: robots.txt of its place, fetched when it is not known.

A place is scheme, host and port (`core.urls.origin`): http and https of a host each speak for themselves, and one that
cannot be reached says nothing about the other, neither in a run nor in what is remembered beyond it.
"""

import math
from collections import Counter, OrderedDict
from collections.abc import Collection
from typing import Final

from strandline.core.capture import Capture, Exchange, Kind, Outcome, evidence_of
from strandline.core.content import decode
from strandline.core.discovery.traps import group_of
from strandline.core.politeness.delays import back_off
from strandline.core.politeness.robots import FRESH_SECONDS, MOST_BYTES, MOST_REDIRECTS, Robots, RobotsCopy, renewed
from strandline.core.urls import origin
from strandline.crawl.orders import NEVER, Orders
from strandline.crawl.visits import redirect_target
from strandline.ports import Catalog, HostState, Task, Visited

_REMEMBERED: Final = 10_000
"""Hosts whose rules are kept parsed. Origin: a bound on memory."""
_AGAIN: Final = 3600.0
"""Seconds after which a host that could not give its rules is asked for them again; an older copy counts meanwhile.
Origin: a guess."""
_AGAIN_UNHEARD: Final = 60.0
"""The same at least for a place that was not heard at all; the more often, the longer. Origin: a guess."""
_GROUPS: Final = 10_000
"""Groups of addresses whose forbidden ones are counted. Origin: a bound on memory."""


class RobotsGate:
    """Rules per place, and the pages that wait for them."""

    def __init__(self, orders: Orders, catalog: Catalog) -> None:
        self._orders = orders
        self._catalog = catalog
        self._rules: OrderedDict[str, Robots] = OrderedDict()
        self._copies: dict[str, RobotsCopy] = {}
        self._holds: dict[str, tuple[float, float]] = {}
        """From when and until when the rules of a host are not asked for again."""
        self._unheard: dict[str, int] = {}
        """How often in a row a place was not heard at all."""
        self._waiting: dict[str, list[Task]] = {}
        self._hops: dict[str, int] = {}
        self._forbidden: Counter[str] = Counter()
        """How often an address of a group was not allowed."""

    def knows(self, place: str, now: float) -> bool:
        """Whether the rules of a place are known; loads those of an earlier run."""
        if not self._orders.obey_robots:
            return True
        since, until = self._holds.get(place, (now, now))
        if since <= now < until:
            if place not in self._rules:
                self._learn(place, self._kept(place), now)
            return True
        copy = self._kept(place)
        if not copy.fresh(self._as_of(copy, now)):
            return False
        self._learn(place, copy, now)
        self._holds[place] = (copy.time, copy.time + self._orders.pace * FRESH_SECONDS)
        return True

    def _as_of(self, copy: RobotsCopy, now: float) -> float:
        """Now, as far from a copy as its days are long."""
        return copy.time + (now - copy.time) / self._orders.pace

    def _kept(self, place: str) -> RobotsCopy:
        """The copy that outlived the last commit."""
        scheme, _, host = place.partition("://")
        state = self._catalog.host(host, scheme)
        return RobotsCopy(state.robots_time, state.robots_status, state.robots_body)

    def wait(self, task: Task) -> bool:
        """Let a page wait for the rules; True when nobody has gone to fetch them yet."""
        waiting = self._waiting.setdefault(origin(task.url), [])
        waiting.append(task)
        return len(waiting) == 1

    def answered(self, place: str, exchange: Exchange, now: float) -> str:
        """Take in the answer; when it is a redirect to be followed, say where to."""
        hops = self._hops.pop(place, 0)
        target = redirect_target(exchange)
        if target and hops < MOST_REDIRECTS:
            self._hops[place] = hops + 1
            return target
        status = exchange.status if exchange.outcome in (Outcome.ANSWERED, Outcome.TRUNCATED) else 0
        if target:
            status = 404  # too many redirects count as unavailable, not as unreachable
        body = b""
        if 200 <= status < 300:
            exchange.body.seek(0)
            data = exchange.body.read(MOST_BYTES * 2)
            body = decode(data, exchange.header("content-encoding"), exchange.header("transfer-encoding")).data
        old = self._copies.get(place) or self._kept(place)
        copy = renewed(old if old.time else None, status, body, now)
        self._learn(place, copy, now)
        self._unheard[place] = 0 if status else self._unheard.get(place, 0) + 1
        self._holds[place] = (now, now + self._orders.pace * _hold(copy, status, now, self._unheard[place]))
        return ""

    def _learn(self, place: str, copy: RobotsCopy, now: float) -> None:
        self._copies[place] = copy
        self._rules[place] = Robots(copy, self._as_of(copy, now), self._orders.robots_unreachable)
        if len(self._rules) > _REMEMBERED:
            forgotten, _ = self._rules.popitem(last=False)
            self._copies.pop(forgotten, None)
            self._unheard.pop(forgotten, None)

    def refuses(self, task: Task) -> str:
        """Why a page may not be asked for; empty when it may."""
        if not self._orders.obey_robots:
            return ""
        rules = self._rules[origin(task.url)]
        if rules.allows(task.url):
            return ""
        if task.kind is Kind.PAGE and (group := group_of(task.url)):
            if len(self._forbidden) >= _GROUPS and group not in self._forbidden:
                self._forbidden.clear()
            self._forbidden[group] += 1
        return f"robots: {rules.reason}"

    def keeps_out(self, url: str) -> str:
        """Why an address is not even noted: it is forbidden like so many that differ from it in numbers, codes or
        queries only. Pages with an advertisement name another one at each look, for ever.
        """
        if not self._forbidden or self._forbidden[group_of(url)] < self._orders.traps.query_variants:
            return ""
        rules = self._rules.get(origin(url))
        return "" if rules is None or rules.allows(url) else f"robots: {rules.reason}"

    def looked_at_again(self, place: str) -> float:
        """When a page may be allowed that is not, because its host could not give its rules; infinite if it could."""
        copy = self._copies.get(place)
        return self._holds[place][1] if copy is not None and not copy.reached and place in self._holds else math.inf

    def crawl_delay(self, place: str) -> float:
        """Seconds the host asks for between requests, as far as they are honoured; 0 when it does not say."""
        rules = self._rules.get(place)
        return min(rules.delay or 0.0, self._orders.longest_delay) if rules else 0.0

    def sitemaps(self, place: str) -> tuple[str, ...]:
        """Sitemaps the host lists."""
        rules = self._rules.get(place)
        return rules.sitemaps if rules else ()

    def released(self, place: str) -> list[Task]:
        """Pages that waited for these rules."""
        return self._waiting.pop(place, [])

    def places_waiting(self) -> Collection[str]:
        """Hosts, some of whose rules are being fetched."""
        return {_host(place) for place in self._waiting}

    def all_waiting(self) -> list[Task]:
        """Every page that waits."""
        return [task for tasks in self._waiting.values() for task in tasks]

    def host_states(self, host: str, not_before: float, failures: int, seconds: float) -> list[HostState]:
        """What is remembered about a host beyond this run, with the rules of each scheme it was asked by."""
        copies = [(scheme, self._copies.get(f"{scheme}://{host}")) for scheme in ("https", "http")]
        known = [(scheme, copy) for scheme, copy in copies if copy is not None] or [("https", RobotsCopy())]
        return [
            HostState(host, not_before, failures, copy.time, copy.status, copy.body, seconds, scheme)
            for scheme, copy in known
        ]


def _host(place: str) -> str:
    return place.partition("://")[2]


def _hold(copy: RobotsCopy, status: int, now: float, unheard: int) -> float:
    """Seconds for which rules are not asked for again, after they were asked for and the answer had a status."""
    if copy.reached and copy.time == now:
        return FRESH_SECONDS
    return _AGAIN if status else max(_AGAIN_UNHEARD, back_off(unheard, 0.0))


def robots_visit(exchange: Exchange, capture: Capture) -> Visited:
    """The visit of a robots.txt: kept, never due by itself."""
    return Visited(
        page=0,
        outcome=exchange.outcome,
        detail=exchange.detail,
        capture=capture,
        evidence=evidence_of(exchange.status, exchange.truncated),
        time=exchange.started,
        due=NEVER,
        not_before=0.0,
        attempts=0,
    )
