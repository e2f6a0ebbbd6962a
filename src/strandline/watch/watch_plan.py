"""The plan of a watch: the plan of its archive (plan/archive_plan.py), hour by hour, kept so that whoever asks sees it.

What captures taught is kept in the catalog, each hour; a new start takes it from there and adds
what was studied since. The visits of the hour that is running are kept with their reasons (plan/hour_note.py): `next`
and `why` tell them as they were planned.

The plan of a large archive is opened beside the crawl (watch/beside.py). Until then a watch visits what the one before
it had left to visit in this hour, and what is due by itself.
"""

import subprocess
import sys
from collections.abc import Collection, Iterable, Sequence
from contextlib import closing
from typing import Final

import numpy as np

from strandline.archive.wall_clock import SystemClock
from strandline.core.capture import Kind
from strandline.core.plan.budget import Allowance
from strandline.core.plan.priced_plan import PricedPlan
from strandline.core.urls import site
from strandline.crawl.preparing import Prepared
from strandline.crawl.skipping import plan_skips
from strandline.kernels.shipped import standing
from strandline.learn.experience import BELIEFS, history, learn
from strandline.learn.known_pages import HOUR, Hours, Known, Told
from strandline.plan.archive_plan import ArchivePlan, plan_hours
from strandline.plan.claims import GOOD
from strandline.plan.due import Due
from strandline.plan.hour_note import KIND, HourNote
from strandline.plan.maker import Making, PlanMaker
from strandline.plan.next_visits import Planner
from strandline.plan.outlook import Outlook
from strandline.plan.wishes import Wishes
from strandline.ports import Found
from strandline.store.catalog import SqliteCatalog
from strandline.store.standing import StandingReading
from strandline.store.studies import Seen
from strandline.store.watching import TimePiece
from strandline.version import __version__
from strandline.watch.beside import Beside

AT_ONCE: Final = 2_000
"""Pages up to which a plan is opened before anything is asked for; of more, beside the crawl, unless the hours of the
watch are not those of the clock: they may be over before it is open. Origin: a bound on time."""
_COMPILED: Final = ("watch", "compiled")
_DAY: Final = 24
"""Hours after which zones, rules of hosts and quiet directories are looked at again. Origin: a unit."""


