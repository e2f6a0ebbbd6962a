"""Access tokens: told once, kept as a sum, compared in constant time.

A token of 32 random bytes needs no slow sum. From it follow two weaker rights: the session of a browser that gave
the token, and the path under which archived content is served when a token is set. Archived script can read the
path it is served under, so that path opens replay and nothing else.
"""

import hashlib
import hmac
import os
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path

from strandline.errors import SettingError

_PREFIX = "sha256:"
_SHORTEST = 16


@dataclass(frozen=True, slots=True)
class Access:
    """What opens what. `digest` is empty when no token is set: then everything is open (on loopback only)."""

    digest: str = ""
    secret: bytes = b""
    """Drawn at start: sessions end with the process."""

    @property
    def needed(self) -> bool:
        """Whether a token is set."""
        return bool(self.digest)

    def is_token(self, token: str) -> bool:
        """Whether this is the token."""
        return hmac.compare_digest(_digest(token).encode(), self.digest.encode())

    def session(self) -> str:
        """Value of the cookie of a browser that gave the token."""
        return hmac.new(self.secret, b"session", "sha256").hexdigest()

    def replay_path(self) -> str:
        """Path prefix of archived content, empty without a token."""
        return f"/k/{hmac.new(self.secret, b'replay', 'sha256').hexdigest()[:32]}" if self.needed else ""

    def is_session(self, value: str) -> bool:
        """Whether a cookie is that of a session of ours."""
        return self.needed and hmac.compare_digest(value.encode(), self.session().encode())


def _digest(token: str) -> str:
    return _PREFIX + hashlib.sha256(token.strip().encode()).hexdigest()


def open_access(path: Path | None, given: str = "") -> tuple[Access, str]:
    """Rights from a token or a token file, and the token itself when it was drawn just now."""
    if given:
        if len(given) < _SHORTEST:
            raise SettingError(f"token: an access token has at least {_SHORTEST} characters")
        return Access(_digest(given), secrets.token_bytes(32)), ""
    if path is None:
        return Access(), ""
    if not path.exists():
        token = secrets.token_urlsafe(32)
        _keep(path, _digest(token))
        return Access(_digest(token), secrets.token_bytes(32)), token
    try:
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise SettingError(f"token-file: {path} can be read by others; chmod 600 it")
        text = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as fault:
        raise SettingError(f"token-file: {path} cannot be read: {fault}") from None
    if not text.startswith(_PREFIX) or len(text) != len(_PREFIX) + 64:
        raise SettingError(f"token-file: {path} holds no sum of a token; delete it to have a new token drawn")
    return Access(text, secrets.token_bytes(32)), ""


def _keep(path: Path, digest: str) -> None:
    try:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:  # noqa: PTH123
            file.write(digest + "\n")
    except OSError as fault:
        raise SettingError(f"token-file: {path} cannot be written: {fault.strerror}") from None
