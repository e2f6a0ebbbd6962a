"""Access tokens: told once, kept as a sum, compared in constant time.

A token of 32 random bytes needs no slow sum. It lets operate; a second one, when it is set, lets look and change
nothing. From a token follow two weaker rights: the session of a browser that gave
the token, and the path under which archived content is served when a token is set. Archived script can read the
path it is served under, so that path opens replay and nothing else.
"""

import hashlib
import hmac
import os
import secrets
import stat
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from strandline.errors import SettingError

Role = Literal["operate", "read"]
ROLES: tuple[Role, ...] = ("operate", "read")

_PREFIX = "sha256:"
_SHORTEST = 16


@dataclass(frozen=True, slots=True)
class Access:
    """What opens what. `digest` is empty when no token is set: then everything is open (on loopback only)."""

    digest: str = ""
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    """Drawn at start: sessions end with the process."""
    read_digest: str = ""
    """Of a second token that lets look at everything and change nothing; empty when there is none."""

    @property
    def needed(self) -> bool:
        """Whether a token is set."""
        return bool(self.digest)

    def role(self, token: str) -> Role | None:
        """What a token lets do; None when it is none of ours."""
        given = _digest(token).encode()
        if hmac.compare_digest(given, self.digest.encode()):
            return "operate"
        return "read" if self.read_digest and hmac.compare_digest(given, self.read_digest.encode()) else None

    def session(self, role: Role) -> str:
        """Value of the cookie of a browser that gave a token."""
        return hmac.new(self.secret, f"session {role}".encode(), "sha256").hexdigest()

    def form_key(self) -> str:
        """What our own pages put into their forms, and no other site can know."""
        return hmac.new(self.secret, b"form", "sha256").hexdigest()

    def is_form_key(self, value: str) -> bool:
        """Whether a form came from a page of ours."""
        return hmac.compare_digest(value.encode(), self.form_key().encode())

    def seal(self, text: str) -> str:
        """What goes with a notice in an address: readers are shown what this server said, not what a link says."""
        return hmac.new(self.secret, b"notice " + text.encode("utf-8", "replace"), "sha256").hexdigest()[:32]

    def replay_path(self) -> str:
        """Path prefix of archived content, empty without a token."""
        return f"/k/{hmac.new(self.secret, b'replay', 'sha256').hexdigest()[:32]}" if self.needed else ""

    def session_role(self, value: str) -> Role | None:
        """What the session of a cookie lets do; None when it is no session of ours."""
        for role in ROLES:
            if self.needed and hmac.compare_digest(value.encode(), self.session(role).encode()):
                return role
        return None


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
    if not access.needed:
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
