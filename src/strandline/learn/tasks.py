"""Learning over a Parquet dataset, the part of some sites: read their partitions, write down what their pages taught.

    learn_sites   patterns, rules, and what classes and quality need of each page

This runs wherever an engine runs it; see learn/engine.py for what is done with the answers. The captures of a
site are read page by page, some thousand pages at a time, and what was found is written to files
(engines/mining_scratch.py) as it comes: what a task holds grows with the pages of its largest site, not with its
captures. What travels back is a few numbers a site. The learning itself is that of an archive's own catalog
(crawl/learn*.py); only the captures come from elsewhere, with their numbers in columns.
"""

import functools
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from strandline.archive.site_clocks import WATCH_CLOCK, site_clock
from strandline.core.beliefs.evidence import TrustBook
from strandline.core.beliefs.features import PageSummary
from strandline.core.beliefs.first_sight import COEFFICIENTS
from strandline.core.history.calendar import LocalCalendar, Periods
from strandline.core.history.lived_time import LivedTime
from strandline.core.mining.learned import SiteClock, Visits
from strandline.core.mining.site_looks import GatheredLooks
from strandline.engines.mining_dataset import SiteFiles
from strandline.engines.mining_reading import ClaimRow, Reading, Room, SitePage, SiteReading
from strandline.engines.mining_scratch import TableWriter
from strandline.learn.dataset_places import FindingsPlace, sent, site_here, writing_to
from strandline.learn.history_columns import ByPage, site_past
from strandline.learn.known_pages import Hours
from strandline.learn.learning import by_clock, periods_of
from strandline.learn.patterns import changed_series, learn_trust, parted, that_matter
from strandline.learn.rates import FirstSights, SitePages, counted
from strandline.learn.rules import RuleWish, gathered_rules
from strandline.learn.visit_columns import gathered_columns
from strandline.settings.schema import LearnSettings
from strandline.store.reading import Claim

Floats = NDArray[np.float64]

_PAGES: Final = 2048
"""Pages that are looked at together. Origin: a bound on memory."""
_CAPTURES: Final = 500_000
"""Captures that are looked at together. Origin: a bound on memory."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be learned, and by which hours."""

    settings: LearnSettings
    parts: tuple[str, ...]
    time: LivedTime = field(default_factory=LivedTime)
    """The hours the archive lived by."""
    hours: Hours | None = None
    """How planning counts time; given, what quality is measured by is gathered, too."""


class SitesWork(NamedTuple):
    """Some sites to be learned, each with its number in the order of names."""

    number: int
    sites: tuple[tuple[int, SiteFiles], ...]
    wish: Wish
    room: Room
    findings: FindingsPlace
    """For what is found."""


@dataclass(slots=True)
class SiteFindings:
    """What one site taught, in a few numbers; the rest is in files."""

    number: int
    site: str
    clock: SiteClock
    pages: int = 0
    captures: int = 0
    unstudied: int = 0
    first: float | None = None
    last: float | None = None
    trust: TrustBook = field(default_factory=TrustBook)
    level: float | None = None
    """Changes a day of an average page, by what was found on this site alone; None without pages."""


class Findings(NamedTuple):
    """What some sites taught, and in which files the rest is, by table."""

    number: int
    sites: list[SiteFindings]
    files: dict[str, str]


class _Tables:
    """The tables a task writes."""

    def __init__(self, scratch: str) -> None:
        self._scratch = scratch
        self._tables: dict[str, TableWriter] = {}

    def __getitem__(self, name: str) -> TableWriter:
        if name not in self._tables:
            self._tables[name] = TableWriter(self._scratch, name)
        return self._tables[name]

    def files(self) -> dict[str, str]:
        """Those that have rows, finished."""
        self.close()
        return {name: table.file for name, table in self._tables.items() if table.rows}

    def close(self) -> None:
        for table in self._tables.values():
            table.close()


def learn_sites(work: SitesWork) -> Findings:
    """Learn some sites, one after the other; those without captures of pages are left out."""
    found = []
    with writing_to(work.findings) as folder, Reading(work.room) as reading, closing(_Tables(folder)) as tables:
        for number, files in work.sites:
            with site_here(files, work.room.spill) as local:
                one = _Site(number, reading.site(local), work.wish, tables).learned(files.site)
            if one is not None:
                found.append(one)
        written = tables.files()
    return Findings(work.number, found, {table: sent(work.findings, file) for table, file in written.items()})


