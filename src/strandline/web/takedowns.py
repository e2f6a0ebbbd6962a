"""What is taken down, in the interface and the API: the list, a form to hide something, a button to show it again.

The list names what it hides: it is for keepers, and for nobody else (web/permitting.py).
"""

import asyncio
import time
from typing import Annotated

from fastapi import APIRouter, FastAPI, Path, Request
from pydantic import BaseModel, Field
from starlette.requests import Request as PageRequest
from starlette.responses import Response
from starlette.routing import Route

from strandline.core.keeping.takedowns import Act
from strandline.errors import UsageError
from strandline.keeping.erasing import erase
from strandline.keeping.takedowns import Wish, block, lift, taken_down
from strandline.web.desk import Desk
from strandline.web.face import DeskPages, one_of, person_of
from strandline.web.texts import say
from strandline.web.views.values import Moment, Sent, time_of

_LONGEST = 4_096


class ActView(BaseModel):
    """One act of the journal."""

    number: int
    time: Moment
    act: str
    target: str
    reason: str
    until: Moment | None
    by: str
    of: int = Field(description="The act that this one lifts or ends; 0 for none.")


class TakedownIn(Sent):
    """What to hide, and why."""

    target: str = Field(
        min_length=1,
        max_length=_LONGEST,
        description="An address, a beginning of addresses with * at its end, *.domain, or TIMESTAMP/ADDRESS",
    )
    reason: str = Field(min_length=1, max_length=2000, description="Readers see it")
    until: str = Field("", max_length=40, description="Date or time when it is shown again, ISO 8601")
    by: str = Field("", max_length=200)
    erase: bool = Field(
        False, description="Remove it for good; 409 while somebody writes the archive: it is hidden then"
    )


class Hid(BaseModel):
    """What was hidden, or erased."""

    act: ActView
    captures: int
    bytes: int


class LiftIn(Sent):
    """Why something is shown again."""

    reason: str = Field("", max_length=2000)
    by: str = Field("", max_length=200)


def act_view(act: Act) -> ActView:
    """An act as it is shown."""
    about = {name: getattr(act, name) for name in ActView.model_fields}
    return ActView(**about)


def _wish(target: str, reason: str, until: str, by: str) -> Wish:
    end = time_of(until)
    if end is not None and end <= time.time():
        raise UsageError(say("until_over", until=until))
    return Wish(target, reason, end, by)


async def _take_down(desk: Desk, wish: Wish, erased: bool) -> tuple[Act, int, int]:
    """Hide something, or erase it in a thread with connections of its own; the act, captures and bytes it covers."""
    if erased:
        if wish.until is not None:
            raise UsageError(say("erased_for_good"))
        done = await asyncio.to_thread(lambda: erase(desk.place.open(), [wish]))
        act, captures, octets = done.acts[0], done.captures, done.bytes
    else:
        act, found = block(desk.archive, wish)
        captures, octets = found.captures, found.bytes
    desk.slow_queries.forget()
    return act, captures, octets


def takedown_routes(api: FastAPI, desk: Desk) -> None:
    """Add the questions and acts of the API."""
    router = APIRouter(tags=["keep"])

    @router.get("/takedowns")
    async def takedowns(history: bool = False) -> list[ActView]:
        """What is taken down now; with `history` every act."""
        return [act_view(act) for act in taken_down(desk.archive, time.time(), history)]

    @router.post("/takedowns", status_code=201)
    async def new_takedown(request: Request, wanted: TakedownIn) -> Hid:
        """Hide something from now on."""
        wish = _wish(wanted.target, wanted.reason, wanted.until, person_of(request) or wanted.by)
        act, captures, octets = await _take_down(desk, wish, wanted.erase)
        return Hid(act=act_view(act), captures=captures, bytes=octets)

    @router.post("/takedowns/{number}/lift")
    async def lift_takedown(request: Request, number: Annotated[int, Path(ge=1, le=10**9)], wanted: LiftIn) -> ActView:
        """Show something again."""
        act = lift(desk.archive, str(number), wanted.reason, person_of(request) or wanted.by)
        desk.slow_queries.forget()
        return act_view(act)

    api.include_router(router)


class Takedowns(DeskPages):
    """The page and its forms."""

    def routes(self) -> list[Route]:
        """The page, and what it sends."""
        shown = {"/takedowns": self.shown}
        forms = {"/takedowns": self.block, "/takedowns/lift": self.lift}
        return self._face.routes(shown, forms)

    async def shown(self, request: PageRequest) -> Response:
        """What is taken down, and the journal."""
        journal = self._desk.archive.journal
        problem = journal.problem()
        now = [] if problem else taken_down(self._desk.archive, time.time())
        acts = [] if problem else taken_down(self._desk.archive, time.time(), history=True)
        values = {"now": now, "acts": acts[::-1][:200], "problem": problem, "seal": journal.last_seal()}
        values["target"] = request.query_params.get("target", "")[:_LONGEST]
        return self._face.page(request, "takedowns.html", values)

    async def block(self, request: PageRequest) -> Response:
        """Hide something."""
        form = await self._face.form(request)
        target, reason, until, by = (one_of(form, name) for name in ("target", "reason", "until", "by"))
        wish = _wish(target, reason, until, person_of(request) or by)
        erased = one_of(form, "erase") == "yes"
        act, captures, _ = await _take_down(self._desk, wish, erased)
        said = say("erased_now" if erased else "hidden_now", target=act.target, captures=captures)
        return self._face.told("/takedowns", said)

    async def lift(self, request: PageRequest) -> Response:
        """Show something again."""
        form = await self._face.form(request)
        by = person_of(request) or one_of(form, "by")
        act = lift(self._desk.archive, one_of(form, "number"), one_of(form, "reason"), by)
        self._desk.slow_queries.forget()
        return self._face.told("/takedowns", say("lifted_now", target=act.target))
