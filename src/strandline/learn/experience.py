"""What an archive's own captures taught: the censored learner, replayed over all sightings in the order of time.

    sightings  ->  History   columns: which page, when, changed or not, how much
    History    ->  Learned   rates, week shapes and importance of every page, ready to plan with, kept as bytes

Periods are hours, counted from a Monday midnight in UTC; each page brings the hours to add for its own place, so that
nights and weekends fall where its editors have theirs. A demonstration may let an hour last a few seconds. Pages that
were never seen twice start from what first_sight.py expects of their address and their site; what they look like inside
is not asked, because pages never fetched have no inside.
"""

import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from strandline.core.beliefs.censored import CensoredLearner
from strandline.core.beliefs.features import read_address
from strandline.core.beliefs.first_sight import OtherSites, SiteSight, archive_base
from strandline.core.beliefs.level_prior import some_pages
from strandline.core.growing import GrowingTable, with_room
from strandline.core.plan.strategy import Floats, Outcomes, Rows
from strandline.learn.observations import Sighting, matters

HOUR = 3600.0
"""Seconds. Origin: a unit."""
MONDAY = 345_600.0
"""1970-01-05, a Monday. Origin: a unit."""
_LESSONS = 60
"""Times the knowledge pages share is renewed while a history is replayed. Origin: a bound on time."""


class Known(NamedTuple):
    """A page that is known to the archive. `barred` says why it is not fetched at all; empty when it may be. `shift`
    are the hours to add to UTC in the zone where the page lives.
    """

    page: int
    url: str
    site: str
    host: str
    weight: float = 1.0
    size: float = 0.0
    barred: str = ""
    not_before: float = 0.0
    visited: float = 0.0
    zone: str = "UTC"
    shift: int = 0
    tests: str = ""
    """The quiet directory, left out otherwise, that a visit of this page tests."""


@dataclass(frozen=True, slots=True)
class Hours:
    """Seconds of the world as periods, and back. `length` are the seconds of a period."""

    start: float
    length: float = HOUR

    def __post_init__(self) -> None:
        if not self.length > 0:
            raise ValueError(f"an hour must last longer than {self.length:g} seconds")

    @staticmethod
    def since(first: float, length: float = HOUR) -> "Hours":
        """Hours from the Monday midnight before a moment.

        >>> hours = Hours.since(1_700_000_000.0)
        >>> hours.at(1_700_000_000.0) < 168, hours.seconds(hours.at(1_700_000_000.0))
        (True, 1700000000.0)
        """
        week = 168.0 * max(length, 1e-9)
        return Hours(float(np.floor((first - MONDAY) / week) * week + MONDAY), length)

    def at(self, seconds: float) -> float:
        """Periods of a moment."""
        return (seconds - self.start) / self.length

    def seconds(self, period: float) -> float:
        """UTC epoch seconds of a period."""
        return self.start + period * self.length


class Groups:
    """Numbers of site, directory and host of pages, in the order they first occur: more pages change none of them."""

    def __init__(self) -> None:
        self._numbers: tuple[dict[str, int], dict[str, int], dict[str, int]] = ({}, {}, {})
        self._room = np.empty((0, 3), dtype=np.int64)
        self._count = 0

    @staticmethod
    def of(pages: Sequence[Known]) -> "Groups":
        """Number the groups of pages."""
        groups = Groups()
        groups.add(pages)
        return groups

    def add(self, pages: Sequence[Known]) -> None:
        """Number the groups of more pages."""
        old, self._count = self._count, self._count + len(pages)
        self._room = with_room(self._room, old, self._count)
        sites, folders, hosts = self._numbers
        for row, page in enumerate(pages, start=old):
            self._room[row, 0] = sites.setdefault(page.site, len(sites))
            self._room[row, 1] = folders.setdefault(folder_of(page.url), len(folders))
            self._room[row, 2] = hosts.setdefault(page.host, len(hosts))

    @property
    def site(self) -> Rows:
        """Number of the site of each page."""
        return self._room[: self._count, 0].copy()

    @property
    def directory(self) -> Rows:
        """Number of the directory of each page."""
        return self._room[: self._count, 1].copy()

    @property
    def host(self) -> Rows:
        """Number of the host of each page."""
        return self._room[: self._count, 2].copy()

    def since(self, row: int) -> Rows:
        """Site, directory and host of the pages from a row on."""
        return self._room[row : self._count]

    @property
    def sites(self) -> Mapping[str, int]:
        """Sites and their numbers, in the order of the numbers."""
        return self._numbers[0]

    @property
    def hosts(self) -> Mapping[str, int]:
        """Hosts and their numbers, in the order of the numbers."""
        return self._numbers[2]


