"""From captures to patterns: who may be believed about times, a series per page, pages that share their hours.

Two passes over the captures of a site. The first judges the sources that claim times of change (Last-Modified, feeds,
sitemaps) by what the captures show; the second books every change, at the claimed time where the source is trusted,
else spread over the gap in which it happened. Rates are learned in `learn_rates`, directory rules in `learn_rules`.

`OnlineLearner` adds one capture to what is already known, in time proportional to the periods of a cycle.
"""

import functools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from strandline.core.beliefs.evidence import Claim, Source, TrustBook
from strandline.core.capture import GONE
from strandline.core.history.calendar import LocalCalendar, Periods
from strandline.core.history.many_series import AT_ONCE, many_series
from strandline.core.history.series import PageSeries, Sighting
from strandline.core.mining.learned import DAY, PageRate, Visits
from strandline.core.mining.patterns import PatternGroup, pattern_groups
from strandline.core.mining.shared_shapes import shared_shapes
from strandline.core.urls import authority
from strandline.learn.observations import NOISE, Seen, matters
from strandline.learn.page_columns import PageRows
from strandline.learn.series_book import SeriesBook, StillPages

SEEN = frozenset({200, 203, 304})
"""Answers that show the page. Origin: RFC 9110."""
EARLIEST, LATEST = 0.0, 7_200_000_000.0
"""What the calendar covers; archives of others hold odd dates. Origin: derived, from core/history/calendar.py."""


_TOGETHER = 4_096
"""Pages whose series are held as objects. Origin: a bound on memory."""

AnySeen = TypeVar("AnySeen", bound=Seen)


class Claimed(Protocol):
    """What a source said about the last change of a page."""

    @property
    def source(self) -> str:
        """last-modified, feed or sitemap."""

    @property
    def time(self) -> float:
        """When the page is said to have changed."""

    @property
    def seen(self) -> float:
        """When this was first read."""


Mark = Callable[[AnySeen], bool]


def gathered(
    captures: Iterable[AnySeen], unstudied: Mark[AnySeen] = lambda _: False, restless: Mark[AnySeen] = lambda _: False
) -> Iterator[Visits]:
    """Captures (in the order of page and time) as columns per page.

    Left out: what is held in doubt, answers that show no page (redirects, refusals, errors), impossible dates.
    """
    rows: list[AnySeen] = []
    for capture in captures:
        if rows and capture.page != rows[0].page:
            yield _columns(rows, unstudied, restless)
            rows = []
        if capture.held or (capture.status not in SEEN and capture.status not in GONE):
            continue
        if EARLIEST <= capture.time < LATEST:
            rows.append(capture)
    if rows:
        yield _columns(rows, unstudied, restless)


def _columns(rows: list[AnySeen], unstudied: Mark[AnySeen], restless: Mark[AnySeen]) -> Visits:
    changed = [row.changed for row in rows]
    changed[0] = False
    gone = [row.status in GONE for row in rows]
    none, nothing = _nothing(len(rows))
    amounts = [max(row.importance, 0.0) if told else 0.0 for row, told in zip(rows, changed, strict=True)]
    return Visits(
        page=rows[0].page,
        url=rows[0].url,
        times=np.array([row.time for row in rows], dtype=np.float64),
        changed=np.array(changed, dtype=np.bool_) if any(changed) else none,
        importance=np.array(amounts, dtype=np.float64) if any(changed) else nothing,
        gone=np.array(gone, dtype=np.bool_) if any(gone) else none,
        unstudied=sum(map(unstudied, rows)),
        restless=sum(map(restless, rows)),
    )


def that_matter(pages: Iterable[Visits]) -> list[Visits]:
    """The same captures, of which those that found a difference not worth a visit (a clock, advertising) found nothing.

    Patterns and rates are made of these, as plans are. Rules take all changes: a directory with a clock is not dormant.
    """
    return [_that_matters(one) for one in pages]


