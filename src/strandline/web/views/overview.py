"""The whole archive at a glance: totals, a card per site, what comes next, and the jobs."""

from dataclasses import dataclass
from typing import Any

from strandline.app.browsing import Day, SiteRow
from strandline.web.desk import Desk
from strandline.web.jobs import Job
from strandline.web.views.health import AlarmView, open_alarms
from strandline.web.views.values import DAY, Moment

CARDS = 24
_SPARK_DAYS = 60


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
    quality: QualityView | None
    """None while it is not worked out."""
    alarms: int


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
    next: list[NextVisit] | None
    alarms: list[AlarmView]
    jobs: list[JobView]


def job_view(job: Job) -> JobView:
    """A job as it is told."""
    return JobView(
        job.number,
        job.kind,
        job.state,
        list(job.arguments),
        job.started,
        job.ended,
        job.captured,
        job.unchanged,
        job.failed,
        job.problem,
    )


def quality_view(found: dict[str, Any]) -> QualityView:
    """Measures as the thinking process tells them."""
    return QualityView(**{name: found[name] or 0 for name in QualityView.__dataclass_fields__})


def overview(desk: Desk) -> Overview:
    """Everything about the archive that costs little; quality and plans as far as they are worked out already."""
    totals, settings = desk.reading.totals(), desk.settings
    measured = desk.thinker.remembered("quality")
    planned = desk.thinker.remembered("next")
    return Overview(
        name=desk.holdings.name,
        sites=totals["hosts"],
        pages=totals["pages"],
        captures=totals["captures"],
        changes=totals["changes"],
        waiting=desk.reading.waiting(),
        budget=settings.plan.budget,
        strategy=settings.plan.strategy,
        contact=settings.archive.contact,
        seeds=list(settings.scope.seeds[:100]),
        quality=quality_view(measured["sites"]["archive"]) if measured else None,
        visits=measured["visits"] if measured else None,
        next=next_visits(planned) if planned else None,
        alarms=open_alarms(desk),
        jobs=[job_view(job) for job in desk.jobs.all()[:5]],
    )


def next_visits(planned: dict[str, Any]) -> list[NextVisit]:
    """The visits that come next."""
    return [NextVisit(one["url"], one["due"], one["urgency"], one["reason"]) for one in planned["visits"]]


def site_cards(desk: Desk, start: int = 0, limit: int = CARDS, like: str = "") -> SitesPage:
    """Some sites as cards."""
    rows = desk.reading.listed_sites(limit + 1, start, like)
    more = start + limit if len(rows) > limit else None
    return SitesPage([site_card(desk, row) for row in rows[:limit]], more)


def site_card(desk: Desk, row: SiteRow) -> SiteCard:
    """One site as a card."""
    since = (row.last or 0.0) - _SPARK_DAYS * DAY
    days = desk.reading.days(row.name, max(0.0, since))
    measured = desk.thinker.remembered("quality")
    found = (measured or {}).get("sites", {}).get(row.name)
    return SiteCard(
        site=row.name,
        hosts=row.hosts,
        pages=row.pages,
        captures=row.captures,
        first=row.first,
        last=row.last,
        changes=sum(day.changes for day in days),
        important=sum(day.important for day in days),
        spark=_spark(days),
        quality=quality_view(found) if found else None,
        alarms=sum(alarm.subject == row.name for alarm in open_alarms(desk)),
    )


def _spark(days: list[Day]) -> list[int]:
    """Captures day by day, empty days too; at least one."""
    if not days:
        return []
    count = {day.day: day.captures for day in days}
    return [count.get(day, 0) for day in range(days[0].day, days[-1].day + 1)]
