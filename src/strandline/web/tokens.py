"""Access tokens: told once, kept as a sum, compared in constant time.

A token of 32 random bytes needs no slow sum. The server's own lets do everything a keeper may; a second one, when it is
set, lets look and change nothing. People have roles and tokens of their own (web/accounts.py). From a token or a
password follow two weaker rights: the session of a browser that gave it, and the path under which archived content is
served where not everybody may see it. Archived script can read the path it is served under, so that path opens replay
and nothing else.
"""

import hashlib
import hmac
import os
import secrets
import stat
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from strandline.core.keeping.people import ROLES, Person, PersonRole
from strandline.errors import SettingError

_PREFIX = "sha256:"
_SHORTEST = 16
LASTING = 7 * 86_400
"""Seconds a person's session lasts. Origin: a guess; it ends with the server, too."""
_MOST_ENDED = 10_000
"""Sessions that were logged out of and are remembered. Origin: a bound on memory."""


@dataclass(frozen=True, slots=True)
class Asking:
    """Who asks, as far as is known, and what that lets do."""

    role: PersonRole
    person: str = ""
    """The name of an account; empty for who gave the server's token, or where none is needed."""


@dataclass(frozen=True, slots=True)
class Access:
    """What opens what. `digest` is empty when no token is set: then everything is open (on loopback only)."""

    digest: str = ""
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    """Drawn at start: sessions end with the process."""
    read_digest: str = ""
    """Of a second token that lets look at everything and change nothing; empty when there is none."""

    locked: bool = False
    """Whether something is needed although there is no token: other machines can connect, and there are accounts."""
    ended: dict[str, float] = field(default_factory=dict)
    """Sessions of people that were logged out of, and when they would have ended."""

    def role(self, token: str) -> PersonRole | None:
        """What the server's own tokens let do; None when it is none of them."""
        given = _digest(token).encode()
        if self.digest and hmac.compare_digest(given, self.digest.encode()):
            return "keeper"
        return "reader" if self.read_digest and hmac.compare_digest(given, self.read_digest.encode()) else None

    def session(self, role: PersonRole) -> str:
        """Value of the cookie of a browser that gave one of the server's tokens."""
        return self._sum(f"session {role}")

    def person_session(self, person: Person, now: float) -> str:
        """Value of the cookie of somebody who gave a password: who, until when, and a sum that only we can make."""
        head = f"{_packed(person.name)}.{int(now) + LASTING}.{secrets.token_hex(8)}"
        return f"{head}.{self._sum(f'person {head} {person.stamp}')}"

    def asking(self, value: str, known: Callable[[str], Person | None], now: float) -> Asking | None:
        """Who has the session of a cookie; None when it is no session of ours, or over."""
        head, _, given = value.rpartition(".")
        if not head:
            for role in ROLES:
                if self.digest and hmac.compare_digest(value.encode(), self.session(role).encode()):
                    return Asking(role)
            return None
        name, until, _ = (*head.split("."), "", "")[:3]
        person = known(_unpacked(name))
        wanted = self._sum(f"person {head} {person.stamp if person else ''}")
        if not hmac.compare_digest(given.encode(), wanted.encode()) or person is None or head in self.ended:
            return None
        return Asking(person.role, person.name) if now < float(until) else None

    def end(self, value: str, now: float) -> None:
        """Somebody logged out: the session opens nothing any more."""
        for head in [head for head, until in self.ended.items() if until < now]:
            del self.ended[head]
        if len(self.ended) < _MOST_ENDED:
            self.ended[value.rpartition(".")[0]] = now + LASTING

    def form_key(self, person: str = "") -> str:
        """What our own pages put into the forms of somebody, and no other site can know."""
        return self._sum(f"form {person}")

    def is_form_key(self, value: str, person: str = "") -> bool:
        """Whether a form came from a page of ours."""
        return hmac.compare_digest(value.encode(), self.form_key(person).encode())

    def seal(self, text: str) -> str:
        """What goes with a notice in an address: readers are shown what this server said, not what a link says."""
        return self._sum(f"notice {text}")[:32]

    def replay_path(self) -> str:
        """Path prefix of archived content where not everybody may see it."""
        return f"/k/{self._sum('replay')[:32]}"

    def _sum(self, text: str) -> str:
        return hmac.new(self.secret, text.encode("utf-8", "replace"), "sha256").hexdigest()


def _packed(name: str) -> str:
    return urlsafe_b64encode(name.encode()).decode().rstrip("=")


def _unpacked(text: str) -> str:
    try:
        return urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode()
    except ValueError:
        return ""


def _digest(token: str) -> str:
    return _PREFIX + hashlib.sha256(token.strip().encode()).hexdigest()


def open_access(path: Path | None, given: str = "", read: str = "") -> tuple[Access, str]:
    """Rights from a token or a token file, and the token itself when it was drawn just now.

    `read` is a second token that lets look and not touch; it needs a first one.
    """
    access, told = _open(path, given)
    if not read:
        return access, told
    if len(read) < _SHORTEST:
        raise SettingError(f"read token: an access token has at least {_SHORTEST} characters")
    if not access.digest:
        raise SettingError("read token: it needs a token for those who operate, too (--token-file or STRANDLINE_TOKEN)")
    return replace(access, read_digest=_digest(read)), told


def _open(path: Path | None, given: str) -> tuple[Access, str]:
    if given:
        if len(given) < _SHORTEST:
            raise SettingError(f"token: an access token has at least {_SHORTEST} characters")
        return Access(_digest(given)), ""
    if path is None:
        return Access(), ""
    if not path.exists():
        token = secrets.token_urlsafe(32)
        _keep(path, _digest(token))
        return Access(_digest(token)), token
    try:
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise SettingError(f"token-file: {path} can be read by others; chmod 600 it")
        text = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as fault:
        raise SettingError(f"token-file: {path} cannot be read: {fault}") from None
    if not text.startswith(_PREFIX) or len(text) != len(_PREFIX) + 64:
        raise SettingError(f"token-file: {path} holds no sum of a token; delete it to have a new token drawn")
    return Access(text), ""


def _keep(path: Path, digest: str) -> None:
    try:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:  # noqa: PTH123
            file.write(digest + "\n")
    except OSError as fault:
        raise SettingError(f"token-file: {path} cannot be written: {fault.strerror}") from None
