"""Who may do what in the interface and the API, in one table, and the journal of what was done.

Whoever asks is known by now (web/guard.py). Looking needs a reader, unless the table says otherwise; a change that the
table does not know needs a keeper: a route that is added later cannot be forgotten. Where there are accounts, every
change that was made is written down with who made it.
"""

import json
import re
import sys
from dataclasses import dataclass
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from strandline.core.keeping.people import PersonRole, may
from strandline.errors import StrandlineError
from strandline.keeping.people import write_down
from strandline.web.desk import Desk
from strandline.web.face import Face
from strandline.web.guard import App, Message, Receive, Scope, Send
from strandline.web.texts import say

API: Final = "/api/v1"
_LOOKING: Final = ("GET", "HEAD", "OPTIONS")


class Permission(NamedTuple):
    """Which role is needed, and what the journal calls the act; empty: it writes nothing, or the act does it itself."""

    role: PersonRole
    act: str = ""


_KEEPERS: Final = ("/takedowns", "/people", "/journal")
"""Lists that are for keepers alone."""
_OPERATORS: Final = ("/start", "/start/found", "/start/watch", "/parts/first-comparison")
"""Pages that are for those who add sites."""
_FORMS: Final[dict[str, Permission]] = {
    "/login": Permission("reader"),
    "/logout": Permission("reader"),
    "/hub/{token}": Permission("reader"),
    "/account/password": Permission("reader"),
    "/account/tokens": Permission("reader"),
    "/account/tokens/remove": Permission("reader"),
    "/rate": Permission("rater", "rate"),
    "/unrate": Permission("rater", "take a rating back"),
    "/label": Permission("rater", "label"),
    "/notes": Permission("rater", "tag or note"),
    "/notes/remove": Permission("rater", "remove a tag or note"),
    "/start": Permission("operator", "look at a site"),
    "/start/watch": Permission("operator", "add a site"),
    "/sites": Permission("operator", "add a site"),
    "/sites/settings": Permission("operator", "settings of a site"),
    "/sites/state": Permission("operator", "pause, resume or remove a site"),
    "/budget": Permission("operator", "budget"),
    "/jobs": Permission("operator", "start a job"),
    "/jobs/{number}": Permission("operator", "pause, resume or stop a job"),
    "/simulate": Permission("operator", "simulate"),
    "/adopt": Permission("operator", "plan"),
    "/replayed": Permission("operator", "measure replay"),
    "/searches": Permission("operator", "save or remove a search"),
    "/collections": Permission("operator", "add a collection"),
    "/collection": Permission("operator", "describe a collection"),
    "/collection/members": Permission("operator", "members of a collection"),
    "/collection/state": Permission("operator", "put a collection aside or resume it"),
    "/collection/remove": Permission("operator", "remove a collection"),
    "/takedowns": Permission("keeper", "take down"),
    "/takedowns/lift": Permission("keeper", "lift a take-down"),
    "/retention": Permission("keeper", "drop captures"),
    "/people": Permission("keeper"),
    "/people/change": Permission("keeper"),
}
_CALLS: Final[dict[tuple[str, str], Permission]] = {
    ("POST", "/ratings"): _FORMS["/rate"],
    ("POST", "/ratings/undo"): _FORMS["/unrate"],
    ("POST", "/labels"): _FORMS["/label"],
    ("POST", "/annotations"): _FORMS["/notes"],
    ("DELETE", "/annotations/{key}"): _FORMS["/notes/remove"],
    ("POST", "/survey"): _FORMS["/start"],
    ("POST", "/sites"): _FORMS["/sites"],
    ("PATCH", "/sites/{name}"): _FORMS["/sites/settings"],
    ("POST", "/sites/{name}/state"): _FORMS["/sites/state"],
    ("PUT", "/plan"): _FORMS["/adopt"],
    ("POST", "/jobs"): _FORMS["/jobs"],
    ("POST", "/jobs/{number}"): _FORMS["/jobs/{number}"],
    ("POST", "/simulations"): _FORMS["/simulate"],
    ("PUT", "/searches/{name}"): _FORMS["/searches"],
    ("DELETE", "/searches/{name}"): _FORMS["/searches"],
    ("POST", "/collections"): _FORMS["/collections"],
    ("PATCH", "/collections/{name}"): _FORMS["/collection"],
    ("POST", "/collections/{name}/members"): _FORMS["/collection/members"],
    ("POST", "/collections/{name}/state"): _FORMS["/collection/state"],
    ("DELETE", "/collections/{name}"): _FORMS["/collection/remove"],
    ("POST", "/takedowns"): _FORMS["/takedowns"],
    ("POST", "/takedowns/{number}/lift"): _FORMS["/takedowns/lift"],
    ("POST", "/retention"): _FORMS["/retention"],
    ("POST", "/people"): Permission("keeper"),
    ("PATCH", "/people/{name}"): Permission("keeper"),
    ("DELETE", "/people/{name}"): Permission("keeper"),
    ("POST", "/people/{name}/tokens"): Permission("keeper"),
    ("DELETE", "/people/{name}/tokens/{key}"): Permission("keeper"),
}
_TABLE: Final = [
    *((("GET", path), Permission("keeper")) for path in _KEEPERS),
    *((("GET", f"{API}{path}"), Permission("keeper")) for path in _KEEPERS),
    *((("GET", path), Permission("operator")) for path in _OPERATORS),
    *((("POST", path), permission) for path, permission in _FORMS.items()),
    *(((method, f"{API}{path}"), permission) for (method, path), permission in _CALLS.items()),
]
_RULES: Final = [
    (method, re.compile(re.sub(r"\{\w+\}", "[^/]+", path) + "/?"), permission) for (method, path), permission in _TABLE
]
_NAMED: Final = ("url", "target", "site", "collection", "name", "strategy", "strategies", "budget", "kind", "rules")
"""Fields of forms and documents that say what an act is about, the first that is there."""


