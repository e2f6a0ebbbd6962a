"""The whole archive at a glance: totals, a card per site, what comes next, and the jobs."""

from dataclasses import dataclass
from typing import Any

from strandline.app.browsing import Day, SiteRow
from strandline.archive.given_seeds import given_seeds
from strandline.core.urls import site as site_of
from strandline.core.urls import surt_key
from strandline.web.desk import Desk
from strandline.web.jobs import WRITERS, Job
from strandline.web.views.changes import ChangesAsked, ChangeView, changes_page
from strandline.web.views.days import DayView, day_level, days
from strandline.web.views.health import AlarmView, ClusterView, WriterView, cluster, open_alarms, writer
from strandline.web.views.values import DAY, IMPORTANT, Moment

CARDS = 24
_SPARK_DAYS = 60
_DAYS = 120
_LATELY = 6
_NOTHING: dict[str, Any] = {"visits": []}


@dataclass(frozen=True, slots=True)
class QualityView:
    """How good the archive is, of a site or of the whole: estimates, with an interval where there is one."""

    completeness: float
    low: float
    high: float
    coherence: float
    freshness: float
    coverage: float
    pages: int
    captures: int
    without_content: int
    """Empty shells, login forms, refusals: they count as not captured."""


@dataclass(frozen=True, slots=True)
class SiteCard:
    """A site at a glance."""

    site: str
    hosts: int
    pages: int
    captures: int
    first: Moment | None
    last: Moment | None
    changes: int
    """Visible changes of the last 60 days on which anything was captured."""
    important: int
    spark: list[int]
    """Captures on each of these days, oldest first."""
    spark_levels: list[int]
    """Colour of each: mean importance of its changes from 1 to 5, 0 without changes."""
    quality: QualityView | None
    """None while it is not worked out."""
    next: Moment | None
    """Its next visit, when that is one of the next of the archive."""
    alarms: int
    parts: list["PartsHost"]
    """Sites that only give parts to its pages, of those that are listed with it."""


@dataclass(frozen=True, slots=True)
class PartsHost:
    """A site of which only parts of other sites' pages were captured: fonts, scripts, pictures."""

    site: str
    captures: int
    serves: list[str]
    """Sites whose pages name its parts."""


@dataclass(frozen=True, slots=True)
class NextVisit:
    """A visit that is planned."""

    url: str
    due: Moment
    urgency: float
    reason: str


@dataclass(frozen=True, slots=True)
class JobView:
    """A job, and what it did so far."""

    number: int
    kind: str
    state: str
    arguments: list[str]
    started: Moment
    ended: Moment | None
    captured: int
    unchanged: int
    failed: int
    problem: str


@dataclass(frozen=True, slots=True)
class SitesPage:
    """Some sites, those with most captures first."""

    sites: list[SiteCard]
    parts: list[PartsHost]
    """Sites that only give parts to the pages of others, which are not listed here."""
    more: int | None
    """Give this as `start` to go on; None at the end."""


@dataclass(frozen=True, slots=True)
class Overview:
    """The archive at a glance."""

    name: str
    sites: int
    pages: int
    captures: int
    changes: int
    waiting: int
    """Captures still to be studied."""
    budget: str
    strategy: str
    contact: str
    seeds: list[str]
    quality: QualityView | None
    visits: dict[str, int] | None
    """Intended, achieved and failed visits of the last day."""
    measured: Moment | None
    """When quality was measured."""
    hour: float | None
    """Seconds an hour of the watch lasts: fewer than 3600 in demonstrations; None while quality is not measured."""
    days: list[DayView]
    """The last days on which anything was captured."""
    lately: list[ChangeView]
    """The latest important changes."""
    next: list[NextVisit] | None
    alarms: list[AlarmView]
    jobs: list[JobView]
    kinds: list[str]
    """What can be started from here."""
    writer: WriterView | None
    """Who writes the archive, when that was not started from here."""
    cluster: ClusterView | None
    """Who works; None for an archive in a folder."""


def job_view(job: Job) -> JobView:
    """A job as it is told."""
    told = {name: getattr(job, name) for name in JobView.__dataclass_fields__}
    return JobView(**{**told, "arguments": list(job.arguments)})


def quality_view(found: dict[str, Any]) -> QualityView:
    """Measures as the answering process tells them."""
    return QualityView(**{name: found[name] or 0 for name in QualityView.__dataclass_fields__})


