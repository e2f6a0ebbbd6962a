"""What every page for people shares: how it is rendered, what it knows of the reader, what becomes of a problem."""

import hmac
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import parse_qs, urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from strandline.access.addresses import Base
from strandline.core.keeping.people import may
from strandline.errors import ArchiveBusy, OutOfSpace, SettingError, TakenDown, Unreachable, UsageError
from strandline.version import __version__
from strandline.web.desk import Desk
from strandline.web.guard import Policy
from strandline.web.menu import GROUPS, here
from strandline.web.pages import render
from strandline.web.slow_queries import NoAnswerError, UnanswerableError
from strandline.web.texts import say

Handler = Callable[[Request], Awaitable[Response]]
Form = Mapping[str, list[str]]
_LONGEST = 4_096
"""Characters of a field of a form. Origin: a guess; addresses may be that long."""


class NotThereError(Exception):
    """Something that was asked for and is not in the archive; `url` when it is a page."""

    def __init__(self, text: str, url: str = "") -> None:
        super().__init__(text)
        self.url = url


@dataclass(frozen=True, slots=True)
class Face:
    """Renders pages for one server."""

    name: str
    policy: Policy

    def page(self, request: Request, template: str, values: Mapping[str, object], status: int = 200) -> HTMLResponse:
        """A page, with what all pages know."""
        role = request.scope.get("strandline.role", "reader")
        shared = {
            "archive": self.name,
            "version": __version__,
            "query": "",
            "here": request.url.path,
            "role": role,
            "may": partial(may, role),
            "person": person_of(request),
            "accounts": self.policy.accounts.any(),
            "groups": GROUPS,
            "where": here(request.url.path, role),
            "key": self.policy.access.form_key(person_of(request)),
            "notice": self._notice(request),
        }
        return HTMLResponse(render(template, {**shared, **values}), status)

    def _notice(self, request: Request) -> str:
        said, seal = (request.query_params.get(name, "") for name in ("notice", "seal"))
        return said if said and hmac.compare_digest(seal.encode(), self.policy.access.seal(said).encode()) else ""

    def told(self, path: str, said: str, **shown: str) -> RedirectResponse:
        """To a page, after a change, which says what was done."""
        return back(f"{path}?{urlencode({**shown, 'notice': said, 'seal': self.policy.access.seal(said)})}")

    async def form(self, request: Request) -> Form:
        """A form that was sent from one of our pages; UsageError for any other."""
        form = parse_qs((await request.body()).decode("utf-8", "replace"), keep_blank_values=True)
        if not self.policy.access.is_form_key(one_of(form, "key"), person_of(request)):
            raise UsageError(say("old_form"))
        return form

    def part(self, request: Request, name: str, values: Mapping[str, object], *, whole: bool) -> HTMLResponse:
        """A part of a page, bare or as a page of its own."""
        return self.page(request, "part.html", {"part": f"parts/{name}.html", "whole": whole, **values})

    def message(self, request: Request, status: int, title: str, text: str, url: str = "") -> HTMLResponse:
        """A page that says one thing, and where to go from there: `url` is a page that was looked for."""
        typed = request.query_params.get("url", "") or url
        values = {"title": title, "text": text, "query": typed, "looked_for": url}
        return self.page(request, "message.html", values, status)

    def base(self, request: Request) -> Base:
        """The address of the replay origin for whoever asks."""
        host = request.scope["strandline.host"]
        return Base(self.policy.origins.replay(host) + request.scope["strandline.local"])

    def routes(self, shown: Mapping[str, Handler], forms: Mapping[str, Handler]) -> list[Route]:
        """Pages by their paths, and forms that are sent; problems of both become pages."""
        return [
            *(Route(path, self.guarded(handler)) for path, handler in shown.items()),
            *(Route(path, self.guarded(handler), methods=["POST"]) for path, handler in forms.items()),
        ]

    def guarded(self, handler: Handler) -> Handler:
        """A handler whose problems become pages."""

        async def answer(request: Request) -> Response:
            try:
                return await handler(request)
            except NotThereError as problem:
                return self.message(request, 404, say("not_here"), str(problem), problem.url)
            except ArchiveBusy as problem:
                return self.message(request, 409, say("busy"), str(problem))
            except TakenDown as problem:
                return self.message(request, 451, say("taken_down"), str(problem))
            except (UsageError, SettingError, ValueError) as problem:
                return self.message(request, 400, say("not_understood"), str(problem))
            except OutOfSpace as problem:
                return self.message(request, 507, say("full"), str(problem))
            except Unreachable as problem:
                return self.message(request, 503, say("away"), str(problem))
            except UnanswerableError as problem:
                return self.message(request, 404, say("unanswerable"), str(problem))
            except NoAnswerError as problem:
                return self.message(request, 503, say("no_answer"), str(problem))

        return answer


class DeskPages:
    """Pages and forms of one archive at work."""

    def __init__(self, desk: Desk, face: Face) -> None:
        self._desk = desk
        self._face = face


@contextmanager
def or_not_there(kind: type[Exception] = UsageError, url: str = "") -> Iterator[None]:
    """What goes wrong because something is not in the archive is told so."""
    try:
        yield
    except kind as problem:
        raise NotThereError(str(problem), url) from None


def person_of(request: Request) -> str:
    """The name of whoever asks; empty where there are no accounts, or a token of the server was given."""
    return str(request.scope.get("strandline.person", ""))


def one_of(form: Form, name: str, longest: int = _LONGEST) -> str:
    """What stands in a field of a form."""
    return form.get(name, [""])[0][:longest].strip()


def number_of(request: Request, name: str, default: Any = None) -> Any:  # noqa: ANN401 - what the default is
    """A whole number of the query; ValueError for anything else."""
    text = request.query_params.get(name, "")
    if not text:
        return default
    if not text.isdigit() or len(text) > 15:
        raise ValueError(say("no_number", name=name, text=text[:20]))
    return int(text)


def back(path: str) -> RedirectResponse:
    """To a page, after a change."""
    return RedirectResponse(path, 303)
