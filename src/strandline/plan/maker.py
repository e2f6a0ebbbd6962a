"""From a catalog and settings to an outlook: how pages stand becomes what a plan knows of them.

One maker serves the embedded watch and whoever asks (plan/archive_plan.py), for all pages, and each desk of a cluster,
for the pages of one site (cluster/site_leases.py). What is asked of it is the same: zones and pauses, what must not be
fetched, what is left out as quiet, campaigns, caps, the strategy and its dials, the least chance of a visit.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from strandline.archive.site_clocks import site_clock
from strandline.checks import registered_strategies
from strandline.core.plan.budget import Allowance
from strandline.core.politeness.delays import MannersSettings, manners_by_host
from strandline.core.urls import site
from strandline.crawl.orders import Orders
from strandline.crawl.quiet_sites import QuietPlan
from strandline.errors import SettingError
from strandline.learn.experience import Learned, history
from strandline.learn.known_pages import HOUR, Hours, Known
from strandline.learn.page_columns import KnownPages
from strandline.plan.barring import Barring
from strandline.plan.browser_cost import SUPPLIED, BrowserCosts
from strandline.plan.next_visits import Planner
from strandline.plan.outlook import Outlook, Thrift
from strandline.plan.settings_wishes import Pauses, wishes_of
from strandline.plan.wishes import Wishes
from strandline.settings.schema import Settings
from strandline.store.reading import Reading
from strandline.store.standing import Standing


@dataclass(frozen=True, slots=True)
class Making:
    """What plans are made of: settings, the hours of the watch (`paced` when they are not those of the clock), the
    catalog, and what is left out as quiet. `starting`: as it will be once a watch is started, which plans the visits
    of pages that a pass would have come back to.
    """

    settings: Settings
    orders: Orders
    manners: MannersSettings
    hours: Hours
    paced: bool
    reading: Reading
    skips: QuietPlan | None = None
    starting: bool = False


class PlanMaker:
    """Makes outlooks. Remembers zones and pauses, so that thousands of pages ask for them once."""

    def __init__(self, making: Making) -> None:
        self.making = making
        self.barring = Barring(making.settings, making.orders, making.reading)
        self._costs = BrowserCosts(making.settings.capture, making.reading)
        self._zones: dict[str, tuple[str, int]] = {}
        self._pauses: dict[str, float] = {}
        self._manners = manners_by_host(making.manners)
        self.wishes()  # what is wrong with the settings is said now

    def wishes(self, allowance: Allowance | None = None) -> Wishes:
        """What the settings ask for, of the whole budget or a part of it; hosts get their pauses as pages are known."""
        pauses = Pauses(self._shortened(self._own_pause()), self._pauses)
        wishes = wishes_of(self.making.settings.plan, pauses, self.making.settings.collection)
        return wishes if allowance is None else replace(wishes, allowance=allowance)

    def outlook(self, pages: Sequence[Known], learned: Learned, allowance: Allowance | None = None) -> Outlook:
        """A planner at work on these pages."""
        nothing = history(pages, (), self.making.hours)
        try:
            planner = Planner(pages, learned, self.wishes(allowance), lambda: nothing, registered_strategies())
        except ValueError as problem:
            raise SettingError(f"plan: {problem}") from None
        plan = self.making.settings.plan
        return Outlook(planner, learned, Thrift(plan.least_chance, plan.look_after / HOUR))

    def known(self, one: Standing, now: float, size: float = 0.0, waits: bool = True) -> Known:
        """A page as a plan sees it; `size` are the bytes its fetch is expected to take. With `waits` it is barred while
        its visits are not planned: it failed, or is gone, and comes by itself.
        """
        zone, shift = self.zone(one.site, now)
        if one.host not in self._pauses:
            self._pauses[one.host] = self._shortened(self._pause(one.host, now))
        barred, tests = self.barring.why(one, now) or (self._waits(one) if waits else ""), ""
        if not barred:
            barred, tests = self.quiet(one, now)
        barred = barred or self.supplied(one, now)
        wait = one.host_not_before if one.host_not_before > now else 0.0
        facts = (size, barred, wait, one.visited, zone, shift, tests, self._costs.of(one.url, one.site, now))
        return Known(one.page, one.url, one.site, one.host, one.weight, *facts)

    def _waits(self, one: Standing) -> str:
        return "" if self.making.starting and one.comes_back else one.waits

    def quiet(self, one: Standing, now: float) -> tuple[str, str]:
        """Why a page is left out as unchanged, and which quiet directory it tests if it is not. Seeds never are."""
        skips = self.making.skips
        return skips.ask(one.site, one.page, now) if skips is not None and one.via != "seed" else ("", "")

    def supplied(self, one: Standing, now: float) -> str:
        """Why a page is not shown again: its text comes from an answer that is asked instead."""
        return self._costs.supplied(one.url, one.site, now)

    def cost(self, url: str, now: float) -> float:
        """Requests that a visit of a page is expected to take."""
        return self._costs.of(url, site(url), now)

    def priced_anew(self, pages: KnownPages, now: float) -> list[int]:
        """Those that are shown, of sites where that costs something else than it did."""
        moved = self._costs.moved(now)
        if not moved:
            return []
        of_these = pages.where("site", moved.__contains__) & (pages.column("cost") > 1.0)
        return [int(page) for page in pages.numbers[of_these]]

    def waiting_for_others(self, pages: Iterable[Known]) -> Iterator[int]:
        """Those whose visits hang on answers: whether these are still the same is looked at before each plan."""
        return iter(()) if self._costs.idle else (page.page for page in pages if page.barred.startswith(SUPPLIED))

    def all_known(
        self, standings: Iterable[Standing], now: float, sizes: Mapping[int, float] | None = None
    ) -> list[Known]:
        """Pages as a plan sees them."""
        sizes = sizes or {}
        return [self.known(one, now, sizes.get(one.page, 0.0)) for one in standings]

    def new_day(self) -> None:
        """Summer time may have begun or ended, and hosts may have other rules."""
        self._zones.clear()
        self._pauses.clear()
        self.barring.new_day()

    def zone(self, site: str, now: float) -> tuple[str, int]:
        """Zone of a site and the hours to add to UTC there; a demonstration lives in UTC."""
        if self.making.paced:
            return "UTC", 0
        if site not in self._zones:
            zone = site_clock(site, self.making.settings.learn, None).zone
            offset = datetime.fromtimestamp(now, UTC).astimezone(ZoneInfo(zone)).utcoffset()
            self._zones[site] = zone, round(offset.total_seconds() / HOUR) if offset else 0
        return self._zones[site]

    def _shortened(self, pause: float) -> float:
        """In hours of another length pauses count for as much of an hour as they take."""
        return pause * HOUR / self.making.hours.length

    def _own_pause(self) -> float:
        manners = self.making.manners
        return manners.least if manners.delay is None else manners.delay

    def _pause(self, host: str, now: float) -> float:
        """Seconds between two requests to a host: what it asks for, what it takes to answer, and never less."""
        making = self.making
        asked = min(self.barring.delay(host, now), making.settings.politeness.crawl_delay_cap)
        own = self._manners.of(host)
        manners = making.manners if own is None else own.settings
        return manners.pause(making.reading.host(host).seconds, asked)
