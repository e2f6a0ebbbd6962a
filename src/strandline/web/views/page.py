"""A page: its calendar and timeline, what was learned of it, and the history of its blocks."""

import calendar
from dataclasses import dataclass
from datetime import UTC, datetime

from strandline.access.memento import closest
from strandline.app.browsing import BlockLife, ChangeRow, Returns
from strandline.core.mining.classes import seen_in_words
from strandline.core.urls import authority
from strandline.core.urls import site as site_of
from strandline.errors import UsageError
from strandline.learn.observations import NOISE
from strandline.web.desk import Desk
from strandline.web.texts import say
from strandline.web.views.changes import ChangeView, change_view
from strandline.web.views.learned import change_groups
from strandline.web.views.values import DAY, IMPORTANT, Moment, level

_MOST_CHANGES = 3000
_TIMELINE = 400
_BLOCKS = 20
_FELLOWS = 12
_LATEST = 5
_EXCERPT = 280


@dataclass(frozen=True, slots=True)
class CalendarDay:
    """A day of the calendar; `time` is that of its last capture."""

    day: int
    captures: int
    changes: int
    importance: float
    level: int
    time: Moment | None


@dataclass(frozen=True, slots=True)
class Month:
    """A month of the calendar, in weeks that begin on Monday; days of other months are None."""

    name: str
    number: int
    weeks: list[list[CalendarDay | None]]
    captures: int


@dataclass(frozen=True, slots=True)
class Calendar:
    """A year of captures of a page."""

    url: str
    year: int
    years: list[int]
    months: list[Month]
    """Only months in which something was captured, and those between them."""


@dataclass(frozen=True, slots=True)
class ChangeMark:
    """A change on the timeline."""

    after: Moment
    by: Moment
    importance: float
    level: int
    held: bool
    place: float
    """Between 0 (first capture) and 1 (last)."""


@dataclass(frozen=True, slots=True)
class LearnedOfPage:
    """What captures taught about a page."""

    rate: float | None
    """Changes a day; None while it was seen only once."""
    expected: float
    in_words: str
    visits: int
    changes: int
    number: int | None
    """Change class; the fastest is 0."""
    classes: int
    group: int | None
    fellows: list[str]
    """Pages that share its pattern."""


@dataclass(frozen=True, slots=True)
class BlockView:
    """When a page showed a block."""

    url: str
    block: int
    topic: str
    text: str
    first: Moment
    last: Moment
    gone: Moment | None
    start: float = 0.0
    """Where its life begins on the timeline of the page, between 0 and 1."""
    end: float = 1.0
    path: str = ""
    labels: tuple[str, ...] = ()
    """What it is called: by a person, by its role, by its names."""


def block_view(life: BlockLife, text: str, start: float = 0.0, end: float = 1.0) -> BlockView:
    """A block as it is shown, with as much of its text as there is room for."""
    shown = (life.first, life.last, life.gone, start, end, life.path, life.labels)
    return BlockView(life.url, life.block, life.topic, text, *shown)


@dataclass(frozen=True, slots=True)
class PageView:
    """A page in full; pattern by hour, urgency and reasons are worked out apart."""

    url: str
    host: str
    site: str
    first: Moment
    last: Moment
    captures: int
    evidence: str
    since: Moment
    at: Moment
    """The moment that previous and next are told for."""
    previous_important: Moment | None
    next_important: Moment | None
    calendar: Calendar
    timeline: list[ChangeMark]
    latest: list[ChangeView]
    """Its newest changes, in words."""
    changes: int
    important: int
    learned: LearnedOfPage | None
    blocks: list[BlockView]
    more_blocks: int | None


def page_view(desk: Desk, url: str, year: int | None = None, at: float | None = None, start: int = 0) -> PageView:
    """A page; UsageError when it was never captured."""
    pages = desk.reading.page_numbers(url)
    span = desk.reading.capture_span(pages)
    if span is None:
        raise UsageError(say("no_capture", url=url))
    first, last, captures = span
    memento = closest(desk.holdings.index, url, at)
    address = memento.capture.url if memento else url
    row = desk.reading.page(address)
    changes = desk.reading.change_rows(pages, first, last, _MOST_CHANGES)
    moment = last if at is None else at
    before, after = desk.reading.important_beside(pages, moment, IMPORTANT)
    page = row.page if row else pages[0]
    blocks = page_blocks(desk, page, (first, last), start)
    returns = Returns(desk.reading)
    return PageView(
        url=address,
        host=authority(address),
        site=site_of(address),
        first=first,
        last=last,
        captures=captures,
        evidence=str(row.evidence) if row else "",
        since=row.since if row else 0.0,
        at=moment,
        previous_important=before,
        next_important=after,
        calendar=calendar_view(desk, url, year),
        timeline=_timeline(changes, first, last),
        latest=[change_view(one, returns) for one in desk.reading.newest_of(pages, _LATEST)],
        changes=len([one for one in changes if one.visible]),
        important=len([one for one in changes if one.visible and one.importance >= IMPORTANT]),
        learned=learned_of_page(desk, page),
        blocks=blocks[:_BLOCKS],
        more_blocks=start + _BLOCKS if len(blocks) > _BLOCKS else None,
    )


