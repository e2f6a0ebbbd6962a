"""A site step by step: its address, what was found there, what matters, and the watch with a first comparison.

What was found is remembered in memory, for the pages that follow; asking for it is a form that is sent, since it
sends requests to the site.
"""

import asyncio
import time
from collections import OrderedDict
from dataclasses import replace
from typing import Any, Final
from urllib.parse import urlencode

from fastapi import APIRouter, FastAPI
from pydantic import Field
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from strandline.alerts.targets import targets_of
from strandline.app.doctor import browser_found
from strandline.archive.given_seeds import known_seeds
from strandline.core.urls import authority
from strandline.core.urls import site as site_of
from strandline.crawl.reaching import scheme_of
from strandline.errors import SettingError, UsageError
from strandline.keeping.sites import add_site
from strandline.settings.schema import AlertSettings
from strandline.study.surveying import REACHES, Survey, first_comparison, survey
from strandline.web.desk import Desk
from strandline.web.face import DeskPages, Face, Form, one_of
from strandline.web.operating import quoted, start_job
from strandline.web.texts import say
from strandline.web.views.first_site import choices_of, preview_of
from strandline.web.views.overview import overview
from strandline.web.views.values import Sent, address

_REMEMBERED: Final = 50
"""Looks that are remembered. Origin: a bound on memory."""
_BROWSERS: Final = ("never", "auto", "always")
_WORTH: Final = ("0.05", "0.1", "0.3")
"""Importance from which on somebody is told: nearly all, what matters, little. Origin: a guess."""
_MOST_AN_HOUR: Final = 100_000


class LookIn(Sent):
    """An address to look at."""

    url: str = Field(min_length=1, max_length=2000, description="Its address, or a host")


async def look(desk: Desk, typed: str) -> Survey:
    """What is found at an address; UsageError for what is none, or while nobody can reach us."""
    settings = desk.settings
    if not settings.archive.contact and not settings.fetch.allow_address:
        raise UsageError(say("contact_needed"))
    scheme = "" if "://" in typed else await asyncio.to_thread(scheme_of, typed, settings)
    if "://" not in typed and not scheme:
        raise UsageError(say("no_such_host", host=typed[:100]))
    url = address(f"{scheme}://{typed.strip()}" if scheme else typed)
    return await asyncio.to_thread(survey, url, settings)


def look_routes(api: FastAPI, desk: Desk) -> None:
    """Add the look to the API."""
    router = APIRouter(tags=["sites"])

    @router.post("/survey")
    async def look_at(wanted: LookIn) -> dict[str, Any]:
        """What is found at an address: robots.txt, feeds, sitemaps, language, how far it reaches, whether a browser or
        a login seems needed. Nothing is kept.
        """
        return (await look(desk, wanted.url)).as_data()

    api.include_router(router)


