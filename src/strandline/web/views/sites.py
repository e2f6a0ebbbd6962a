"""Sites as they are shown: how each stands, what it costs and brings."""

import time
from typing import Any

from pydantic import BaseModel, Field

from strandline.keeping.sites import KEYS, Site, all_sites, site_at
from strandline.settings.site_tables import SiteSettings
from strandline.web.desk import Desk
from strandline.web.views.values import DAY, Moment


class WeekView(BaseModel):
    """A week of a site."""

    until: Moment = Field(description="The day it ends with; the first one ends now")
    requests: int = Field(description="Answers that were kept, those of parts of pages among them")
    unchanged: int
    errors: int
    bytes: int = Field(description="As stored")
    changes: int = Field(description="That readers can see")
    important: int
    importance: float


class OperatedSite(BaseModel):
    """A site in operation."""

    site: str
    state: str = Field(description="active, paused, removed; parts: it only gives parts to pages of others")
    closed: str = Field(description="Why nothing is asked of it now; empty when it may be")
    seeds: list[str]
    settings: dict[str, Any] = Field(description="What is said of it and not of all sites")
    pages: int
    captures: int
    first: Moment | None
    last: Moment | None
    week: WeekView = Field(description="All weeks that were asked for, together")
    weeks: list[WeekView]


def site_view(site: Site, now: float) -> OperatedSite:
    """A site as it is shown."""
    total, told, usual, today = site.sum(), site.settings, SiteSettings(), now // DAY * DAY
    weeks = [
        WeekView(until=today - 7 * DAY * one.week, bytes=one.octets, **_figures(one._asdict())) for one in site.weeks
    ]
    return OperatedSite(
        site=site.name,
        state=site.state,
        closed=site.closed,
        seeds=list(site.seeds),
        settings={key: getattr(told, key) for key in KEYS if getattr(told, key) != getattr(usual, key)},
        pages=site.pages,
        captures=site.captures,
        first=site.first,
        last=site.last,
        week=WeekView(until=today, bytes=total.octets, **_figures(total._asdict())),
        weeks=weeks,
    )


def _figures(week: dict[str, Any]) -> dict[str, Any]:
    return {name: week[name] for name in ("requests", "unchanged", "errors", "changes", "important", "importance")}


def sites_in_operation(desk: Desk, weeks: int = 1) -> list[OperatedSite]:
    """All sites, those in operation first, then by name."""
    now, order = time.time(), ("active", "paused", "removed", "parts")
    found = all_sites(desk.archive, desk.settings, now, weeks)
    return [site_view(one, now) for one in sorted(found, key=lambda one: (order.index(one.state), one.name))]


def site_in_operation(desk: Desk, name: str, weeks: int = 8) -> OperatedSite:
    """One site; UsageError when there is none."""
    now = time.time()
    return site_view(site_at(desk.archive, desk.settings, name, now, weeks), now)