@dataclass(frozen=True)
class History:
    """All captures that teach something, as columns in time order: row of the page, and what was found."""

    row: Rows
    time: Floats
    changed: np.ndarray[tuple[int], np.dtype[np.bool_]]
    importance: Floats
    last_change: Floats
    shown: np.ndarray[tuple[int], np.dtype[np.bool_]] | None = None
    """Whether a reader sees a difference to the capture before, however little it matters; None: as `changed`."""

    @property
    def outcomes(self) -> Outcomes:
        """For strategies that learn."""
        return Outcomes(self.row, self.time, self.changed, self.importance, self.last_change)

    def with_silent(self, row: Rows, time: Floats) -> "History":
        """As a learner is to be taught: at these moments sites were asked about pages, and told of no change yet.

        A visit that a feed called for comes right after a change. Learned from as from any other, it would seem that
        the page changes whenever one looks.
        """
        if len(row) == 0:
            return self
        nothing = np.zeros(len(row))
        times = np.concatenate([self.time, time])
        order = np.argsort(times, kind="stable")
        return History(
            np.concatenate([self.row, row])[order],
            times[order],
            np.concatenate([self.changed, nothing > 0])[order],
            np.concatenate([self.importance, nothing])[order],
            np.concatenate([self.last_change, nothing + np.nan])[order],
        )


def history(
    pages: Sequence[Known], sightings: Iterable[Sighting], hours: Hours, claims: Iterable[tuple[int, float]] = ()
) -> History:
    """Columns from the sightings of pages, whose rows are their places in `pages`; see `sighted`."""
    return sighted({page.page: row for row, page in enumerate(pages)}, sightings, hours, claims)


def sighted(
    row_of: Mapping[int, int], sightings: Iterable[Sighting], hours: Hours, claims: Iterable[tuple[int, float]] = (),
    before: Callable[[int], float] = lambda _: np.inf,
) -> History:  # fmt: skip
    """Columns from sightings. Failures and changes nobody believes yet teach nothing and are left out; what changes at
    every look (a clock, advertising) is no change.

    A claim (page and time of a last change, from a sitemap or feed) counts when it lies between two captures that
    differ: then both agree that there was a change, and the claim says when. `before` tells the last capture of a row
    made before these.
    """
    told: dict[int, list[float]] = {}
    for page, time in claims:
        told.setdefault(page, []).append(time)
    rows: list[tuple[int, float, bool, float, float, bool]] = []
    latest: dict[int, float] = {}
    for seen in sightings:
        row = row_of.get(seen.page)
        changed = matters(seen)
        if row is None or seen.held or (seen.status >= 400 and not changed):
            continue
        hint = np.nan
        if changed and seen.page in told:
            since = latest[row] if row in latest else before(row)
            hint = max((hours.at(time) for time in told[seen.page] if since < time <= seen.time), default=np.nan)
        latest[row] = seen.time
        rows.append((row, hours.at(seen.time), changed, seen.importance if changed else 0.0, hint, seen.changed))
    table = np.array(rows, dtype=np.float64).reshape(-1, 6)
    table = table[np.argsort(table[:, 1], kind="stable")]
    shown = table[:, 5] > 0
    return History(table[:, 0].astype(np.int64), table[:, 1], table[:, 2] > 0, table[:, 3], table[:, 4], shown)


class Record(NamedTuple):
    """What was seen of pages: captures that found a change, first and last capture in periods (NaN for none)."""

    found: Floats
    first: Floats
    last: Floats

    @staticmethod
    def blank(count: int) -> "Record":
        """Of pages without captures."""
        return Record(np.zeros(count), np.full(count, np.nan), np.full(count, np.nan))


