"""Changes people make from the interface: add a site, set a budget, start and stop jobs, rate a change, adopt a plan.

Each takes a form with the key the page was given and answers with a redirect, so that a reload repeats nothing. The
guard has already seen to it that the form comes from the interface itself, and web/permitting.py that whoever sends it
may.
"""

import asyncio
from collections.abc import Sequence
from typing import get_args

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from strandline.archive.given_seeds import known_seeds, read_seeds
from strandline.core.changes.noise.volatility import Rating
from strandline.core.discovery.site_rules import covers
from strandline.core.plan.objective import OBJECTIVES
from strandline.core.urls import authority
from strandline.core.urls import site as site_of
from strandline.crawl.reaching import scheme_of
from strandline.errors import SettingError, UsageError
from strandline.keeping.searches import forget_search, save_search
from strandline.keeping.sites import add_site as resume_site
from strandline.study.labelling import label
from strandline.study.rating import rate, unrate
from strandline.web.desk import Desk
from strandline.web.face import DeskPages, back, one_of, person_of
from strandline.web.figures import minute_text
from strandline.web.jobs import KINDS, WRITERS, Archiving, Job, Kind
from strandline.web.texts import say
from strandline.web.views.compare import compare, end_of
from strandline.web.views.simulate import asked_for, start_simulation, strategy_names
from strandline.web.views.values import address

_LONGEST = 2_000


