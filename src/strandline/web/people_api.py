"""Accounts in the API: who may do what, who did what, tokens."""

import asyncio
from typing import Annotated, Literal

from fastapi import APIRouter, FastAPI, Path, Query, Request
from pydantic import BaseModel, Field

from strandline.core.keeping.people import LONGEST_NAME, LONGEST_PASSWORD
from strandline.keeping.people import (
    add_person,
    journal,
    new_token,
    people,
    person_at,
    person_tokens,
    remove_person,
    remove_token,
    set_password,
    set_role,
)
from strandline.web.desk import Desk
from strandline.web.face import NotThereError, or_not_there, person_of
from strandline.web.guard import Policy
from strandline.web.texts import say
from strandline.web.views.values import Moment, Sent

_LISTED = 100
RoleName = Literal["reader", "rater", "operator", "keeper"]
PersonName = Annotated[str, Path(max_length=LONGEST_NAME)]


class PersonView(BaseModel):
    """Somebody who may come in."""

    person: str
    role: str
    password: bool = Field(description="Whether there is a password; its sum is never shown")
    time: Moment


class TokenView(BaseModel):
    """A token; the token itself is told once, when it is drawn."""

    key: str
    person: str
    label: str
    time: Moment


class DrawnView(TokenView):
    """A token that was drawn just now."""

    token: str


class EntryView(BaseModel):
    """Who did what."""

    number: int
    time: Moment
    person: str
    act: str
    target: str


class MeView(BaseModel):
    """Who asks, and what that lets do."""

    person: str = Field(description="Empty where there are no accounts, or the server's token was given")
    role: str


class PersonIn(Sent):
    """Somebody to let in."""

    person: str = Field(min_length=1, max_length=LONGEST_NAME)
    role: RoleName
    password: str = Field("", max_length=LONGEST_PASSWORD, description="Empty: by token or proxy only")


class PersonChange(Sent):
    """What is different of somebody; what is left out stays."""

    role: RoleName | None = None
    password: str | None = Field(None, max_length=LONGEST_PASSWORD, description="Empty: no password any more")


class TokenIn(Sent):
    """A token to draw."""

    label: str = Field("", max_length=80, description="What it is for")


def people_routes(api: FastAPI, desk: Desk, policy: Policy) -> None:
    """Add the questions and acts of the API."""
    router = APIRouter(tags=["people"])
    archive = desk.archive

    @router.get("/me")
    async def me(request: Request) -> MeView:
        """Who asks, and what that lets do."""
        return MeView(person=person_of(request), role=request.scope["strandline.role"])

    @router.get("/people")
    async def everybody() -> list[PersonView]:
        """Who may come in."""
        return [PersonView(**one.as_json()) for one in people(archive)]

    @router.post("/people", status_code=201)
    async def new_person(request: Request, wanted: PersonIn) -> PersonView:
        """Let somebody in."""
        by = person_of(request)
        made = await asyncio.to_thread(
            lambda: add_person(desk.place.open(), wanted.person, wanted.role, wanted.password, by)
        )
        policy.accounts.look()
        return PersonView(**made.as_json())

    @router.patch("/people/{name}")
    async def change_person(request: Request, name: PersonName, wanted: PersonChange) -> PersonView:
        """Give somebody another role or password."""
        _known(desk, name)
        by = person_of(request)
        if wanted.role is not None:
            set_role(archive, name, wanted.role, by)
        if wanted.password is not None:
            password = wanted.password
            await asyncio.to_thread(lambda: set_password(desk.place.open(), name, password, by))
        policy.accounts.look()
        return PersonView(**person_at(archive, name).as_json())

    @router.delete("/people/{name}")
    async def gone_person(request: Request, name: PersonName) -> PersonView:
        """Let somebody in no more."""
        _known(desk, name)
        gone = remove_person(archive, name, person_of(request))
        policy.accounts.look()
        return PersonView(**gone.as_json())

    @router.get("/journal")
    async def the_journal(
        person: Annotated[str, Query(max_length=LONGEST_NAME)] = "",
        before: Annotated[int, Query(ge=0, le=10**15, description="Entries before this number")] = 0,
        limit: Annotated[int, Query(ge=1, le=1000)] = _LISTED,
    ) -> list[EntryView]:
        """Who did what, the newest first."""
        return [EntryView(**one.as_json()) for one in journal(archive, person, before, limit)]

    api.include_router(router)


def token_routes(api: FastAPI, desk: Desk, policy: Policy) -> None:
    """Add those about tokens."""
    router = APIRouter(tags=["people"])
    archive = desk.archive

    @router.get("/people/{name}/tokens")
    async def tokens(request: Request, name: PersonName) -> list[TokenView]:
        """Tokens of somebody, without the tokens themselves; one's own, or for keepers anybody's."""
        if request.scope["strandline.role"] != "keeper" and person_of(request) != name:
            raise NotThereError(say("not_allowed"))
        _known(desk, name)
        return [TokenView(**one.as_json()) for one in person_tokens(archive, name)]

    @router.post("/people/{name}/tokens", status_code=201)
    async def draw(request: Request, name: PersonName, wanted: TokenIn) -> DrawnView:
        """Draw a token for somebody's programs: it is told once."""
        _known(desk, name)
        made, token = new_token(archive, name, wanted.label, person_of(request))
        policy.accounts.look()
        return DrawnView(**made.as_json(), token=token)

    @router.delete("/people/{name}/tokens/{key}")
    async def gone_token(request: Request, name: PersonName, key: Annotated[str, Path(max_length=40)]) -> TokenView:
        """A token opens nothing any more."""
        _known(desk, name)
        with or_not_there():
            gone = remove_token(archive, key, name, person_of(request))
        policy.accounts.look()
        return TokenView(**gone.as_json())

    api.include_router(router)


def _known(desk: Desk, name: str) -> None:
    with or_not_there():
        person_at(desk.archive, name)
