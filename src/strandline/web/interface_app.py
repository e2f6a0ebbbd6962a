"""The interface origin put together: pages for people, forms, live events, the API, replay's frame and lists.

Without a desk (an archive folder at work) there is replay and what programs need for it, and nothing else.
"""

from collections.abc import Sequence
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from strandline.access.index import Holdings
from strandline.version import __version__
from strandline.web.annotations import Annotations
from strandline.web.api import make_api
from strandline.web.collections import Collections
from strandline.web.desk import Desk
from strandline.web.events import events
from strandline.web.face import Face
from strandline.web.feeds import feed_route
from strandline.web.first_site import FirstSite
from strandline.web.guard import Policy
from strandline.web.operating import Operating
from strandline.web.people import People
from strandline.web.people_pages import PeoplePages
from strandline.web.permitting import Permitting
from strandline.web.refusing import Refusing
from strandline.web.replayed import ReplayedPage
from strandline.web.replaying import Replaying
from strandline.web.signing_on import SigningOn
from strandline.web.sites import Sites
from strandline.web.slow_parts import Parts
from strandline.web.storage import StoragePage
from strandline.web.takedowns import Takedowns
from strandline.web.texts import say

_STATIC = Path(__file__).parent / "static"


def interface_headers(policy: Policy, host: str) -> list[tuple[bytes, bytes]]:
    """Fields of every answer of the interface."""
    csp = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        f"form-action 'self'; frame-src {policy.origins.replay(host)}; frame-ancestors 'none'; base-uri 'none'"
    )
    return [
        (b"content-security-policy", csp.encode()),
        (b"referrer-policy", b"same-origin"),
        (b"x-content-type-options", b"nosniff"),
        (b"x-frame-options", b"DENY"),
        (b"cross-origin-opener-policy", b"same-origin"),
        (b"cross-origin-resource-policy", b"same-origin"),
        (b"x-dns-prefetch-control", b"off"),
    ]


def make_interface(holdings: Holdings, policy: Policy, desk: Desk | None, more: Sequence[BaseRoute] = ()) -> Starlette:
    """The application of the interface origin, with `more` that it answers."""
    face = Face(holdings.name, policy)
    routes: list[BaseRoute] = [*more, *Replaying(holdings, face, desk).routes()]
    if desk is not None:
        at_work = desk

        async def live(request: Request) -> Response:
            return events(at_work)

        keepers = (
            Takedowns(desk, face),
            StoragePage(desk, face),
            ReplayedPage(desk, face),
            Sites(desk, face),
            FirstSite(desk, face),
            Collections(desk, face),
            Annotations(desk, face),
            PeoplePages(desk, face),
            SigningOn(desk, face),
        )
        for handlers in (People(desk, face), Parts(desk, face), Operating(desk, face), *keepers):
            routes += handlers.routes()
        routes.append(Route("/events", live))
        routes.append(feed_route(desk.archive))
    else:
        routes.append(Route("/", _to_health))
    routes.append(Mount("/static", StaticFiles(directory=_STATIC)))
    routes.append(Mount("/api/v1", make_api(holdings, policy, desk, __version__)))

    async def missing(request: Request, fault: Exception) -> Response:
        return face.message(request, 404, say("not_here"), say("no_page"))

    shown = Starlette(routes=routes, exception_handlers={404: missing})
    shown.add_middleware(Refusing, holdings=holdings, face=face)
    shown.add_middleware(Permitting, face=face, desk=desk)
    return shown


async def _to_health(request: Request) -> Response:
    return RedirectResponse("/healthz", 303)
