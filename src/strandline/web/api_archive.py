"""The reading part of the API about an archive at work: what the pages show, as JSON."""

import time
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Path, Query
from pydantic import BaseModel, Field

from strandline.errors import UsageError
from strandline.web.desk import Desk
from strandline.web.face import NotThereError
from strandline.web.texts import say
from strandline.web.views.changes import ChangesAsked, ChangesPage, changes_page
from strandline.web.views.compare import Compared, Part, compare
from strandline.web.views.days import DayView, days
from strandline.web.views.health import Health, health
from strandline.web.views.learned import (
    ClassesPage,
    PatternsPage,
    RulesPage,
    classes_page,
    patterns_page,
    rules_page,
)
from strandline.web.views.overview import (
    JobView,
    NextVisit,
    Overview,
    SitesPage,
    job_view,
    next_visits,
    overview,
    site_cards,
)
from strandline.web.views.page import BlockView, Calendar, PageView, calendar_view, page_blocks, page_view
from strandline.web.views.ratings import RatingView, given
from strandline.web.views.search import Found, SearchAsked, search
from strandline.web.views.simulate import Simulation, simulation, simulations
from strandline.web.views.site import (
    PagesPage,
    Report,
    SiteView,
    Tree,
    pages_of,
    report,
    site_rules,
    site_view,
    tree,
)
from strandline.web.views.values import address, time_of

Site = Annotated[str, Query(description="Registered domain or host", max_length=300)]
Url = Annotated[str, Query(description="Address of the page", min_length=1, max_length=4096)]
Since = Annotated[str, Query(description="Date or time, ISO 8601", max_length=40)]
Start = Annotated[int, Query(ge=0, le=10**9, description="Where a list goes on")]
Number = Annotated[int, Path(ge=1, le=10**9)]


class SearchIn(BaseModel):
    """What is looked for, where and when."""

    words: str = Field("", max_length=500)
    topic: str = Field("", max_length=500)
    label: str = Field("", max_length=100, description="What blocks are called: by people, or main, nav, footer, ...")
    url: str = Field("", max_length=4096, description="Part of an address")
    site: str = Field("", max_length=300)
    since: str = Field("", max_length=40, description="Shown at this date or time, ISO 8601, or later")
    until: str = Field("", max_length=40, description="Shown at this date or time or earlier")
    start: int = Field(0, ge=0, le=10**9, description="Where the list goes on")
    limit: int = Field(20, ge=1, le=200)
    over_time: bool = Field(False, description="Also `turns`: when it appeared on pages and vanished")


def reading_routes(api: FastAPI, desk: Desk) -> None:
    """Add what can be looked at."""
    for router in (_archive(desk), _site(desk), _page(desk), _changes(desk), _learned(desk), _work(desk)):
        api.include_router(router)


def _known_site(desk: Desk, site: str) -> None:
    if desk.reading.site_row(site) is None:
        raise NotThereError(say("no_site", site=site))


def _captured(desk: Desk, url: str) -> str:
    found = address(url)
    if desk.reading.capture_span(desk.reading.page_numbers(found)) is None:
        raise NotThereError(say("no_capture", url=found))
    return found


def _archive(desk: Desk) -> APIRouter:
    router = APIRouter(tags=["archive"])

    @router.get("/overview")
    async def the_overview() -> Overview:
        """The archive at a glance."""
        return overview(desk)

    @router.get("/cards")
    async def cards(start: Start = 0, limit: Annotated[int, Query(ge=1, le=100)] = 24, like: Site = "") -> SitesPage:
        """Sites at a glance, those with most captures first."""
        return site_cards(desk, start, limit, like)

    @router.get("/health")
    async def the_health() -> Health:
        """Alarms, disk, writer, study, audit."""
        return health(desk, time.time())

    @router.get("/quality")
    async def quality(site: Site = "") -> dict[str, Any]:
        """Completeness with its interval, coherence, freshness, coverage: of all sites, or of one."""
        if site:
            _known_site(desk, site)
            return await desk.slow_queries.ask("quality", site=site)
        return await desk.slow_queries.ask("quality")

    @router.get("/quality/history")
    async def quality_history(site: Site = "") -> dict[str, Any]:
        """Quality as it stood over time, and what other budgets would catch."""
        if site:
            _known_site(desk, site)
        return await desk.slow_queries.ask("history", site=site)

    @router.get("/next")
    async def next_(visits: Annotated[int, Query(ge=1, le=1000)] = 10) -> list[NextVisit]:
        """The visits that come next."""
        return next_visits(desk, await desk.slow_queries.ask("next", visits=visits))

    return router


