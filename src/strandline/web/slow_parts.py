"""Parts of pages that take long: fetched by the page itself once it is there, or opened as pages of their own.

A part that takes longer than a few seconds says so, and asks again by itself until it is there.
"""

from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from strandline.core.plan.objective import OBJECTIVES
from strandline.errors import StrandlineError
from strandline.web.face import DeskPages, NotThereError, number_of
from strandline.web.slow_queries import PATIENCE, Answer, NoAnswerError, StillWorkingError
from strandline.web.texts import say
from strandline.web.views.overview import next_visits, quality_view, site_cards
from strandline.web.views.simulate import simulation
from strandline.web.views.values import address

_TURN = 10.0
"""Seconds after which a part says that it is still being worked out."""


class Parts(DeskPages):
    """Handlers of the parts."""

    def routes(self) -> list[Route]:
        """All parts."""
        shown = {
            "quality": self.quality,
            "cards": self.cards,
            "site-quality": self.site_quality,
            "next": self.next,
            "hours": self.hours,
            "why": self.why,
            "week": self.week,
            "simulation": self.simulation,
        }
        return self._face.routes({f"/parts/{name}": handler for name, handler in shown.items()}, {})

    async def quality(self, request: Request) -> Response:
        """Quality of the whole archive."""

        def shown(found: Answer) -> dict[str, Any]:
            shown = {name: found[name] for name in ("visits", "at", "hour")}
            return {"quality": quality_view(found["sites"]["archive"]), **shown}

        return await self._answered(request, "quality", shown, "quality")

    async def cards(self, request: Request) -> Response:
        """The sites, with their quality."""
        start, like = number_of(request, "start", 0), request.query_params.get("like", "")[:100]
        measuring = ""
        try:
            await self._desk.slow_queries.ask("quality", patience=_TURN)
        except StillWorkingError:
            measuring = "load delay:5s"
        except (NoAnswerError, StrandlineError):
            pass  # said above the cards
        cards = site_cards(self._desk, start, like=like)
        return self._part(request, "cards", {"cards": cards, "start": start, "like": like, "measuring": measuring})

    async def site_quality(self, request: Request) -> Response:
        """Quality of one site over time, and what more budget would buy."""
        site = request.query_params.get("site", "")
        return await self._answered(request, "site_quality", lambda found: {"history": found}, "history", site=site)

    async def next(self, request: Request) -> Response:
        """What comes next."""
        return await self._answered(request, "next", lambda found: {"visits": next_visits(self._desk, found)}, "next")

    async def hours(self, request: Request) -> Response:
        """When the pages of each directory change."""
        start = number_of(request, "start", 0)
        return await self._answered(request, "hours", lambda found: {"hours": found}, "hours", site="", start=start)

    async def why(self, request: Request) -> Response:
        """Every reason for one page."""
        return await self._answered(request, "why", lambda found: {"why": found}, "why", url=_url(request))

    async def week(self, request: Request) -> Response:
        """Change by weekday and hour."""
        return await self._answered(request, "week", lambda found: {"week": found}, "week", url=_url(request))

    async def simulation(self, request: Request) -> Response:
        """A simulation under way or finished."""
        job = self._desk.jobs.get(number_of(request, "number", 0))
        if job is None or job.kind != "simulate":
            raise NotThereError(say("no_page"))
        values = {"run": simulation(job), "plan": self._desk.settings.plan, "objectives": OBJECTIVES}
        return self._part(request, "simulation", values)

    async def _answered(
        self, request: Request, name: str, shown: Callable[[Answer], dict[str, Any]], ask: str, **about: object
    ) -> Response:
        """A part made of an answer; or why there is none; or that it is still being worked out."""
        patience = PATIENCE if _whole(request) else _TURN
        try:
            return self._part(request, name, shown(await self._desk.slow_queries.ask(ask, patience=patience, **about)))
        except StillWorkingError as answers:
            where = f"{request.url.path}?{request.url.query}"
            return self._part(request, "thinking", {"path": where, "said": str(answers)})
        except (NoAnswerError, StrandlineError) as problem:
            return self._part(request, "no_answer", {"reason": str(problem)})

    def _part(self, request: Request, name: str, values: dict[str, Any]) -> Response:
        return self._face.part(request, name, values, whole=_whole(request))


def _whole(request: Request) -> bool:
    """Whether a part is opened as a page of its own."""
    return request.headers.get("hx-request") != "true"


def _url(request: Request) -> str:
    return address(request.query_params.get("url", ""))
