"""The main job: `strandline watch`. It crawls, studies, learns, plans and spends its budget until it is told to stop.

    plan (watch/watch_plan.py) -> agenda and purse (crawl/watch_*.py) -> the loop of every crawl -> WARC and catalog
      ^                                                                                              |
      +------------- what captures taught  <-  study in worker processes  <--------------------------+

One process writes the archive; study has worker processes of its own and never delays a fetch. Everything that must
survive is in the catalog: spending, the frontier, the time of the watch, what was learned.

**Hooks.** `Hooks` is told what happens, in the watch's own thread; whoever listens must not take long:

    captured(capture)      after each commit: the promise
    progress(tally)        after each commit
    changed(changes)       changes that study has just found (store.studies.Change), in the order of captures
    hour(row)              an hour of the watch has ended (store.watching.HourRow)
    said(text)             a line for the operator: a pause, a budget that cannot be met
    beside()               time has passed; called several times a second, also while nothing happens
    settings()             asked when `Watch.reload` was called (SIGHUP): the settings from then on, as far as they
                           can change while a watch runs (watch/reloading.py); a mistake in them changes nothing

**State.** Table `watch_state` (read with store.watching.WatchReading.watch_state) holds pid, host, started, updated,
ended (empty while it runs) and a document, renewed at most once a second:

    budget, strategy, objective            as the settings say
    hour, hour_seconds                     hours since the Monday the watch counts from; seconds an hour lasts
    allowed, spent_hour, spent_day         of the budget, in its own unit (requests or bytes)
    planned, queue                         visits left of this hour's plan; pages and parts that wait beside it
    pages, looks                           pages the plan knows; planned visits of pages that were looked at least
    longest_gap                            hours that a page may be unseen at most; null when nothing is promised
    left_out, why_left_out                 visits of the budget the plan has no use for; why
    requests, captured, unchanged, failed, skipped, octets        of this run
    per_minute                             captures in the last minute of the clock
    unstudied                              captures that wait to be studied
    paused                                 why nothing is asked for; empty when it is not so
    this_hour                              the figures of the hour so far (watch.hour_figures.HourFigures)
    errors                                 the last failures: [{"time", "url", "problem"}, ...], newest last
    clock                                  start of the machine, seconds since, the clock on the wall (watch_time.py)

Table `watch_hours` holds what every hour was allowed, planned and did.
"""

import dataclasses
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from strandline.alerts.monitor import AlertMonitor
from strandline.archive.disk_space import room_check
from strandline.archive.folder import Archive
from strandline.archive.wall_clock import SystemClock
from strandline.core.capture import Capture
from strandline.crawl.conduct import Conduct
from strandline.crawl.orders import Limits
from strandline.crawl.preparing import CrawlRequest, Prepared, all_allowed, from_known_seeds, prepare_crawl, run_crawl
from strandline.crawl.tally import Tally
from strandline.errors import StrandlineError, UsageError
from strandline.learn.known_pages import HOUR
from strandline.plan.budget_meter import Purse
from strandline.plan.feed_hubs import listening
from strandline.plan.paced_settings import paced
from strandline.plan.settings_wishes import budget_of, budgets_of, purse_of
from strandline.ports import Clock
from strandline.settings.file import NAME
from strandline.settings.schema import Settings
from strandline.store.catalog import SqliteCatalog
from strandline.store.studies import Change
from strandline.store.watching import HourRow
from strandline.study.studying import ROUND, SECOND_LOOK, Studying
from strandline.watch.agenda import WatchAgenda, WatchOrders, WatchParts
from strandline.watch.hour_figures import HourFigures
from strandline.watch.lessons import Lessons
from strandline.watch.reloading import ChangingFile, reloaded
from strandline.watch.watch_plan import WatchPlan
from strandline.watch.watch_time import ClockSteps, time_of

_STATE_EVERY: Final = 1.0
"""Seconds after which the state of a watch is told. Origin: a guess."""
_ROOM_EVERY: Final = 1.0
"""Seconds after which the room on the disk is looked at. Origin: a guess."""
_LOOKS_AN_HOUR: Final = 50.0
"""Times study looks for something new in an hour, when hours are short. Origin: a guess."""

Hour = HourRow
"""What `Hooks.hour` hears."""