def needed(method: str, path: str) -> Permission:
    """What a request needs.

    >>> needed("GET", "/changes").role, needed("POST", "/rate").role, needed("DELETE", "/api/v1/unheard/of").role
    ('reader', 'rater', 'keeper')
    """
    looking = method in _LOOKING
    for of_method, pattern, permission in _RULES:
        if of_method == ("GET" if looking else method) and pattern.fullmatch(path):
            return permission
    return Permission("reader") if looking else Permission("keeper", f"{method} {path}")


@dataclass(frozen=True, slots=True)
class Permitting:
    """An ASGI application around the interface."""

    app: App
    face: Face
    desk: Desk | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or say that the role of whoever asks does not let do that."""
        if scope["type"] != "http" or "strandline.role" not in scope:  # nobody yet: the guard let an open path through
            await self.app(scope, receive, send)
            return
        permission = needed(scope["method"], scope["path"])
        if not may(scope["strandline.role"], permission.role):
            await self._refusal(Request(scope), permission.role)(scope, receive, send)
            return
        if permission.act and scope["method"] not in _LOOKING and self.face.policy.accounts.any():
            await self._written_down(permission.act, scope, receive, send)
            return
        await self.app(scope, receive, send)

    def _refusal(self, request: Request, role: str) -> Response:
        text = say("role_needed", role=say(f"role_{role}"), own=say(f"role_{request.scope['strandline.role']}"))
        if request.url.path.startswith(f"{API}/"):
            return JSONResponse({"detail": text}, 403)
        return self.face.message(request, 403, say("not_allowed"), text)

    async def _written_down(self, act: str, scope: Scope, receive: Receive, send: Send) -> None:
        body, status = bytearray(), 0

        async def heard() -> Message:
            message = await receive()
            body.extend(message.get("body", b""))
            return message

        async def told(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                if status < 400:
                    self._note(scope, act, bytes(body))
            await send(message)

        await self.app(scope, heard, told)

    def _note(self, scope: Scope, act: str, body: bytes) -> None:
        if self.desk is None:
            return
        person = scope.get("strandline.person") or say("by_token")
        try:
            write_down(self.desk.archive, person, act, target_of(scope["path"], body))
        except StrandlineError as problem:  # it was done all the same
            print(f"strandline: the journal misses {act!r} of {person!r}: {problem}", file=sys.stderr)  # noqa: T201


def target_of(path: str, body: bytes) -> str:
    """What an act is about, by the form or document that asked for it; else the last step of its path."""
    text = body.decode("utf-8", "replace")
    try:
        sent: Any = json.loads(text) if text.startswith("{") else {k: v[0] for k, v in parse_qs(text).items()}
    except (ValueError, RecursionError):
        sent = {}
    steps = [step for step in path.removeprefix(API).split("/")[2:] if step not in ("state", "members", "lift", "undo")]
    about = next((sent[name] for name in _NAMED if isinstance(sent, dict) and sent.get(name)), "")
    told = ", ".join(map(str, about)) if isinstance(about, list) else str(about)
    return " ".join([*(step for step in steps if path.startswith(f"{API}/") or step.isdigit()), told]).strip()