class _Site:
    """One site being learned."""

    def __init__(self, number: int, reading: SiteReading, wish: Wish, tables: _Tables) -> None:
        self._number = number
        self._reading = reading
        self._wish = wish
        self._tables = tables
        self._known: dict[int, SitePage] = {}

    def learned(self, name: str) -> SiteFindings | None:
        """What it taught; None when it has no pages."""
        wish = self._wish
        every = self._reading.pages()
        self._known = {one.page: one for one in every if one.kind == "page"}
        if not self._known:
            return None
        clock = site_clock(name, wish.settings, _spoken(every)) if wish.time.by_clock else WATCH_CLOCK
        found = SiteFindings(self._number, name, clock)
        calendar = _calendar(periods_of(clock, wish.settings))
        if "patterns" in wish.parts and self._reading.has_claims():
            for pages, claims in self._captured():
                learn_trust(found.trust, that_matter(pages), claims)
        looks = GatheredLooks(wish.settings.version) if "rules" in wish.parts else None
        rated = _Rated() if "classes" in wish.parts else None
        for pages, claims in self._captured():
            self._count(found, pages)
            telling = that_matter(pages)
            if "patterns" in wish.parts:
                self._series(telling, claims, calendar, found.trust)
            if looks is not None:
                looks.add(pages)
            if rated is not None:
                rated.add(telling)
                self._gaps(telling)
        if looks is not None:
            self._rules(name, looks)
        if rated is not None and rated.pages:
            found.level = self._rates(rated)
        if wish.hours is not None:
            numbers = np.fromiter(self._known, np.int64, len(self._known))
            for columns in site_past(self._reading, numbers, wish.hours):
                self._tables["past"].add(self._sited(columns))
        return found

    def _captured(self) -> Iterator[tuple[list[Visits], dict[int, list[Claim]]]]:
        """Some pages with their captures and with what was claimed about them, then the next ones."""
        time = self._wish.time
        looks = (batch._replace(time=time.lived(batch.time)) for batch in self._reading.looks())
        visits = gathered_columns(looks, _Urls(self._known))
        claims: ByPage[ClaimRow] = ByPage(self._reading.claims())
        for pages in _some(visits):
            told = claims.of(pages[0].page, pages[-1].page)
            yield (
                pages,
                {
                    page: [Claim(page, source, time.lived(at), time.lived(seen)) for _, source, at, seen in rows]
                    for page, rows in told.items()
                },
            )

    def _count(self, found: SiteFindings, pages: Sequence[Visits]) -> None:
        clock = self._wish.time.clock
        found.pages += len(pages)
        found.captures += sum(one.times.size for one in pages)
        found.unstudied += sum(one.unstudied for one in pages)
        first = min(clock(float(one.times[0])) for one in pages)
        last = max(clock(float(one.times[-1])) for one in pages)
        found.first = first if found.first is None else min(found.first, first)
        found.last = last if found.last is None else max(found.last, last)

    def _sited(self, columns: Mapping[str, NDArray[np.generic]]) -> dict[str, NDArray[np.generic]]:
        count = len(next(iter(columns.values())))
        return {"site": np.full(count, self._number, dtype=np.int32), **columns}

    def _series(
        self, pages: Sequence[Visits], claims: Mapping[int, Sequence[Claim]], calendar: LocalCalendar, trust: TrustBook
    ) -> None:
        """Series of pages that changed; of the others, what theirs are made of (learn/series_book.py)."""
        still, changed = parted(pages)
        self._tables["still"].add(
            self._sited(
                {
                    "page": np.array([one.page for one in still], dtype=np.int64),
                    "first": np.array([one.times[0] for one in still], dtype=np.float64),
                    "last": np.array([one.times[-1] for one in still], dtype=np.float64),
                    "captures": np.array([one.times.size for one in still], dtype=np.int64),
                }
            )
        )
        if changed:
            known = {one.page: series for one, series in changed_series(changed, claims, calendar, trust)}
            series = [known[one.page] for one in changed]
            columns = {
                name: np.stack([getattr(one, name).ravel() for one in series])
                for name in ("importance", "changes", "observed")
            }
            about = {
                "page": np.array([one.page for one in changed], dtype=np.int64),
                "last": np.array([one.last for one in series], dtype=np.float64),
                "captures": np.array([one.captures for one in series], dtype=np.int64),
            }
            self._tables["changed"].add(self._sited(about | columns))

    def _gaps(self, pages: Sequence[Visits]) -> None:
        """The captures of pages that changed: their rates are made of these once it is known what to expect."""
        changed = parted(pages)[1]
        if changed:
            columns = {
                "page": np.repeat(np.array([one.page for one in changed]), [one.times.size for one in changed]),
                "time": np.concatenate([one.times for one in changed]),
                "changed": np.concatenate([one.changed for one in changed]),
            }
            self._tables["gaps"].add(self._sited(columns))

    def _rules(self, name: str, looks: GatheredLooks) -> None:
        settings = self._wish.settings
        mined = gathered_rules(name, looks, RuleWish(settings.version, settings.recall))
        text = json.dumps(by_clock(mined.learned, self._wish.time).as_data(), ensure_ascii=False)
        state = b"" if mined.state is None else mined.state.to_bytes()
        self._tables["rules"].add(
            {
                "site": np.array([self._number], dtype=np.int32),
                "rules": [text.encode("utf-8", "surrogatepass")],
                "state": [state],
            }
        )

    def _rates(self, rated: "_Rated") -> float:
        """Write down what rates are made of; the level of the site by itself."""
        numbers = rated.pages
        summaries = {page: PageSummary(*sight) for page in numbers if (sight := self._known[page].sight)}
        found, watched = rated.column("found"), rated.column("watched")
        urls = [self._known[page].url for page in numbers]
        site = SitePages.at(numbers, urls, FirstSights.of(summaries), (found, watched))
        columns: dict[str, NDArray[np.generic]] = {
            "page": np.array(numbers, dtype=np.int64),
            "visits": rated.column("visits").astype(np.int64),
            "found": found,
            "watched": watched,
            "last": rated.column("last"),
            "directory": site.directories.of_page,
            "features": site.features,
        }
        self._tables["pages"].add(self._sited(columns))
        tree = {"parent": site.directories.parent, "depth": site.directories.level}
        self._tables["directories"].add(self._sited(tree))
        return site.level(site.counts, COEFFICIENTS)


