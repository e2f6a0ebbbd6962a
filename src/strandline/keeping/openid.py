"""Single sign-on by OpenID Connect: the authorization code flow with PKCE, as the party that relies on a provider.

    begin     where to send a browser: state, nonce and a challenge are drawn for it
    finish    the code it comes back with becomes a token; who it names is believed once its signature, issuer,
              audience, time and nonce are right

What the provider offers is read from `ISSUER/.well-known/openid-configuration`; its keys are read again when one is
not known. Nothing is fetched but from addresses that document names, over https, or http on this machine; redirects
are not followed.
"""

import base64
import hashlib
import json
import os
import secrets
import time
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import quote, urlencode, urlsplit

from strandline.errors import SettingError, UsageError

SECRET: Final = "STRANDLINE_OIDC_SECRET"
_PATIENCE = 10.0
"""Seconds a provider may take. Origin: a guess."""
_LARGEST = 1 << 20
"""Bytes of a document. Origin: a bound on memory."""
_FRESH = 3600.0
"""Seconds after which provider and keys are asked again. Origin: a guess."""
_LEEWAY = 60
"""Seconds by which clocks may differ. Origin: a guess."""
_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519")
"""Signatures by a key that only the provider has; `none` and shared secrets are not among them."""


class SignOnError(UsageError):
    """Somebody could not be signed on: the provider does not answer, or what it says does not hold."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A sign-on that somebody began: what must come back with them."""

    state: str
    nonce: str
    verifier: str
    back: str
    """Where the provider sends the browser."""


@dataclass(frozen=True, slots=True)
class SignedOn:
    """Whom a provider vouches for."""

    issuer: str
    subject: str
    name: str
    """What they may be called here; not unique."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


Ask = Callable[[str, bytes | None, Mapping[str, str]], bytes]


def ask(url: str, body: bytes | None = None, fields: Mapping[str, str] = {}) -> bytes:
    """A document of a provider; SignOnError when there is none."""
    if not _allowed(url):
        raise SignOnError(f"{url[:200]}: a provider speaks https, or http on this machine")
    wanted = urllib.request.Request(url, body, {"Accept": "application/json", **fields})
    try:
        with urllib.request.build_opener(_NoRedirects).open(wanted, timeout=_PATIENCE) as answer:
            found: bytes = answer.read(_LARGEST + 1)
    except (OSError, ValueError) as problem:  # URLError and HTTPError are OSErrors
        raise SignOnError(f"{url[:200]}: {problem}") from None
    if len(found) > _LARGEST:
        raise SignOnError(f"{url[:200]}: more than {_LARGEST} bytes")
    return found


def _allowed(url: str) -> bool:
    parts = urlsplit(url)
    if parts.scheme == "https":
        return bool(parts.hostname)
    try:
        here = parts.hostname == "localhost" or ip_address(parts.hostname or "").is_loopback
    except ValueError:
        here = False
    return parts.scheme == "http" and here


@dataclass(eq=False, slots=True)
class OpenId:
    """One provider, as the settings name it. Used by one thread at a time."""

    issuer: str
    client: str
    claim: str = "preferred_username"
    """What of a person becomes the name; the e-mail address or the subject where it is not told."""
    ask: Ask = ask
    _told: dict[str, Any] = field(default_factory=dict)
    _keys: dict[str, Any] = field(default_factory=dict)
    _read: float = float("-inf")

    def begin(self, back: str) -> tuple[str, Begun]:
        """Where to send a browser that is to come back to `back`."""
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        begun = Begun(state, nonce, verifier, back)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(begun.verifier.encode()).digest()).rstrip(b"=").decode()
        words = {
            "response_type": "code", "client_id": self.client, "redirect_uri": back, "scope": "openid profile email",
            "state": begun.state, "nonce": begun.nonce, "code_challenge": challenge, "code_challenge_method": "S256",
        }  # fmt: skip
        place = self._endpoint("authorization_endpoint")
        return f"{place}{'&' if '?' in place else '?'}{urlencode(words, quote_via=quote)}", begun

    def finish(self, begun: Begun, code: str) -> SignedOn:
        """Whom a code stands for."""
        form = {
            "grant_type": "authorization_code", "code": code, "redirect_uri": begun.back,
            "client_id": self.client, "code_verifier": begun.verifier,
        }  # fmt: skip
        fields = {"Content-Type": "application/x-www-form-urlencoded"}
        secret = os.environ.get(SECRET, "")
        methods = self._provider().get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
        if secret and "client_secret_basic" in methods:
            pair = f"{quote(self.client, safe='')}:{quote(secret, safe='')}".encode()
            fields["Authorization"] = f"Basic {base64.b64encode(pair).decode()}"
        elif secret:
            form["client_secret"] = secret
        answer = _document(self.ask(self._endpoint("token_endpoint"), urlencode(form).encode(), fields))
        claims = self._claims(str(answer.get("id_token", "")), begun.nonce)
        named = (claims.get(name) for name in (self.claim, "preferred_username", "email", "name", "sub"))
        name = next((one for one in named if isinstance(one, str) and one.strip()), "")
        return SignedOn(self.issuer, str(claims["sub"]), " ".join(name.split()))

    def _claims(self, token: str, nonce: str) -> dict[str, Any]:
        """What a token says, once it is proved."""
        try:
            from joserfc import jwk, jwt  # noqa: PLC0415 - an extra
            from joserfc.errors import JoseError  # noqa: PLC0415
        except ImportError:
            raise SettingError("people.oidc_issuer needs strandline[oidc]: pip install 'strandline[oidc]'") from None
        registry = jwt.JWTClaimsRegistry(
            leeway=_LEEWAY,
            iss={"essential": True, "value": self.issuer},
            aud={"essential": True, "value": self.client},
            sub={"essential": True},
            exp={"essential": True},
            iat={"essential": True},
            nonce={"essential": True, "value": nonce},
        )
        for again in (False, True):
            try:
                keys = jwk.KeySet.import_key_set(self._key_set(again))  # type: ignore[arg-type]
                claims: dict[str, Any] = dict(jwt.decode(token, keys, algorithms=list(_ALGORITHMS)).claims)
                registry.validate(claims)
            except (JoseError, ValueError, KeyError, TypeError) as problem:
                if again:
                    raise SignOnError(f"what {self.issuer} says does not hold: {problem}") from None
                continue  # it may sign with a key that is new
            if isinstance(claims["aud"], list) and len(claims["aud"]) > 1 and claims.get("azp") != self.client:
                raise SignOnError(f"what {self.issuer} says is meant for somebody else")
            return claims
        raise AssertionError("one of two looks returns or raises")

    def _endpoint(self, name: str) -> str:
        place = str(self._provider().get(name, ""))
        if not _allowed(place):
            raise SignOnError(f"{self.issuer} names no {name} over https")
        return place

    def _provider(self) -> dict[str, Any]:
        """What the provider tells of itself; for an hour."""
        if time.monotonic() - self._read > _FRESH:
            told = _document(self.ask(f"{self.issuer.rstrip('/')}/.well-known/openid-configuration", None, {}))
            if told.get("issuer") != self.issuer:
                raise SignOnError(f"{self.issuer} calls itself {str(told.get('issuer'))[:200]!r}")
            self._told, self._keys, self._read = told, {}, time.monotonic()
        return self._told

    def _key_set(self, again: bool) -> dict[str, Any]:
        if again or not self._keys:
            self._keys = _document(self.ask(self._endpoint("jwks_uri"), None, {}))
        return self._keys


def _document(text: bytes) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise SignOnError("the provider answers something that is no JSON object")
    return found
