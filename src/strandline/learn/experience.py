"""What an archive's own captures taught: the censored learner, replayed over all sightings in the order of time.

    sightings  ->  History   columns: which page, when, changed or not, how much
    History    ->  Learned   rates, week shapes and importance of every page, ready to plan with, kept as arrays

Periods are hours, counted from a Monday midnight in UTC; each page brings the hours to add for its own place, so that
nights and weekends fall where its editors have theirs. A demonstration may let an hour last a few seconds. Pages that
were never seen twice start from what first_sight.py expects of their address and their site; what they look like inside
is not asked, because pages never fetched have no inside.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from strandline.core.beliefs.censored import CensoredLearner
from strandline.core.beliefs.features import read_address
from strandline.core.beliefs.first_sight import OtherSites, SiteSight, archive_base
from strandline.core.beliefs.level_prior import some_pages
from strandline.core.beliefs.page_beliefs import AwayColumn, Part
from strandline.core.growing import GrowingTable, with_room
from strandline.core.plan.strategy import Floats, Outcomes, Rows
from strandline.learn.file_rows import rooms_for
from strandline.learn.known_pages import Groups, Hours, Known, Told, path_of
from strandline.learn.neighbours import Watched, neighbour_rates
from strandline.learn.observations import Sighting, matters
from strandline.learn.page_columns import PageRows

BELIEFS = ("plan", "beliefs")
"""Kind and key of the note in which what was learned is kept; who removes it has everything learned again."""
SMALL = 20_000
"""Pages up to which what pages share may be renewed every hour; of more, once a day. Origin: a bound on time."""
_DAY = 24.0
"""Hours. Origin: a unit."""
_PAGES_PER_CAPTURE = (50, 20)
"""Pages that are looked at for each capture when what pages share is renewed, at most: few pages, many pages.
Origin: a bound on time."""
_AT_ONCE = 50_000
"""Captures that are held as objects before they become arrays. Origin: a bound on memory."""
_KINDS: tuple[type, ...] = (np.int32, np.float64, np.bool_, np.float64, np.bool_)
"""Of the columns of a history: row, time, changed, importance, shown."""
_GROWN = 100
"""Part of all captures, one in so many, that must be new before it is renewed within a day. Origin: a bound on time."""


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
        return Outcomes(self.row.astype(np.int64), self.time, self.changed, self.importance, self.last_change)

    def part(self, some: slice) -> "History":
        """Some of them, without what a reader sees."""
        flags, hints = self.changed[some], self.last_change[some]
        return History(self.row[some], self.time[some], flags, self.importance[some], hints)

    def with_silent(self, row: Rows, time: Floats, turn: Floats | None = None) -> "History":
        """As a learner is to be taught: at these moments sites were asked about pages, and told of no change yet. They
        have their `turn` (as turn_of says).

        A visit that a feed called for comes right after a change. Learned from as from any other, it would seem that
        the page changes whenever one looks.
        """
        if len(row) == 0:
            return self
        turn = np.concatenate([self.turn_of(row, time) if turn is None else turn, self.time])
        order = np.argsort(turn, kind="stable")
        nothing = np.zeros(len(row))
        return History(
            np.concatenate([row, self.row])[order],
            np.concatenate([time, self.time])[order],
            np.concatenate([nothing > 0, self.changed])[order],
            np.concatenate([nothing, self.importance])[order],
            np.concatenate([nothing + np.nan, self.last_change])[order],
        )

    def turn_of(self, row: Rows, time: Floats) -> Floats:
        """When moments at which sites were silent have their turn: each together with the capture that follows, so that
        it does not matter which captures come in one batch.
        """
        own = np.flatnonzero(np.isin(self.row, row))
        own = own[np.lexsort((self.time[own], self.row[own]))]
        rows, times = np.append(self.row[own], -1), np.append(self.time[own], np.nan)
        begin = min(float(time.min()), float(times[:-1].min(initial=np.inf)))
        length = max(float(time.max()), float(times[:-1].max(initial=-np.inf))) - begin + 1.0
        following = np.searchsorted((rows * length + times - begin)[:-1], row * length + time - begin)
        return np.where(rows[following] == row, times[following], time)


def history(
    pages: Sequence[Known], sightings: Iterable[Sighting], hours: Hours, claims: Iterable[Told] = ()
) -> History:
    """Columns from the sightings of pages, whose rows are their places in `pages`; see `sighted`."""
    return sighted(PageRows(page.page for page in pages), sightings, hours, claims)


def sighted(
    row_of: Mapping[int, int], sightings: Iterable[Sighting], hours: Hours, claims: Iterable[Told] = (),
    before: Callable[[int], float] = lambda _: np.inf,
) -> History:  # fmt: skip
    """Columns from sightings. Failures and changes nobody believes yet teach nothing and are left out; what changes at
    every look (a clock, advertising) is no change.

    A claim of a sitemap or feed counts when the change it tells of was past by then and lies between two captures that
    differ: both agree that there was a change, and the claim says when. What is told after the second one comes too
    late: by then it may have been learned from. `before` tells the last capture of a row made before these.
    """
    told: dict[int, list[tuple[float, float]]] = {}
    for page, time, said, *_ in claims:
        if time <= said:
            told.setdefault(page, []).append((time, said))
    found = _Columns()
    latest: dict[int, float] = {}
    for seen in sightings:
        row = row_of.get(seen.page)
        changed = matters(seen)
        if row is None or seen.held or (seen.status >= 400 and not changed):
            continue
        hint = np.nan
        if changed and seen.page in told:
            since = latest[row] if row in latest else before(row)
            known = (time for time, said in told[seen.page] if since < time and said <= seen.time)
            hint = max(map(hours.at, known), default=np.nan)
        if seen.page in told:  # of all pages it would take much memory
            latest[row] = seen.time
        found.add((row, hours.at(seen.time), changed, seen.importance if changed else 0.0, seen.changed), hint)
    return found.history()


class _Columns:
    """Captures one by one, held as arrays: as objects they would take five times the memory."""

    def __init__(self) -> None:
        self._rows: list[tuple[int, float, bool, float, bool]] = []
        self._parts: tuple[list[NDArray[Any]], ...] = tuple([np.empty(0, dtype=kind)] for kind in _KINDS)
        self._hints: dict[int, float] = {}
        self._count = 0

    def add(self, capture: tuple[int, float, bool, float, bool], hint: float) -> None:
        """One more; `hint` is the time of a change that was told, NaN of nearly all."""
        if hint == hint:
            self._hints[self._count] = hint
        self._count += 1
        self._rows.append(capture)
        if len(self._rows) >= _AT_ONCE:
            self._pack()

    def _pack(self) -> None:
        for part, kind, values in zip(self._parts, _KINDS, zip(*self._rows, strict=True), strict=bool(self._rows)):
            part.append(np.array(values, dtype=kind))
        self._rows.clear()

    def history(self) -> History:
        """All of them, in the order of time. Nothing is left here: columns are taken one by one."""
        self._pack()
        time = self._taken(1)
        order = np.argsort(time, kind="stable").astype(np.int32 if len(time) < 1 << 31 else np.int64)
        time = time[order]
        row, changed, importance, shown = (self._taken(column)[order] for column in (0, 2, 3, 4))
        hint = np.broadcast_to(np.nan, len(time))  # takes no memory
        if self._hints:
            hint = hint.copy()
            hint[list(self._hints)] = list(self._hints.values())
            hint = hint[order]
        return History(row, time, changed, importance, hint, shown)

    def _taken(self, column: int) -> NDArray[Any]:
        found = np.concatenate(self._parts[column])
        self._parts[column].clear()
        return found


class Record(NamedTuple):
    """What was seen of pages: captures, those that found a change, first and last one in periods (NaN for none)."""

    captures: Floats
    found: Floats
    first: Floats
    last: Floats

    @staticmethod
    def blank(count: int) -> "Record":
        """Of pages without captures."""
        return Record(np.zeros(count), np.zeros(count), np.full(count, np.nan), np.full(count, np.nan))


class Turn(NamedTuple):
    """When what pages share was renewed: the hour, captures until then, and those since; the time of the last one."""

    hour: float = -np.inf
    before: int = 0
    since: int = 0
    latest: float = -np.inf


class Learned:
    """What captures taught. Rows are pages in the order they were found."""

    def __init__(self, hours: Hours, learner: CensoredLearner, record: Record, turn: Turn | None = None) -> None:
        self.hours = hours
        self.learner = learner
        self._record = GrowingTable(record)
        self._turn = turn or Turn()
        self._taught = np.zeros(len(self._record), dtype=np.bool_)
        self.renewed = 0
        """Times that what is believed of all pages has moved."""
        self._sights: dict[int, SiteSight] = {}
        self.others = OtherSites()
        """Sites that are not among these pages."""
        self.levels: Floats = np.empty(0)
        """Of each site, before anything is known of others: what a desk tells those of other sites."""

    def __len__(self) -> int:
        return len(self._record)

    @property
    def captures(self) -> Floats:
        """Captures of each page that taught something."""
        return self._record.rows.captures

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

    @property
    def watched(self) -> Watched:
        """Visits after the first one of each page, and what they found."""
        return Watched(np.maximum(self.captures - 1.0, 0.0), self.found, np.nan_to_num(self.last - self.first))

    # Pages ------------------------------------------------------------------------------------------------------------

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

    # Captures ---------------------------------------------------------------------------------------------------------

    def teach(self, past: History, silent: tuple[Rows, Floats] | None, shift: Floats) -> None:
        """Captures in the order of time; `silent` is what History.with_silent takes, `shift` that of each page."""
        rows, times = (np.empty(0, np.int64), np.empty(0)) if silent is None else silent
        turns = past.turn_of(rows, times) if len(rows) else times
        order = np.argsort(turns, kind="stable")
        rows, times, turns = rows[order], times[order], turns[order]
        done, told = 0, 0
        while done < len(past.time) or told < len(turns):  # an hour after the other: all at once would be held twice
            first = min(*past.time[done : done + 1].tolist(), *turns[told : told + 1].tolist(), np.inf, np.inf)
            end, until = (int(np.searchsorted(column, np.floor(first) + 1.0)) for column in (past.time, turns))
            self.turn(first)
            lesson = past.part(slice(done, end)).with_silent(rows[told:until], times[told:until], turns[told:until])
            local = shift[lesson.row]
            findings = (lesson.time + local, lesson.changed, lesson.importance, lesson.last_change + local)
            self.learner.observe(lesson.row, findings)
            self._note(past, slice(done, end))
            done, told = end, until
        self._taught = with_room(self._taught, len(self._taught), len(self))
        self._taught[past.row] = True
        self._taught[rows] = True

    def _note(self, past: History, part: slice) -> None:
        """Take notice that captures were made."""
        record, rows, times = self._record.rows, past.row[part], past.time[part]
        np.add.at(record.captures, rows, 1.0)
        np.add.at(record.found, rows, past.changed[part])
        np.fmin.at(record.first, rows, times)
        np.fmax.at(record.last, rows, times)
        latest = max(self._turn.latest, float(times.max(initial=-np.inf)))
        self._turn = self._turn._replace(since=self._turn.since + len(rows), latest=latest)

    def turn(self, now: float) -> None:
        """It is so late: renew what pages share, if an hour has begun and there is enough to do it with. Whether that
        is asked for when an hour begins, or only with its first capture, comes to the same.
        """
        last, hour = self._turn, np.floor(now)
        small = len(self) <= SMALL
        enough = max(1.0, len(self) / _PAGES_PER_CAPTURE[not small])
        if last.since < enough or hour <= np.floor(last.latest):
            return
        if hour < last.hour + _DAY and not (small and last.since >= last.before / _GROWN):
            return
        self._turn = Turn(np.floor(last.latest) + 1.0, last.before + last.since, 0, last.latest)
        self.share()

    def share(self) -> None:
        """Renew what pages share, from the captures so far; pages expect what their neighbours do."""
        site, directory = self.learner.groups
        rates = neighbour_rates(site, directory, self.watched, self.learner.settings.start_rate)
        self.learner.grow(site, directory, rates)
        self.learner.refresh(self._turn.latest if self._turn.latest > -np.inf else 0.0)
        self.renewed += 1

    def state(self) -> tuple[dict[str, NDArray[Any] | AwayColumn], dict[str, NDArray[Any]]]:
        """Everything: columns of pages that only their captures change, and the rest. Views, not copies."""
        columns, rest = self.learner.state()
        columns |= {f"record.{name}": value for name, value in self._record.rows._asdict().items()}
        hours = np.array([self.hours.start, self.hours.length])
        return columns, rest | {"hours": hours, "turn": np.array(self._turn)}

    @staticmethod
    def from_state(columns: Mapping[str, Any], rest: Mapping[str, NDArray[Any]]) -> "Learned":
        """What `state` told; KeyError or ValueError when it is something else."""
        return Learned.from_parts([(np.arange(len(rest["prior"])), columns)] if columns else [], rest)

    @staticmethod
    def from_parts(parts: Iterable[Part], rest: Mapping[str, NDArray[Any]]) -> "Learned":
        """The same of columns that come some rows at a time."""
        count = len(rest["prior"])
        record = Record.blank(count)

        def noted() -> Iterator[Part]:
            for rows, values in parts:
                for name, column in record._asdict().items():
                    column[rows] = values[f"record.{name}"]
                yield rows, values

        hours = Hours(*rest["hours"].tolist())
        learner = CensoredLearner.from_parts(noted(), rest, rooms=rooms_for(count))
        hour, before, since, latest = rest["turn"].tolist()
        return Learned(hours, learner, record, Turn(hour, int(before), int(since), latest))

    def take_taught(self) -> Rows:
        """Rows of pages that captures have taught since this was asked last."""
        found = np.flatnonzero(self._taught)
        self._taught[:] = False
        return found


def learn(
    pages: Sequence[Known], past: History, hours: Hours, others: OtherSites | None = None,
    silent: tuple[Rows, Floats] | None = None,
) -> Learned:  # fmt: skip
    """Replay a history: the learner sees captures in the order of time, and what pages share is renewed on the way.
    `others` are sites of which no pages are here, `silent` what History.with_silent takes.
    """
    groups = Groups.of(pages)
    learner = CensoredLearner(rooms=rooms_for(len(pages)))
    learned = Learned(hours, learner, Record.blank(len(pages)))
    learned.others = others or OtherSites()
    if pages:
        learned.learner.grow(groups.site, groups.directory)
        learned.share()
        learned.teach(past, silent, np.array([page.shift for page in pages], dtype=np.float64))
        unseen = learned.first_sight(pages, groups)
        new_site = (np.bincount(groups.site, weights=learned.watched.hours) == 0.0)[groups.site]
        if others is not None and new_site.any():  # who knows of sites that are elsewhere expects what these do
            expected = np.where(new_site, unseen, learned.learner.first_sight)
            learned.learner.grow(groups.site, groups.directory, expected)
    return learned