def _site(desk: Desk) -> APIRouter:
    router = APIRouter(tags=["site"])

    @router.get("/site")
    async def site_(site: Site, at: Annotated[str, Query(max_length=4096)] = "", since: Since = "") -> SiteView:
        """A site in full."""
        _known_site(desk, site)
        return site_view(desk, site, at, time_of(since))

    @router.get("/site/tree")
    async def site_tree(site: Site, at: Annotated[str, Query(max_length=4096)] = "") -> Tree:
        """One level of its directories."""
        _known_site(desk, site)
        return tree(desk, site, at, site_rules(desk, site))

    @router.get("/site/days")
    async def site_days(site: Site = "", since: Since = "", until: Since = "") -> list[DayView]:
        """Captures and changes day by day, of a site or of all."""
        end = time_of(until, end=True)
        return days(desk, site, max(0.0, time_of(since) or 0.0), float("inf") if end is None else end)

    @router.get("/site/report")
    async def site_report(site: Site, since: Since = "") -> Report:
        """New, changed and gone pages."""
        _known_site(desk, site)
        return report(desk, site, time_of(since))

    @router.get("/site/pages")
    async def site_pages(
        site: Site,
        after: Annotated[str, Query(max_length=4096)] = "",
        limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    ) -> PagesPage:
        """Captured pages by address."""
        _known_site(desk, site)
        return pages_of(desk, site, after, limit)

    return router


def _page(desk: Desk) -> APIRouter:
    router = APIRouter(tags=["page"])

    @router.get("/page")
    async def page(url: Url, year: Annotated[int | None, Query(ge=1, le=9999)] = None) -> PageView:
        """A page in full."""
        return page_view(desk, _captured(desk, url), year)

    @router.get("/page/calendar")
    async def page_calendar(url: Url, year: Annotated[int | None, Query(ge=1, le=9999)] = None) -> Calendar:
        """A year of its captures."""
        return calendar_view(desk, _captured(desk, url), year)

    @router.get("/page/blocks")
    async def blocks(url: Url, start: Start = 0) -> list[BlockView]:
        """When its blocks appeared and vanished."""
        pages = desk.reading.page_numbers(_captured(desk, url))
        span = desk.reading.capture_span(pages)
        return page_blocks(desk, pages[0], (span[0], span[1]) if span else (0.0, 0.0), start)

    @router.get("/page/week")
    async def week(url: Url) -> dict[str, Any]:
        """Change by weekday and hour, in the time of the site."""
        return await desk.slow_queries.ask("week", url=_captured(desk, url))

    @router.get("/why")
    async def why(url: Url) -> dict[str, Any]:
        """Every reason for one page: may it be fetched, what was learned, when is its turn?"""
        return await desk.slow_queries.ask("why", url=address(url))

    @router.get("/compare")
    async def compare_(
        url: Url,
        from_: Annotated[str, Query(alias="from", description="Date or time, ISO 8601", max_length=40)] = "",
        to: Since = "",
        after: Start = 0,
        only: Annotated[bool, Query(description="Leave out blocks that are the same")] = False,
    ) -> Compared:
        """Two versions of a page, block by block; by default the last two captures."""
        found = _captured(desk, url)
        latest = desk.reading.shown_captures(desk.reading.page_numbers(found), 1e15, 2)
        start, end = time_of(from_), time_of(to, end=True)
        return await compare(
            desk,
            latest[0].url,
            latest[-1].time if start is None else start,
            latest[0].time if end is None else end,
            Part(after, only),
        )

    return router