def _that_matters(visits: Visits) -> Visits:
    noise = visits.changed & (visits.importance < NOISE)
    if not noise.any():
        return visits
    return replace(visits, changed=visits.changed & ~noise, importance=np.where(noise, 0.0, visits.importance))


@functools.cache
def _nothing(count: int) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Columns of a page that never changed, the same for all of them: most pages are such."""
    none, nothing = np.zeros(count, dtype=np.bool_), np.zeros(count)
    none.flags.writeable = nothing.flags.writeable = False
    return none, nothing


def claims_in_force(claimed: Sequence[Claimed], times: Iterable[float]) -> Iterator[list[Claim]]:
    """For each time the newest claim of every source that had been read by then. One of a time that was still to come
    when it was read is worth nothing, now and later: as if it were of a time that never comes.
    """
    waiting = sorted(claimed, key=lambda one: (one.seen, one.time))
    known = {source.value: source for source in Source}
    current: dict[Source, Claim] = {}
    place = 0
    for time in times:
        while place < len(waiting) and waiting[place].seen <= time:
            one = waiting[place]
            if one.source in known:
                # A stamp at midnight is a date: sitemaps often give no more.
                precision = DAY if one.time % DAY == 0.0 and one.source != Source.LAST_MODIFIED.value else 1.0
                changed = one.time if one.time <= one.seen + precision else math.inf
                current[known[one.source]] = Claim(known[one.source], changed, precision)
            place += 1
        yield list(current.values())


def learn_trust(book: TrustBook, pages: Iterable[Visits], claims: Mapping[int, Sequence[Claimed]]) -> None:
    """Judge every claim by the two captures around it."""
    for visits in pages:
        claimed = claims.get(visits.page)
        if not claimed:
            continue
        host, times = authority(visits.url), visits.times.tolist()
        for number, current in enumerate(claims_in_force(claimed, times)):
            if number and current:
                book.learn(host, current, (times[number - 1], times[number]), changed=bool(visits.changed[number]))


def page_series(
    visits: Visits, calendar: LocalCalendar, book: TrustBook | None = None, claimed: Sequence[Claimed] = ()
) -> PageSeries:
    """The series of a page from all its captures."""
    series = PageSeries.empty(calendar.periods)
    series.observe_all(calendar, _sightings(visits, book, claimed))
    return series


def _sightings(visits: Visits, book: TrustBook | None, claimed: Sequence[Claimed]) -> list[Sighting]:
    times, amounts = visits.times.tolist(), visits.importance.tolist()
    if not claimed or book is None:
        return [Sighting(time, amount) for time, amount in zip(times, amounts, strict=True)]
    host = authority(visits.url)
    found = []
    for number, current in enumerate(claims_in_force(claimed, times)):
        known = None
        if number and visits.changed[number]:
            known = book.changed_at(host, current, times[number - 1], times[number])
        found.append(Sighting(times[number], amounts[number], known))
    return found


def changed_series(
    pages: Sequence[Visits], claims: Mapping[int, Sequence[Claimed]], calendar: LocalCalendar, book: TrustBook
) -> Iterator[tuple[Visits, PageSeries]]:
    """The series of pages of a site that changed; its sources were judged before."""
    plain = [one for one in pages if not claims.get(one.page) and one.times.size <= AT_ONCE]
    yield from zip(plain, many_series(calendar, [(one.times, one.importance) for one in plain]), strict=True)
    for one in pages:
        if claims.get(one.page) or one.times.size > AT_ONCE:
            yield one, page_series(one, calendar, book, claims.get(one.page, ()))


def parted(pages: Sequence[Visits]) -> tuple[list[Visits], list[Visits]]:
    """Pages that were never seen to change, and the others."""
    parts: tuple[list[Visits], list[Visits]] = ([], [])
    for visits in pages:
        parts[bool(visits.changed.any())].append(visits)
    return parts


@dataclass(slots=True)
class Patterns:
    """Everything `learn patterns` finds out."""

    trust: TrustBook = field(default_factory=TrustBook)
    series: Mapping[int, PageSeries] = field(default_factory=SeriesBook)
    groups: list[PatternGroup] = field(default_factory=list)
    _number: PageRows = field(default_factory=PageRows)

    def judge(self, pages: Iterable[Visits], claims: Mapping[int, Sequence[Claimed]]) -> None:
        """Learn who may be believed about the pages of a site, all of them before any is added."""
        learn_trust(self.trust, pages, claims)

    def add(self, pages: Sequence[Visits], claims: Mapping[int, Sequence[Claimed]], calendar: LocalCalendar) -> None:
        """Learn some pages of a site, in its own time; then those with larger numbers."""
        assert isinstance(self.series, SeriesBook)
        still, changed = parted(pages)
        self.series.add_still(StillPages.of(still, calendar))
        for begin in range(0, len(changed), _TOGETHER):
            some = changed[begin : begin + _TOGETHER]
            found = {visits.page: series for visits, series in changed_series(some, claims, calendar, self.trust)}
            self.series.changed.add({visits.page: found[visits.page] for visits in some})  # in the order of pages

    def share(self) -> None:
        """Find the pages that keep the same hours, over all sites."""
        assert isinstance(self.series, SeriesBook)
        shelf = self.series.changed
        found = shared_shapes(lambda: (some[1:] for some in shelf.counted()), shelf.form) if len(shelf) else None
        if found is None:
            return
        self.groups = pattern_groups(found, shelf.form)
        pages = (page for some in shelf.counted() for page in some.pages.tolist())
        for page, number in zip(pages, found.number.tolist(), strict=True):
            self._number[page] = number

    def numbers(self) -> Mapping[int, int]:
        """Group of each page that has one."""
        return self._number

    def to_keep(self) -> Iterator[tuple[int, PageSeries, int | None]]:
        """Page, series and group of all pages."""
        return ((page, series, self._number.get(page)) for page, series in self.series.items())


PageKnowledge = tuple[PageSeries, PageRate, float]
"""Series, rate, and time of the last capture of a page."""


class OnlineLearner:
    """Adds captures to what is known as they come; `pages` holds what is new until it is kept."""

    def __init__(
        self, known: Callable[[int], PageKnowledge | None], periods_of: Callable[[str], Periods], prior: float
    ) -> None:
        """`known` looks a page up; `periods_of` says how a site's time is cut; `prior` is expected of a new page."""
        self._known = known
        self._periods_of = periods_of
        self._prior = prior
        self._calendars: dict[Periods, LocalCalendar] = {}
        self.pages: dict[int, PageKnowledge] = {}

    def observe(self, capture: Seen, changed_at: Callable[[float], float | None] = lambda _: None) -> bool:
        """Add one capture; False when it tells nothing new (held, no page shown, older than the last one).

        `changed_at` is asked when a change since the time it is given happened, as far as a trusted source says so.
        """
        showing = capture.status in SEEN or capture.status in GONE
        if capture.held or not showing or not EARLIEST <= capture.time < LATEST:
            return False
        known = self.pages.get(capture.page) or self._known(capture.page)
        if known is None:
            series, rate = PageSeries.empty(self._periods_of(capture.site)), PageRate(prior=self._prior)
            series.observe(self._calendar(series.periods), Sighting(capture.time))
        else:
            series, rate, last = known
            if capture.time < last:
                return False
            changed = matters(capture)
            moment = changed_at(last) if changed else None
            amount = capture.importance if changed else 0.0
            series.observe(self._calendar(series.periods), Sighting(capture.time, amount, moment))
            rate.observe((capture.time - last) / DAY, changed)
        self.pages[capture.page] = (series, rate, capture.time)
        return True

    def _calendar(self, periods: Periods) -> LocalCalendar:
        found = self._calendars.get(periods)
        if found is None:
            found = self._calendars[periods] = LocalCalendar(periods)
        return found