@dataclass(frozen=True, slots=True)
class Hooks:
    """Who is told what; see the module's text."""

    captured: Callable[[Capture], None] = lambda _: None
    progress: Callable[[Tally], None] = lambda _: None
    changed: Callable[[list[Change]], None] = lambda _: None
    hour: Callable[[HourRow], None] = lambda _: None
    said: Callable[[str], None] = lambda _: None
    beside: Callable[[], None] = lambda: None
    settings: Callable[[], Settings] | None = None


@dataclass(frozen=True, slots=True)
class WatchRequest:
    """What a watch is started with besides settings. `hours` is how long it runs, 0 for as long as it is let;
    `hour_seconds` how long an hour lasts, 0 for as it was, or by the clock.
    """

    seeds: tuple[str, ...] = ()
    hours: float = 0.0
    hour_seconds: float = 0.0
    hooks: Hooks = field(default_factory=Hooks)
    limits: Limits = field(default_factory=Limits)
    clock: Clock = field(default_factory=SystemClock)
    study_first: bool = False
    """Whether each capture is studied before anything else is asked for: what is learned then does not depend on how
    fast the machine is. For a clock that stands still meanwhile.
    """

    def until(self, length: float) -> Limits:
        """When it ends by itself, if an hour lasts so many seconds."""
        spans = [span for span in (self.hours * length, self.limits.seconds) if span]
        return replace(self.limits, seconds=min(spans, default=0.0))


def run_watch(archive: Archive, settings: Settings, request: WatchRequest) -> Tally:
    """Watch until the time is up or a signal comes. Raises what a crawl raises."""
    with archive.writing("watch") as catalog, ExitStack() as stack:
        watch = Watch(archive.folder, settings, request, catalog)
        monitor = AlertMonitor(archive.folder, settings, watch.length, request.clock)
        watch.monitor = stack.enter_context(closing(monitor))
        if settings.study.workers > 0:
            watch.studying = stack.enter_context(watch.new_studying())
        watch.lessons = stack.enter_context(closing(Lessons(archive, request.hooks.said)))
        stack.enter_context(_reloaded_by_signal(watch))
        tally = watch.run()
        archive.index.refresh()
        return tally


@contextmanager
def _reloaded_by_signal(watch: "Watch") -> Iterator[None]:
    """SIGHUP asks the watch to take its settings anew."""
    try:
        before = signal.signal(signal.SIGHUP, lambda _signal, _frame: watch.reload())
    except ValueError:  # not in the main thread: the caller has other means
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)


