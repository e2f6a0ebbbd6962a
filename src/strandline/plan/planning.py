"""Planning on an archive: settings become wishes, the catalog becomes pages, captures become knowledge that is kept.

Replaying all captures takes a while on a large archive. What was learned is therefore kept in the catalog, under the
number of the last capture it knows; while nothing new was captured, the next question is answered from it. When another
process writes the archive, or it lies on a read-only disk, nothing is kept and the answer is the same.
"""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import Final
from zoneinfo import ZoneInfo

from strandline.access.gaps import Said
from strandline.archive.folder import Archive
from strandline.archive.given_seeds import known_seeds, read_seeds
from strandline.archive.site_clocks import site_clock
from strandline.checks import registered_strategies
from strandline.core.capture import Evidence, Kind
from strandline.core.discovery.scope import Scope
from strandline.core.politeness.robots import Robots, RobotsCopy
from strandline.core.rivals.catalogue import STRATEGIES
from strandline.core.urls import canonical
from strandline.core.wording import counted
from strandline.crawl.orders import Limits
from strandline.crawl.preparing import manners_of, orders_of
from strandline.crawl.quiet_sites import QuietPlan
from strandline.crawl.skipping import plan_skips
from strandline.crawl.skips import QUIET
from strandline.errors import ArchiveBusy, SettingError, UsageError
from strandline.learn.experience import HOUR, History, Hours, Known, Learned, history, learn
from strandline.plan.next_visits import Due, Planner
from strandline.plan.settings_wishes import Pauses, wishes_of
from strandline.plan.told_changes import said_of, silent_looks
from strandline.plan.wishes import Wishes
from strandline.settings.schema import PlanSettings, Settings
from strandline.settings.units import rate
from strandline.store.catalog import DATABASE, open_catalog
from strandline.store.standing import Standing, StandingReading
from strandline.store.watching import HourRow, TimePiece, WatchReading

_NOTE: Final = ("planning", "learned")
_MARK: Final = struct.Struct("<4sqqqdI")
_FORMAT: Final = b"SLP6"
_LARGEST_NOTE: Final = 200_000_000
_ROBOTS_PAGES: Final = 200_000
"""Pages up to which each address is held against robots.txt beforehand; beyond, when its turn comes."""
_ASKED_ANEW: Final = ("robots", "out of scope", "excluded", "too many hops", QUIET)
"""Reasons for which a page was skipped once that are looked at again; what else was skipped was taken for a trap."""
_CLOCKS_APART: Final = 60.0
"""Seconds by which clocks of machines may differ without being worth a word."""
_ABSENT: Final = 0.1
"""A page that answered 404 may come back: it keeps this share of its weight."""


