"""Collections in the interface and the API: the list, what is said of one, what belongs to it, put aside or not."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, FastAPI, Path
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from strandline.core.plan.objective import OBJECTIVES
from strandline.errors import UsageError
from strandline.keeping.collections import (
    COLLECTION_KEYS,
    Collection,
    add_collection,
    all_collections,
    assign,
    collection_at,
    describe_collection,
    move_collection,
    remove_collection,
    rename_collection,
    unassign,
)
from strandline.settings.collection_tables import COLLECTION_STATES
from strandline.web.desk import Desk
from strandline.web.face import DeskPages, one_of, or_not_there
from strandline.web.texts import say
from strandline.web.views.values import Moment, Sent

_LONGEST = 20_000
_LINES = ("subject", "hours")
_LONG = ("description",)

CollectionName = Annotated[str, Path(max_length=60)]


class CollectionView(BaseModel):
    """One collection: what is said of it, what belongs to it, what it holds."""

    collection: str
    state: str
    description: dict[str, Any] = Field(description="Elements of Dublin Core")
    settings: dict[str, Any] = Field(description="budget, weight, objective and hours, as far as they are set")
    sites: list[str]
    pages: list[str]
    addresses: int = Field(description="Addresses of it that were captured")
    captures: int
    first: Moment | None
    last: Moment | None


class CollectionIn(Sent):
    """A new collection."""

    collection: str = Field(min_length=1, max_length=60)
    description: dict[Annotated[str, Field(max_length=40)], Any] = Field(default_factory=dict, max_length=20)


class DescriptionIn(Sent):
    """What is said of a collection, by the keys of `[[collection]]`; null takes it back. Or its new name."""

    description: dict[Annotated[str, Field(max_length=40)], Any] = Field(default_factory=dict, max_length=20)
    collection: str = Field("", max_length=60, description="Its new name; empty leaves it")


class MembersIn(Sent):
    """Sites and pages that come or go."""

    add: list[Annotated[str, Field(max_length=4096)]] = Field(default_factory=list, max_length=1000)
    remove: list[Annotated[str, Field(max_length=4096)]] = Field(default_factory=list, max_length=1000)


class CollectionStateIn(Sent):
    """Put aside, or taken up again."""

    state: Literal["active", "aside"]


def collection_view(one: Collection) -> CollectionView:
    """As it is shown."""
    return CollectionView(**one.as_json())


def collections_shown(desk: Desk) -> list[CollectionView]:
    """All collections by name."""
    return [collection_view(one) for one in all_collections(desk.archive, desk.settings)]


def _known(desk: Desk, name: str) -> CollectionView:
    with or_not_there():
        return collection_view(collection_at(desk.archive, desk.settings, name))


def collection_routes(api: FastAPI, desk: Desk) -> None:
    """Add the questions and acts of the API."""
    router = APIRouter(tags=["collections"])

    @router.get("/collections")
    async def collections() -> list[CollectionView]:
        """All collections: what each is, and what it holds."""
        return collections_shown(desk)

    @router.post("/collections", status_code=201)
    async def new_collection(wanted: CollectionIn) -> CollectionView:
        """Make a collection."""
        made = add_collection(desk.place, wanted.collection, _given(wanted.description))
        return _known(desk, made.name)

    @router.get("/collections/{name}")
    async def one_collection(name: CollectionName) -> CollectionView:
        """One collection."""
        return _known(desk, name)

    @router.patch("/collections/{name}")
    async def describe_one(name: CollectionName, wanted: DescriptionIn) -> CollectionView:
        """Say what a collection is about, and how its sites are treated; what is left out stays."""
        _known(desk, name)
        if wanted.description:
            describe_collection(desk.place, name, _given(wanted.description))
        if wanted.collection and wanted.collection != name:
            name = rename_collection(desk.place, name, wanted.collection).name
        desk.slow_queries.forget()
        return _known(desk, name)

    @router.post("/collections/{name}/members")
    async def move_members(name: CollectionName, wanted: MembersIn) -> CollectionView:
        """Let sites and pages belong to a collection, or no more."""
        _known(desk, name)
        if wanted.add:
            assign(desk.place, name, wanted.add)
        if wanted.remove:
            unassign(desk.place, name, wanted.remove)
        desk.slow_queries.forget()
        return _known(desk, name)

    @router.post("/collections/{name}/state")
    async def move_one(name: CollectionName, wanted: CollectionStateIn) -> CollectionView:
        """Put a collection aside, or take it up again."""
        _known(desk, name)
        move_collection(desk.place, name, wanted.state)
        desk.slow_queries.forget()
        return _known(desk, name)

    @router.delete("/collections/{name}")
    async def remove_one(name: CollectionName) -> CollectionView:
        """Forget a collection; its sites, pages, captures, tags and notes stay."""
        view = _known(desk, name)
        remove_collection(desk.place, name)
        desk.slow_queries.forget()
        return view

    api.include_router(router)


def _given(description: dict[str, Any]) -> dict[str, object]:
    return {key: "" if value is None else value for key, value in description.items()}


class Collections(DeskPages):
    """The pages and their forms."""

    def routes(self) -> list[Route]:
        """The list, one collection, and what they send."""
        shown = {"/collections": self.shown, "/collection": self.one}
        forms = {
            "/collections": self.add,
            "/collection": self.describe,
            "/collection/members": self.members,
            "/collection/state": self.move,
            "/collection/remove": self.remove,
        }
        return self._face.routes(shown, forms)

    async def shown(self, request: Request) -> Response:
        """All collections."""
        return self._face.page(request, "collections.html", {"found": collections_shown(self._desk)})

    async def one(self, request: Request) -> Response:
        """One collection."""
        view = _known(self._desk, request.query_params.get("collection", "")[:60])
        said = {**view.description, **view.settings}
        values = {"view": view, "keys": COLLECTION_KEYS, "lines": _LINES, "long": _LONG, "said": said}
        values["objectives"] = OBJECTIVES
        return self._face.page(request, "collection.html", values)

    async def add(self, request: Request) -> Response:
        """Make a collection."""
        form = await self._face.form(request)
        title = one_of(form, "title")
        made = add_collection(self._desk.place, one_of(form, "name"), {"title": title} if title else {})
        return self._to(made.name, "collection_added")

    async def describe(self, request: Request) -> Response:
        """Keep what is said of one."""
        form = await self._face.form(request)
        values: dict[str, object] = {key: one_of(form, key, _LONGEST) for key in COLLECTION_KEYS if key in form}
        made = describe_collection(self._desk.place, one_of(form, "collection"), values)
        self._desk.slow_queries.forget()
        return self._to(made.name, "collection_kept")

    async def members(self, request: Request) -> Response:
        """Let something belong to it, or no more."""
        form = await self._face.form(request)
        act = unassign if one_of(form, "act") == "remove" else assign
        made = act(self._desk.place, one_of(form, "collection"), one_of(form, "members", _LONGEST).split())
        self._desk.slow_queries.forget()
        return self._to(made.name, "collection_kept")

    async def move(self, request: Request) -> Response:
        """Put it aside, or take it up again."""
        form = await self._face.form(request)
        state = one_of(form, "state")
        if state not in COLLECTION_STATES:
            raise UsageError(say("collection_no_state", name=state[:40]))
        made = move_collection(self._desk.place, one_of(form, "collection"), state)
        self._desk.slow_queries.forget()
        return self._to(made.name, "collection_moved_aside" if state == "aside" else "collection_moved_active")

    async def remove(self, request: Request) -> Response:
        """Forget it."""
        form = await self._face.form(request)
        gone = remove_collection(self._desk.place, one_of(form, "collection"))
        self._desk.slow_queries.forget()
        return self._face.told("/collections", say("collection_removed", collection=gone.name))

    def _to(self, name: str, said: str) -> Response:
        return self._face.told("/collection", say(said, collection=name), collection=name)
