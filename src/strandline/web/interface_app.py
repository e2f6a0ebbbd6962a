"""The interface origin: pages for people, the API, the CDX server. No archived byte is ever sent from here.

Replay is a page of ours with a sandboxed frame that shows the replay origin. The policy of that page lets the frame
go nowhere but the replay origin, whatever the script inside does.
"""

from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from strandline import __version__
from strandline.access.addresses import Base, original, parse
from strandline.access.index import Holdings
from strandline.access.listing import pages_of, stretch
from strandline.access.memento import Memento, closest
from strandline.access.replay import Answer
from strandline.access.timestamps import moment, timestamp
from strandline.core.urls import authority
from strandline.web.api import make_api
from strandline.web.guard import Policy
from strandline.web.pages import by_day, render
from strandline.web.replay_app import cdx_answer, timemap_answer

_STATIC = Path(__file__).parent / "static"
_PAGES_AT_ONCE = 100


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


class Pages:
    """Handlers of the pages for people."""

    def __init__(self, holdings: Holdings, policy: Policy) -> None:
        self._holdings = holdings
        self._policy = policy

    def _page(self, template: str, values: Mapping[str, object], status: int = 200) -> HTMLResponse:
        shared = {"archive": self._holdings.name, "query": "", "with_token": self._policy.access.needed}
        return HTMLResponse(render(template, {**shared, **values}), status)

    def _message(self, status: int, title: str, text: str, query: str = "") -> HTMLResponse:
        return self._page("message.html", {"title": title, "text": text, "query": query}, status)

    def _base(self, request: Request) -> Base:
        host = request.scope["strandline.host"]
        return Base(self._policy.origins.replay(host) + request.scope["strandline.local"])

    async def home(self, request: Request) -> Response:
        """Search, and the sites of the archive."""
        index = self._holdings.index
        return self._page("home.html", {"sites": index.sites(50), "captures": index.count()})

    async def captures(self, request: Request) -> Response:
        """The captures of a page by day."""
        typed = request.query_params.get("url", "").strip()
        if not typed:
            return RedirectResponse("/", 303)
        try:
            url = original(typed)
            before = moment(request.query_params["before"]) + 0.9995 if "before" in request.query_params else 1e15
        except ValueError as fault:
            return self._message(400, "That address cannot be read", str(fault), typed)
        found = stretch(self._holdings.index, url, before)
        if not found.captures:
            return self._message(404, "Not in the archive", f"No capture of {url} is in this archive.", typed)
        url = found.captures[0].url  # as it was captured: people type less
        values = {"url": url, "query": url, "days": by_day(found.captures), "found": found}
        return self._page("captures.html", values)

    async def pages(self, request: Request) -> Response:
        """The pages of a site."""
        site = request.query_params.get("site", "")
        try:
            listed = []
            for row in pages_of(self._holdings.index, site, request.query_params.get("after", "")):
                listed.append(row)
                if len(listed) > _PAGES_AT_ONCE:
                    break
        except ValueError as fault:
            return self._message(400, "That site cannot be read", str(fault))
        if not listed:
            return self._message(404, "Not in the archive", f"No page of {site} is in this archive.")
        more = listed[_PAGES_AT_ONCE - 1][0] if len(listed) > _PAGES_AT_ONCE else ""
        return self._page("pages.html", {"site": site, "pages": listed[:_PAGES_AT_ONCE], "more": more})

    async def web(self, request: Request) -> Response:
        """A memento in its frame; what is not for people is sent on to the replay origin."""
        raw = request.scope["raw_path"].partition(b"?")[0].decode("latin-1")
        query = request.scope["query_string"].decode("latin-1")
        rest = raw.removeprefix("/web/") + (f"?{query}" if query else "")
        base = self._base(request)
        if rest.startswith("timemap/"):
            return _plain(timemap_answer(self._holdings, rest.removeprefix("timemap/"), base))
        try:
            wanted = parse(rest)
        except ValueError as fault:
            return self._message(400, "That address cannot be read", str(fault))
        for_people = "text/html" in request.headers.get("accept", "") and "accept-datetime" not in request.headers
        if wanted.mod or not for_people:
            return RedirectResponse(f"{base.root}/web/{rest}", 307, {"vary": "accept, accept-datetime"})
        memento = closest(self._holdings.index, wanted.url, wanted.time)
        if memento is None:
            return self._message(
                404, "Not in the archive", f"No capture of {wanted.url} is in this archive.", wanted.url
            )
        return self._frame(wanted.url, wanted.time, memento, base)

    def _frame(self, url: str, time: float | None, memento: Memento, base: Base) -> Response:
        capture = memento.capture
        values = {
            "url": url,
            "host": authority(url),
            "memento": memento,
            "source": base.memento(url, capture.time, "mp_"),
            "asked": time if time is not None and int(time) != int(capture.time) else None,
            "stamp": timestamp(capture.time),
        }
        return self._page("frame.html", values)

    async def login(self, request: Request) -> Response:
        """Take the token once and remember the browser until the server stops."""
        access = self._policy.access
        if not access.needed:
            return RedirectResponse("/", 303)
        if request.method == "GET":
            return self._page("login.html", {"wrong": False})
        given = parse_qs((await request.body()).decode("utf-8", "replace")).get("token", [""])[0]
        if not access.is_token(given):
            return self._page("login.html", {"wrong": True}, 401)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(
            self._policy.cookie,
            access.session(),
            httponly=True,
            samesite="strict",
            secure=self._policy.options.behind_tls,
        )
        return answer

    async def cdx(self, request: Request) -> Response:
        """The CDX API."""
        return _plain(cdx_answer(self._holdings, request.scope["query_string"].decode("latin-1")))

    async def timemap(self, request: Request) -> Response:
        """TimeMaps."""
        raw = request.scope["raw_path"].partition(b"?")[0].decode("latin-1").removeprefix("/timemap/")
        query = request.scope["query_string"].decode("latin-1")
        return _plain(timemap_answer(self._holdings, raw + (f"?{query}" if query else ""), self._base(request)))

    async def metrics(self, request: Request) -> Response:
        """Counters for Prometheus."""
        text = self._policy.metrics.text(self._holdings.index.count())
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4")

    async def missing(self, request: Request, fault: Exception) -> Response:
        """An address of the interface that does not exist."""
        return self._message(404, "Nothing here", "This page does not exist.")


async def _healthz(request: Request) -> Response:
    return PlainTextResponse("ok\n")


def _plain(answer: Answer) -> Response:
    headers = dict(answer.headers)
    if isinstance(answer.body, bytes):
        return Response(answer.body, answer.status, headers)
    return StreamingResponse(_on_this_thread(answer.body), answer.status, headers)


async def _on_this_thread(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Starlette would read a plain iterator in other threads, where the index must not be used."""
    for piece in pieces:
        yield piece


def make_interface(holdings: Holdings, policy: Policy) -> Starlette:
    """The application of the interface origin."""
    pages = Pages(holdings, policy)
    routes = [
        Route("/", pages.home),
        Route("/captures", pages.captures),
        Route("/pages", pages.pages),
        Route("/web/{rest:path}", pages.web),
        Route("/cdx", pages.cdx),
        Route("/timemap/{rest:path}", pages.timemap),
        Route("/login", pages.login, methods=["GET", "POST"]),
        Route("/metrics", pages.metrics),
        Route("/healthz", _healthz),
        Mount("/static", StaticFiles(directory=_STATIC)),
        Mount("/api/v1", make_api(holdings, policy.options.span, __version__)),
    ]
    return Starlette(routes=routes, exception_handlers={404: pages.missing})
