"""Why a page is not fetched at all: what the settings leave out, what robots.txt forbids, what was taken for a trap."""

from collections.abc import Iterable
from typing import Final

from strandline.archive.given_seeds import known_seeds, read_seeds
from strandline.core.capture import Kind
from strandline.core.discovery.scope import Scope
from strandline.core.politeness.robots import Robots, RobotsCopy
from strandline.core.urls import origin
from strandline.crawl.orders import Orders
from strandline.crawl.site_orders import rules_of
from strandline.crawl.skips import QUIET
from strandline.ports import HostState
from strandline.settings.schema import Settings
from strandline.store.reading import Reading
from strandline.store.standing import Standing

_ASKED_ANEW: Final = (
    "robots", "out of scope", "excluded", "too many hops", "site removed", "put aside", "the site is paused",
    "outside the hours", QUIET,
)  # fmt: skip
"""Reasons for which a page was skipped once that are looked at again; what else was skipped was taken for a trap."""


class Barring:
    """Asked for each page of a plan; what hosts say is remembered until `new_day`."""

    def __init__(self, settings: Settings, orders: Orders, reading: Reading) -> None:
        self._settings = settings
        self._orders = orders
        self._reading = reading
        self._robots: dict[str, Robots | None] = {}
        self._sites = rules_of(settings)
        self.scope = self._scope()
        """What is in scope; None for an archive without seeds, all of whose pages are wanted."""

    def _scope(self) -> Scope | None:
        seeds = self._orders.scope.seeds or read_seeds(known_seeds(self._settings, self._reading))
        if not seeds:
            return None
        scope = Scope(self._orders.scope)
        scope.extend(seeds)
        scope.extend(target for seed in seeds for target in self._redirects(seed))
        return scope

    def _redirects(self, seed: str) -> Iterable[str]:
        """Where a seed led when it was last fetched: it takes its scope along, as in a crawl."""
        target = seed
        for _ in range(self._orders.redirects):
            captures = self._reading.captures(target)
            if not captures or not captures[-1].redirect:
                return
            target = captures[-1].redirect
            yield target

    def why(self, one: Standing, now: float) -> str:
        """Why a page is never fetched; empty when it may be."""
        refused = self.scope.refuses(one.url, Kind.PAGE, one.hops) if self.scope else ""
        refused = refused or self._sites.why_not(one.host, now)
        if refused:
            return refused
        rules = self.robots(origin(one.url), now)
        if rules is not None and not rules.allows(one.url):
            return f"robots: {rules.reason}"
        return one.detail if one.outcome == "skipped" and not one.detail.startswith(_ASKED_ANEW) else ""

    def moved_hosts(self, hosts: Iterable[str], before: float, now: float) -> set[str]:
        """Hosts whose hours began or ended between two moments."""
        rules = self._sites
        if not any(bool(rule.why_not(before)) != bool(rule.why_not(now)) for rule in rules.rules):
            return set()
        return {host for host in set(hosts) if bool(rules.why_not(host, before)) != bool(rules.why_not(host, now))}

    def robots(self, place: str, now: float) -> Robots | None:
        """The rules of a place (scheme and host) as last fetched; None when they are not known, forbid nothing, or are
        not obeyed.
        """
        if place not in self._robots:
            scheme, _, host = place.partition("://")
            self._robots[place] = self._rules(self._reading.host(host, scheme), now)
        return self._robots[place]

    def delay(self, host: str, now: float) -> float:
        """Seconds a host asks for between two requests, by the stricter of its schemes."""
        rules = (self.robots(f"{scheme}://{host}", now) for scheme in ("https", "http"))
        return max((one.delay or 0.0 for one in rules if one is not None), default=0.0)

    def _rules(self, state: HostState, now: float) -> Robots | None:
        if not self._orders.obey_robots or state.robots_time <= 0:
            return None
        copy = RobotsCopy(state.robots_time, state.robots_status, state.robots_body)
        if copy.reached and b"disallow" not in copy.body.lower() and b"delay" not in copy.body.lower():
            return None
        return Robots(copy, now, self._orders.robots_unreachable)

    def new_day(self) -> None:
        """Hosts may have other rules by now."""
        self._robots.clear()