def _timeline(changes: list[ChangeRow], first: float, last: float) -> list[ChangeMark]:
    """The weightiest visible changes, in the order of time."""
    visible = sorted((one for one in changes if one.visible), key=lambda one: -one.importance)[:_TIMELINE]
    length = max(last - first, 1.0)
    return [
        ChangeMark(
            one.after, one.by, one.importance, level(one.importance), one.held, min(1.0, (one.by - first) / length)
        )
        for one in sorted(visible, key=lambda one: one.by)
    ]


def calendar_view(desk: Desk, url: str, year: int | None = None) -> Calendar:
    """A year of captures; by default the last one with any. UsageError when there are none."""
    pages = desk.reading.page_numbers(url)
    span = desk.reading.capture_span(pages)
    if span is None:
        raise UsageError(say("no_capture", url=url))
    years = list(range(_year(span[0]), _year(span[1]) + 1))[-200:]
    chosen = years[-1] if year is None or year not in years else year
    start, end = (datetime(number, 1, 1, tzinfo=UTC).timestamp() for number in (chosen, chosen + 1))
    days = desk.reading.capture_days(pages, start, end)
    worst: dict[int, tuple[int, float]] = {}
    for change in desk.reading.change_rows(pages, start, end, _MOST_CHANGES):
        if change.visible:
            count, most = worst.get(int(change.by // DAY), (0, 0.0))
            worst[int(change.by // DAY)] = (count + 1, max(most, change.importance))
    first_day = int(start // DAY)
    used = sorted({datetime.fromtimestamp(day * DAY, UTC).month for day in days})
    months = [
        _month(chosen, month, first_day, (days, worst)) for month in (range(used[0], used[-1] + 1) if used else ())
    ]
    return Calendar(url, chosen, years, months)


def _month(
    year: int,
    month: int,
    first_day: int,
    known: tuple[dict[int, tuple[int, int, float]], dict[int, tuple[int, float]]],
) -> Month:
    days, changed = known
    offset = datetime(year, month, 1, tzinfo=UTC).timetuple().tm_yday - 1
    weeks = []
    total = 0
    for week in calendar.monthcalendar(year, month):
        row: list[CalendarDay | None] = []
        for date in week:
            if not date:
                row.append(None)
                continue
            number = first_day + offset + date - 1
            captures, _, last = days.get(number, (0, 0, 0.0))
            changes, importance = changed.get(number, (0, 0.0))
            shade = (level(importance) if changes else 1) if captures else 0
            row.append(CalendarDay(date, captures, changes, importance, shade, last if captures else None))
            total += captures
        weeks.append(row)
    return Month(calendar.month_name[month], month, weeks, total)


def _year(time: float) -> int:
    return datetime.fromtimestamp(time, UTC).year


def learned_of_page(desk: Desk, page: int) -> LearnedOfPage | None:
    """What captures taught about a page; None when nothing was learned yet."""
    known = desk.reading.page_knowledge(page)
    if known is None:
        return None
    _, rate, _ = known
    series = desk.reading.series(page)
    group = series[1] if series else None
    groups = change_groups(desk)
    shown = rate.expected if rate.rate is None else rate.rate
    slight = 0 if rate.changes else desk.reading.slight_changes([page], NOISE).get(page, 0)
    return LearnedOfPage(
        rate=rate.rate,
        expected=rate.expected,
        in_words=seen_in_words(shown, slight),
        visits=rate.visits,
        changes=rate.changes,
        number=None if groups is None else int(groups.assign(shown)),
        classes=0 if groups is None else len(groups.rates),
        group=group,
        fellows=[] if group is None else desk.reading.group_members(group, _FELLOWS),
    )


def page_blocks(desk: Desk, page: int, span: tuple[float, float], start: int = 0) -> list[BlockView]:
    """When the blocks of a page appeared and vanished: those that are there first, then the newest."""
    begin, length = span[0], max(span[1] - span[0], 1.0)
    return [
        block_view(
            life,
            life.text[:_EXCERPT] + ("…" if len(life.text) > _EXCERPT else ""),
            min(1.0, max(0.0, (life.first - begin) / length)),
            1.0 if life.gone is None else min(1.0, max(0.0, (life.last - begin) / length)),
        )
        for life in desk.reading.block_lives(page, _BLOCKS + 1, start)
    ]
