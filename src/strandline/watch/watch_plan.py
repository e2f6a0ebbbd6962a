"""The plan of a watch: the planner, fed with what the catalog knows and what study found, hour by hour.

Pages enter the plan with their first visit and leave it while something about them must be found out first (they
failed, they are gone): then the frontier has them. What captures taught is kept in the catalog now and then, under the
number of the last capture it rests on; a new start takes it from there and adds what was studied since.
"""

import io
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from strandline.core.plan.budget import Allowance
from strandline.core.plan.priced_plan import PricedPlan
from strandline.core.plan.strategy import Floats
from strandline.core.urls import site
from strandline.crawl.preparing import Prepared
from strandline.crawl.skipping import plan_skips
from strandline.kernels.shipped import standing
from strandline.learn.experience import HOUR, Hours, Known, Learned, history, learn
from strandline.plan.claims import GOOD
from strandline.plan.maker import Making, PlanMaker
from strandline.plan.next_visits import Planner
from strandline.plan.outlook import Outlook
from strandline.plan.told_changes import ToldChanges, said_of, silent_looks
from strandline.plan.wishes import Wishes
from strandline.ports import Found
from strandline.store.catalog import DATABASE, SqliteCatalog
from strandline.store.standing import Standing, StandingReading
from strandline.store.studies import Seen
from strandline.store.watching import TimePiece
from strandline.version import __version__
from strandline.watch.agenda import Planned

_NOTE: Final = ("watch", "learned")
_COMPILED: Final = ("watch", "compiled")
_RECENT: Final = 48.0
"""Hours for which what a sitemap or feed says of a page is of interest."""
_KEEP_EVERY: Final = 24
"""Hours after which what was learned is kept."""
_LARGEST_NOTE: Final = 200_000_000
_FORM: Final = 3
"""Of what is kept. Learned anew: 1, which did not know what the silence of feeds tells, and 2, in which the clock of a
site could run away."""


