"""`/api/v1`: the archive for programs, with an OpenAPI description. The pages use the same functions.

Who may ask for what stands in web/permitting.py. Answers carry an ETag; lists say how to go on.
"""

from typing import Annotated, Any

from fastapi import FastAPI, HTTPException, Query, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

from strandline.access.addresses import original
from strandline.access.index import Holdings
from strandline.access.listing import stretch
from strandline.access.memento import closest
from strandline.access.payload import LostError
from strandline.access.timestamps import iso, moment, timestamp
from strandline.access.together import together
from strandline.core.capture import Capture
from strandline.errors import ArchiveBusy, OutOfSpace, SettingError, TakenDown, Unreachable, UsageError
from strandline.web.annotations import annotation_routes
from strandline.web.api_archive import reading_routes
from strandline.web.api_operating import operating_routes
from strandline.web.collections import collection_routes
from strandline.web.desk import Desk
from strandline.web.etags import Etags
from strandline.web.face import NotThereError
from strandline.web.first_site import look_routes
from strandline.web.guard import Policy
from strandline.web.people_api import people_routes, token_routes
from strandline.web.replayed import replayed_routes
from strandline.web.replaying import badge_text
from strandline.web.sites import site_routes
from strandline.web.slow_queries import NoAnswerError, UnanswerableError
from strandline.web.storage import storage_routes
from strandline.web.takedowns import takedown_routes

LATEST = "99990101000000"
PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"description": "Something in the question cannot be read"},
    401: {"description": "A token is needed"},
    403: {"description": "The role of whoever asks does not let do that"},
    404: {"description": "Not in the archive"},
    408: {"description": "The request came too slowly"},
    409: {"description": "Another process is writing the archive"},
    413: {"description": "The request is too large"},
    451: {"description": "Taken down by the keepers of this archive"},
    503: {"description": "The answer is still being worked out, or cannot be"},
}


class SiteOut(BaseModel):
    """A site at a glance."""

    site: str
    pages: int
    captures: int
    first: str
    last: str


class CaptureOut(BaseModel):
    """One capture of a page."""

    url: str
    time: str
    timestamp: str
    status: int
    mime: str
    digest: str
    revisit: bool
    file: str
    offset: int
    length: int
    redirect: str = ""
    truncated: str = ""


class CapturesOut(BaseModel):
    """Captures of a page, newest first."""

    url: str
    captures: list[CaptureOut]
    older: str | None = Field(description="Give this as `before` to go on; null at the end.")


class PartOut(BaseModel):
    """A file a page is put together from."""

    url: str
    time: str | None
    offset: float | None = Field(description="Seconds later than the page; null when never captured.")
    evidence: str = Field(description="Whether it was live with the page: certain, close, open or missing.")


class PartsOut(BaseModel):
    """The parts of a page and how far they are from it in time."""

    url: str
    time: str
    parts: list[PartOut]
    missing: int
    anachronistic: int
    span: float
    first: str = Field(description="Earliest and latest capture of what is shown, the page included.")
    last: str
    known: int = Field(description="Parts that were certainly, or very probably, live with the page.")
    verdict: str = Field(
        description="coherent, mostly, patchwork, alone for a page without parts, or hollow without content."
    )
    told: str = Field(description="The same in words.")


def capture_out(capture: Capture) -> CaptureOut:
    """A capture as the API tells it."""
    return CaptureOut(
        url=capture.url,
        time=iso(capture.time),
        timestamp=timestamp(capture.time),
        status=capture.status,
        mime=capture.mime,
        digest=capture.digest,
        revisit=capture.revisit,
        file=capture.place.file,
        offset=capture.place.offset,
        length=capture.place.length,
        redirect=capture.redirect,
        truncated=capture.truncated,
    )