def quoted(text: str) -> str:
    """A text as TOML writes it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in escaped) + '"'


async def start_job(desk: Desk, kind: Kind) -> Job:
    """Start a job; UsageError says who is in the way, and what to do about it."""
    other = desk.place.writer() if kind in WRITERS and not desk.jobs.active(WRITERS) else None
    if other is not None and (kind, other.command) != ("learn", "watch"):  # one may learn beside a watch
        then = say("then_wait")
        since = minute_text(other.since)
        raise UsageError(
            say("writer_works", command=other.command, process=other.process, host=other.host, since=since, then=then)
        )
    return await desk.jobs.start(kind)


async def add_site(
    desk: Desk, typed: str, contact: str = "", start: Archiving | None = "crawl"
) -> tuple[str, Job | None]:
    """Add an address to the seeds and start to crawl or watch unless that runs; UsageError for what is no address. A
    host without a scheme is asked over https, or over http where it speaks nothing else.
    """
    settings = desk.settings
    scheme = "" if "://" in typed else await asyncio.to_thread(scheme_of, typed, settings) or "https"
    url = address(f"{scheme}://{typed.strip()}" if scheme else typed)
    if not (contact or settings.archive.contact) and not settings.fetch.allow_address:
        raise UsageError(say("contact_needed"))
    seeds = read_seeds((*known_seeds(settings, desk.reading), url))
    values = {"scope.seeds": "[" + ", ".join(quoted(seed) for seed in seeds) + "]"}
    if contact and contact != settings.archive.contact:
        values["archive.contact"] = quoted(contact[:_LONGEST])
    desk.change_settings(values)
    if any(covers(one.name, authority(url)) and one.state != "active" for one in settings.site):
        resume_site(desk.place, url)
    running = desk.jobs.active(("crawl", "watch")) or desk.place.writer()
    job = await start_job(desk, start) if start and start in desk.jobs.kinds and not running else None
    return url, job


def adopt(desk: Desk, strategy: str = "", objective: str = "", budget: str = "") -> None:
    """Plan by these from now on; UsageError or SettingError for one that does not exist."""
    values = {}
    if strategy:
        if strategy not in strategy_names():
            raise UsageError(say("no_strategy", name=strategy[:40]))
        values["plan.strategy"] = quoted(strategy)
    if objective:
        if objective not in OBJECTIVES:
            raise UsageError(say("no_objective", name=objective[:40], known=", ".join(OBJECTIVES)))
        values["plan.objective"] = quoted(objective)
    if budget:
        values["plan.budget"] = quoted(budget[:100])
    try:
        desk.change_settings(values)
    except SettingError as problem:
        raise UsageError(str(problem).removeprefix("--set: ")) from None


async def keep_rating(
    desk: Desk, url: str, rating: Rating, blocks: Sequence[str] = (), author: str = ""
) -> tuple[str, ...]:
    """Keep what a person says about blocks, or about the last change of a page; returns their paths.

    In a thread, with connections of its own: a crawl or watch that writes just now is waited for.
    """
    kept = await asyncio.to_thread(lambda: rate(desk.place.open(), url, rating, blocks, author))
    desk.slow_queries.forget()
    return kept


async def forget_rating(desk: Desk, url: str, block: str) -> tuple[str, ...]:
    """Take back what was said about a block; returns its path."""
    gone = await asyncio.to_thread(lambda: unrate(desk.place.open(), url, block))
    desk.slow_queries.forget()
    return gone


async def keep_label(desk: Desk, url: str, block: str, name: str) -> None:
    """Keep what a person calls a block of a page; an empty name takes the label back."""
    await asyncio.to_thread(lambda: label(desk.place.open(), url, block, name))
    desk.slow_queries.forget()


async def change_paths(desk: Desk, url: str, start: float, end: float) -> list[str]:
    """Paths of the blocks that differ between two versions; UsageError when none do."""
    view = await compare(desk, url, start, end)
    if not view.changed:
        raise UsageError(say("same"))
    return view.changed


async def act(desk: Desk, number: int, action: str) -> Job:
    """Pause, resume or stop a job; UsageError when that is not possible."""
    if action == "resume":
        return await desk.jobs.resume(number)
    if action == "pause":
        return desk.jobs.pause(number)
    if action == "stop":
        return desk.jobs.stop(number)
    raise UsageError(say("no_action", name=action[:40]))


class Operating(DeskPages):
    """Handlers of the forms."""

    def routes(self) -> list[Route]:
        """All forms."""
        forms = {
            "/sites": self.sites,
            "/budget": self.budget,
            "/jobs": self.start,
            "/jobs/{number:int}": self.job,
            "/rate": self.rate,
            "/label": self.label,
            "/unrate": self.unrate,
            "/simulate": self.simulate,
            "/adopt": self.adopt,
            "/searches": self.searches,
        }
        return self._face.routes({}, forms)

    async def sites(self, request: Request) -> Response:
        """Add a site."""
        form = await self._face.form(request)
        start = next((kind for kind in get_args(Archiving) if kind == one_of(form, "start")), None)
        typed = one_of(form, "url")
        if "://" not in typed and not await asyncio.to_thread(scheme_of, typed, self._desk.settings):
            raise UsageError(say("no_such_host", host=typed[:100]))
        url, job = await add_site(self._desk, typed, one_of(form, "contact"), start)
        writer = self._desk.place.writer()
        watched = self._desk.jobs.active(("watch",)) or (writer is not None and writer.command == "watch")
        later = start is not None and job is None and not watched
        said = say(
            "site_added_shared" if self._desk.shared else "site_added_later" if later else "site_added",
            site=site_of(url),
        )
        return self._face.told("/", said)

    async def budget(self, request: Request) -> Response:
        """Set the budget."""
        form = await self._face.form(request)
        adopt(self._desk, budget=one_of(form, "budget"))
        said = say("budget_set_shared" if self._desk.shared else "budget_set", budget=one_of(form, "budget"))
        return self._face.told("/", said)

    async def start(self, request: Request) -> Response:
        """Start a job."""
        form = await self._face.form(request)
        kind = next((known for known in KINDS if known == one_of(form, "kind")), None)
        if kind is None or kind == "simulate":
            raise UsageError(say("no_job", job=one_of(form, "kind")[:40]))
        await start_job(self._desk, kind)
        return back("/health" if kind == "verify" else "/")

    async def job(self, request: Request) -> Response:
        """Pause, resume or stop a job."""
        form = await self._face.form(request)
        await act(self._desk, int(request.path_params["number"]), one_of(form, "action"))
        return back("/")

    async def rate(self, request: Request) -> Response:
        """Say that a block, or all that changed, is noise, or that it matters."""
        form = await self._face.form(request)
        url, rating = address(one_of(form, "url")), as_rating(one_of(form, "rating"))
        start, end, block = (one_of(form, name) for name in ("from", "to", "block"))
        paths = [block] if block else await change_paths(self._desk, url, end_of(start), end_of(end))
        await keep_rating(self._desk, url, rating, paths, person_of(request))
        said = say("rated" if block else "rated_change", count=len(paths))
        shown = {name: one_of(form, name) for name in ("view", "only") if one_of(form, name)}
        return self._face.told("/compare", said, **{"url": url, "from": start, "to": end, **shown})

    async def unrate(self, request: Request) -> Response:
        """Take back what was said about a block."""
        form = await self._face.form(request)
        await forget_rating(self._desk, address(one_of(form, "url")), one_of(form, "block"))
        return self._face.told("/ratings", say("unrated"))

    async def label(self, request: Request) -> Response:
        """Call a block something."""
        form = await self._face.form(request)
        url, name = address(one_of(form, "url")), one_of(form, "label")
        await keep_label(self._desk, url, one_of(form, "block"), name)
        return self._face.told("/page", say("labelled" if name.strip() else "unlabelled"), url=url)

    async def simulate(self, request: Request) -> Response:
        """Start a simulation."""
        form = await self._face.form(request)
        asked = asked_for(form.get("strategy", []), one_of(form, "budgets"), one_of(form, "objective"))
        await start_simulation(self._desk, asked)
        return back("/simulate")

    async def adopt(self, request: Request) -> Response:
        """Plan by a strategy from now on."""
        form = await self._face.form(request)
        adopt(self._desk, one_of(form, "strategy"), one_of(form, "objective"), one_of(form, "budget"))
        plan = self._desk.settings.plan
        said = say("adopted", strategy=plan.strategy, objective=say(f"objective_{plan.objective}"))
        return self._face.told("/simulate", said)

    async def searches(self, request: Request) -> Response:
        """Save a search, or take one out."""
        form = await self._face.form(request)
        name, words = one_of(form, "name").strip(), one_of(form, "words").strip()
        if one_of(form, "action") == "remove":
            forget_search(self._desk.place, name)
            return self._face.told("/search", say("search_forgotten", name=name))
        save_search(self._desk.place, name, words)
        return self._face.told("/search", say("search_saved", name=name), q=words)


def as_rating(text: str) -> Rating:
    """What a person says about a block; UsageError for anything else."""
    known: Sequence[Rating] = get_args(Rating)
    for one in known:
        if one == text:
            return one
    raise UsageError(say("no_rating", name=text[:40], known=" or ".join(known)))