class WatchPlan:
    """Implements watch.agenda.Foresight."""

    def __init__(self, prepared: Prepared, time: TimePiece | None, catalog: SqliteCatalog, now: float) -> None:
        self._prepared = prepared
        self._catalog = catalog
        self._reading = StandingReading.open(catalog.path, everything=True)
        first = min((row.first for row in self._reading.sites() if row.first is not None), default=now)
        self._hours = Hours(time.zero, time.length) if time else Hours.since(min(first, now))
        self._told = ToldChanges(self._reading, self._hours)
        self._touched: set[int] = set()
        self._seq = 0
        self._kept_at = 0
        self._learned: Learned | None = None
        self._outlook: Outlook | None = None
        settings = prepared.settings
        self._skips = (
            None
            if settings.plan.skip == "none"
            else plan_skips(settings.plan.skip, catalog.path, settings.learn.version)
        )
        self._maker = PlanMaker(Making(prepared, self._hours, time is not None, self._reading, self._skips))
        self._compiling = Compiling(catalog)

    # -- making ready ------------------------------------------------------------------------------------------------

    def _made(self, now: float) -> Outlook:
        """The plan, from what the catalog knows and what was learned before."""
        standings = {one.page: one for one in self._reading.standings() if one.visited}
        kept = self._kept(standings, now)
        if kept is None:
            pages = self._maker.all_known(standings.values(), now)
            sightings = self._reading.sightings()
            past = history(pages, sightings, self._hours, self._reading.all_claims())
            said = said_of(self._reading.claims_told(), self._reading.sitemap_readings(), pages, self._hours)
            silent = silent_looks(past, said, pages)
            learned = learn(pages, past, self._hours, silent=silent)
            self._seq = self._reading.progress()
        else:
            pages, learned = kept
        self._learned = learned
        visits = Counter({one.page: one.captures for one in standings.values()})
        outlook = self._maker.outlook(pages, learned, visits)
        known = {page.page for page in pages}
        outlook.grow(self._maker.known(one, now) for one in standings.values() if one.page not in known)
        return outlook

    def _kept(self, standings: dict[int, Standing], now: float) -> tuple[list[Known], Learned] | None:
        """What an earlier run kept; None when there is nothing, or it is of another time or release."""
        note = _read_note(self._reading.note(*_NOTE))
        if note is None or note.learned.hours != self._hours or not all(page in standings for page in note.pages):
            return None
        self._seq = note.seq
        return self._maker.all_known((standings[number] for number in note.pages), now), note.learned

    def keep(self) -> None:
        """Keep what was learned."""
        if self._outlook is None or self._learned is None:
            return
        stream = io.BytesIO()
        learned = np.frombuffer(self._learned.to_bytes(), dtype=np.uint8)
        numbers = np.array([page.page for page in self._outlook.planner.pages], dtype=np.int64)
        np.savez(stream, form=np.int64(_FORM), pages=numbers, seq=np.int64(self._seq), learned=learned)
        if stream.tell() <= _LARGEST_NOTE:
            self._catalog.note(_NOTE[0], [(_NOTE[1], stream.getvalue())])

    # -- answers -----------------------------------------------------------------------------------------------------

    @property
    def pages(self) -> int:
        """Pages the plan knows."""
        return len(self._outlook.planner.pages) if self._outlook else 0

    @property
    def looks(self) -> int:
        """Visits of the last plan to pages that were looked at least, of which nothing is expected."""
        return self._outlook.looks if self._outlook else 0

    @property
    def left_out(self) -> tuple[int, str]:
        """Visits the last plan had no use for, and why."""
        return (self._outlook.left_out, self._outlook.why_left_out) if self._outlook else (0, "")

    @property
    def longest_gap(self) -> float | None:
        """Hours that a page may be unseen at most; None when nothing is known or promised."""
        if self._outlook is None or not isinstance(self._outlook.planner.strategy, PricedPlan):
            return None
        planner = self._outlook.planner
        found = self._outlook.planner.strategy.settings.gap.bound(len(planner.pages), planner.visits_per_hour())
        return round(found, 1) if np.isfinite(found) else None

    def hour(self, now: float) -> float:
        """Hours since a Monday midnight."""
        return self._hours.at(now)

    def touched(self, pages: Iterable[int]) -> None:
        """Pages were visited, or passed over: look at them before the next plan."""
        self._touched.update(pages)

    def plan(self, hour: int, visits: int) -> list[Planned]:
        """The visits of an hour; what was found and studied until now is taken in first. While the code that plans is
        still being compiled, pages have their turn.
        """
        start = self._hours.seconds(hour)
        if not self._compiling.done():
            found = self._reading.longest_unseen(visits, start)
            pace = self._hours.length / max(visits, 1)
            return [Planned(page, url, start + place * pace) for place, (page, url) in enumerate(found)]
        if self._outlook is None:
            self._touched.clear()
            self._outlook = self._made(start)
        self._take_in(self._outlook, start)
        if hour >= self._kept_at + _KEEP_EVERY:
            self.keep()
            self._maker.new_day()
            if self._skips is not None and self._skips.renew(start):
                self._touched.update(page.page for page in self._outlook.planner.pages)
            self._kept_at = hour
        return [Planned(due.page, due.url, due.due) for due in self._outlook.plan(hour, visits)]

    def _take_in(self, outlook: Outlook, now: float) -> None:
        """Pages that were visited, and what study found in captures."""
        if self._touched:
            standings = self._reading.standings_of(self._touched)
            outlook.grow(self._maker.known(one, now) for one in standings if one.visited)
            self._touched.clear()
        news = list(self._reading.seen_since(self._seq))
        if news:
            self._seq = news[-1][0]
            told = list(self._reading.claims_told({seen.page for _, seen in news if seen.changed}))
            silence = self._told.silence(told, outlook.planner.pages)
            outlook.observe([seen for _, seen in news], [(page, time) for page, time, _ in told], silence)

    def told(self, found: Sequence[Found]) -> None:
        """Sitemaps and feeds say when pages last changed; what is long past was seen, or will be, anyway."""
        if self._outlook is None:
            return
        recent = max(one.due for one in found) - _RECENT * self._hours.length
        for one in found:
            if one.lastmod is not None and one.lastmod > recent:
                row = self._catalog.page(one.url)
                if row is not None:
                    self._outlook.claims.tell(row.page, one.lastmod)

    def trusted(self, url: str) -> bool:
        """Whether what the sitemaps and feeds of a site say is mostly right."""
        return self._outlook is not None and self._outlook.claims.trust(site(url)) >= GOOD

    def remark(self) -> str:
        """One line when the budget is more than politeness allows; empty when it can be spent, or nobody knows yet."""
        if self._outlook is None or not self.pages:
            return ""
        planner = self._outlook.planner
        wanted, most = planner.visits_per_hour(), planner.most_per_hour
        if wanted <= most * (1.0 + 1e-9):
            return ""
        budget = self._prepared.settings.plan.budget
        return f"a budget of {budget} is more than politeness allows: with the pauses hosts are owed, {most:.0f}/hour"

    def close(self) -> None:
        """Keep what was learned, and let nothing run on."""
        self._compiling.stop()
        self.keep()
        self._reading.close()


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


class _Note(NamedTuple):
    """What is kept: pages in the order of rows, what was learned of them, and the last capture it rests on."""

    pages: list[int]
    learned: Learned
    seq: int


def _read_note(data: bytes | None) -> _Note | None:
    """What `keep` wrote; None for nothing, or something of another release."""
    if data is None:
        return None
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as note:
            if int(note["form"]) != _FORM:
                return None
            return _Note(note["pages"].tolist(), Learned.from_bytes(note["learned"].tobytes()), int(note["seq"]))
    except (ValueError, KeyError, OSError, zipfile.BadZipFile):
        return None


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


@dataclass(frozen=True)
class HoursOfPage:
    """What a watch believes of a page: changes a day, how much one matters, and its share of each hour of the day."""

    url: str
    visits: int
    found: int
    per_day: float
    importance: float
    hours: Floats


def learned_hours(folder: Path) -> list[HoursOfPage]:
    """What the watch of an archive has learned of its pages, as kept last; empty when nothing was kept."""
    with closing(StandingReading.open(folder / DATABASE, everything=True)) as reading:
        note = _read_note(reading.note(*_NOTE))
        if note is None or not len(note.learned):
            return []
        standings = {one.page: one for one in reading.standings()}
    estimate = note.learned.learner.estimate(np.arange(len(note.learned)))
    workday = estimate.rate[:, :24].astype(np.float64)
    shares = workday / np.maximum(workday.sum(axis=1, keepdims=True), 1e-12)
    found = []
    for row, number in enumerate(note.pages):
        if number in standings:
            one = standings[number]
            per_day, matters = 24.0 * float(estimate.mean_rate[row]), float(estimate.mean_importance[row])
            changes = int(note.learned.found[row])
            found.append(HoursOfPage(one.url, one.captures, changes, per_day, matters, shares[row]))
    return found
