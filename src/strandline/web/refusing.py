"""Nothing that is taken down is answered for, whatever page or question of the interface or the API names it.

Addresses stand in `url` or `page` of a query. They are looked at before any handler is: one that is added later cannot
forget it. Answers are pages for people, JSON for the API, a line for feeds; all with status 451.
"""

from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from strandline.access.index import Holdings
from strandline.access.memento import key_of
from strandline.access.takedowns import STATUS, notice_text
from strandline.errors import Unreachable, UsageError
from strandline.web.face import Face
from strandline.web.guard import App, Receive, Scope, Send
from strandline.web.texts import say
from strandline.web.views.values import address

_NAMED: Final = ("url", "page")


@dataclass(frozen=True, slots=True)
class Refusing:
    """An ASGI application around the interface."""

    app: App
    holdings: Holdings
    face: Face

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or say that it is about something that is taken down."""
        answer = self._refusal(Request(scope)) if scope["type"] == "http" and scope["query_string"] else None
        await (answer or self.app)(scope, receive, send)

    def _refusal(self, request: Request) -> Response | None:
        try:
            hidden = self.holdings.hidden()
        except Unreachable:
            return None  # told by whoever is asked, too
        if not hidden or request.url.path == "/cdx":
            return None
        for name in _NAMED:
            for typed in request.query_params.getlist(name):
                try:
                    act = self.holdings.taken_down(key_of(address(typed)))
                except (UsageError, ValueError):
                    continue  # told by whoever is asked
                if act is not None:
                    return self._told(request, notice_text(act))
        return None

    def _told(self, request: Request, text: str) -> Response:
        if request.url.path.startswith("/api/"):
            return JSONResponse({"detail": text}, STATUS)
        if request.url.path.startswith("/feeds/"):
            return PlainTextResponse(f"{text}\n", STATUS)
        return self.face.message(request, STATUS, say("taken_down"), text)
