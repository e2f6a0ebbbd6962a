"""The replay origin: mementos, TimeGate, TimeMaps, the CDX API and the client side of replay. Nothing else lives here.

Every answer carries the policy that keeps archived content inside: it may load from this origin only, talks to no
socket, submits forms nowhere else, is framed by the interface and by itself only, and runs in an origin of its own
(`sandbox`), even when someone opens it in a window. Only pages that were rewritten run script at all; drawings, feeds
and unmodified payloads do not. Requests come from that opaque origin, so CORS answers `null`.
"""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl

from strandline.access.addresses import Base, Wanted, original, parse
from strandline.access.cdx import TYPES as CDX_TYPES
from strandline.access.cdx import lines, parse_query
from strandline.access.confinement import confining_headers
from strandline.access.index import Holdings
from strandline.access.memento import general_links, key_of
from strandline.access.payload import LostError
from strandline.access.replay import Answer, Asked, Replay, is_file
from strandline.access.rewrite import CLIENT_SCRIPT
from strandline.access.takedowns import STATUS, notice_text
from strandline.access.timemap import TYPES, timemap
from strandline.access.timestamps import parse_http_date, timestamp
from strandline.core.request_keys import method_query
from strandline.errors import Unreachable
from strandline.web.guard import Policy, Receive, Scope, Send
from strandline.web.pages import notice
from strandline.web.texts import say

_INLINE = 1024 * 1024
"""Compressed bytes up to which a record is read at once; larger ones in a thread, so that nobody else waits."""
_BATCH = 64 * 1024
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
"""Nothing is changed by any of them: what was answered is looked up by method and body."""


def replay_headers(policy: Policy, host: str, runs: bool = False, inner: bool = False) -> list[tuple[bytes, bytes]]:
    """Fields of every answer of the replay origin, whatever its status."""
    return confining_headers("" if inner else policy.origins.interface(host), runs)


@dataclass(frozen=True, slots=True)
class _Request:
    """What is needed of a request."""

    method: str
    path: str
    """Undecoded, with the query."""
    query: str
    fields: dict[bytes, bytes]
    host: str
    local: str

    @property
    def inner(self) -> bool:
        """Whether an archived page asks for a document to frame."""
        framed = self.fields.get(b"sec-fetch-dest") in (b"iframe", b"frame")
        return framed and self.fields.get(b"sec-fetch-site") == b"cross-site"

    def field(self, name: bytes) -> str:
        return self.fields.get(name, b"").decode("latin-1")


