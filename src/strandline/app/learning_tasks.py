"""Learning over a Parquet dataset, the part of one site: read its partitions, hand back what its pages taught.

    learn_sites   patterns, rules, and what classes and quality need of a site
    rate_sites    what a site's captures make of the rates that all sites together expect

These functions run wherever an engine runs them; see app/learning_engine.py for what is done with the answers. They
keep nothing and change nothing. The learning itself is that of an archive's own catalog (crawl/learn*.py); only the
captures come from elsewhere, with their numbers in columns.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
import zstandard
from numpy.typing import NDArray

from strandline.app.learning import by_clock, periods_of
from strandline.app.site_clocks import WATCH_CLOCK, site_clock
from strandline.core.history.calendar import LocalCalendar, Periods
from strandline.core.history.lived_time import LivedTime
from strandline.core.history.series import PageSeries
from strandline.core.learn.evidence import TrustBook
from strandline.core.learn.features import PageSummary
from strandline.core.learn.learned import PageRate, SiteClock, SiteRules, Visits
from strandline.core.learn.site_state import SiteState
from strandline.crawl.experience import History, Hours, sighted
from strandline.crawl.learn import all_series, learn_trust
from strandline.crawl.learn_rates import SitePages, rated_pages
from strandline.crawl.learn_rules import RuleWish, learn_rules
from strandline.crawl.mined_visits import gathered_columns
from strandline.engines.mining_dataset import SiteFiles
from strandline.engines.mining_reading import Looks, Room, SitePage, SiteReading
from strandline.settings.schema import LearnSettings
from strandline.store.reading import Claim
from strandline.store.standing import UNSTUDIED_IMPORTANCE

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_PACKED: Final = 2048
"""Pages whose series are packed together; bounds the memory."""
_LEVEL: Final = 1


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be learned, and by which hours."""

    settings: LearnSettings
    parts: tuple[str, ...]
    time: LivedTime = field(default_factory=LivedTime)
    """The hours the archive lived by."""
    hours: Hours | None = None
    """How planning counts time; given, what quality is measured by is gathered, too."""


class SiteWork(NamedTuple):
    """One site to be learned."""

    files: SiteFiles
    wish: Wish
    room: Room


@dataclass(frozen=True, slots=True, eq=False)
class SeriesPack:
    """The series of some pages, small enough to be sent and kept by the million."""

    periods: Periods
    pages: Ints
    lasts: Floats
    captures: Ints
    sums: bytes
    """zstd: importance, changes and time observed; pages x 3 x kinds x periods."""

    @classmethod
    def of(cls, series: Mapping[int, PageSeries], periods: Periods) -> "SeriesPack":
        """Pack series that share their periods."""
        ones = list(series.values())
        sums = np.stack([np.stack([one.importance, one.changes, one.observed]) for one in ones])
        lasts = np.array([one.last for one in ones], dtype=np.float64)
        captures = np.array([one.captures for one in ones], dtype=np.int64)
        packed = zstandard.ZstdCompressor(level=_LEVEL).compress(sums.tobytes())
        return cls(periods, np.fromiter(series, np.int64, len(ones)), lasts, captures, packed)

    def unpacked(self) -> Iterator[tuple[int, PageSeries]]:
        """Pages and their series."""
        shape = (len(self.pages), 3, len(self.periods.kinds), self.periods.count)
        sums = np.frombuffer(zstandard.decompress(self.sums), np.float64).reshape(shape)
        columns = (self.pages.tolist(), sums, self.lasts.tolist(), self.captures.tolist())
        for page, (importance, changes, observed), last, captures in zip(*columns, strict=True):
            yield page, PageSeries(self.periods, importance, changes, observed, last, captures)


@dataclass(slots=True)
class SiteFindings:
    """What one site taught."""

    site: str
    clock: SiteClock
    pages: Ints
    lasts: Floats
    captures: int = 0
    unstudied: int = 0
    first: float | None = None
    last: float | None = None
    series: list[SeriesPack] = field(default_factory=list)
    trust: TrustBook = field(default_factory=TrustBook)
    rules: SiteRules | None = None
    state: SiteState | None = None
    rates: SitePages | None = None
    past: History | None = None
    """For quality; its rows are numbers of pages."""


def learn_sites(works: Sequence[SiteWork]) -> list[SiteFindings]:
    """Learn some sites, one after the other; those without captures of pages are left out."""
    return [found for work in works if (found := _learned(work)) is not None]