def overview(desk: Desk) -> Overview:
    """Everything about the archive that costs little; quality and plans as far as they are worked out already."""
    totals, settings = desk.reading.totals(), desk.settings
    measured = desk.slow_queries.remembered("quality")
    planned = desk.slow_queries.remembered("next")
    return Overview(
        name=desk.holdings.name,
        sites=totals["sites"],
        pages=totals["pages"],
        captures=totals["captures"],
        changes=totals["changes"],
        waiting=desk.reading.waiting(),
        budget=settings.plan.budget,
        strategy=settings.plan.strategy,
        contact=settings.archive.contact,
        seeds=list(dict.fromkeys((*settings.scope.seeds, *given_seeds(desk.reading))))[:100],
        quality=quality_view(measured["sites"]["archive"]) if measured else None,
        visits=measured["visits"] if measured else None,
        measured=measured["at"] if measured else None,
        hour=measured["hour"] if measured else None,
        days=days(desk, "", max(0.0, _last(desk) - _DAYS * DAY)),
        lately=changes_page(desk, ChangesAsked(least=IMPORTANT, limit=_LATELY)).changes,
        next=next_visits(desk, planned) if planned else None,
        alarms=open_alarms(desk),
        jobs=[job_view(job) for job in desk.jobs.all()[:5]],
        kinds=list(desk.jobs.kinds),
        writer=None if desk.jobs.active(WRITERS) else writer(desk),
        cluster=cluster(desk),
    )


def _last(desk: Desk) -> float:
    """When something was last captured; 0.0 for never."""
    return max((capture.time for capture in desk.reading.latest_captures(1)), default=0.0)


def next_visits(desk: Desk, planned: dict[str, Any]) -> list[NextVisit]:
    """The visits that come next; a plan that was made before something was taken down may still name it."""
    hidden = desk.reading.hidden
    visits = [one for one in planned["visits"] if not (hidden and hidden.hides(surt_key(one["url"])))]
    return [NextVisit(one["url"], one["due"], one["urgency"], one["reason"]) for one in visits]


def site_cards(desk: Desk, start: int = 0, limit: int = CARDS, like: str = "") -> SitesPage:
    """Some sites as cards."""
    rows = desk.reading.listed_sites(limit + 1, start, like)
    more = start + limit if len(rows) > limit else None
    alarms = open_alarms(desk)
    # Whoever looks for a host by its name finds it, whatever it is.
    parts = [] if like else _giving_parts(desk, rows[:limit])
    apart = {one.site for one in parts}
    cards = [site_card(desk, row, alarms) for row in rows[:limit] if row.name not in apart]
    for card in cards:
        card.parts.extend(one for one in parts if card.site in one.serves)
    told = {one.site for card in cards for one in card.parts}
    return SitesPage(cards, [one for one in parts if one.site not in told], more)


def _giving_parts(desk: Desk, rows: list[SiteRow]) -> list[PartsHost]:
    """Those of some sites that only give parts to the pages of others."""
    return [
        PartsHost(row.name, row.captures, desk.reading.served_sites(row.name))
        for row in rows
        if desk.reading.gives_parts(row.name)
    ]


def site_card(desk: Desk, row: SiteRow, alarms: list[AlarmView]) -> SiteCard:
    """One site as a card."""
    since = (row.last or 0.0) - _SPARK_DAYS * DAY
    lived = desk.reading.days(row.name, max(0.0, since))
    measured, planned = desk.slow_queries.remembered("quality"), desk.slow_queries.remembered("next")
    found = (measured or {}).get("sites", {}).get(row.name)
    spark = _spark(lived)
    return SiteCard(
        site=row.name,
        hosts=row.hosts,
        pages=row.pages,
        captures=row.captures,
        first=row.first,
        last=row.last,
        changes=sum(day.changes for day in lived),
        important=sum(day.important for day in lived),
        spark=[captures for captures, _ in spark],
        spark_levels=[colour for _, colour in spark],
        quality=quality_view(found) if found else None,
        next=min(
            (one.due for one in next_visits(desk, planned or _NOTHING) if site_of(one.url) == row.name), default=None
        ),
        alarms=sum(alarm.subject == row.name for alarm in alarms),
        parts=[],
    )


def _spark(days: list[Day]) -> list[tuple[int, int]]:
    """Captures and colour day by day, empty days too."""
    if not days:
        return []
    found = {day.day: (day.captures, day_level([day])) for day in days}
    return [found.get(day, (0, 0)) for day in range(days[0].day, days[-1].day + 1)]