class Learned:
    """What captures taught. Rows are pages in the order they were found."""

    def __init__(self, hours: Hours, learner: CensoredLearner, record: Record) -> None:
        self.hours = hours
        self.learner = learner
        self._record = GrowingTable(record)
        self._sights: dict[int, SiteSight] = {}
        self.others = OtherSites()
        """Sites that are not among these pages."""
        self.levels: Floats = np.empty(0)
        """Of each site, before anything is known of others: what a desk tells those of other sites."""

    def __len__(self) -> int:
        return len(self._record)

    @property
    def found(self) -> Floats:
        """Captures of each page that found a change."""
        return self._record.rows.found

    @property
    def first(self) -> Floats:
        """First capture of each page in periods, NaN for none."""
        return self._record.rows.first

    @property
    def last(self) -> Floats:
        """Last capture of each page in periods, NaN for none."""
        return self._record.rows.last

    def grow(self, pages: Sequence[Known], groups: Groups) -> None:
        """Make room for pages found since; those without two captures start from what they look like."""
        extra = len(pages) - len(self)
        if extra > 0:
            self._record.append(Record.blank(extra))
        if extra > 0 or len(self.learner) < len(pages):
            self.learner.grow(groups.site, groups.directory, self.first_sight(pages, groups))

    def add(self, pages: Sequence[Known], groups: Groups) -> None:
        """Make room for pages while a plan is at work: they start from what their address and their site say."""
        row = len(self)
        more = groups.since(row)
        sight = np.array([
            self._sight(number, pages, groups).expected(read_address(path_of(page.url))) / 24.0
            for page, number in zip(pages[row:], more[:, 0].tolist(), strict=True)
        ])  # fmt: skip
        self._record.append(Record.blank(len(more)))
        self.learner.add(more[:, 0], more[:, 1], sight)

    def _sight(self, site: int, pages: Sequence[Known], groups: Groups) -> SiteSight:
        """What addresses say on a site, by what is known when its first page is added."""
        if site not in self._sights:
            sites = groups.site[: len(self)]
            rows = np.flatnonzero(sites == site)
            rows = rows[some_pages(len(rows))] if len(rows) else rows
            watched = np.nan_to_num(self.last - self.first) / 24.0
            addresses = [read_address(path_of(pages[row].url)) for row in rows.tolist()]
            sight = SiteSight(addresses, self.found[rows], watched[rows])
            changes, days = (np.bincount(sites, weights=x) for x in (self.found, watched))
            others = days > 0
            others[site : site + 1] = False
            base = archive_base(np.empty(0))
            sight.lean_on(self.others.base((1.0 + changes[others]) / (1.0 / base + days[others])))
            self._sights[site] = sight
        return self._sights[site]

    def note(self, past: "History") -> None:
        """Take notice that captures were made; what they teach goes to the learner."""
        record = self._record.rows
        for row, time, changed in zip(past.row.tolist(), past.time.tolist(), past.changed.tolist(), strict=True):
            record.found[row] += changed
            record.first[row] = np.fmin(record.first[row], time)
            record.last[row] = np.fmax(record.last[row], time)

    def first_sight(self, pages: Sequence[Known], groups: Groups) -> Floats:
        """Expected changes an hour of pages that were never seen twice, from their address and their site."""
        watched = np.nan_to_num(self.last - self.first) / 24.0
        rate = np.full(len(pages), np.nan)
        members = np.split(np.argsort(groups.site, kind="stable"), np.cumsum(np.bincount(groups.site))[:-1])
        sights = []
        for rows in members:
            addresses = [read_address(path_of(pages[row].url)) for row in rows.tolist()]
            sights.append(SiteSight(addresses, self.found[rows], watched[rows]))
        self.levels = np.array([sight.level for sight in sights])
        for number, (rows, sight) in enumerate(zip(members, sights, strict=True)):
            sight.lean_on(self.others.base(np.delete(self.levels, number)))
            rate[rows] = sight.mean / 24.0
        self._sights = dict(enumerate(sights))
        return np.where(watched > 0, np.nan, rate)

    def to_bytes(self) -> bytes:
        """Everything, as one block of bytes."""
        stream = io.BytesIO()
        state = np.frombuffer(self.learner.to_bytes(), dtype=np.uint8)
        hours = np.array([self.hours.start, self.hours.length])
        np.savez(stream, state=state, hours=hours, found=self.found, first=self.first, last=self.last)
        return stream.getvalue()

    @staticmethod
    def from_bytes(data: bytes) -> "Learned":
        """What `to_bytes` kept; ValueError when it is something else."""
        with np.load(io.BytesIO(data), allow_pickle=False) as kept:
            hours = Hours(*kept["hours"].tolist())
            learner = CensoredLearner.from_bytes(kept["state"].tobytes())
            return Learned(hours, learner, Record(kept["found"], kept["first"], kept["last"]))


def path_of(url: str) -> str:
    """Path and query of an address.

    >>> path_of("https://example.org/a/b?c=1"), path_of("https://example.org")
    ('/a/b?c=1', '/')
    """
    return "/" + url.partition("://")[2].partition("/")[2]


def folder_of(url: str) -> str:
    """Everything before the page's own name; canonical addresses need no more than this."""
    return url.partition("?")[0].rpartition("/")[0]


def learn(
    pages: Sequence[Known], past: History, hours: Hours, others: OtherSites | None = None,
    silent: tuple[Rows, Floats] | None = None,
) -> Learned:  # fmt: skip
    """Replay a history: the learner sees captures in the order of time, and what pages share is renewed on the way.
    `others` are sites of which no pages are here, `silent` what History.with_silent takes.
    """
    groups = Groups.of(pages)
    count = len(pages)
    found = np.bincount(past.row[past.changed], minlength=count).astype(np.float64)
    first, last = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(first, past.row, past.time)
    np.maximum.at(last, past.row, past.time)
    learned = Learned(hours, CensoredLearner(), Record(found, _or_nan(first), _or_nan(last)))
    learned.others = others or OtherSites()
    if count == 0:
        return learned
    learner = learned.learner
    shift = np.array([page.shift for page in pages], dtype=np.float64)
    learner.grow(groups.site, groups.directory)
    past = past if silent is None else past.with_silent(*silent)
    if len(past.time):
        ends = np.linspace(past.time[0], past.time[-1], _LESSONS + 1)[1:]
        cuts = np.unique(np.searchsorted(past.time, ends, side="right"))
        for begin, end in zip([0, *cuts[:-1]], cuts, strict=True):
            part = slice(int(begin), int(end))
            local = shift[past.row[part]]
            findings = (past.time[part] + local, past.changed[part], past.importance[part])
            learner.observe(past.row[part], (*findings, past.last_change[part] + local))
            learner.refresh(float(past.time[int(end) - 1]))
    unseen = learned.first_sight(pages, groups)
    learner.grow(groups.site, groups.directory, unseen)
    return learned


def _or_nan(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, np.nan)