class FirstSite(DeskPages):
    """The pages and their forms."""

    def __init__(self, desk: Desk, face: Face) -> None:
        super().__init__(desk, face)
        self._seen: OrderedDict[str, Survey] = OrderedDict()

    def routes(self) -> list[Route]:
        """The steps, and the comparison that comes when the first capture is there."""
        shown = {
            "/start": self.asked,
            "/start/found": self.found,
            "/start/watch": self.watching,
            "/parts/first-comparison": self.comparison,
        }
        forms = {"/start": self.look, "/start/watch": self.watch}
        return self._face.routes(shown, forms)

    async def asked(self, request: Request) -> Response:
        """Step one: the address."""
        values = {"contact": self._desk.settings.archive.contact, "typed": request.query_params.get("url", "")[:2000]}
        return self._face.page(request, "start.html", values)

    async def look(self, request: Request) -> Response:
        """Look at the address; the page that follows shows what was found."""
        form = await self._face.form(request)
        if contact := one_of(form, "contact"):
            self._desk.change_settings({"archive.contact": quoted(contact)})
        seen = await look(self._desk, one_of(form, "url"))
        self._seen[seen.url] = seen
        while len(self._seen) > _REMEMBERED:
            self._seen.popitem(last=False)
        return _to("/start/found", seen.url)

    async def found(self, request: Request) -> Response:
        """Steps two and three: what was found, and what matters."""
        url = request.query_params.get("url", "")
        seen = self._seen.get(url)
        if seen is None:  # from before the server was started again
            return _to("/start", url)
        settings = self._desk.settings
        followed = any(site_of(seed) == site_of(url) for seed in known_seeds(settings, self._desk.reading))
        chromium = await asyncio.to_thread(browser_found)
        values = {
            "seen": seen,
            "site": site_of(url),
            "choices": choices_of(seen, settings, chromium),
            "chromium": chromium,
            "mail": bool(settings.alerts.smtp and settings.alerts.sender),
            "worth": _WORTH,
            "browsers": _BROWSERS,
            "followed": followed,
            "running": bool(self._desk.jobs.active(("crawl", "watch")) or self._desk.place.writer()),
        }
        return self._face.page(request, "start_found.html", values)

    async def watch(self, request: Request) -> Response:
        """Keep what was chosen, and watch."""
        form = await self._face.form(request)
        url, settings = address(one_of(form, "url")), self._desk.settings
        values: dict[str, object] = {"scope": _one(form, "scope", REACHES), "browser": _one(form, "browser", _BROWSERS)}
        pace, changed = _pace(one_of(form, "pace")), _told(form, site_of(url), settings.alerts)
        # The budget of the archive is that of its only site; beside others a site has its own.
        alone = all(site_of(seed) == site_of(url) for seed in known_seeds(settings, self._desk.reading))
        if pace and alone:
            changed["plan.budget"] = quoted(pace)
        if changed:
            self._desk.change_settings(changed)
        add_site(self._desk.place, url, values if alone or not pace else {**values, "budget": pace})
        self._desk.slow_queries.forget()
        running = self._desk.jobs.active(("crawl", "watch")) or self._desk.place.writer()
        if "watch" in self._desk.jobs.kinds and not running:
            await start_job(self._desk, "watch")
        return _to("/start/watch", url)

    async def watching(self, request: Request) -> Response:
        """Step four: captures as they come in, and the first comparison."""
        url = address(request.query_params.get("url", ""))
        values = {"view": overview(self._desk), "url": url, "site": site_of(url), "host": authority(url)}
        return self._face.page(request, "start_watch.html", {**values, "looked": url in self._seen})

    async def comparison(self, request: Request) -> Response:
        """The page as it was looked at beside its first capture."""
        url = address(request.query_params.get("url", ""))
        whole, seen = request.headers.get("hx-request") != "true", self._seen.get(url)
        if seen is None:
            return self._face.part(request, "no_answer", {"reason": say("preview_lost")}, whole=whole)
        made = await asyncio.to_thread(lambda: first_comparison(self._desk.place.open(), seen))
        if made is None:
            text = say("preview_waits", seconds=max(1, round(time.time() - seen.time)))
            waits = {"path": f"/parts/first-comparison?{request.url.query}", "said": text}
            return self._face.part(request, "thinking", waits, whole=whole)
        shown = {"preview": preview_of(*made, seen), "seen": seen}
        return self._face.part(request, "first_comparison", shown, whole=whole)


def _to(path: str, url: str) -> RedirectResponse:
    return RedirectResponse(f"{path}?{urlencode({'url': url})}" if url else path, 303)


def _one(form: Form, name: str, known: tuple[str, ...]) -> str:
    """What was chosen; empty when nothing was."""
    chosen = one_of(form, name)
    if chosen and chosen not in known:
        raise UsageError(say("no_choice", name=name, text=chosen[:40], known=", ".join(known)))
    return chosen


def _pace(text: str) -> str:
    """Pages an hour as a budget; empty for nothing."""
    if not text:
        return ""
    if not text.isdigit() or not 0 < int(text[:9]) <= _MOST_AN_HOUR:
        raise UsageError(say("no_pace", text=text[:20], most=_MOST_AN_HOUR))
    return f"{int(text)}/hour"


def _told(form: Form, site: str, alerts: AlertSettings) -> dict[str, str]:
    """Settings by which those are told who are named, of this site; UsageError for who cannot be."""
    worth = _one(form, "worth", _WORTH) or _WORTH[1]
    named = {"webhooks": one_of(form, "webhook"), "email": one_of(form, "email")}
    if any(" " in one for one in named.values()):
        raise UsageError(say("no_target"))
    wanted: dict[str, Any] = {
        key: (*(one for one in getattr(alerts, key) if one.split()[0] != name), f"{name} site={site} min={worth}")
        for key, name in named.items()
        if name
    }
    try:
        targets_of(replace(alerts, **wanted))
    except SettingError as problem:
        raise UsageError(str(problem)) from None
    return {f"alerts.{key}": "[" + ", ".join(map(quoted, entries)) + "]" for key, entries in wanted.items()}
