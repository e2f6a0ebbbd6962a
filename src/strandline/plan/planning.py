"""Questions about an archive's plan: what comes next, when and why, as the watch carries it out.

`next`, `plan`, `why`, `quality`, the interface and Python ask here. The plan is that of the watch
(plan/archive_plan.py): the same pages, beliefs, claims, priors, worth and budget; the visits are those a watch makes
that is running, or would be started now (plan/coming_visits.py). What had to be learned from all captures is kept for
the next question; when another process writes the archive, or it lies on a read-only disk, nothing is kept and the
answer is the same.
"""

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from functools import cached_property, singledispatch
from typing import Any, Final

from strandline.access.gaps import Said
from strandline.archive.database_names import named
from strandline.archive.folder import Archive
from strandline.archive.given_seeds import known_seeds, read_seeds
from strandline.checks import registered_strategies
from strandline.core.rivals.catalogue import STRATEGIES
from strandline.core.urls import canonical
from strandline.core.wording import counted
from strandline.crawl.orders import Limits
from strandline.crawl.preparing import address_policy, all_allowed, manners_of, orders_of
from strandline.crawl.quiet_sites import QuietPlan
from strandline.crawl.site_orders import manners_with_sites
from strandline.crawl.skipping import plan_skips
from strandline.errors import ArchiveBusy, SettingError, UsageError
from strandline.learn.experience import History, Learned, history
from strandline.learn.file_rows import MANY
from strandline.learn.known_pages import HOUR, Hours, Told
from strandline.learn.page_columns import KnownPages
from strandline.plan.all_looks import AllLooks, all_looks
from strandline.plan.archive_plan import ArchivePlan, plan_hours
from strandline.plan.budget_meter import Purse
from strandline.plan.coming_visits import Asked, ComingVisits, FolderVisits
from strandline.plan.due import Due
from strandline.plan.hour_note import KIND, HourNote
from strandline.plan.maker import Making, PlanMaker
from strandline.plan.next_visits import Planner
from strandline.plan.outlook import Outlook
from strandline.plan.paced_settings import paced
from strandline.plan.page_facts import FactsNoted, PageFacts
from strandline.plan.settings_wishes import purse_of
from strandline.plan.told_changes import said_of
from strandline.plan.wishes import Wishes
from strandline.settings.in_force import in_force
from strandline.settings.schema import PlanSettings, Settings
from strandline.store.catalog import DATABASE, open_catalog
from strandline.store.standing import StandingReading
from strandline.store.watching import HourRow, TimePiece, WatchReading

