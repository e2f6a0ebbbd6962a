"""How well pages are shown again, in the interface and the API: a figure for each page and site, and what is missing.

Measuring replays every page that a browser showed, in a process of its own; the last answer is remembered by the
server until it ends.
"""

from fastapi import APIRouter, FastAPI
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from strandline.app.doctor import browser_found
from strandline.web.desk import Desk
from strandline.web.face import DeskPages, back, one_of
from strandline.web.views.replayed import Replayed, last_replayed


def replayed_routes(api: FastAPI, desk: Desk) -> None:
    """Add the question of the API."""
    router = APIRouter(tags=["archive"])

    @router.get("/replayed")
    async def replayed() -> Replayed:
        """How well pages are shown again, as it was last measured from the interface."""
        return last_replayed(desk.jobs)

    api.include_router(router)


class ReplayedPage(DeskPages):
    """The page and its form."""

    def routes(self) -> list[Route]:
        """The figures, and measuring anew."""
        shown = {"/replayed": self.shown}
        forms = {"/replayed": self.measure}
        return self._face.routes(shown, forms)

    async def shown(self, request: Request) -> Response:
        """What was measured last."""
        values = {"view": last_replayed(self._desk.jobs), "site": request.query_params.get("site", "")[:300]}
        can = "quality" in self._desk.jobs.kinds and browser_found()
        return self._face.page(request, "replayed.html", {**values, "can": can})

    async def measure(self, request: Request) -> Response:
        """Measure, of one site or all."""
        form = await self._face.form(request)
        site = one_of(form, "site", 300)
        await self._desk.jobs.start("quality", ("--replay", *(("--site", site) if site else ())))
        return back("/replayed")