class _Rated:
    """What rates need of each page, gathered in columns."""

    def __init__(self) -> None:
        self.pages: list[int] = []
        self._columns: dict[str, list[Floats]] = {name: [] for name in ("found", "watched", "visits", "last")}

    def add(self, pages: Sequence[Visits]) -> None:
        self.pages += [one.page for one in pages]
        found, watched = counted(pages)
        visits = np.array([one.times.size - 1 for one in pages], dtype=np.float64)
        last = np.array([one.times[-1] for one in pages], dtype=np.float64)
        for name, column in (("found", found), ("watched", watched), ("visits", visits), ("last", last)):
            self._columns[name].append(column)

    def column(self, name: str) -> Floats:
        """Of all pages."""
        return np.concatenate(self._columns[name])


class _Urls(Mapping[int, str]):
    """Addresses by page."""

    def __init__(self, known: Mapping[int, SitePage]) -> None:
        self._known = known

    def __getitem__(self, page: int) -> str:
        return self._known[page].url

    def __iter__(self) -> Iterator[int]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


def _some(pages: Iterable[Visits]) -> Iterator[list[Visits]]:
    """As many pages as are looked at together, then the next ones."""
    some: list[Visits] = []
    captures = 0
    for one in pages:
        some.append(one)
        captures += one.times.size
        if len(some) >= _PAGES or captures >= _CAPTURES:
            yield some
            some, captures = [], 0
    if some:
        yield some


def _spoken(pages: Iterable[SitePage]) -> str | None:
    """The language most pages are in."""
    languages = Counter(one.language for one in pages if one.language)
    return languages.most_common(1)[0][0] if languages else None


@functools.lru_cache(maxsize=64)
def _calendar(periods: Periods) -> LocalCalendar:
    return LocalCalendar(periods)
