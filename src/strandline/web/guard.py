"""What every request passes before anyone answers it, on both origins: name, size, pace, token, origin of changes.

403  a host name that is not ours, a change asked for by another site (who may do what: web/permitting.py)
401  no token where one is needed, or a wrong one, told slowly       429  too many wrong ones at the same time
413  a body that is too large        408  a body that comes too slowly
"""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import quote

from strandline.web.accounts import Accounts
from strandline.web.metrics import Metrics
from strandline.web.options import Origins, ServeOptions, host_of
from strandline.web.tokens import Access, Asking
from strandline.web.wrong_tokens import TooManyError, WrongTokens

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_SAFE = ("GET", "HEAD", "OPTIONS")
_HUBS = "/hub/"
_OPEN_PATHS = ("/healthz", "/login", "/static/", _HUBS)


class _RefusedError(Exception):
    """A request that is not answered; status and reason, or a page where people can do something about it."""

    def __init__(self, status: int, reason: str, instead: str = "") -> None:
        super().__init__(reason)
        self.status = 303 if instead else status
        self.instead = instead


@dataclass(frozen=True, slots=True)
class Policy:
    """What holds for the whole server."""

    options: ServeOptions
    origins: Origins
    access: Access
    metrics: Metrics
    accounts: Accounts = field(default_factory=Accounts)
    wrong: WrongTokens = field(default_factory=WrongTokens)

    @property
    def needed(self) -> bool:
        """Whether people have to say who they are: a token is set, or there are accounts."""
        return bool(self.access.digest) or self.access.locked or self.accounts.needed()

    async def with_token(self, client: str, token: str) -> Asking | None:
        """Whose token it is; a wrong one waits for its answer. TooManyError when too many wait already."""
        role = self.access.role(token)
        asking = self.accounts.of_token(token) if role is None else Asking(role)
        return await self._answered(client, asking)

    async def with_password(self, client: str, name: str, password: str) -> Asking | None:
        """Whose password it is; a wrong one waits for its answer. TooManyError when too many wait already."""
        if self.wrong.full():  # else a wrong one could be told from a right one at any speed
            raise TooManyError
        return await self._answered(client, await self.accounts.of_password(name, password))

    async def _answered(self, client: str, asking: Asking | None) -> Asking | None:
        if asking is not None:
            self.wrong.right(client)
            return asking
        pause = self.wrong.wait(client)
        if pause is None:
            raise TooManyError
        self.wrong.waiting += 1
        try:
            await asyncio.sleep(pause)
        finally:
            self.wrong.waiting -= 1
        return None

    @property
    def cookie(self) -> str:
        """Name of the session cookie; the prefix makes browsers keep it to this host and TLS."""
        return "__Host-strandline" if self.options.behind_tls else "strandline"