class WatchPlan:
    """Implements watch.agenda.Foresight."""

    def __init__(self, prepared: Prepared, time: TimePiece | None, catalog: SqliteCatalog, now: float) -> None:
        self._prepared = prepared
        self._catalog = catalog
        self._reading = StandingReading.open(catalog.path, everything=True)
        self._hours = plan_hours(self._reading, time, now)
        self._day = self._kept_at = 0
        self._note = HourNote()
        self._most: dict[int, float] = {}
        """Requests that politeness allowed in the hours of the last day in which somebody asked."""
        settings = prepared.settings
        skips = (
            None
            if settings.plan.skip == "none"
            else plan_skips(settings.plan.skip, catalog.path, settings.learn.version)
        )
        facts = (settings, prepared.orders, prepared.manners)
        making = Making(*facts, self._hours, time is not None, self._reading, skips)
        self._plan = ArchivePlan(PlanMaker(making), self._reading)
        self._compiling = Compiling(catalog)
        self._in_real_time = self._hours.length == HOUR and isinstance(prepared.request.clock, SystemClock)
        self._opening: tuple[int, Beside[list[Due]]] | None = None
        """The hour whose visits are chosen beside the crawl while the plan is opened."""
        self._late_touched: list[int] = []
        self._late_told: list[Told] = []
        """What happened meanwhile."""

    @property
    def _opened(self) -> Outlook | None:
        """None before the plan was asked for, and while it is being opened."""
        return self._plan.opened if self._opening is None else None

    @property
    def ready(self) -> bool:
        """Whether the plan was opened beside the crawl, and was not asked since."""
        return self._opening is not None and not self._opening[1].running

    def _learned_again(self) -> bool:
        """Whether somebody wants everything learned from the beginning: what was kept is gone."""
        return self._plan.is_kept and self._catalog.reading.note(*BELIEFS) is None

    def keep(self) -> None:
        """Keep what was learned."""
        if self._opened is not None and not self._learned_again():
            self._plan.keep(self._catalog, self._hours.seconds(self._kept_at))

    # -- answers -----------------------------------------------------------------------------------------------------

    @property
    def pages(self) -> int:
        """Pages the plan knows."""
        return len(self._opened.planner.pages) if self._opened else 0

    @property
    def looks(self) -> int:
        """Visits of the last plan that will probably find nothing, one by one."""
        return self._opened.looks if self._opened else 0

    @property
    def left_out(self) -> tuple[int, str]:
        """Visits the last plan had no use for, and why."""
        return (self._opened.left_out, self._opened.why_left_out) if self._opened else (0, "")

    @property
    def longest_gap(self) -> float | None:
        """Hours that a page may be unseen at most; None when nothing is known or promised."""
        planner = None if self._opened is None else self._opened.planner
        if planner is None or not isinstance(planner.strategy, PricedPlan):
            return None
        found = planner.strategy.settings.gap.bound(len(planner.pages), planner.visits_per_hour())
        return round(found, 1) if np.isfinite(found) else None

    def hour(self, now: float) -> float:
        """Hours since a Monday midnight."""
        return self._hours.at(now)

    def cost(self, url: str) -> float:
        """See watch.agenda.Foresight; a single request while the plan is being opened."""
        planned = self._opening is None and self._note.hour >= 0
        return self._plan.maker.cost(url, self._hours.seconds(self._note.hour)) if planned else 1.0

    def away(self, hour: int) -> Collection[str]:
        """See watch.agenda.Foresight."""
        return self._reading.hosts_waiting(self._hours.seconds(hour + 1)) if self._opening is None else ()

    def touched(self, pages: Iterable[int]) -> None:
        """Pages were visited, or passed over: look at them before the next plan."""
        if self._opening is None:
            self._plan.touched(pages)
        else:
            self._late_touched.extend(pages)

    def plan(self, hour: int, visits: int, most: float) -> list[Due]:
        """See watch.agenda.Foresight; what was found and studied until now is taken in first. While the code that plans
        is still being compiled, pages have their turn.
        """
        start = self._hours.seconds(hour)
        if not self._compiling.done():
            found = self._reading.longest_unseen(visits, start)
            pace = self._hours.length / max(visits, 1)
            reason = "not seen for longest: what is worth most is not known yet"
            return [Due(page, url, 0.0, reason, start + place * pace) for place, (page, url) in enumerate(found)]
        if self._opening is None and self._learned_again():
            self._plan.forget()
            self._kept_at = 0
        chosen = self._chosen(hour, visits, most)
        if chosen is None:
            return self._left_before(hour)
        if (outlook := self._plan.opened) is not None:
            chosen = self._note.in_time(hour, start, chosen, lambda page: outlook.was_made(page, hour - 1))
        if hour > self._kept_at:
            self._kept_at = hour
            self.keep()
        self._note.add(hour, chosen)
        self._catalog.note(*self._note.to_keep())
        return chosen

    def _chosen(self, hour: int, visits: int, most: float) -> list[Due] | None:
        """What the plan wants; None while it is being opened."""

        def choose() -> list[Due]:
            if hour >= self._day + _DAY:
                self._plan.new_day(self._hours.seconds(hour))
                self._day = hour
            return self._plan.visits(hour, visits, most)

        waits = self._opening is None and self._plan.opened is None and self._in_real_time
        if waits and self._reading.newest_page() > AT_ONCE:
            self._opening = hour, Beside(choose)
            return None
        if self._opening is None:
            return choose()
        opened_for, beside = self._opening
        if beside.running:
            return None
        self._opening = None
        visited = set(self._late_touched)
        chosen = [visit for visit in beside.result() if visit.page not in visited]
        self._plan.touched(visited)
        for claim in self._late_told:
            self._plan.tell(*claim)
        self._late_touched, self._late_told = [], []
        return chosen if opened_for == hour else choose()

    def _left_before(self, hour: int) -> list[Due]:
        """What a watch that was stopped in this hour had left to visit in it."""
        note = HourNote.read(self._catalog.reading.note(KIND, ""))
        if note.hour != hour:
            return []
        with closing(StandingReading.open(self._catalog.path, everything=True)) as reading:
            return note.left(reading, self._hours.seconds(hour))

    def told(self, found: Sequence[Found]) -> None:
        """Sitemaps and feeds say when pages last changed; what is long past was seen, or will be, anyway."""
        if self._plan.opened is None and self._opening is None:
            return
        said = max(one.due for one in found)
        for one in found:
            if one.lastmod is not None:
                row = self._catalog.page(one.url)
                if row is not None and self._opening is None:
                    self._plan.tell(row.page, one.lastmod, said, one.via)
                elif row is not None:
                    self._late_told.append((row.page, one.lastmod, said, one.via))

    def trusted(self, url: str, kind: Kind) -> bool:
        """Whether what the sitemaps, or the feeds, of a site say is mostly right."""
        return self._opened is not None and self._opened.claims.trust(site(url), kind) >= GOOD

    def remark(self) -> str:
        """One line when the budget is more than politeness allows; empty when it can be spent, or nobody knows yet.
        What it allowed at any time of the last day counts: sites that are away for some hours are no reason.
        """
        if self._opened is None or not self.pages:
            return ""
        planner = self._opened.planner
        self._most[self._note.hour] = planner.most_per_hour
        self._most = {hour: most for hour, most in self._most.items() if hour > self._note.hour - _DAY}
        wanted, most = planner.visits_per_hour(), max(self._most.values())
        if not most or wanted <= most * (1.0 + 1e-9):
            return ""
        budget = self._prepared.settings.plan.budget
        return f"a budget of {budget} is more than politeness allows: with the pauses hosts are owed, {most:.0f}/hour"

    def close(self) -> None:
        """Keep what was learned, and let nothing run on."""
        self._compiling.stop()
        self.keep()
        if self._opening is None:
            self._reading.close()
        else:
            self._opening[1].afterwards(self._reading.close)


