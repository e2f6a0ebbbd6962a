"""From a catalog and settings to an outlook: how pages stand becomes what a plan knows of them.

One maker serves the embedded watch, for all pages (watch/watch_plan.py), and each desk of a cluster, for the pages of
one site (cluster/site_leases.py). What is asked of it is the same: zones and pauses, what is left out as quiet,
campaigns, caps, the strategy and its dials, the least chance of a visit.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Protocol
from zoneinfo import ZoneInfo

from strandline.archive.site_clocks import site_clock
from strandline.checks import registered_strategies
from strandline.core.plan.budget import Allowance
from strandline.core.politeness.robots import Robots, RobotsCopy
from strandline.crawl.preparing import Prepared
from strandline.crawl.quiet_sites import QuietPlan
from strandline.errors import SettingError
from strandline.learn.experience import HOUR, Hours, Known, Learned, history
from strandline.plan.next_visits import Planner
from strandline.plan.outlook import Outlook, Thrift
from strandline.plan.settings_wishes import Pauses, wishes_of
from strandline.plan.wishes import Wishes
from strandline.ports import HostState
from strandline.store.standing import Standing


class Hosts(Protocol):
    """Who knows hosts."""

    def host(self, authority: str) -> HostState:
        """What is known about a host."""


@dataclass(frozen=True, slots=True)
class Making:
    """What plans are made of: settings, the hours of the watch (`paced` when they are not those of the clock), the
    catalog, and what is left out as quiet.
    """

    prepared: Prepared
    hours: Hours
    paced: bool
    reading: Hosts
    skips: QuietPlan | None = None


class PlanMaker:
    """Makes outlooks. Remembers zones and pauses, so that thousands of pages ask for them once."""

    def __init__(self, making: Making) -> None:
        self._making = making
        self._zones: dict[str, tuple[str, int]] = {}
        self._pauses: dict[str, float] = {}
        self.wishes()  # what is wrong with the settings is said now

    def wishes(self, allowance: Allowance | None = None) -> Wishes:
        """What the settings ask for, of the whole budget or a part of it; hosts get their pauses as pages are known."""
        pauses = Pauses(self._shortened(self._own_pause()), self._pauses)
        wishes = wishes_of(self._making.prepared.settings.plan, pauses)
        return wishes if allowance is None else replace(wishes, allowance=allowance)

    def outlook(
        self, pages: Sequence[Known], learned: Learned, visits: Counter[int], allowance: Allowance | None = None
    ) -> Outlook:
        """A planner at work on these pages; `visits` counts the captures of each that were studied."""
        nothing = history(pages, (), self._making.hours)
        try:
            planner = Planner(pages, learned, self.wishes(allowance), lambda: nothing, registered_strategies())
        except ValueError as problem:
            raise SettingError(f"plan: {problem}") from None
        plan = self._making.prepared.settings.plan
        return Outlook(planner, learned, visits, Thrift(plan.least_chance, plan.look_after / HOUR))

    def known(self, one: Standing, now: float) -> Known:
        """A page as a plan sees it."""
        zone, shift = self._zone(one.site, now)
        if one.host not in self._pauses:
            self._pauses[one.host] = self._shortened(self._pause(one.host, now))
        quiet, tests = "", ""
        if self._making.skips is not None and one.via != "seed":
            quiet, tests = self._making.skips.ask(one.site, one.page, now)
        facts = (0.0, one.waits or quiet, 0.0, one.visited, zone, shift, tests)
        return Known(one.page, one.url, one.site, one.host, one.weight, *facts)

    def all_known(self, standings: Iterable[Standing], now: float) -> list[Known]:
        """Pages as a plan sees them."""
        return [self.known(one, now) for one in standings]

    def new_day(self) -> None:
        """Summer time may have begun or ended."""
        self._zones.clear()

    def _zone(self, site: str, now: float) -> tuple[str, int]:
        """Zone of a site and the hours to add to UTC there; a demonstration lives in UTC."""
        if self._making.paced:
            return "UTC", 0
        if site not in self._zones:
            zone = site_clock(site, self._making.prepared.settings.learn, None).zone
            offset = datetime.fromtimestamp(now, UTC).astimezone(ZoneInfo(zone)).utcoffset()
            self._zones[site] = zone, round(offset.total_seconds() / HOUR) if offset else 0
        return self._zones[site]

    def _shortened(self, pause: float) -> float:
        """In hours of another length pauses count for as much of an hour as they take."""
        return pause * HOUR / self._making.hours.length

    def _own_pause(self) -> float:
        manners = self._making.prepared.manners
        return manners.least if manners.delay is None else manners.delay

    def _pause(self, host: str, now: float) -> float:
        """Seconds between two requests to a host: what it asks for, what it takes to answer, and never less."""
        prepared = self._making.prepared
        state, asked = self._making.reading.host(host), 0.0
        if prepared.orders.obey_robots and state.robots_time > 0:
            copy = RobotsCopy(state.robots_time, state.robots_status, state.robots_body)
            asked = Robots(copy, now, prepared.orders.robots_unreachable).delay or 0.0
        return prepared.manners.pause(state.seconds, min(asked, prepared.settings.politeness.crawl_delay_cap))
