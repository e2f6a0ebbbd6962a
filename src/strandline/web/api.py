"""`/api/v1`: the archive for programs, with an OpenAPI description. The pages use the same functions."""

from typing import Annotated, Any

from fastapi import FastAPI, HTTPException, Query
from pydantic import BaseModel, Field

from strandline.access.addresses import original
from strandline.access.index import Holdings
from strandline.access.listing import stretch
from strandline.access.memento import closest
from strandline.access.parts import parts_of
from strandline.access.payload import LostError
from strandline.access.timestamps import iso, moment, timestamp
from strandline.core.capture import Capture

LATEST = "99990101000000"


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


class PartsOut(BaseModel):
    """The parts of a page and how far they are from it in time."""

    url: str
    time: str
    parts: list[PartOut]
    missing: int
    anachronistic: int
    span: float


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


def make_api(holdings: Holdings, span: float, version: str) -> FastAPI:
    """The API of one archive."""
    # Its pages for people load script from other hosts, so there are none; the description is at openapi.json.
    api = FastAPI(title="Strandline", version=version, docs_url=None, redoc_url=None, openapi_url="/openapi.json")
    url_parameter = Query(description="Address of the page", min_length=1, max_length=4096)
    bad: dict[int | str, dict[str, Any]] = {
        400: {"description": "The address or time cannot be read"},
        404: {"description": "Nothing captured"},
    }

    # Handlers are coroutines because the index belongs to the thread of the event loop.
    @api.get("/sites")
    async def sites(limit: Annotated[int, Query(ge=1, le=1000)] = 100) -> list[SiteOut]:
        """Sites with the most captures."""
        return [
            SiteOut(site=row.site, pages=row.pages, captures=row.captures, first=iso(row.first), last=iso(row.last))
            for row in holdings.index.sites(limit)
        ]

    @api.get("/captures", responses={400: bad[400]})
    async def captures(
        url: Annotated[str, url_parameter],
        before: Annotated[str, Query(pattern=r"^[0-9]{4,17}$")] = LATEST,
        limit: Annotated[int, Query(ge=1, le=1000)] = 200,
    ) -> CapturesOut:
        """Captures of a page, newest first."""
        address, time = _read(url, before)
        found = stretch(holdings.index, address, time + 0.9995, limit)
        older = None if found.older is None else timestamp(found.older)
        return CapturesOut(url=address, captures=[capture_out(capture) for capture in found.captures], older=older)

    @api.get("/parts", responses=bad)
    async def parts(
        url: Annotated[str, url_parameter], time: Annotated[str, Query(pattern=r"^[0-9]{4,17}$")] = LATEST
    ) -> PartsOut:
        """The files a page is put together from in replay, and how far apart in time they are."""
        address, at = _read(url, time)
        memento = closest(holdings.index, address, at)
        if memento is None:
            raise HTTPException(404, f"No capture of {address}")
        try:
            found = parts_of(holdings, memento, span)
        except LostError as lost:
            raise HTTPException(404, str(lost)) from None
        listed = [
            PartOut(url=part.url, time=None if part.time is None else iso(part.time), offset=part.offset)
            for part in found.parts
        ]
        return PartsOut(
            url=address,
            time=iso(memento.capture.time),
            parts=listed,
            missing=found.missing,
            anachronistic=found.anachronistic,
            span=span,
        )

    return api


def _read(url: str, digits: str) -> tuple[str, float]:
    try:
        return original(url), moment(digits)
    except ValueError as fault:
        raise HTTPException(400, str(fault)) from None