class Planning:
    """One archive, asked what to fetch. `now` is UTC epoch seconds; `hour_seconds` are the seconds a planned hour
    lasts: fewer in demonstrations, which have no time to wait for the night. Unless it is given, hours are those of
    the archive's last watch.
    """

    def __init__(
        self, archive: Archive, now: float, plan: PlanSettings | None = None, hour_seconds: float | None = None
    ) -> None:
        if hour_seconds is not None and not 0.0 < hour_seconds <= HOUR:
            raise UsageError(f"an hour lasts more than 0 and at most 3600 seconds, not {hour_seconds:g}")
        self.archive = archive
        self.now = now
        self._asked_hour = hour_seconds
        self.settings: Settings = replace(archive.settings, plan=plan or archive.settings.plan)
        self.scope = self._scope()
        self._robots: dict[str, Robots | None] = {}
        self._zones: dict[str, tuple[str, int]] = {}

    @cached_property
    def reading(self) -> StandingReading:
        """The catalog, for reading."""
        return StandingReading.open(self.archive.database)

    def _scope(self) -> Scope | None:
        """What is in scope; None for an archive without seeds, all of whose pages are wanted."""
        if not self.settings.scope.seeds:
            return None
        seeds = read_seeds(known_seeds(self.settings, self.reading))
        scope = Scope(orders_of(self.settings, seeds, Limits()).scope)
        scope.extend(target for seed in seeds for target in self._redirects(seed))
        return scope

    def _redirects(self, seed: str) -> Iterator[str]:
        """Where a seed led when it was last fetched: it takes its scope along, as in a crawl."""
        target = seed
        for _ in range(self.settings.fetch.redirects):
            captures = self.reading.captures(target)
            if not captures or not captures[-1].redirect:
                return
            target = captures[-1].redirect
            yield target

    # Pages ----------------------------------------------------------------------------------------------------------

    @cached_property
    def standings(self) -> list[Standing]:
        """All pages, in the order they were found; one clear line when there are none."""
        found = list(self.reading.standings())
        if not found:
            raise UsageError(f"{self.archive.folder} has no pages yet; crawl or import something first")
        return found

    @cached_property
    def pages(self) -> list[Known]:
        """The same as planning sees them."""
        sizes = self.reading.sizes() if rate(self.settings.plan.budget).in_bytes else {}
        robots = len(self.standings) <= _ROBOTS_PAGES
        return [self.known(one, sizes.get(one.page, 0.0), robots) for one in self.standings]

    def known(self, one: Standing, size: float = 0.0, robots: bool = True) -> Known:
        """One page as planning sees it; `size` are the bytes its fetch is expected to take."""
        zone, shift = self.zone(one.site)
        return Known(
            page=one.page,
            url=one.url,
            site=one.site,
            host=one.host,
            weight=one.weight * (_ABSENT if one.evidence == Evidence.ABSENT else 1.0),
            size=size,
            barred=self.barred(one, robots),
            not_before=max(one.not_before, one.host_not_before),
            visited=one.visited,
            zone=zone,
            shift=shift,
            tests=self.quiet(one)[1],
        )

    def zone(self, site: str) -> tuple[str, int]:
        """Time zone of a site and its whole hours ahead of UTC today: as the settings say, else guessed. Shorter hours
        know no zones.
        """
        if site not in self._zones:
            name = site_clock(site, self.settings.learn, None).zone
            shift = datetime.fromtimestamp(self.now, ZoneInfo(name)).utcoffset()
            hours = round(shift.total_seconds() / HOUR) if shift and self.hour_seconds == HOUR else 0
            self._zones[site] = (name, hours)
        return self._zones[site]

    @cached_property
    def skips(self) -> QuietPlan | None:
        """What the plan leaves out as unchanged; None when it leaves out nothing."""
        settings = self.settings
        if settings.plan.skip == "none":
            return None
        return plan_skips(settings.plan.skip, self.archive.folder / DATABASE, settings.learn.version)

    def barred(self, one: Standing, robots: bool = True) -> str:
        """Why a page is never fetched; empty when it may be."""
        refused = self.scope.refuses(one.url, Kind.PAGE, one.hops) if self.scope else ""
        if refused:
            return refused
        rules = self.robots(one.host) if robots else None
        if rules is not None and not rules.allows(one.url):
            return f"robots: {rules.reason}"
        if one.outcome == "skipped" and not one.detail.startswith(_ASKED_ANEW):
            return one.detail
        return self.quiet(one)[0]

    def quiet(self, one: Standing) -> tuple[str, str]:
        """Why a page is left out as unchanged, and which quiet directory it tests if it is not. Seeds never are."""
        return self.skips.ask(one.site, one.page, self.now) if self.skips and one.via != "seed" else ("", "")

    def robots(self, host: str) -> Robots | None:
        """The rules of a host as last fetched; None when they are not known, forbid nothing, or are not obeyed."""
        if host not in self._robots:
            state = self.reading.host(host)
            obeyed = self.settings.politeness.robots == "obey" and state.robots_time > 0
            unreachable = orders_of(self.settings, (), Limits()).robots_unreachable
            copy = RobotsCopy(state.robots_time, state.robots_status, state.robots_body)
            quiet = copy.reached and b"disallow" not in copy.body.lower() and b"delay" not in copy.body.lower()
            self._robots[host] = None if quiet or not obeyed else Robots(copy, self.now, unreachable)
        return self._robots[host]

    @property
    def remark(self) -> str:
        """What whoever reads the answer should know; empty when there is nothing."""
        number, latest = self.reading.last_capture()
        waiting, behind = number - self.reading.progress(), latest - self.now
        told = []
        if waiting > 0:
            told.append(
                f"{counted(waiting, 'capture is', 'captures are')} still to be studied; until then digests tell changes"
            )
        if behind > _CLOCKS_APART:
            told.append(f"the clock of this machine is {behind / 3600.0:.3g} hours behind the latest capture")
        return "; ".join(told)

    # Knowledge ------------------------------------------------------------------------------------------------------

    def hours_watched(self, since: float) -> list[HourRow]:
        """What watches noted of the hours that began since a time."""
        with closing(WatchReading.open(self.archive.database)) as watch:
            return list(watch.watch_hours(since))

    @cached_property
    def _watch_time(self) -> TimePiece | None:
        with closing(WatchReading.open(self.archive.database)) as watch:
            return watch.watch_time()

    @property
    def hour_seconds(self) -> float:
        """Seconds of a planned hour."""
        return self._asked_hour or (self._watch_time.length if self._watch_time else HOUR)

    @cached_property
    def hours(self) -> Hours:
        """Those of the watch, else hours from before the first capture."""
        if self._watch_time and self._watch_time.length == self.hour_seconds:
            return Hours(self._watch_time.zero, self._watch_time.length)
        first = min((row.first for row in self.reading.sites() if row.first is not None), default=self.now)
        return Hours.since(min(first, self.now), self.hour_seconds)

    @cached_property
    def past(self) -> History:
        """All captures that teach something."""
        return history(self.pages, self.reading.all_sightings(), self.hours, self.reading.all_claims())

    @cached_property
    def said(self) -> Said:
        """What sitemaps and feeds said of the pages."""
        return said_of(self.reading.claims_told(), self.reading.sitemap_readings(), self.pages, self.hours)

    @cached_property
    def learned(self) -> Learned:
        """What captures taught, as kept or learned now."""
        zones = zlib.crc32(repr(sorted({(page.site, page.shift) for page in self.pages})).encode())
        captures = (self.reading.last_capture()[0], self.reading.progress())
        mark = _MARK.pack(_FORMAT, *captures, int(self.hours.start), self.hours.length, zones)
        kept = self.reading.note(*_NOTE)
        if kept is not None and kept.startswith(mark):
            try:
                return Learned.from_bytes(kept[len(mark) :])
            except (ValueError, KeyError, OSError, zipfile.BadZipFile):
                pass  # of another release: learned anew
        found = learn(self.pages, self.past, self.hours, silent=silent_looks(self.past, self.said, self.pages))
        self._keep(mark + found.to_bytes())
        return found

    def _keep(self, state: bytes) -> None:
        if len(state) > _LARGEST_NOTE:
            return
        try:
            with closing(open_catalog(self.archive.folder, "plan")) as catalog:
                catalog.note(_NOTE[0], [(_NOTE[1], state)])
        except (ArchiveBusy, SettingError, OSError):
            return  # the answer does not depend on it

    # Wishes ---------------------------------------------------------------------------------------------------------

    @cached_property
    def wishes(self) -> Wishes:
        """What the settings ask for; SettingError names the key that is wrong."""
        plan = self.settings.plan
        manners = manners_of(self.settings.politeness)
        pause = manners.least if manners.delay is None else manners.delay
        shortened = self._watch_time is not None and self._asked_hour is None
        length = HOUR if shortened else self.hour_seconds  # in a demonstration pauses shrink, too
        hosts = {one.host for one in self.standings}
        return wishes_of(plan, Pauses(pause, {host: self.pause(host, pause) for host in hosts}, length))

    def pause(self, host: str, least: float) -> float:
        """Seconds between two requests to a host: what it asks for, what it takes to answer, and never less."""
        politeness = self.settings.politeness
        rules = self.robots(host)
        asked = min(rules.delay or 0.0, politeness.crawl_delay_cap) if rules is not None else 0.0
        if politeness.delay == "auto":
            least = min(max(least, politeness.delay_factor * self.reading.host(host).seconds), politeness.longest)
        return max(least, asked)

    @cached_property
    def planner(self) -> Planner:
        """The strategy, ready to answer."""
        try:
            return Planner(self.pages, self.learned, self.wishes, lambda: self.past, registered_strategies())
        except ValueError as problem:
            raise SettingError(f"plan: {problem}") from None

    def check_budget(self) -> str:
        """One line when the budget is more than politeness allows; empty when it can be spent."""
        wanted, most = self.planner.visits_per_hour(), self.planner.most_per_hour
        if wanted <= most * (1.0 + 1e-9):
            return ""
        hosts = len({page.host for page in self.pages if not page.barred})
        if not hosts:
            return "no known page may be visited; `strandline why` says why not of each"
        return (
            f"a budget of {self.settings.plan.budget} is more than politeness allows: "
            f"{counted(hosts, 'host')}, with the pauses owed to {'it' if hosts == 1 else 'them'}, "
            f"{'takes' if hosts == 1 else 'take'} at most {24 * most:.0f}/day; the pauses win"
        )

    # Answers --------------------------------------------------------------------------------------------------------

    def next(self, visits: int | None = None) -> list[Due]:
        """The most urgent pages now; by default as many as the budget allows in an hour."""
        count = max(1, round(self.planner.visits_per_hour())) if visits is None else visits
        if count < 1:
            raise UsageError(f"at least one visit must be asked for, not {count}")
        return self.planner.next(count, self.now)

    def ahead(self, hours: float) -> Iterator[Due]:
        """Visits of the coming hours; UsageError when the budget cannot be spent politely."""
        problem = self.check_budget()
        if problem:
            raise UsageError(problem)
        return self.planner.ahead(self.now, hours)


def strategy_names() -> list[str]:
    """Names of all strategies there are, those of other packages among them."""
    return sorted({*STRATEGIES, *registered_strategies()})


def address(url: str) -> str:
    """An address as the catalog writes it; UsageError for one that is none."""
    try:
        return canonical(url)
    except ValueError as problem:
        raise UsageError(str(problem)) from None