def _learned(work: SiteWork) -> SiteFindings | None:
    name, wish = work.files.site, work.wish
    with SiteReading(work.files, work.room) as reading:
        known = reading.pages()
        if not any(one.kind == "page" for one in known):
            return None
        pages = list(_visits(reading, known, wish.time))
        claims = _claims(reading.claims(), known, wish.time)
        past = None if wish.hours is None else _past(reading, known, wish.hours)
    clock = site_clock(name, wish.settings, _spoken(known)) if wish.time.by_clock else WATCH_CLOCK
    found = SiteFindings(
        name,
        clock,
        np.array([one.page for one in pages], dtype=np.int64),
        np.array([one.times[-1] for one in pages], dtype=np.float64),
        captures=sum(one.times.size for one in pages),
        unstudied=sum(one.unstudied for one in pages),
        first=min((wish.time.clock(float(one.times[0])) for one in pages), default=None),
        last=max((wish.time.clock(float(one.times[-1])) for one in pages), default=None),
        past=past,
    )
    if "patterns" in wish.parts:
        learn_trust(found.trust, pages, claims)
        found.series = list(_series(pages, claims, LocalCalendar(periods_of(clock, wish.settings)), found.trust))
    if "rules" in wish.parts:
        mined = learn_rules(name, pages, RuleWish(wish.settings.version, wish.settings.recall))
        found.rules, found.state = by_clock(mined.learned, wish.time), mined.state
    if "classes" in wish.parts and pages:
        found.rates = SitePages.of(pages, {one.page: PageSummary(*one.sight) for one in known if one.sight})
    return found


def _visits(reading: SiteReading, known: Sequence[SitePage], time: LivedTime) -> Iterator[Visits]:
    looks = (batch._replace(time=time.lived(batch.time)) for batch in reading.looks())
    return gathered_columns(looks, {one.page: one.url for one in known})


def _spoken(known: Sequence[SitePage]) -> str | None:
    """The language most pages of a site are in."""
    languages = Counter(one.language for one in known if one.language)
    return languages.most_common(1)[0][0] if languages else None


def _claims(
    rows: Iterable[tuple[int, str, float, float]], known: Sequence[SitePage], time: LivedTime
) -> dict[int, list[Claim]]:
    pages = {one.page for one in known if one.kind == "page"}
    found: dict[int, list[Claim]] = {}
    for page, source, claimed, seen in rows:
        if page in pages:
            found.setdefault(page, []).append(Claim(page, source, time.lived(claimed), time.lived(seen)))
    return found


def _series(
    pages: Sequence[Visits], claims: Mapping[int, Sequence[Claim]], calendar: LocalCalendar, trust: TrustBook
) -> Iterator[SeriesPack]:
    for start in range(0, len(pages), _PACKED):
        some = pages[start : start + _PACKED]
        yield SeriesPack.of(all_series(some, claims, calendar, trust), calendar.periods)


class _Look(NamedTuple):
    """See crawl.sightings.Sighting."""

    page: int
    time: float
    status: int
    changed: bool
    importance: float
    held: bool


def _past(reading: SiteReading, known: Sequence[SitePage], hours: Hours) -> History:
    """The captures of a site's pages as planning learns from them, in the order of time."""
    claims = sorted({(page, time) for page, _, time, _ in reading.claims()})
    rows = {one.page: one.page for one in known if one.kind == "page"}
    return sighted(rows, _looked(reading.sightings(UNSTUDIED_IMPORTANCE)), hours, claims)


def _looked(batches: Iterable[Looks]) -> Iterator[_Look]:
    for batch in batches:
        yield from map(_Look._make, zip(*(column.tolist() for column in batch[:6]), strict=True))


class RateWork(NamedTuple):
    """A site whose rates are wanted, and what is expected of each of its pages."""

    files: SiteFiles
    room: Room
    time: LivedTime
    means: Floats


class SiteRates(NamedTuple):
    """Columns of PageRate."""

    site: str
    visits: Ints
    changes: Ints
    found: Floats
    watched: Floats

    def rates(self, means: Floats) -> list[PageRate]:
        """The rates of a site's pages."""
        columns = (self.visits, self.changes, self.found, self.watched, means)
        return [PageRate(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


def rate_sites(works: Sequence[RateWork]) -> list[SiteRates]:
    """The rates of some sites' pages."""
    return [_rated(work) for work in works]


def _rated(work: RateWork) -> SiteRates:
    with SiteReading(work.files, work.room) as reading:
        rates = rated_pages(list(_visits(reading, reading.pages(), work.time)), work.means)
    return SiteRates(
        work.files.site,
        np.array([one.visits for one in rates], dtype=np.int64),
        np.array([one.changes for one in rates], dtype=np.int64),
        np.array([one.found for one in rates], dtype=np.float64),
        np.array([one.watched for one in rates], dtype=np.float64),
    )
