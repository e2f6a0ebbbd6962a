"""The plan of an archive: one for whoever carries it out (watch/watch_plan.py) and whoever asks (plan/planning.py).

    open        what was learned is taken from the catalog, or learned from all captures, if nothing fits
    catch_up    pages that were visited, and what study found in captures since
    visits      those of an hour

Pages enter the plan with their first visit and leave it while something about them must be found out first (they
failed, they are gone): then the frontier has them. What captures taught is kept (kept_beliefs.py) with the number of
the last capture it rests on. Only captures that were studied teach: a watch that runs on could not take back what
digests told it before.
"""

import math
import zlib
from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np

from strandline.core.plan.strategy import Rows
from strandline.learn.experience import Learned, history, learn
from strandline.learn.known_pages import HOUR, Hours, Told
from strandline.learn.page_columns import KnownPages, PageRows
from strandline.plan.claimed_changes import believed_after
from strandline.plan.claims import Claims
from strandline.plan.due import Due
from strandline.plan.kept_beliefs import Beliefs, KeptBeliefs, NoteKeeping
from strandline.plan.maker import PlanMaker
from strandline.plan.outlook import Outlook
from strandline.plan.told_changes import ToldChanges, said_of, silent_looks
from strandline.settings.units import rate
from strandline.store.standing import StandingReading
from strandline.store.studies import Seen
from strandline.store.watching import TimePiece

RECENT: Final = 48.0
"""Hours for which what a sitemap or feed says of a page is of interest. Origin: a guess."""


