"""What an archive's own captures taught: the censored learner, replayed over all sightings in the order of time.

    sightings  ->  History   columns: which page, when, changed or not, how much
    History    ->  Learned   rates, week shapes and importance of every page, ready to plan with, kept as bytes

Periods are hours, counted from a Monday midnight in the time zone most of the archive's pages live in, so that nights
and weekends fall where editors have theirs. Pages that were never seen twice start from what first_sight.py expects of
their address and their site; what they look like inside is not asked, because pages never fetched have no inside.
"""

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from strandline.core.learn.censored import CensoredLearner
from strandline.core.learn.features import Directories, model_features, read_address
from strandline.core.learn.first_sight import archive_base, site_level, site_prior, static_factors
from strandline.core.plan.strategy import Floats, Outcomes, Rows

HOUR, WEEK = 3600.0, 604_800.0
MONDAY = 345_600.0
"""1970-01-05, a Monday."""
_LESSONS = 60
"""Times the knowledge pages share is renewed while a history is replayed."""


class Known(NamedTuple):
    """A page that is known to the archive. `barred` says why it is not fetched at all; empty when it may be."""

    page: int
    url: str
    site: str
    host: str
    weight: float = 1.0
    size: float = 0.0
    barred: str = ""
    not_before: float = 0.0
    visited: float = 0.0


class Sighting(Protocol):
    """One capture of a page, in the order of page and time."""

    @property
    def page(self) -> int:
        """Number of the page."""

    @property
    def time(self) -> float:
        """UTC epoch seconds."""

    @property
    def status(self) -> int:
        """HTTP status."""

    @property
    def changed(self) -> bool:
        """Whether a reader sees a difference to the capture before."""

    @property
    def importance(self) -> float:
        """How much the difference matters."""

    @property
    def held(self) -> bool:
        """Whether the difference is not believed yet."""


@dataclass(frozen=True, slots=True)
class Hours:
    """Seconds of the world as periods, and back."""

    start: float
    zone: str = "UTC"
    offset: float = 0.0
    """Seconds to add to UTC."""

    @staticmethod
    def since(first: float, zone: str = "UTC", offset: float = 0.0) -> "Hours":
        """Hours from the Monday midnight before a moment.

        >>> hours = Hours.since(1_700_000_000.0)
        >>> hours.at(1_700_000_000.0) < 168, hours.seconds(hours.at(1_700_000_000.0))
        (True, 1700000000.0)
        """
        local = np.floor((first + offset - MONDAY) / WEEK) * WEEK + MONDAY
        return Hours(float(local) - offset, zone, offset)

    def at(self, seconds: float) -> float:
        """Periods of a moment."""
        return (seconds - self.start) / HOUR

    def seconds(self, period: float) -> float:
        """UTC epoch seconds of a period."""
        return self.start + period * HOUR


@dataclass(frozen=True)
class Groups:
    """Numbers of site, directory and host of pages, in the order they first occur: more pages change none of them."""

    site: Rows
    directory: Rows
    host: Rows
    hosts: tuple[str, ...]
    sites: tuple[str, ...]

    @staticmethod
    def of(pages: Sequence[Known]) -> "Groups":
        """Number the groups of pages."""
        sites: dict[str, int] = {}
        folders: dict[str, int] = {}
        hosts: dict[str, int] = {}
        found = np.empty((3, len(pages)), dtype=np.int64)
        for row, page in enumerate(pages):
            found[0, row] = sites.setdefault(page.site, len(sites))
            found[1, row] = folders.setdefault(_folder(page.url), len(folders))
            found[2, row] = hosts.setdefault(page.host, len(hosts))
        return Groups(found[0], found[1], found[2], tuple(hosts), tuple(sites))


@dataclass(frozen=True)
class History:
    """All captures that teach something, as columns in time order: row of the page, and what was found."""

    row: Rows
    time: Floats
    changed: np.ndarray[tuple[int], np.dtype[np.bool_]]
    importance: Floats
    last_change: Floats

    @property
    def outcomes(self) -> Outcomes:
        """For strategies that learn."""
        return Outcomes(self.row, self.time, self.changed, self.importance, self.last_change)


def history(
    pages: Sequence[Known], sightings: Iterable[Sighting], hours: Hours, claims: Iterable[tuple[int, float]] = ()
) -> History:
    """Columns from sightings. Failures and changes nobody believes yet teach nothing and are left out.

    A claim (page and time of a last change, from a sitemap or feed) counts when it lies between two captures that
    differ: then both agree that there was a change, and the claim says when.
    """
    row_of = {page.page: row for row, page in enumerate(pages)}
    told: dict[int, list[float]] = {}
    for page, time in claims:
        told.setdefault(page, []).append(time)
    rows: list[tuple[int, float, bool, float, float]] = []
    before: dict[int, float] = {}
    for seen in sightings:
        row = row_of.get(seen.page)
        if row is None or seen.held or (seen.status >= 400 and not seen.changed):
            continue
        hint = np.nan
        if seen.changed and seen.page in told:
            since = before.get(row, np.inf)
            hint = max((hours.at(time) for time in told[seen.page] if since < time <= seen.time), default=np.nan)
        before[row] = seen.time
        rows.append((row, hours.at(seen.time), seen.changed, seen.importance, hint))
    table = np.array(rows, dtype=np.float64).reshape(-1, 5)
    table = table[np.argsort(table[:, 1], kind="stable")]
    return History(table[:, 0].astype(np.int64), table[:, 1], table[:, 2] > 0, table[:, 3], table[:, 4])