def make_api(holdings: Holdings, policy: Policy, desk: Desk | None, version: str) -> FastAPI:
    """The API of one archive."""
    # Its pages for people load script from other hosts, so there are none; the description is at openapi.json.
    api = FastAPI(
        title="Strandline",
        version=version,
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
        responses=PROBLEMS,
        servers=[{"url": "/api/v1"}],
        root_path_in_servers=False,
    )
    api.add_middleware(Etags)
    _tell_problems(api)
    _replay_routes(api, holdings, policy.options.span, at_work=desk is not None)
    if desk is not None:
        reading_routes(api, desk)
        operating_routes(api, desk)
        takedown_routes(api, desk)
        storage_routes(api, desk)
        site_routes(api, desk)
        look_routes(api, desk)
        replayed_routes(api, desk)
        collection_routes(api, desk)
        annotation_routes(api, desk)
        people_routes(api, desk, policy)
        token_routes(api, desk, policy)
    return api


def _tell_problems(api: FastAPI) -> None:
    statuses: dict[type[Exception], int] = {
        TakenDown: 451,
        UsageError: 400,
        SettingError: 400,
        ValueError: 400,
        NotThereError: 404,
        ArchiveBusy: 409,
        UnanswerableError: 404,
        NoAnswerError: 503,
        Unreachable: 503,
        OutOfSpace: 507,
    }
    for kind, status in statuses.items():

        async def told(request: Request, problem: Exception, status: int = status) -> JSONResponse:
            return JSONResponse({"detail": str(problem)}, status)

        api.add_exception_handler(kind, told)


def _replay_routes(api: FastAPI, holdings: Holdings, span: float, at_work: bool) -> None:
    url_parameter = Query(description="Address of the page", min_length=1, max_length=4096)
    time_parameter = Query(description="4 to 17 digits of a moment", pattern=r"^[0-9]{4,17}$")

    # Handlers are coroutines because the index belongs to the thread of the event loop.
    async def sites(limit: Annotated[int, Query(ge=1, le=1000)] = 100) -> list[SiteOut]:
        """Sites with the most captures."""
        return [
            SiteOut(site=row.site, pages=row.pages, captures=row.captures, first=iso(row.first), last=iso(row.last))
            for row in holdings.index.sites(limit)
        ]

    if not at_work:  # an archive at work tells more of them (web/sites.py)
        api.get("/sites", tags=["replay"])(sites)

    @api.get("/captures", tags=["replay"])
    async def captures(
        url: Annotated[str, url_parameter],
        before: Annotated[str, time_parameter] = LATEST,
        limit: Annotated[int, Query(ge=1, le=1000)] = 200,
    ) -> CapturesOut:
        """Captures of a page, newest first."""
        address, time = _read(url, before)
        found = stretch(holdings.index, address, time + 0.9995, limit)
        older = None if found.older is None else timestamp(found.older)
        return CapturesOut(url=address, captures=[capture_out(capture) for capture in found.captures], older=older)

    @api.get("/parts", tags=["replay"])
    async def parts(url: Annotated[str, url_parameter], time: Annotated[str, time_parameter] = LATEST) -> PartsOut:
        """The files a page is put together from in replay: how far apart in time they are, what is known of each."""
        address, at = _read(url, time)
        memento = closest(holdings.index, address, at)
        if memento is None:
            raise HTTPException(404, f"No capture of {address}")
        try:
            found = together(holdings, memento, span)
        except LostError as lost:
            raise HTTPException(404, str(lost)) from None
        listed = [
            PartOut(url=part.url, time=None if part.time is None else iso(part.time), offset=part.offset, evidence=how)
            for part, how in zip(found.parts.parts, found.evidence, strict=True)
        ]
        return PartsOut(
            url=address,
            time=iso(memento.capture.time),
            parts=listed,
            missing=found.parts.missing,
            anachronistic=found.parts.anachronistic,
            span=span,
            first=iso(found.first),
            last=iso(found.last),
            known=found.known,
            verdict=found.verdict,
            told=badge_text(found, span),
        )


def _read(url: str, digits: str) -> tuple[str, float]:
    try:
        return original(url), moment(digits)
    except ValueError as fault:
        raise HTTPException(400, str(fault)) from None
