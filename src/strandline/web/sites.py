"""Sites in operation, in the interface and the API: the list with costs and yields, pausing, settings of one site."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, FastAPI, Path, Query
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from strandline.core.discovery.site_rules import STATES
from strandline.errors import UsageError
from strandline.keeping.sites import KEYS, move_site, set_site
from strandline.web.desk import Desk
from strandline.web.face import DeskPages, number_of, one_of, or_not_there
from strandline.web.texts import say
from strandline.web.views.sites import OperatedSite, site_in_operation, sites_in_operation
from strandline.web.views.values import Sent

_LONGEST = 20_000
_LISTED = 100
_CHOICES = {"scope": ("page", "prefix", "host", "domain"), "browser": ("never", "auto", "always")}
_LINES = ("seeds", "include", "exclude", "hours", "headers")


SiteName = Annotated[str, Path(max_length=300)]
Weeks = Annotated[int, Query(ge=1, le=520, description="Weeks whose costs and yields are told")]


class SettingsIn(Sent):
    """What is said of a site, by the keys of `[[site]]`; null is as for all sites."""

    settings: dict[Annotated[str, Field(max_length=40)], Any] = Field(min_length=1, max_length=20)


class StateIn(Sent):
    """How a site stands from now on."""

    state: Literal["active", "paused", "removed"]


def site_routes(api: FastAPI, desk: Desk) -> None:
    """Add the questions and acts of the API."""
    router = APIRouter(tags=["sites"])

    @router.get("/sites")
    async def sites(weeks: Weeks = 1) -> list[OperatedSite]:
        """All sites: how each stands, what it costs and brings."""
        return sites_in_operation(desk, weeks)

    @router.get("/sites/{name}")
    async def one_site(name: SiteName, weeks: Weeks = 8) -> OperatedSite:
        """One site."""
        return _known(desk, name, weeks)

    @router.patch("/sites/{name}")
    async def set_one(name: SiteName, wanted: SettingsIn) -> OperatedSite:
        """Say how a site is treated; what is left out stays."""
        values = {key: "" if value is None else value for key, value in wanted.settings.items()}
        made = set_site(desk.place, name, values, desk.archive)
        desk.slow_queries.forget()
        return _known(desk, made.name)

    @router.post("/sites/{name}/state")
    async def move_one(name: SiteName, wanted: StateIn) -> OperatedSite:
        """Pause, resume or remove a site; what was captured stays."""
        made = move_site(desk.place, name, wanted.state, desk.archive)
        desk.slow_queries.forget()
        return _known(desk, made.name)

    api.include_router(router)


def _known(desk: Desk, name: str, weeks: int = 8) -> OperatedSite:
    with or_not_there():
        return site_in_operation(desk, name, weeks)


class Sites(DeskPages):
    """The pages and their forms."""

    def routes(self) -> list[Route]:
        """The list, the settings of one site, and what they send."""
        shown = {"/sites": self.shown, "/sites/settings": self.settings}
        forms = {"/sites/settings": self.set, "/sites/state": self.move}
        return self._face.routes(shown, forms)

    async def shown(self, request: Request) -> Response:
        """All sites."""
        found = sites_in_operation(self._desk)
        shown = [one for one in found if one.state != "parts"]
        start = number_of(request, "start", 0)
        values = {"sites": shown[start : start + _LISTED], "parts": len(found) - len(shown)}
        values |= {"contact": self._desk.settings.archive.contact, "start": start, "count": len(shown), "step": _LISTED}
        return self._face.page(request, "sites.html", values)

    async def settings(self, request: Request) -> Response:
        """What is said of one site."""
        view = _known(self._desk, request.query_params.get("site", "")[:300])
        values = {"view": view, "keys": KEYS, "choices": _CHOICES, "lines": _LINES}
        return self._face.page(request, "site_settings.html", values)

    async def set(self, request: Request) -> Response:
        """Keep what is said of one site."""
        form = await self._face.form(request)
        name = one_of(form, "site")
        values: dict[str, object] = {key: one_of(form, key) for key in KEYS if key in form}
        made = set_site(self._desk.place, name, values, self._desk.archive)
        self._desk.slow_queries.forget()
        return self._face.told("/sites/settings", say("site_set_done", site=made.name), site=made.name)

    async def move(self, request: Request) -> Response:
        """Pause, resume or remove a site."""
        form = await self._face.form(request)
        state = one_of(form, "state")
        if state not in STATES:
            raise UsageError(say("site_no_state", name=state[:40]))
        made = move_site(self._desk.place, one_of(form, "site"), state, self._desk.archive)
        self._desk.slow_queries.forget()
        return self._face.told("/sites", say(f"site_moved_{state}", site=made.name))