class NarrowIn:
    """What a list is narrowed to."""

    def __init__(
        self,
        site: Site = "",
        collection: Annotated[str, Query(max_length=60)] = "",
        tag: Annotated[str, Query(max_length=60)] = "",
    ) -> None:
        self.site = site
        self.collection = collection
        self.tag = tag


def _changes(desk: Desk) -> APIRouter:
    router = APIRouter(tags=["changes"])

    @router.get("/changes")
    async def changes(
        of: Annotated[NarrowIn, Depends()],
        min_importance: Annotated[float, Query(ge=0, le=1)] = 0.0,
        since: Since = "",
        until: Since = "",
        cursor: Annotated[str, Query(max_length=60)] = "",
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
    ) -> ChangesPage:
        """Visible changes, newest first."""
        when = time_of(since), time_of(until, end=True)
        return changes_page(desk, ChangesAsked(of.site, min_importance, *when, cursor, limit, of.collection, of.tag))

    @router.get("/ratings")
    async def ratings() -> list[RatingView]:
        """What people said about blocks, the newest first."""
        return given(desk)

    @router.get("/search")
    async def search_(wanted: Annotated[SearchIn, Query()]) -> Found:
        """Pages by part of their address, blocks by their words, topic or label, and when they were shown."""
        if not any(text.strip() for text in (wanted.words, wanted.topic, wanted.label, wanted.url)):
            raise UsageError(say("nothing_asked"))
        when = time_of(wanted.since), time_of(wanted.until, end=True)
        what = (wanted.words, wanted.topic, wanted.url.strip(), wanted.site)
        return search(
            desk, SearchAsked(*what, *when, wanted.start, wanted.limit, wanted.label, over_time=wanted.over_time)
        )

    return router


def _learned(desk: Desk) -> APIRouter:
    router = APIRouter(tags=["learned"])

    @router.get("/rules")
    async def rules(site: Site = "", start: Start = 0) -> RulesPage:
        """Directory rules with their evidence."""
        return rules_page(desk, site, start)

    @router.get("/patterns")
    async def patterns(start: Start = 0) -> PatternsPage:
        """Groups of pages that change at the same hours."""
        return patterns_page(desk, start)

    @router.get("/hours")
    async def hours(site: Site = "", start: Start = 0) -> dict[str, Any]:
        """When the pages of each directory change, as the plan believes."""
        if site:
            _known_site(desk, site)
        return await desk.slow_queries.ask("hours", site=site, start=start)

    @router.get("/classes")
    async def classes(
        number: Annotated[int | None, Query(ge=0, le=1000)] = None,
        after: Start = 0,
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
    ) -> ClassesPage:
        """Change classes, and pages of all or of one of them."""
        return classes_page(desk, number, after, limit)

    return router


def _work(desk: Desk) -> APIRouter:
    router = APIRouter(tags=["work"])

    @router.get("/jobs")
    async def jobs() -> list[JobView]:
        """What this server was asked to do, newest first."""
        return [job_view(job) for job in desk.jobs.all()]

    @router.get("/jobs/{number}")
    async def job(number: Number) -> JobView:
        """One job."""
        found = desk.jobs.get(number)
        if found is None:
            raise NotThereError(say("no_job", job=number))
        return job_view(found)

    @router.get("/simulations")
    async def all_simulations() -> list[Simulation]:
        """Simulations this server ran, newest first."""
        return simulations(desk)

    @router.get("/simulations/{number}")
    async def one_simulation(number: Number) -> Simulation:
        """A simulation, finished or under way."""
        found = desk.jobs.get(number)
        if found is None or found.kind != "simulate":
            raise NotThereError(say("no_simulation", number=number))
        return simulation(found)

    return router
