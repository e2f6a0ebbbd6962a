"""What takes room, when the disk is full, and what rules would drop: a page and the API.

A preview reads the whole catalog, in a thread with connections of its own; dropping needs
the right to operate, and the archive for itself.
"""

import asyncio
import time
from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, Query
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from strandline.archive.storage import Storage, storage
from strandline.errors import UsageError
from strandline.keeping.retention import Preview, Thinned, apply_retention, preview_retention, rules_of
from strandline.web.desk import Desk
from strandline.web.face import DeskPages, one_of, person_of
from strandline.web.texts import say
from strandline.web.views.values import Sent

_LISTED = 50
Rules = Annotated[list[str], Query(max_length=20, description="Instead of those of the settings")]


class RetentionIn(Sent):
    """Rules to drop captures by; without any those of the settings."""

    rules: list[Annotated[str, Field(max_length=500)]] = Field([], max_length=20)
    by: str = Field("", max_length=200)


def _measured(desk: Desk) -> Storage:
    return storage(desk.place.open(), time.time(), desk.stored)


def _previewed(desk: Desk, rules: list[str]) -> Preview:
    archive = desk.place.open()
    return preview_retention(archive, rules_of(archive, rules))


def _applied(desk: Desk, rules: list[str], by: str) -> tuple[Preview, Thinned]:
    archive = desk.place.open()
    preview = preview_retention(archive, rules_of(archive, rules))
    return preview, apply_retention(archive, preview, by)


def storage_routes(api: FastAPI, desk: Desk) -> None:
    """Add the questions and the act of the API."""
    router = APIRouter(tags=["keep"])

    @router.get("/storage")
    async def the_storage() -> dict[str, Any]:
        """Bytes on disk, by site, kind and year, and when the disk is full."""
        return (await asyncio.to_thread(_measured, desk)).as_json()

    @router.get("/retention")
    async def preview(rule: Rules = []) -> dict[str, Any]:  # noqa: B006 - FastAPI copies it
        """What rules would drop, in figures."""
        return (await asyncio.to_thread(_previewed, desk, rule)).as_json()

    @router.post("/retention", status_code=201)
    async def thin(request: Request, wanted: RetentionIn) -> dict[str, Any]:
        """Drop what rules let go."""
        shown, done = await asyncio.to_thread(_applied, desk, wanted.rules, person_of(request) or wanted.by)
        desk.slow_queries.forget()
        return {**shown.as_json(), "act": done.act, "given_back": done.given_back}

    api.include_router(router)


class StoragePage(DeskPages):
    """The page and its form."""

    def routes(self) -> list[Route]:
        """The page, and what it sends."""
        shown = {"/storage": self.shown}
        forms = {"/retention": self.thin}
        return self._face.routes(shown, forms)

    async def shown(self, request: Request) -> Response:
        """What takes room, and what a rule would drop."""
        rule = request.query_params.get("rule", "").strip()[:500]
        found = await asyncio.to_thread(_measured, self._desk)
        preview = await asyncio.to_thread(_previewed, self._desk, [rule]) if rule else None
        tables = [(what, found.by(what)[:_LISTED]) for what in ("site", "kind", "year")]
        values = {"found": found, "tables": tables, "rule": rule, "preview": preview}
        return self._face.page(request, "storage.html", values)

    async def thin(self, request: Request) -> Response:
        """Drop what the preview of a rule showed."""
        form = await self._face.form(request)
        rule, expected = one_of(form, "rule"), one_of(form, "dropped")
        shown = await asyncio.to_thread(_previewed, self._desk, [rule])
        if str(shown.dropped) != expected:
            raise UsageError(say("retention_changed"))
        by = person_of(request) or one_of(form, "by")
        _, done = await asyncio.to_thread(_applied, self._desk, [rule], by)
        self._desk.slow_queries.forget()
        return self._face.told("/storage", say("thinned_now", captures=done.dropped))