@dataclass
class Learned:
    """What captures taught. Rows are pages in the order they were found."""

    hours: Hours
    learner: CensoredLearner
    found: Floats
    """Captures that found a change."""
    first: Floats
    """First and last capture in periods, NaN for none."""
    last: Floats

    def __len__(self) -> int:
        return len(self.found)

    def grow(self, pages: Sequence[Known], groups: Groups) -> None:
        """Make room for pages found since; those without two captures start from what they look like."""
        extra = len(pages) - len(self)
        if extra > 0:
            self.found = np.concatenate([self.found, np.zeros(extra)])
            self.first = np.concatenate([self.first, np.full(extra, np.nan)])
            self.last = np.concatenate([self.last, np.full(extra, np.nan)])
        if extra > 0 or len(self.learner) < len(pages):
            self.learner.grow(groups.site, groups.directory, self.first_sight(pages, groups))

    def first_sight(self, pages: Sequence[Known], groups: Groups) -> Floats:
        """Expected changes an hour of pages that were never seen twice, from their address and their site."""
        watched = np.nan_to_num(self.last - self.first) / 24.0
        rate = np.full(len(pages), np.nan)
        members = [np.flatnonzero(groups.site == number) for number in range(len(groups.sites))]
        statics, trees, levels = [], [], []
        for rows in members:
            addresses = [read_address(path_of(pages[row].url)) for row in rows.tolist()]
            nothing = np.zeros(len(rows))
            statics.append(static_factors(model_features(addresses, nothing, nothing, nothing)))
            trees.append(Directories(addresses))
            levels.append(site_level(self.found[rows], watched[rows], statics[-1], archive_base(np.empty(0))))
        for number, rows in enumerate(members):
            base = archive_base(np.array(levels[:number] + levels[number + 1 :]))
            past = (self.found[rows], watched[rows])
            rate[rows] = site_prior(trees[number], statics[number], past, base).mean / 24.0
        return np.where(watched > 0, np.nan, rate)

    def to_bytes(self) -> bytes:
        """Everything, as one block of bytes."""
        stream = io.BytesIO()
        state = np.frombuffer(self.learner.to_bytes(), dtype=np.uint8)
        hours = np.array([self.hours.start, self.hours.offset])
        zone = np.frombuffer(self.hours.zone.encode(), dtype=np.uint8)
        np.savez(stream, state=state, hours=hours, zone=zone, found=self.found, first=self.first, last=self.last)
        return stream.getvalue()

    @staticmethod
    def from_bytes(data: bytes) -> "Learned":
        """What `to_bytes` kept; ValueError when it is something else."""
        with np.load(io.BytesIO(data), allow_pickle=False) as kept:
            start, offset = kept["hours"].tolist()
            hours = Hours(start, kept["zone"].tobytes().decode(), offset)
            learner = CensoredLearner.from_bytes(kept["state"].tobytes())
            return Learned(hours, learner, kept["found"], kept["first"], kept["last"])


def path_of(url: str) -> str:
    """Path and query of an address.

    >>> path_of("https://example.org/a/b?c=1"), path_of("https://example.org")
    ('/a/b?c=1', '/')
    """
    return "/" + url.partition("://")[2].partition("/")[2]


def _folder(url: str) -> str:
    """Everything before the page's own name; canonical addresses need no more than this."""
    return url.partition("?")[0].rpartition("/")[0]


def learn(pages: Sequence[Known], past: History, hours: Hours) -> Learned:
    """Replay a history: the learner sees captures in the order of time, and what pages share is renewed on the way."""
    groups = Groups.of(pages)
    count = len(pages)
    found = np.bincount(past.row[past.changed], minlength=count).astype(np.float64)
    first, last = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(first, past.row, past.time)
    np.maximum.at(last, past.row, past.time)
    learned = Learned(hours, CensoredLearner(), found, _or_nan(first), _or_nan(last))
    if count == 0:
        return learned
    learner = learned.learner
    learner.grow(groups.site, groups.directory)
    if len(past.time):
        ends = np.linspace(past.time[0], past.time[-1], _LESSONS + 1)[1:]
        cuts = np.unique(np.searchsorted(past.time, ends, side="right"))
        for begin, end in zip([0, *cuts[:-1]], cuts, strict=True):
            part = slice(int(begin), int(end))
            findings = (past.time[part], past.changed[part], past.importance[part], past.last_change[part])
            learner.observe(past.row[part], findings)
            learner.refresh(float(past.time[int(end) - 1]))
    unseen = learned.first_sight(pages, groups)
    learner.grow(groups.site, groups.directory, unseen)
    return learned


def _or_nan(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, np.nan)
