"""Signing on in the interface, at a provider of OpenID Connect: there and back.

What was begun is remembered here for ten minutes, under a state that the browser has in a cookie of its own: whoever
comes back without it began nothing, so nobody can be signed on as somebody else by a link. The page that ends it
opens the next one by itself instead of redirecting: cookies of sessions are not sent with what another site began.
"""

import asyncio
import hmac
import time
from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from strandline.keeping.openid import Begun, OpenId, SignOnError
from strandline.keeping.sign_on import signed_on
from strandline.web.desk import Desk
from strandline.web.face import Face, Handler
from strandline.web.guard import cookie_of
from strandline.web.texts import say

_PATIENCE = 600.0
"""Seconds somebody has at the provider. Origin: a guess."""
_MOST = 1000
"""Sign-ons that were begun and are remembered. Origin: a bound on memory."""
_COOKIE = "strandline-sign-on"
BACK = "/login/back"


@dataclass(eq=False, slots=True)
class SigningOn:
    """There and back."""

    desk: Desk
    face: Face
    _begun: dict[str, tuple[float, str, Begun]] = field(default_factory=dict)
    """By state: until when, where to go afterwards, and what must come back."""
    _provider: OpenId | None = None
    _asking: asyncio.Lock = field(default_factory=asyncio.Lock)

    def routes(self) -> list[Route]:
        """Both; open to who is nobody yet, as all under /login."""
        return [
            Route("/login/sign-on", self.face.guarded(self._told(self.begin))),
            Route(BACK, self.face.guarded(self._told(self.finish))),
        ]

    def _told(self, handler: Handler) -> Handler:
        """A handler whose refusals say what they are about."""

        async def answer(request: Request) -> Response:
            try:
                return await handler(request)
            except SignOnError as problem:
                return self.face.message(request, 400, say("sign_on_failed"), str(problem))

        return answer

    def _openid(self) -> OpenId:
        own = self.face.policy.accounts.settings
        if not own.oidc_issuer:
            raise SignOnError(say("sign_on_none"))
        if self._provider is None:
            self._provider = OpenId(own.oidc_issuer, own.oidc_client, own.oidc_name)
        return self._provider

    async def begin(self, request: Request) -> Response:
        """Send a browser to the provider."""
        host = request.scope["strandline.host"]
        async with self._asking:
            place, begun = await asyncio.to_thread(
                self._openid().begin, self.face.policy.origins.interface(host) + BACK
            )
        now = time.monotonic()
        self._begun = {state: one for state, one in self._begun.items() if one[0] > now}
        if len(self._begun) >= _MOST:
            raise SignOnError(say("sign_on_busy"))
        to = request.query_params.get("to", "/")
        to = "/" if not to.startswith("/") or to.startswith(("//", "/\\")) else to
        self._begun[begun.state] = now + _PATIENCE, to, begun
        answer = RedirectResponse(place, 303)
        secure = self.face.policy.options.behind_tls
        answer.set_cookie(
            _COOKIE, begun.state, int(_PATIENCE), path="/login", httponly=True, samesite="lax", secure=secure
        )
        return answer

    async def finish(self, request: Request) -> Response:
        """Take somebody back, and let them in."""
        asked = request.query_params
        own = cookie_of(request.headers.get("cookie", ""), _COOKIE)
        state = asked.get("state", "")
        until, to, begun = self._begun.pop(state, (0.0, "/", None))
        if begun is None or until < time.monotonic() or not hmac.compare_digest(own.encode(), state.encode()):
            raise SignOnError(say("sign_on_not_begun"))
        if asked.get("error") or not asked.get("code"):
            raise SignOnError(say("sign_on_refused", reason=asked.get("error", "")[:100]))
        policy = self.face.policy
        async with self._asking:
            who = await asyncio.to_thread(self._openid().finish, begun, asked["code"])
        role = policy.accounts.settings.oidc_role
        person = await asyncio.to_thread(lambda: signed_on(self.desk.place.open(), who, role))
        policy.accounts.look()
        answer = self.face.page(request, "signed_on.html", {"to": to, "person": person.name})
        answer.delete_cookie(_COOKIE, path="/login")
        session = policy.access.person_session(person, time.time())
        answer.set_cookie(policy.cookie, session, httponly=True, samesite="strict", secure=policy.options.behind_tls)
        return answer