class ArchivePlan:
    """An outlook on the pages of a catalog, and how it comes to know what happened. Opened with the first question."""

    def __init__(self, maker: PlanMaker, reading: StandingReading) -> None:
        self.maker = maker
        self.hours = maker.making.hours
        self._reading = reading
        self._told = ToldChanges(reading, self.hours)
        self._sized = rate(maker.making.settings.plan.budget).in_bytes
        self._touched: set[int] = set()
        self._seq = 0
        self._looked = 0.0
        """When somebody asked last."""
        self._said_until = 0.0
        self._away: dict[str, float] = {}
        """Hosts that were left alone for longer than the hour when somebody asked last, and until when."""
        self._outlook: Outlook | None = None
        self._kept = KeptBeliefs()
        self.anew = False
        """Whether it was learned from all captures, rather than from what was kept."""

    @property
    def opened(self) -> Outlook | None:
        """The outlook; None before anybody asked for it."""
        return self._outlook

    def outlook(self, now: float) -> Outlook:
        """The outlook with everything that was found and studied until now."""
        away = self._reading.hosts_waiting(now + self.hours.length)
        if self._outlook is None:
            self._touched.clear()
            self._outlook, self._away = self._open(now), away
        pages, looked, self._looked = self._outlook.planner.pages, self._looked or now, now
        moved = self.maker.barring.moved_hosts(pages.hosts, looked, now)
        # A host that failed is left alone for longer than this hour: all of its pages are, not only those that failed.
        moved |= {host for host, until in away.items() if self._away.get(host) != until}
        self._away = away
        if moved:
            self._touched.update(pages.numbers[pages.where("host", moved.__contains__)].tolist())
        self._touched.update(self.maker.priced_anew(pages, now))
        self._catch_up(self._outlook, now)
        return self._outlook

    def visits(self, hour: int, visits: int, most: float = math.inf) -> list[Due]:
        """The visits of an hour, at most so many, in the order of time; `most` requests can be paid."""
        return self.outlook(self.hours.seconds(hour)).plan(hour, visits, most=most)

    def touched(self, pages: Iterable[int]) -> None:
        """Pages were visited, or passed over: look at them before the next plan."""
        self._touched.update(pages)

    def new_day(self, now: float) -> None:
        """Look at zones, rules of hosts and quiet directories again."""
        self.maker.new_day()
        skips = self.maker.making.skips
        if skips is not None and skips.renew(now) and self._outlook is not None:
            self._touched.update(self._outlook.planner.pages.numbers.tolist())

    def forget(self) -> None:
        """Everything is to be learned again, from the beginning."""
        self._outlook, self._kept = None, KeptBeliefs()

    # -- what is known -------------------------------------------------------------------------------------------------

    def _open(self, now: float) -> Outlook:
        """From what was kept, or from all captures."""
        self._kept = KeptBeliefs()
        kept = self._kept.read(self._reading)  # first: nothing takes more memory than what is being read
        sizes = self._reading.sizes() if self._sized else {}
        told = list(self._reading.claims_told())
        visited = (one for one in self._reading.standings() if one.visited)
        known = KnownPages(self.maker.known(one, now, sizes.get(one.page, 0.0)) for one in visited)
        row_of = PageRows(map(int, known.numbers))
        rows = None
        if kept is not None:
            rows = np.fromiter((row_of.get(page, -1) for page in kept.pages), np.int64, len(kept.pages))
        if kept is not None and rows is not None and self._fits(kept, known, rows, now):
            pages, known = _apart(known, rows)
            learned, claims, self._seq, self._said_until = kept.learned, kept.claims, kept.seq, kept.said_until
        else:
            self.anew, self._kept, kept = True, KeptBeliefs(), None
            pages, known = known, KnownPages()
            learned, claims = self._learned_anew(pages, row_of, told)
        outlook = self.maker.outlook(pages, learned)
        outlook.heed(claims)
        outlook.grow(known)
        self._catch_up(outlook, now, [claim for claim in told if claim[2] > self._said_until])
        return outlook

    def _learned_anew(self, pages: KnownPages, row_of: PageRows, told: list[Told]) -> tuple[Learned, Claims]:
        """From all captures, which are let go when it is done."""
        seen: list[Seen] = []
        past = history(pages, _noting(self._reading.sightings(), told, seen), self.hours, told)
        readings = list(self._reading.sitemap_readings())
        said = said_of(told, readings, pages, self.hours)
        learned = learn(pages, past, self.hours, silent=silent_looks(past, said, pages))
        self._seq, claims = self._reading.progress(), Claims()
        claims.relive(seen, told, RECENT * self.hours.length, believed_after(learned, row_of))
        for reading in readings:
            claims.read(*reading)
        self._said_until = max((said for _, _, said, _ in told), default=0.0)
        return learned, claims

    def _fits(self, kept: Beliefs, known: KnownPages, rows: Rows, now: float) -> bool:
        """Whether what was kept is of these pages (in these rows), hours and zones, and nothing older came in since:
        captures teach in the order of time.
        """
        if kept.learned.hours != self.hours or (rows < 0).any():
            return False
        news = [(seen.page, self.hours.at(seen.time)) for _, seen in self._reading.seen_since(kept.seq)]
        touched = {page for page, _ in news}
        last = {page: kept.learned.last[row] for row, page in enumerate(kept.pages) if page in touched}
        if any(time < last.get(page, -math.inf) for page, time in news):
            return False
        return kept.zones == self._zones(known.sites_of(rows), now)

    def _zones(self, sites: Iterable[str], now: float) -> int:
        return zlib.crc32(repr(sorted((site, self.maker.zone(site, now)[0]) for site in set(sites))).encode())

    def _catch_up(self, outlook: Outlook, now: float, said: Iterable[Told] = ()) -> None:
        """Pages that were visited, what study found in captures, and what sitemaps and feeds said of them."""
        self._touched.update(self.maker.waiting_for_others(outlook.planner.pages))
        if self._touched:
            sizes = self._reading.sizes(self._touched) if self._sized else {}
            standings = (one for one in self._reading.standings_of(self._touched) if one.visited)
            outlook.grow(self.maker.all_known(standings, now, sizes))
            self._touched.clear()
        news = list(self._reading.seen_since(self._seq))
        outlook.relive((seen for _, seen in news), said, RECENT * self.hours.length)
        self._told.read_since(outlook.claims, self._seq)
        if news:
            self._seq = news[-1][0]
            told = list(self._reading.claims_told({seen.page for _, seen in news if seen.changed}))
            silence = self._told.silence(told, outlook.planner.pages)
            outlook.observe([seen for _, seen in news], told, silence)

    def tell(self, page: int, time: float, said: float, source: str) -> None:
        """A sitemap or feed says now that a page changed at a time."""
        if self._outlook is not None and time > said - RECENT * self.hours.length:
            self._said_until = max(self._said_until, said)
            self._outlook.tell(page, time, said, source)

    # -- keeping -------------------------------------------------------------------------------------------------------

    def keep(self, catalog: NoteKeeping, now: float) -> None:
        """Keep what was learned, if anything was."""
        if self._outlook is not None:
            pages = self._outlook.planner.pages
            zones = self._zones(pages.sites, now)
            numbers, learned, claims = pages.numbers.tolist(), self._outlook.learned, self._outlook.claims
            self._kept.keep(catalog, Beliefs(numbers, learned, self._seq, claims, self._said_until, zones))

    @property
    def is_kept(self) -> bool:
        """Whether what was learned was kept, or was read from what was."""
        return self._kept.there


def _apart(known: KnownPages, rows: Rows) -> tuple[KnownPages, KnownPages]:
    """Some pages in this order, and the others. Most often these are all, as they stand: then nothing is copied."""
    if np.array_equal(rows, np.arange(len(known))):
        return known, KnownPages()
    return known.arranged(rows), known.arranged(np.delete(np.arange(len(known)), rows))


def _noting(sightings: Iterable[Seen], told: Iterable[Told], noted: list[Seen]) -> Iterator[Seen]:
    """All captures, of which those of pages that something is told of are noted: all of them would take much memory."""
    pages = {page for page, *_ in told}
    for seen in sightings:
        if seen.page in pages:
            noted.append(seen)
        yield seen


def plan_hours(reading: StandingReading, time: TimePiece | None, now: float, length: float = HOUR) -> Hours:
    """Those of the watch, else hours that last so many seconds from before the first capture."""
    if time is not None:
        return Hours(time.zero, time.length)
    first = min((row.first for row in reading.sites() if row.first is not None), default=now)
    return Hours.since(min(first, now), length)