@dataclass(frozen=True, slots=True)
class Guard:
    """An ASGI application around another one."""

    app: App
    policy: Policy
    origin: str
    """`interface` or `replay`: cookies count on the first, the replay path on the second."""
    headers: Callable[[str], list[tuple[bytes, bytes]]]
    """Fields that every answer of this origin carries, for a host name, unless the answer brought its own."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # archived pages have no live sockets to talk to, and the interface uses none
        began = time.perf_counter()
        metrics, started = self.policy.metrics, False
        host = self.policy.origins.default

        async def counted(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                metrics.requests[self.origin, message["status"]] += 1
                if not scope.get("strandline.secured"):
                    message["headers"] = [*message.get("headers", ()), *self.headers(host)]
            else:
                metrics.sent[self.origin] += len(message.get("body", b""))
            await send(message)

        try:
            fields = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
            host = await self._checked(scope, fields)
            scope["strandline.host"] = host
            options = self.policy.options
            largest = options.largest_replayed if self.origin == "replay" else options.largest_request
            if self.origin == "interface" and scope["path"].startswith(_HUBS):
                largest = options.largest_message
            await self.app(scope, _Bounded(receive, options.slowest_request, largest, fields), counted)
        except _RefusedError as refused:
            if not started:
                await _refuse(counted, refused, as_json=scope["path"].startswith("/api/"))
        finally:
            metrics.seconds[self.origin] += time.perf_counter() - began

    async def _checked(self, scope: Scope, fields: dict[bytes, str]) -> str:
        """The host name the request came by; raises when it must not be answered."""
        host = host_of(fields.get(b"host", ""))
        if not self.policy.origins.known(host):
            raise _RefusedError(403, "This server does not answer to that host name.")
        if host == self.policy.options.outside and not self.policy.needed and not scope["path"].startswith(_HUBS):
            raise _RefusedError(403, "From outside nobody is let in without a token or an account.")
        self._same_site(scope, fields, host)
        await self._allowed(scope, fields)
        return host

    def _same_site(self, scope: Scope, fields: dict[bytes, str], host: str) -> None:
        """Changes are taken from our own pages and from programs, never from another site's page."""
        if self.origin == "replay" or scope["method"] in _SAFE:
            return
        origin = fields.get(b"origin")
        if origin is not None and origin != self.policy.origins.interface(host):
            raise _RefusedError(403, "Changes are only taken from the interface itself.")
        if fields.get(b"sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise _RefusedError(403, "Changes are only taken from the interface itself.")

    async def _allowed(self, scope: Scope, fields: dict[bytes, str]) -> None:
        policy = self.policy
        needed = policy.needed
        scope["strandline.local"] = policy.access.replay_path() if needed else ""
        if not needed:
            scope["strandline.role"] = "keeper"
            return
        path: str = scope["path"]
        scheme, _, token = fields.get(b"authorization", "").partition(" ")
        try:
            asking = await policy.with_token(client_of(scope), token) if scheme.lower() == "bearer" else None
        except TooManyError as refused:
            raise _RefusedError(429, str(refused)) from None
        if asking is None and self.origin == "interface":
            asking = policy.accounts.of_proxy(client_of(scope), fields)
        if asking is None and self.origin == "interface":
            asking = policy.access.asking(self._cookie(fields), policy.accounts.person, time.time())
        if asking is not None:
            scope["strandline.role"], scope["strandline.person"] = asking.role, asking.person
            return
        if self.origin == "replay":
            prefix = policy.access.replay_path()
            if path.startswith(prefix + "/"):
                scope["path"] = path[len(prefix) :]
                scope["raw_path"] = scope.get("raw_path", path.encode())[len(prefix) :]
                return
            if path in ("/healthz", "/_/replay.js"):
                return
        elif path.startswith(_OPEN_PATHS):
            return
        asked = quote(path + (f"?{scope['query_string'].decode('latin-1')}" if scope["query_string"] else ""), safe="")
        for_people = scope["method"] == "GET" and "text/html" in fields.get(b"accept", "")
        login = f"/login?to={asked}" if for_people and self.origin == "interface" else ""
        raise _RefusedError(401, "Say who you are: an access token is needed.", login)

    def _cookie(self, fields: dict[bytes, str]) -> str:
        return cookie_of(fields.get(b"cookie", ""), self.policy.cookie)


def cookie_of(text: str, name: str) -> str:
    """One cookie of a request; empty when it has none of that name."""
    try:
        found = SimpleCookie(text).get(name)
    except CookieError:
        return ""
    return found.value if found else ""


def client_of(scope: Scope) -> str:
    """Who asks, as far as the connection tells."""
    client = scope.get("client")
    return str(client[0]) if client else ""


class _Bounded:
    """A request body within its limits of size and time."""

    __slots__ = ("_complete", "_deadline", "_left", "_receive")

    def __init__(self, receive: Receive, seconds: float, largest: int, fields: dict[bytes, str]) -> None:
        declared = fields.get(b"content-length", "0")
        if declared.isdigit() and int(declared) > largest:
            raise _RefusedError(413, f"Request bodies may have {largest} bytes.")
        self._receive = receive
        self._complete = False
        self._left = largest
        self._deadline = time.monotonic() + seconds

    async def __call__(self) -> Message:
        if self._complete:  # what is waited for now is the end of the connection
            return await self._receive()
        try:
            async with asyncio.timeout(max(0.0, self._deadline - time.monotonic())):
                message = await self._receive()
        except TimeoutError:
            raise _RefusedError(408, "The request came too slowly.") from None
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise _RefusedError(413, "The request body is too large.")
        self._complete = not message.get("more_body", False)
        return message


async def _refuse(send: Send, refused: _RefusedError, as_json: bool) -> None:
    """Say why; programs that ask the API hear it as they hear all its problems."""
    body = json.dumps({"detail": str(refused)}).encode() if as_json else f"{refused}\n".encode()
    kind = b"application/json" if as_json else b"text/plain; charset=utf-8"
    headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode())]
    if refused.instead:
        headers.append((b"location", refused.instead.encode("ascii")))
    elif refused.status == 401:
        headers.append((b"www-authenticate", b'Bearer realm="strandline"'))
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
