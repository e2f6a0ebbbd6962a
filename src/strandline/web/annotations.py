"""Tags and notes in the interface and the API: beside a page and a comparison, and in a list of their own."""

from collections.abc import Iterable
from typing import Annotated, Literal

from fastapi import APIRouter, FastAPI, Path, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import Response
from starlette.routing import Route

from strandline.access.timestamps import moment
from strandline.core.keeping.annotations import LONGEST_AUTHOR, LONGEST_NOTE, LONGEST_TAG, Annotation
from strandline.core.keeping.people import may
from strandline.errors import UsageError
from strandline.keeping.annotations import (
    AnnotationWish,
    add_note,
    annotations,
    remove_annotation,
    shown_capture,
    tag,
    tags,
)
from strandline.web.desk import Desk
from strandline.web.face import DeskPages, Form, number_of, one_of, or_not_there, person_of
from strandline.web.texts import say
from strandline.web.views.values import Moment, Sent, address, time_of

_LISTED = 100


class AnnotationView(BaseModel):
    """A tag or note."""

    key: str
    kind: str
    url: str
    text: str
    capture: Moment | None = Field(description="Time of the capture it is about; null for the page")
    author: str
    time: Moment


class AnnotationIn(Sent):
    """A tag or note to be kept."""

    kind: Literal["tag", "note"]
    url: str = Field(min_length=1, max_length=4096)
    text: str = Field(min_length=1, max_length=LONGEST_NOTE)
    capture: str = Field("", max_length=40, description="Time of the capture it is about, ISO 8601; empty: the page")
    author: str = Field("", max_length=LONGEST_AUTHOR)


class TagCount(BaseModel):
    """A tag, and how often it was given."""

    tag: str
    count: int


def annotation_view(one: Annotation) -> AnnotationView:
    """As it is shown."""
    return AnnotationView(**one.as_json())


def annotation_routes(api: FastAPI, desk: Desk) -> None:
    """Add the questions and acts of the API."""
    router = APIRouter(tags=["collections"])

    @router.get("/annotations")
    async def all_annotations(
        url: Annotated[str, Query(max_length=4096)] = "",
        kind: Literal["", "tag", "note"] = "",
        tag: Annotated[str, Query(max_length=LONGEST_TAG)] = "",
    ) -> list[AnnotationView]:
        """Tags and notes, the newest first: all, those of a page, or one tag wherever it is."""
        return [annotation_view(one) for one in annotations(desk.archive, address(url) if url else "", kind, tag)]

    @router.post("/annotations", status_code=201)
    async def new_annotation(request: Request, wanted: AnnotationIn) -> AnnotationView:
        """Keep a tag or note; its author is whoever is logged in."""
        author = person_of(request) or wanted.author
        wish = AnnotationWish(address(wanted.url), wanted.text, time_of(wanted.capture), author)
        return annotation_view((tag if wanted.kind == "tag" else add_note)(desk.archive, wish))

    @router.delete("/annotations/{key}")
    async def gone_annotation(request: Request, key: Annotated[str, Path(max_length=40)]) -> AnnotationView:
        """Take a tag or note back; raters only their own."""
        _own(request, desk, key)
        with or_not_there():
            return annotation_view(remove_annotation(desk.archive, key))

    @router.get("/tags")
    async def all_tags() -> list[TagCount]:
        """All tags, and how often each was given."""
        return [TagCount(tag=text, count=count) for text, count in sorted(tags(desk.archive).items())]

    api.include_router(router)


def _own(request: Request, desk: Desk, key: str) -> None:
    """Raters take back what they wrote themselves; operators what anybody did."""
    if may(request.scope.get("strandline.role", ""), "operator"):
        return
    if not any(one.key == key.strip() and one.author == person_of(request) for one in annotations(desk.archive)):
        raise UsageError(say("not_yours"))


class Said:
    """What people wrote of a page and of one of its captures, for the templates."""

    def __init__(self, found: Iterable[Annotation], capture: str = "") -> None:
        """With `capture` (a timestamp) that of this capture comes with that of the page, without it everything."""
        shown = [one for one in found if not capture or shown_capture(one) in ("", capture)]
        self.tags = [one for one in shown if one.kind == "tag"][::-1]
        self.notes = [one for one in shown if one.kind == "note"]
        self.capture = capture


def said_of(desk: Desk, url: str, capture: str = "") -> Said:
    """What people wrote of a page, or of one of its captures."""
    return Said(annotations(desk.archive, url), capture)


class Annotations(DeskPages):
    """The list, and what forms send."""

    def routes(self) -> list[Route]:
        """The list, and what forms send."""
        shown = {"/notes": self.shown}
        forms = {"/notes": self.add, "/notes/remove": self.remove}
        return self._face.routes(shown, forms)

    async def shown(self, request: Request) -> Response:
        """All tags and notes."""
        named = request.query_params.get("tag", "")[:LONGEST_TAG]
        found = annotations(self._desk.archive, tag=named) if named else annotations(self._desk.archive, kind="note")
        start = number_of(request, "start", 0)
        values = {"found": found[start : start + _LISTED], "count": len(found), "start": start, "step": _LISTED}
        values |= {"tag": named, "tags": sorted(tags(self._desk.archive).items())}
        return self._face.page(request, "notes.html", values)

    async def add(self, request: Request) -> Response:
        """Keep a tag or note."""
        form = await self._face.form(request)
        at, text = one_of(form, "capture"), one_of(form, "text", LONGEST_NOTE + 1)
        author = person_of(request) or one_of(form, "author")
        wish = AnnotationWish(one_of(form, "url"), text, moment(at) if at else None, author)
        made = (tag if one_of(form, "kind") == "tag" else add_note)(self._desk.archive, wish)
        return self._back(form, say("tag_kept" if made.kind == "tag" else "note_kept"))

    async def remove(self, request: Request) -> Response:
        """Take a tag or note back."""
        form = await self._face.form(request)
        _own(request, self._desk, one_of(form, "annotation"))
        gone = remove_annotation(self._desk.archive, one_of(form, "annotation"))
        return self._back(form, say("tag_removed" if gone.kind == "tag" else "note_removed"))

    def _back(self, form: Form, said: str) -> Response:
        """To the page whose form it was: a comparison, a page, or the list."""
        url, start, end = (one_of(form, name) for name in ("url", "from", "to"))
        if url and start and end:
            return self._face.told("/compare", said, **{"url": url, "from": start, "to": end})
        return self._face.told("/page", said, url=url) if url else self._face.told("/notes", said)