@dataclass(frozen=True, slots=True)
class ReplayApp:
    """ASGI application of the replay origin."""

    holdings: Holdings
    policy: Policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            return
        raw: bytes = scope.get("raw_path") or scope["path"].encode()
        query: bytes = scope["query_string"]
        path = raw.partition(b"?")[0].decode("latin-1") + ("?" + query.decode("latin-1") if query else "")
        fields = dict(scope["headers"])
        request = _Request(
            scope["method"], path, query.decode("latin-1"), fields, scope["strandline.host"], scope["strandline.local"]
        )
        try:
            answer = await self._answer(request, receive)
        except Unreachable as away:
            answer = _notice(503, say("away"), str(away))
        scope["strandline.secured"] = True
        await self._send(request, answer, send)

    async def _answer(self, request: _Request, receive: Receive) -> Answer:
        if request.method == "OPTIONS":
            return self._preflight(request)
        if request.method not in _METHODS:
            return Answer(405, [("allow", ", ".join((*_METHODS, "OPTIONS")))])
        sent = b"" if request.method in ("GET", "HEAD") else await _body(receive)
        path = request.path
        if path.startswith("/web/timemap/"):
            return timemap_answer(self.holdings, path[13:], self._base(request))
        if path.startswith("/web/"):
            return await self._memento(request, sent)
        if path.startswith("/timemap/"):
            return timemap_answer(self.holdings, path[9:], self._base(request))
        if path.partition("?")[0] == "/cdx":
            return cdx_answer(self.holdings, request.query)
        if path == "/_/replay.js":
            return Answer(200, _script_headers(), CLIENT_SCRIPT.read_bytes())
        if path == "/healthz":
            return Answer(200, [("content-type", "text/plain")], b"ok\n")
        return _notice(404, "Nothing here", "This address is not part of the archive.")

    def _base(self, request: _Request) -> Base:
        return Base(self.policy.origins.replay(request.host) + request.local)

    def _preflight(self, request: _Request) -> Answer:
        asked = request.field(b"access-control-request-headers")[:2048]
        allowed = [("access-control-allow-methods", ", ".join(_METHODS)), ("access-control-max-age", "600")]
        return Answer(204, [*allowed, ("access-control-allow-headers", asked)] if asked else allowed)

    async def _memento(self, request: _Request, sent: bytes) -> Answer:
        try:
            wanted = parse(request.path[5:])
            if wanted.time is None and (accepted := request.field(b"accept-datetime")):
                wanted = replace(wanted, time=parse_http_date(accepted))
                negotiated = True
            else:
                negotiated = wanted.time is None
        except ValueError as fault:
            return _notice(400, "That address cannot be read", str(fault))
        used = request.fields.get(b"sec-fetch-dest", b"")
        if not wanted.mod and used == b"document":
            return self._framed(request, wanted, negotiated)
        replay = Replay(self.holdings, self._base(request), Base(request.local), self.policy.options.span)
        if request.method not in ("GET", "HEAD"):
            wanted = replace(wanted, query=method_query(request.method, request.field(b"content-type"), sent))
        opened = request.method == "POST" and used in (b"", b"document", b"iframe", b"frame")
        wanted, memento = replay.find(wanted, opened)
        gone = taken_down(self.holdings, wanted.url, wanted.time, memento is not None)
        if gone is not None:
            gone.headers += replay.not_found_headers(wanted.url)
            return gone
        shown = used in (b"iframe", b"frame") and wanted.mod == "mp_"  # in the frame of the interface, which follows
        if memento is None:
            answer = _notice(404, say("not_here"), say("no_capture", url=wanted.url))
            answer.headers += replay.not_found_headers(wanted.url)
            return _followed(answer, wanted.url, wanted.time) if shown and wanted.time is not None else answer
        file = memento.capture.status == 200 and is_file(memento.capture.mime)
        if file and wanted.mod != "id_" and used in (b"iframe", b"frame"):
            answer = _notice(200, say("file_title"), say("file_text", mime=memento.capture.mime))
            answer.headers += replay.memento_headers(wanted, memento)
            return _followed(answer, wanted.url, memento.capture.time)
        asked = Asked(request.field(b"range"), request.field(b"if-range"), request.field(b"accept-encoding"))
        try:
            if memento.capture.place.length > _INLINE and not memento.capture.revisit:
                answer = await asyncio.to_thread(replay.answer, wanted, memento, asked)
            else:
                answer = replay.answer(wanted, memento, asked)
        except LostError as lost:
            self.policy.metrics.lost += 1
            answer = _notice(404, "This capture cannot be shown", str(lost))
            answer.headers += [*replay.memento_headers(wanted, memento), ("x-archive-lost", _one_line(str(lost)))]
            return _followed(answer, memento.capture.url, memento.capture.time) if shown else answer
        exact = not negotiated and wanted.time is not None and int(wanted.time) == int(memento.capture.time)
        if negotiated and ("vary", "accept-datetime") not in answer.headers:
            answer.headers.append(("vary", "accept-datetime"))
        if file:
            _kept(answer, in_window=used == b"document")
        # The policy of a page depends on who frames it, so pages are asked for anew.
        keep = exact and not answer.runs
        answer.headers.append(("cache-control", "private, max-age=3600" if keep else "no-cache"))
        return answer

    def _framed(self, request: _Request, wanted: Wanted, negotiated: bool) -> Answer:
        """A window of its own is opened by the interface, which shows what and when this is, and holds the frame."""
        digits = "" if wanted.time is None or negotiated else timestamp(wanted.time) + "/"
        target = f"{self.policy.origins.interface(request.host)}/web/{digits}{wanted.url}"
        return Answer(
            302, [("location", target), ("vary", "accept-datetime, sec-fetch-dest"), ("cache-control", "no-cache")]
        )

    async def _send(self, request: _Request, answer: Answer, send: Send) -> None:
        headers = [(name.encode("latin-1"), value.encode("latin-1", "replace")) for name, value in answer.headers]
        headers += replay_headers(self.policy, request.host, answer.runs, request.inner)
        headers += self._cors(request)
        body = answer.body
        if isinstance(body, bytes):
            headers.append((b"content-length", str(len(body)).encode()))
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        if request.method == "HEAD" or answer.status in (204, 304):
            await send({"type": "http.response.body", "body": b""})
        elif isinstance(body, bytes):
            await send({"type": "http.response.body", "body": body})
        else:
            await _stream(body, send, answer.apart)

    def _cors(self, request: _Request) -> list[tuple[bytes, bytes]]:
        """Archived pages ask from an opaque origin; the interface may ask too; nobody else may read answers."""
        origin = request.fields.get(b"origin", b"")
        names = (self.policy.origins.replay(request.host), self.policy.origins.interface(request.host))
        if origin != b"null" and origin.decode("latin-1") not in names:
            return []
        return [
            (b"access-control-allow-origin", origin),
            (b"access-control-allow-credentials", b"true"),
            (b"access-control-expose-headers", b"content-type, content-range, memento-datetime, x-archive-offset"),
            (b"timing-allow-origin", b"*"),
            (b"vary", b"origin"),
        ]


