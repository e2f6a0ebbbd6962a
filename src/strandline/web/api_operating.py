"""The part of the API that changes something; who may do what: web/permitting.py."""

from typing import Annotated, Literal

from fastapi import APIRouter, FastAPI, Path, Request
from pydantic import BaseModel, Field

from strandline.keeping.searches import forget_search, save_search, searches_of
from strandline.web.desk import Desk
from strandline.web.face import person_of
from strandline.web.jobs import Archiving
from strandline.web.operating import (
    act,
    add_site,
    adopt,
    change_paths,
    forget_rating,
    keep_label,
    keep_rating,
    start_job,
)
from strandline.web.views.overview import JobView, job_view
from strandline.web.views.simulate import Simulation, asked_for, start_simulation
from strandline.web.views.values import Sent, address, time_of


class SiteIn(Sent):
    """A site to add."""

    url: str = Field(min_length=1, max_length=2000, description="Address to start from")
    contact: str = Field("", max_length=2000, description="Page where site owners can reach you, when none is set")
    start: Literal["crawl", "watch", ""] | bool = Field(
        "crawl", description="What to start unless it runs: crawl or watch; true is crawl, empty or false is nothing"
    )


class SiteAdded(BaseModel):
    """The site that was added, and the crawl that was started."""

    url: str
    job: JobView | None


class PlanIn(Sent):
    """Settings of planning; what is left out stays."""

    budget: str = Field("", max_length=100, description="Such as 500/day or 200 MB/day")
    strategy: str = Field("", max_length=100)
    objective: str = Field("", max_length=100)


class PlanOut(BaseModel):
    """Settings of planning as they are now."""

    budget: str
    strategy: str
    objective: str


class JobIn(Sent):
    """A job to start."""

    kind: Literal["crawl", "watch", "verify", "learn"]


class ActionIn(Sent):
    """What to do with a job."""

    action: Literal["pause", "resume", "stop"]


class RatingIn(Sent):
    """What a person says about a block of a page, about all that differs between two versions, or about the last
    change.
    """

    url: str = Field(min_length=1, max_length=4096)
    rating: Literal["noise", "matters"]
    block: str = Field("", max_length=4096, description="Path of one block")
    from_: str = Field("", alias="from", max_length=40, description="Date or time of the older version, ISO 8601")
    to: str = Field("", max_length=40, description="And of the newer one")


class UndoIn(Sent):
    """A block whose rating is taken back; without a path, all blocks of the page."""

    url: str = Field(min_length=1, max_length=4096)
    block: str = Field("", max_length=4096)


class LabelIn(Sent):
    """What a person calls a block of a page; an empty label takes it back."""

    url: str = Field(min_length=1, max_length=4096)
    block: str = Field(min_length=1, max_length=4096, description="Path of the block")
    label: str = Field("", max_length=80)


class SearchWords(Sent):
    """What a saved search looks for."""

    words: str = Field(max_length=500)


class SimulationIn(Sent):
    """A simulation to run on the archive's own history."""

    strategies: list[Annotated[str, Field(max_length=100)]] = Field(min_length=1, max_length=40)
    budgets: list[Annotated[float, Field(gt=0, le=100)]] = Field(
        [5.0, 10.0, 20.0], min_length=1, max_length=8, description="Percent of the pages per period"
    )
    requests: list[Annotated[float, Field(gt=0, le=10_000_000)]] = Field(
        [], max_length=8, description="Requests a day, instead of percents"
    )
    objective: Literal["pool", "page", "count"] = "pool"


def _searches(desk: Desk) -> APIRouter:
    router = APIRouter(tags=["operate"])

    @router.get("/searches")
    async def searches() -> dict[str, str]:
        """Words of saved searches, by name."""
        return searches_of(desk.settings)

    @router.put("/searches/{name}")
    async def keep_search(name: Annotated[str, Path(max_length=60)], wanted: SearchWords) -> dict[str, str]:
        """Save a search: who gets alerts is told when its words appear on a page, and when they vanish."""
        save_search(desk.place, name, wanted.words)
        return searches_of(desk.settings)

    @router.delete("/searches/{name}")
    async def remove_search(name: Annotated[str, Path(max_length=60)]) -> dict[str, str]:
        """Take a saved search out."""
        forget_search(desk.place, name)
        return searches_of(desk.settings)

    return router


def operating_routes(api: FastAPI, desk: Desk) -> None:
    """Add what changes something."""
    api.include_router(_searches(desk))
    router = APIRouter(tags=["operate"])

    @router.post("/sites", status_code=201)
    async def new_site(wanted: SiteIn) -> SiteAdded:
        """Add a site and start to crawl it."""
        start: Archiving | None = "crawl" if wanted.start is True else wanted.start or None
        url, job = await add_site(desk, wanted.url, wanted.contact, start)
        return SiteAdded(url=url, job=None if job is None else job_view(job))

    @router.put("/plan")
    async def plan(wanted: PlanIn) -> PlanOut:
        """Set budget, strategy or objective."""
        adopt(desk, wanted.strategy, wanted.objective, wanted.budget)
        now = desk.settings.plan
        return PlanOut(budget=now.budget, strategy=now.strategy, objective=now.objective)

    @router.post("/jobs", status_code=201)
    async def new_job(wanted: JobIn) -> JobView:
        """Start a crawl, a watch, an audit, or learning."""
        return job_view(await start_job(desk, wanted.kind))

    @router.post("/jobs/{number}")
    async def act_on_job(number: Annotated[int, Path(ge=1, le=10**9)], wanted: ActionIn) -> JobView:
        """Pause, resume or stop a job."""
        return job_view(await act(desk, number, wanted.action))

    @router.post("/ratings", status_code=201)
    async def new_rating(request: Request, wanted: RatingIn) -> list[str]:
        """Say that a block is noise, or that it matters; answers with the paths that were rated."""
        url = address(wanted.url)
        blocks = [wanted.block] if wanted.block else []
        start, end = time_of(wanted.from_), time_of(wanted.to, end=True)
        if not blocks and start is not None and end is not None:
            blocks = await change_paths(desk, url, start, end)
        return list(await keep_rating(desk, url, wanted.rating, blocks, person_of(request)))

    @router.post("/ratings/undo")
    async def undo_rating(wanted: UndoIn) -> list[str]:
        """Take back what was said about a block, or about all blocks of a page; answers with their paths."""
        return list(await forget_rating(desk, address(wanted.url), wanted.block))

    @router.post("/labels", status_code=201)
    async def new_label(wanted: LabelIn) -> LabelIn:
        """Call a block of a page something: it is found by it."""
        await keep_label(desk, address(wanted.url), wanted.block, wanted.label)
        return wanted

    @router.post("/simulations", status_code=201)
    async def new_simulation(wanted: SimulationIn) -> Simulation:
        """Try strategies and budgets on the archive's own history."""
        budgets = ",".join(f"{amount:.12g}" for amount in wanted.requests or wanted.budgets)
        asked = asked_for(wanted.strategies, budgets, wanted.objective, percent=not wanted.requests)
        return await start_simulation(desk, asked)

    api.include_router(router)