class Compiling:
    """Where no machine code came with the package, it is made in a process of its own: that takes minutes of CPU."""

    def __init__(self, catalog: SqliteCatalog) -> None:
        self._catalog = catalog
        self._mark = f"{__version__} {sys.version}".encode()
        self._process: subprocess.Popen[bytes] | None = None
        if not _WARM and not standing().fits and catalog.reading.note(*_COMPILED) != self._mark:
            code = "import os; os.nice(10)\nfrom strandline.watch.watch_plan import warm_up; warm_up()"
            nowhere = subprocess.DEVNULL
            self._process = subprocess.Popen(
                [sys.executable, "-c", code], stdin=nowhere, stdout=nowhere, stderr=nowhere
            )

    def done(self) -> bool:
        """Whether it is ready; if it could not be made ready there, this process does it."""
        if self._process is not None and self._process.poll() is not None:
            self._process = None
            self._catalog.note(_COMPILED[0], [(_COMPILED[1], self._mark)])
        return self._process is None

    def stop(self) -> None:
        """The watch ends."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()


_WARM: Final[list[bool]] = []
"""Holds something once this process has all compiled code."""


def warm_up() -> None:
    """Plan something small, so that all compiled code is made."""
    if _WARM:
        return
    _WARM.append(True)
    hours = Hours(0.0)
    pages = [Known(number, f"http://a.example/{number}", "a.example", "a.example", visited=1.0) for number in (1, 2)]
    past = history(pages, (), hours)
    planner = Planner(pages, learn(pages, past, hours), Wishes(Allowance(1.0, 1.0)), lambda: past)
    planner.next(1, HOUR)
    planner.observe([Seen(1, pages[0].url, "a.example", HOUR, 200, True, 0.5, 0.5, False, False)])
    planner.next(1, 26 * HOUR)