async def _body(receive: Receive) -> bytes:
    """What an archived page sends: it decides which answer is shown, and goes nowhere."""
    pieces = []
    while True:
        message = await receive()
        pieces.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(pieces)


async def _stream(pieces: Iterator[bytes], send: Send, apart: bool) -> None:
    """Send what comes in pieces. Damage ends the connection before the length it announced: too late to say so."""
    while (piece := await asyncio.to_thread(next, pieces, None) if apart else next(pieces, None)) is not None:
        await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


def timemap_answer(holdings: Holdings, rest: str, base: Base) -> Answer:
    """`<form>/<url>`: the TimeMap of a page."""
    form, _, url = rest.partition("/")
    if form not in TYPES:
        return _notice(404, "Nothing here", "TimeMaps come as link, json or cdxj.")
    try:
        url = original(url)
    except ValueError as fault:
        return _notice(400, "That address cannot be read", str(fault))
    pieces = timemap(form, holdings.index, url, base)
    gone = taken_down(holdings, url, None, pieces is not None)
    if gone is not None:
        return gone
    if pieces is None:
        answer = Answer(404, [("content-type", "text/plain; charset=utf-8")], f"No mementos of {url}\n".encode())
        answer.headers.append(("link", general_links(url, base)))
        return answer
    return Answer(200, [("content-type", TYPES[form])], _batched(pieces))


def cdx_answer(holdings: Holdings, query: str) -> Answer:
    """The CDX API."""
    try:
        wanted = parse_query(parse_qsl(query, keep_blank_values=True))
    except ValueError as fault:
        return Answer(400, [("content-type", "text/plain; charset=utf-8")], f"{fault}\n".encode())
    hidden = holdings.hidden()
    act = hidden.why_all(wanted.span.start, wanted.span.end) if hidden else None
    if act is not None:
        text = [("content-type", "text/plain; charset=utf-8"), ("cache-control", "no-cache")]
        return Answer(STATUS, text, f"{notice_text(act)}\n".encode())
    return Answer(200, [("content-type", CDX_TYPES[wanted.output])], _batched(lines(holdings.index, wanted)))


def taken_down(holdings: Holdings, url: str, time: float | None, found: bool) -> Answer | None:
    """The notice in place of something that is taken down; None for what is not. `found`: something else is there."""
    act = holdings.taken_down(key_of(url), time)
    if act is None and not found:
        act = holdings.hidden().why_some(key_of(url))
    return None if act is None else _notice(STATUS, say("taken_down"), notice_text(act))


def _batched(pieces: Iterator[str]) -> Iterator[bytes]:
    """Small pieces joined, so that a long list is not a message a line."""
    held: list[str] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= _BATCH:
            yield "".join(held).encode()
            held, size = [], 0
    yield "".join(held).encode()


def _notice(status: int, title: str, text: str) -> Answer:
    headers = [("content-type", "text/html; charset=utf-8"), ("cache-control", "no-cache")]
    return Answer(status, headers, notice(title, text).encode())


def _followed(answer: Answer, url: str, time: float) -> Answer:
    """A notice inside the frame: the page around it is asked to follow, for it can offer more."""
    wish = json.dumps({"strandline": "at", "url": url, "time": timestamp(time)}).replace("<", "\\u003c")
    assert isinstance(answer.body, bytes)
    answer.body += f'<script>parent.postMessage({wish}, "*")</script>'.encode()
    answer.headers.append(("vary", "sec-fetch-dest"))
    answer.runs = True
    return answer


def _kept(answer: Answer, in_window: bool) -> None:
    """A file that is opened in a window is kept: browsers start no viewer for it under the policy of this origin."""
    answer.headers.append(("vary", "sec-fetch-dest"))
    if in_window:
        said = next((value for name, value in answer.headers if name == "content-disposition"), "")
        answer.headers = [(name, value) for name, value in answer.headers if name != "content-disposition"]
        _, mark, name = said.partition(";")
        answer.headers.append(("content-disposition", f"attachment{mark}{name}"))


def _one_line(text: str) -> str:
    return " ".join(text.split())[:300].encode("ascii", "replace").decode()


def _script_headers() -> list[tuple[str, str]]:
    return [("content-type", "text/javascript; charset=utf-8"), ("cache-control", "private, max-age=3600")]