class Watch:
    """A watch over an archive whose catalog is open for writing."""

    def __init__(self, folder: Path, settings: Settings, request: WatchRequest, catalog: SqliteCatalog) -> None:
        if request.hours < 0:
            raise UsageError("--for cannot be negative")
        self._folder = folder
        self._request = request
        self._catalog = catalog
        self._clock = request.clock
        self._started = self._clock.now()
        self._steps = ClockSteps(catalog, request.clock, request.hooks.said)
        self._time = time_of(catalog, request.hour_seconds, self._started)
        self.length = self._time.length if self._time else HOUR
        self._settings = settings
        self._prepared = self._prepare(settings)
        self._conduct = Conduct(self._prepared, lambda site: [row.name for row in catalog.reading.hosts(site)])
        self.studying: Studying | None = None
        self.monitor: AlertMonitor | None = None
        self.lessons: Lessons | None = None
        self._plan = WatchPlan(self._prepared, self._time, catalog, self._started)
        self._agenda = self._new_agenda()
        self._tally, self._recent = Tally(), deque[float]()
        self._told_change = catalog.studies.reading.progress()
        self._next_state = self._next_count = self._spent = 0.0
        self._room = self._room_check(settings)
        self._room_checked, self._paused, self._unstudied = 0.0, "", True  # what an earlier run left, too
        self._reload = self._fresh = True  # the file may have changed since the command read it
        self._file = ChangingFile(folder / NAME)
        self._remark = ""

    @property
    def _hooks(self) -> Hooks:
        return self._request.hooks

    def new_studying(self) -> Studying:
        """Study beside this watch; the caller closes it."""
        look = min(2.0, self.length / _LOOKS_AN_HOUR)
        return Studying(self._folder, self._prepared.settings.study, self._catalog, look)

    def _prepare(self, settings: Settings) -> Prepared:
        request = self._request
        until = request.until(self.length)
        crawl = CrawlRequest(request.seeds, until, self._captured, self._progress, request.clock)
        crawl = from_known_seeds(settings, crawl, self._catalog)
        prepared = prepare_crawl(settings, crawl)
        own = all_allowed(prepared.orders.scope.seeds, prepared.policy)
        study = replace(settings.study, double_fetch=settings.study.double_fetch or SECOND_LOOK)
        crawl = replace(crawl, pace=min(1.0, self.length / HOUR) if own else 1.0)
        return prepare_crawl(paced(replace(settings, study=study), self.length, own), crawl)

    def reload(self) -> None:
        """Take the settings anew with the next step. Safe in a signal handler."""
        self._reload = True

    def _take_settings(self, wanted: Callable[[], Settings]) -> None:
        """Go on with other settings, as far as they can change now; a mistake in them changes nothing."""
        self._reload, fresh, self._fresh = False, self._fresh, False
        try:
            found = reloaded(self._settings, wanted())
            if fresh and not found.changed and not found.waiting:
                return
            prepared = self._prepare(found.settings)
            room = self._room_check(found.settings)
            self._plan.keep()
            plan = WatchPlan(prepared, self._time, self._catalog, self._clock.now())
            purse, limits = self._purses(prepared.settings)
            if self.monitor is not None:
                self.monitor.reload(found.settings)
        except StrandlineError as problem:
            self._hooks.said(f"the settings stay as they were: {problem}")
            return
        self._plan.close()
        self._settings, self._prepared, self._plan, self._room = found.settings, prepared, plan, room
        self._conduct.change(prepared)
        self._agenda.change(purse, limits, plan)
        for line in (*found.lines(), *filter(None, [plan.remark()])):
            self._hooks.said(line)

    # -- making ready ------------------------------------------------------------------------------------------------

    def _room_check(self, settings: Settings) -> Callable[[], str]:
        return room_check(settings.keep.disk_reserve, (self._folder, self._folder / "archive"))

    def _new_agenda(self) -> WatchAgenda:
        settings = self._prepared.settings
        purse, limits = self._purses(settings)
        parts = WatchParts(
            self._catalog, self._clock, purse, self._plan,
            paid=self._catalog.watch.begun,
            hour_ended=self._hour_ended,
            step=self._step,
            limits=limits,
            closed=self._conduct.gate.closed,
            paused=self._short_of_room,
            plan_ready=lambda: self._plan.ready,
            left_alone=listening(self._catalog, self.length / HOUR),
            told=lambda found: self._plan.told(found),
            trusted=lambda url, kind: self._plan.trusted(url, kind),
        )  # fmt: skip
        orders = WatchOrders(self.length, settings.study.hold, settings.crawl.retries)
        return WatchAgenda(parts, orders, self._catalog.watch.last_request())

    def _purses(self, settings: Settings) -> tuple[Purse, dict[str, Purse]]:
        """The budget, less what was spent before this start, and the limits of hosts."""
        now, moment = self._clock.now(), self._clock.monotonic()
        self._forget_spending(settings, now)
        purse = purse_of(settings.plan, self.length, self._catalog.watch.reading.spent_since, (now, moment))
        places = budgets_of("plan.site_budgets", settings.plan.site_budgets)
        places |= budgets_of("plan.host_budgets", settings.plan.host_budgets)
        return purse, {place: Purse(one, self.length, moment) for place, one in places.items()}

    def _forget_spending(self, settings: Settings, now: float) -> None:
        """What counts no more against the budget, nor is told of the last day."""
        hours = budget_of("plan.budget", settings.plan.budget).hours
        self._catalog.watch.forget_before(now - max(24.0, hours) * self.length)

    # -- running -----------------------------------------------------------------------------------------------------

    def run(self) -> Tally:
        """Watch. The state says how it ended."""
        ended = "failed"
        try:
            self._tally = run_crawl(
                self._folder, self._prepared, self._catalog, self._agenda, lambda: "", self._conduct
            )
            ended = self._tally.ended
            if ended == "time" and self._request.until(self.length).seconds != self._request.limits.seconds:
                ended = self._tally.ended = "complete"
            self._learn_last(ended)
        finally:
            self._stands(ended)
            self._plan.close()
        return self._tally

    def _learn_last(self, ended: str) -> None:
        """What is shown after a watch rests on its last captures, too, unless they are many or nobody has the time."""
        few = self._catalog.studies.reading.waiting() <= ROUND
        if self.studying is not None and few and ended not in ("interrupted", "forced", "space"):
            self.studying.finish()
            self._tell_changes()
        if self.lessons is not None:
            self.lessons.last()

    def _step(self) -> None:
        """What runs beside the crawl."""
        if self.studying is not None:
            before = self.studying.rounds
            if self._request.study_first and self._unstudied:
                self.studying.finish()
                self._unstudied = False
            else:
                self.studying.beside()
            if self.studying.rounds != before:
                self._tell_changes()
        if self.lessons is not None:
            self.lessons.step(at_once=self._request.study_first)
        if self._hooks.settings is not None and (self._reload or self._file.changed()):
            self._take_settings(self._hooks.settings)
        if self.monitor is not None:
            self.monitor.beside()
        self._hooks.beside()
        if time.monotonic() >= self._next_state:
            self._next_state = time.monotonic() + _STATE_EVERY
            self._steps.look()
            self._stands("")

    def _tell_changes(self) -> None:
        news = list(self._catalog.studies.reading.changes_after(self._told_change))
        if news:
            self._told_change = max(change.by_seq for change in news)
            self._hooks.changed(news)

    def _captured(self, capture: Capture) -> None:
        now = time.monotonic()
        self._recent.append(now)
        while self._recent[0] < now - 60.0:
            self._recent.popleft()
        self._unstudied = True
        self._hooks.captured(capture)

    def _progress(self, tally: Tally) -> None:
        self._tally = tally
        self._hooks.progress(tally)

    def _short_of_room(self) -> str:
        """Why nothing may be asked for now; looked at once a second, told when it begins and when it ends."""
        if time.monotonic() >= self._room_checked:
            self._room_checked = time.monotonic() + _ROOM_EVERY
            before, self._paused = self._paused, self._room()
            if self.monitor is not None:
                self.monitor.room(self._paused)
            if self._paused and not before:
                self._hooks.said(f"paused: {self._paused}")
            elif before and not self._paused:
                self._hooks.said("there is room again: going on")
        return self._paused

    # -- telling -----------------------------------------------------------------------------------------------------

    def _hour_ended(self, figures: HourFigures) -> None:
        row = HourRow(**dataclasses.asdict(figures))
        self._catalog.watch.hour(row)
        self._forget_spending(self._settings, self._clock.now())
        if self.monitor is not None:
            self.monitor.hour(row, self._plan.remark())
        self._hooks.hour(row)
        if self.lessons is not None:
            self.lessons.hour_ended()
        remark = self._plan.remark()
        if remark and remark != self._remark:
            self._remark = remark
            self._hooks.said(remark)

    def _stands(self, ended: str) -> None:
        self._catalog.watch.stands(self._started, self._clock.now(), ended, self.document())

    def _spent_day(self) -> float:
        """What was spent in the last day; a purse remembers no more than its own span. Counted anew each minute of the
        watch: a large budget has many requests.
        """
        moment = self._clock.monotonic()
        if moment >= self._next_count:
            self._next_count = moment + self.length / 60.0
            self._spent = self._catalog.watch.reading.spent_in_all(self._clock.now() - 24.0 * self.length)
        return self._spent

    def document(self) -> dict[str, Any]:
        """How the watch stands; see the module's text."""
        plan, tally, agenda = self._prepared.settings.plan, self._tally, self._agenda
        moment, purse = self._clock.monotonic(), agenda.purse
        waiting = self._catalog.waiting(agenda.wanted_from())[0]
        reading = self._catalog.studies.reading
        return {
            "budget": plan.budget,
            "strategy": plan.strategy,
            "objective": plan.objective,
            "hour": round(self._plan.hour(self._clock.now()), 4),
            "hour_seconds": self.length,
            "allowed": agenda.figures.allowed,
            "spent_hour": purse.spent(moment, self.length),
            "spent_day": self._spent_day(),
            "planned": agenda.planned,
            "queue": waiting,
            "pages": self._plan.pages,
            "longest_gap": self._plan.longest_gap,
            "looks": self._plan.looks,
            "left_out": self._plan.left_out[0],
            "why_left_out": self._plan.left_out[1],
            "requests": agenda.requests,
            "captured": tally.captured,
            "unchanged": tally.unchanged,
            "failed": tally.failed,
            "skipped": tally.skipped,
            "octets": tally.octets,
            "per_minute": len(self._recent),
            "unstudied": reading.waiting(),
            "paused": self._paused,
            "this_hour": dataclasses.asdict(agenda.figures),
            "errors": list(agenda.errors),
            "pid": os.getpid(),
            "clock": self._steps.mark,
        }
