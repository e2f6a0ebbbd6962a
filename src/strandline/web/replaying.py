"""The interface's side of replay: a page of ours with a sandboxed frame, and the lists that programs ask for.

No archived byte is ever sent from here. The policy of the page lets the frame go nowhere but the replay origin,
whatever the script inside does.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from urllib.parse import parse_qs, urlsplit

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from strandline.access.addresses import Wanted, original, parse
from strandline.access.index import Holdings
from strandline.access.memento import Memento, closest
from strandline.access.payload import LostError
from strandline.access.pictures import has_picture, picture_of
from strandline.access.replay import Answer, is_file
from strandline.access.takedowns import refuse_hidden
from strandline.access.timestamps import moment, timestamp
from strandline.access.together import Together, most_coherent, together
from strandline.core.urls import authority
from strandline.errors import Unreachable
from strandline.study.framed_pictures import painted
from strandline.web.desk import Desk
from strandline.web.face import Face, NotThereError, or_not_there
from strandline.web.figures import duration_text
from strandline.web.guard import client_of
from strandline.web.replay_app import cdx_answer, timemap_answer
from strandline.web.slow_queries import NoAnswerError
from strandline.web.texts import say
from strandline.web.views.compare import Part, compare
from strandline.web.views.pictures import pictures_of
from strandline.web.views.values import IMPORTANT
from strandline.web.wrong_tokens import TooManyError


class Replaying:
    """Handlers around replay, and of what every server has."""

    def __init__(self, holdings: Holdings, face: Face, desk: Desk | None) -> None:
        self._holdings = holdings
        self._face = face
        self._desk = desk
        self._painting = asyncio.Lock()
        """One picture at a time: a whole page takes up to a hundred megabytes while it is painted."""

    def routes(self) -> list[Route]:
        """All routes."""
        shown = {
            "/web/{rest:path}": self.web,
            "/coherent/{rest:path}": self.coherent,
            "/live/{rest:path}": self.live,
            "/picture/{rest:path}": self.picture,
            "/framed/{rest:path}": self.framed,
            "/parts/together": self.together,
            "/cdx": self.cdx,
            "/timemap/{rest:path}": self.timemap,
        }
        return [
            *self._face.routes(shown, {}),
            Route("/login", self.login, methods=["GET", "POST"]),
            Route("/metrics", self.metrics),
            Route("/healthz", _healthz),
        ]

    async def web(self, request: Request) -> Response:
        """A memento in its frame; what is not for people is sent on to the replay origin."""
        rest = _rest(request, "/web/")
        base = self._face.base(request)
        if rest.startswith("timemap/"):
            return _plain(timemap_answer(self._holdings, rest.removeprefix("timemap/"), base))
        wanted = parse(rest)
        for_people = "text/html" in request.headers.get("accept", "") and "accept-datetime" not in request.headers
        if wanted.mod or not for_people:
            return RedirectResponse(f"{base.root}/web/{rest}", 307, {"vary": "accept, accept-datetime"})
        memento = self._closest(wanted.url, wanted.time)
        return self._frame(request, wanted, memento)

    def _closest(self, url: str, time: float | None) -> Memento:
        """What answers; NotThereError or TakenDown when nothing does."""
        refuse_hidden(self._holdings, url, time)
        memento = closest(self._holdings.index, url, time)
        if memento is None:
            raise NotThereError(say("no_capture", url=url), url)
        return memento

    def _frame(
        self, request: Request, wanted: Wanted, memento: Memento, coherent_for: float | None = None, live: bool = False
    ) -> Response:
        url, time, capture = wanted.url, wanted.time, memento.capture
        values = {
            "url": url,
            "host": authority(url),
            "memento": memento,
            "source": self._face.base(request).memento(url, capture.time, "mp_"),
            "asked": time if time is not None and int(time) != int(capture.time) else None,
            "stamp": timestamp(capture.time),
            "important": self._important(url, capture.time),
            "coherent_for": coherent_for,
            "choosing": memento.previous is not None or memento.following is not None,
            "file": "",
            "live": live,
            "pictured": has_picture(self._holdings, capture),
        }
        if capture.status == 200 and is_file(capture.mime):
            values["file"] = self._face.base(request).memento(url, capture.time, "id_")
        return self._face.page(request, "frame.html", values)

    def _important(self, url: str, time: float) -> tuple[float | None, float | None]:
        if self._desk is None:
            return None, None
        return self._desk.reading.important_beside(self._desk.reading.page_numbers(url), time, IMPORTANT)

    async def coherent(self, request: Request) -> Response:
        """The capture near a moment whose parts were most surely live together, in its frame."""
        wanted = parse(_rest(request, "/coherent/"))
        memento = self._closest(wanted.url, wanted.time)
        try:
            chosen = most_coherent(self._holdings, memento)
        except LostError:
            chosen = memento.capture
        shown = closest(self._holdings.index, wanted.url, chosen.time) or memento
        return self._frame(request, wanted, shown, memento.capture.time if wanted.time is None else wanted.time)

    async def live(self, request: Request) -> Response:
        """What a browser saw, beside its replay."""
        wanted = parse(_rest(request, "/live/"))
        return self._frame(request, wanted, self._closest(wanted.url, wanted.time), live=True)

    async def picture(self, request: Request) -> Response:
        """The picture that a browser took of a capture: made by ours, and checked to be one."""
        wanted = parse(_rest(request, "/picture/"))
        capture = self._closest(wanted.url, wanted.time).capture
        with or_not_there(LostError, wanted.url):
            return _png(picture_of(self._holdings, capture))

    async def framed(self, request: Request) -> Response:
        """The picture of a capture with what is other than in a second one framed: `/framed/OF/AGAINST/URL`. Where that
        cannot be worked out (in time), the picture as it is.
        """
        first, _, rest = _rest(request, "/framed/").partition("/")
        wanted = parse(rest)
        if wanted.time is None:
            raise ValueError(say("not_two_times"))
        shown, other = self._closest(wanted.url, moment(first)).capture, self._closest(wanted.url, wanted.time).capture
        with or_not_there(LostError, wanted.url):
            data = picture_of(self._holdings, shown)
        if self._desk is None or shown.time == other.time:
            return _png(data)
        early, late = sorted((shown.time + 0.0005, other.time + 0.0005))
        try:
            view = await compare(self._desk, shown.url, early, late, Part(only=True))
        except NoAnswerError:
            return _png(data, "no-store")
        pictures = pictures_of(self._holdings, view)
        if not pictures:
            return _png(data)
        one = pictures[0 if shown.time < other.time else 1]
        async with self._painting:
            made = await asyncio.to_thread(painted, one.data, one.frames, one.mark)
        return _png(made or data)

    async def together(self, request: Request) -> Response:
        """The parts of a replayed page, and what is known of each."""
        url, digits = original(request.query_params.get("url", "")), request.query_params.get("time", "")
        memento = self._closest(url, moment(digits) if digits else None)
        with or_not_there(LostError):
            found = together(self._holdings, memento, self._face.policy.options.span)
        values = {"url": url, "stamp": timestamp(memento.capture.time), "found": found, "query": url}
        return self._face.part(request, "together", values, whole=True)

    async def login(self, request: Request) -> Response:
        """Take a password or token once and remember the browser until the server stops."""
        policy = self._face.policy
        to = request.query_params.get("to", "/")
        if not to.startswith("/") or to.startswith(("//", "/\\")):  # elsewhere
            to = "/"
        if not policy.needed:
            return RedirectResponse(to, 303)
        if request.method != "POST":
            return self._login_page(request, to)
        form = parse_qs((await request.body()).decode("utf-8", "replace"))
        name, token, password = (form.get(field, [""])[0] for field in ("name", "token", "password"))
        try:
            client = client_of(request.scope)
            asking = await (policy.with_password(client, name, password) if name else policy.with_token(client, token))
        except TooManyError as refused:
            return PlainTextResponse(f"{refused}\n", 429)
        person = policy.accounts.person(asking.person) if asking else None
        if asking is None or (asking.person and person is None):
            return self._login_page(request, to, wrong=True)
        access = policy.access
        session = access.session(asking.role) if person is None else access.person_session(person, time.time())
        answer = RedirectResponse(to, 303)
        answer.set_cookie(policy.cookie, session, httponly=True, samesite="strict", secure=policy.options.behind_tls)
        return answer

    def _login_page(self, request: Request, to: str, wrong: bool = False) -> Response:
        by_token = bool(self._face.policy.access.digest)
        sign_on = urlsplit(self._face.policy.accounts.settings.oidc_issuer).hostname or ""
        values = {"wrong": wrong, "to": to, "by_token": by_token, "sign_on": sign_on}
        return self._face.page(request, "login.html", values, 401 if wrong else 200)

    async def cdx(self, request: Request) -> Response:
        """The CDX API."""
        return _plain(cdx_answer(self._holdings, request.scope["query_string"].decode("latin-1")))

    async def timemap(self, request: Request) -> Response:
        """TimeMaps."""
        return _plain(timemap_answer(self._holdings, _rest(request, "/timemap/"), self._face.base(request)))

    async def metrics(self, request: Request) -> Response:
        """Counters for Prometheus."""
        try:
            captures = self._holdings.index.count()
        except Unreachable:
            captures = None
        text = self._face.policy.metrics.text(captures)
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4")


def _png(data: bytes, cached: str = "private, max-age=3600") -> Response:
    return Response(data, media_type="image/png", headers={"cache-control": cached})


def badge_text(found: Together, span: float) -> str:
    """Whether the parts of a page were live together, in few words."""
    told = [say(f"badge_{found.verdict}", kind=found.parts.hollow)]
    if found.evidence:
        told.append(say("badge_parts", known=found.known, all=len(found.evidence)))
        if found.parts.missing < len(found.evidence):
            told.append(say("badge_span", span=duration_text(max(1.0, found.last - found.first))))
    if found.parts.anachronistic:
        told.append(say("badge_far", count=found.parts.anachronistic, hours=round(span / 3600)))
    if found.parts.missing:
        told.append(say("badge_missing", count=found.parts.missing))
    return " · ".join(told)


def _rest(request: Request, prefix: str) -> str:
    """What follows a prefix, as it was sent: archived addresses keep their escapes and their query."""
    raw: str = request.scope["raw_path"].partition(b"?")[0].decode("latin-1").removeprefix(prefix)
    query = request.scope["query_string"].decode("latin-1")
    return raw + (f"?{query}" if query else "")


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