_CLOCKS_APART: Final = 60.0
"""Seconds by which clocks of machines may differ without being worth a word. Origin: a guess."""
_OF_A_RUN: Final = ("budget", "strategy", "objective")
"""Settings that a watch says it runs with. Origin: a definition."""
_MOST_VISITS: Final = 10_000_000
"""Visits of an hour that may be asked for. Origin: a bound on memory."""
_FRESH: Final = 60.0
"""Seconds after which a watch that did not say how it stands is not running. Origin: a guess."""


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
        self._asked_plan = plan
        self._asked_hour = hour_seconds
        self._own_plan = plan is None or plan == archive.settings.plan
        self._noted = FactsNoted()

    @cached_property
    def settings(self) -> Settings:
        """Those of the archive, with the plan that was asked for; else with what a running watch was given to spend and
        how, which may be other than what is written down.
        """
        plan = self._asked_plan or self.archive.settings.plan
        if self._asked_plan is None and self._watch[1]:
            known = given_to_watch(self.archive)
            plan = replace(plan, **{name: known[name] for name in _OF_A_RUN if name in known})
        return in_force(replace(self.archive.settings, plan=plan))

    @cached_property
    def reading(self) -> StandingReading:
        """The catalog, for reading."""
        return StandingReading.open(self.archive.database)

    @cached_property
    def _everything(self) -> StandingReading:
        """The catalog as a watch sees it, with what is taken down: that is captured, and not shown."""
        return StandingReading.open(self.archive.database, everything=True)

    @cached_property
    def _watch(self) -> tuple[TimePiece | None, bool]:
        """How the hours of the last watch ran, and whether it is running."""
        with closing(WatchReading.open(self.archive.database)) as watch:
            return watch.watch_time(), is_watched(self.archive, self.now)

    def hours_watched(self, since: float) -> list[HourRow]:
        """What watches noted of the hours that began since a time."""
        with closing(WatchReading.open(self.archive.database)) as watch:
            return list(watch.watch_hours(since))

    @property
    def hour_seconds(self) -> float:
        """Seconds of a planned hour."""
        return self._asked_hour or (self._watch[0].length if self._watch[0] else HOUR)

    @cached_property
    def hours(self) -> Hours:
        """Those of the watch, else hours from before the first capture."""
        time = self._watch[0]
        own = time if time is not None and time.length == self.hour_seconds else None
        return plan_hours(self._everything, own, self.now, self.hour_seconds)

    # The plan -------------------------------------------------------------------------------------------------------

    @cached_property
    def skips(self) -> QuietPlan | None:
        """What the plan leaves out as unchanged; None when it leaves out nothing."""
        settings = self.settings
        if settings.plan.skip == "none":
            return None
        return plan_skips(settings.plan.skip, self.archive.folder / DATABASE, settings.learn.version)

    @property
    def starting(self) -> bool:
        """Whether a watch that starts now is asked about, since none is running."""
        return not (self._watch[1] and self._own_plan)

    @cached_property
    def maker(self) -> PlanMaker:
        """How pages become what a plan knows of them, as in a watch."""
        seeds = read_seeds(known_seeds(self.archive.settings, self._everything))
        own = self._asked_hour is None and all_allowed(seeds, address_policy(self.settings.fetch))
        settings = paced(self.settings, self.hour_seconds, own)
        shorter = self._watch[0] is not None or self.hour_seconds != HOUR
        own_manners = manners_with_sites(settings, manners_of(settings.politeness))
        facts = (settings, orders_of(settings, seeds, Limits()), own_manners)
        return PlanMaker(Making(*facts, self.hours, shorter, self._everything, self.skips, self.starting))

    @cached_property
    def outlook(self) -> Outlook:
        """The plan, with everything that was studied by now."""
        return self._open()

    def _open(self) -> Outlook:
        self._need_pages()
        plan = ArchivePlan(self.maker, self._everything)
        found = plan.outlook(self.now)
        found.look_around(int(self.hours.at(self.now) // 1))
        if plan.anew:
            self.keep(plan)
        return found

    def keep(self, plan: ArchivePlan) -> None:
        """Keep what was learned for whoever asks next, if nobody else is writing."""
        try:
            with closing(open_catalog(self.archive.folder, "plan")) as catalog:
                plan.keep(catalog, self.now)
        except (ArchiveBusy, SettingError, OSError):
            return  # the answer does not depend on it

    @cached_property
    def coming(self) -> ComingVisits:
        """The visits that come."""
        return coming_of(self.archive, self)

    def asked(self, purse: Purse) -> Asked:
        """What is known when somebody asks what comes, with this budget."""
        note = HourNote.read(self._everything.note(KIND, ""))
        return Asked(self.maker, self._everything, purse, self.now, self.starting, note)

    # All pages ------------------------------------------------------------------------------------------------------

    def _need_pages(self) -> None:
        if next(self.reading.standings(), None) is None:
            raise UsageError(f"{named(self.archive.folder)} has no pages yet; crawl or import something first")

    @cached_property
    def whole(self) -> Outlook:
        """What is believed of all pages that are shown, those that were never fetched or wait among them. Apart from
        the plan: measures must not hang on whether it was asked for before.
        """
        self._need_pages()
        if self.reading.hidden:  # what is taken down tells nothing
            found = ArchivePlan(self.maker, self.reading).outlook(self.now)
            found.look_around(int(self.hours.at(self.now) // 1))
        elif "outlook" in self.__dict__ and len(self.outlook.planner.pages) < MANY:
            found = self.outlook.copy()
        else:  # two of them would take twice the memory
            self.let_go(plan=True)
            found = self._open()
        standings = self._noted.passing(self.reading.standings())
        found.grow(self.maker.known(one, self.now, waits=False) for one in standings)
        return found

    @property
    def few(self) -> bool:
        """Whether plan and measures may be held side by side."""
        return sum(row.pages for row in self.reading.sites()) < MANY

    def spare_outlook(self) -> Outlook:
        """A plan that may be lived through: a copy. Of very many pages the plan itself, which is made anew, as it was,
        when it is asked for again: two would take twice the memory.
        """
        found = self.outlook
        if len(found.planner.pages) < MANY:
            return found.copy()
        self.let_go(plan=True)
        return found

    def let_go(self, *, plan: bool = False, measures: bool = False) -> None:
        """Forget the plan, or what measures are made of, if it is of very many pages: both take memory by the page.
        Who asks again waits until it is made anew.
        """
        held = self.__dict__
        if plan and "outlook" in held and len(self.outlook.planner.pages) >= MANY:
            for name in ("outlook", "coming"):
                held.pop(name, None)
        if measures and "whole" in held and len(self.pages) >= MANY:
            for name in ("whole", "facts", "looks", "past", "said"):
                held.pop(name, None)
            self._noted = FactsNoted()

    @property
    def planner(self) -> Planner:
        """Of all pages."""
        return self.whole.planner

    @property
    def learned(self) -> Learned:
        """What captures taught of all pages."""
        return self.whole.learned

    @property
    def pages(self) -> KnownPages:
        """All pages as planning sees them."""
        return self.planner.pages

    @cached_property
    def facts(self) -> PageFacts:
        """How all pages stand, in the same order."""
        return self._noted.in_rows(self.planner.row_of, self.reading.contents())

    def _told_before(self) -> Iterator[Told]:
        """What was told of changes that had been: who looks back knows what was told afterwards, too."""
        return ((page, time, time, who) for page, time, said, who in self.reading.claims_told() if time <= said)

    @cached_property
    def past(self) -> History:
        """All captures that teach something; those not studied yet by their digests."""
        return history(self.pages, self.reading.all_sightings(), self.hours, self._told_before())

    @cached_property
    def looks(self) -> AllLooks:
        """The same captures as measures see them, in less memory."""
        return all_looks(self.planner.rows, self.reading.all_sightings(), self.hours, self._told_before())

    @cached_property
    def said(self) -> Said:
        """What sitemaps and feeds said of the pages."""
        return said_of(self.reading.claims_told(), self.reading.sitemap_readings(), self.pages, self.hours)

    @cached_property
    def wishes(self) -> Wishes:
        """What the settings ask for; SettingError names the key that is wrong."""
        return self.maker.wishes()

    @property
    def remark(self) -> str:
        """What whoever reads the answer should know; empty when there is nothing."""
        number, latest = self.reading.last_capture()
        waiting, behind = number - self.reading.progress(), latest - self.now
        told = []
        if waiting > 0:
            told.append(
                f"{counted(waiting, 'capture is', 'captures are')} still to be studied; plans count them when they are"
            )
        if behind > _CLOCKS_APART:
            told.append(f"the clock of this machine is {behind / 3600.0:.3g} hours behind the latest capture")
        return "; ".join(told)

    def check_budget(self) -> str:
        """One line when the budget is more than politeness allows; empty when it can be spent."""
        planner = self.planner
        wanted, most = planner.visits_per_hour(), planner.most_per_hour
        if wanted <= most * (1.0 + 1e-9):
            return ""
        hosts = planner.open_hosts
        if not hosts:
            return "no known page may be visited; `strandline why` says why not of each"
        return (
            f"a budget of {self.settings.plan.budget} is more than politeness allows: "
            f"{counted(hosts, 'host')}, with the pauses owed to {'it' if hosts == 1 else 'them'}, "
            f"{'takes' if hosts == 1 else 'take'} at most {24 * most:.0f}/day; the pauses win"
        )

    # Answers --------------------------------------------------------------------------------------------------------

    def next(self, visits: int | None = None) -> list[Due]:
        """The visits of the hour that is running, in the order of time: as many as its budget leaves, or the best so
        many.
        """
        if visits is not None and not 1 <= visits <= _MOST_VISITS:
            raise UsageError(f"at least one visit and at most {_MOST_VISITS} must be asked for, not {visits}")
        self._need_pages()
        return [visit for visit in self.coming.this_hour(visits) if self.reading.shows(visit.url)]

    def ahead(self, hours: float) -> Iterator[Due]:
        """Visits of the coming hours; UsageError when the budget cannot be spent politely."""
        problem = self.check_budget()
        if problem:
            raise UsageError(problem)
        self.let_go(measures=True)
        return (visit for visit in self.coming.ahead(hours) if self.reading.shows(visit.url))


@singledispatch
def coming_of(archive: Archive, planning: Planning) -> ComingVisits:
    """Who knows what visits come to an archive: a cluster's are planned site by site."""
    with closing(WatchReading.open(archive.database)) as watch:
        purse = purse_of(planning.settings.plan, planning.hour_seconds, watch.spent_since, (planning.now, planning.now))
    return FolderVisits(planning.asked(purse), lambda: planning.outlook, planning.spare_outlook)


@singledispatch
def is_watched(archive: Archive, now: float) -> bool:
    """Whether a watch is running."""
    with closing(WatchReading.open(archive.database)) as watch:
        state = watch.watch_state()
    return state is not None and not state.ended and abs(now - state.updated) < _FRESH


@singledispatch
def given_to_watch(archive: Archive) -> Mapping[str, Any]:
    """What a running watch says it runs with; nothing of a cluster, whose workers follow its settings."""
    with closing(WatchReading.open(archive.database)) as watch:
        state = watch.watch_state()
    return state.document if state else {}


def strategy_names() -> list[str]:
    """Names of all strategies there are, those of other packages among them."""
    return sorted({*STRATEGIES, *registered_strategies()})


def address(url: str) -> str:
    """An address as the catalog writes it; UsageError for one that is none."""
    try:
        return canonical(url)
    except ValueError as problem:
        raise UsageError(str(problem)) from None
