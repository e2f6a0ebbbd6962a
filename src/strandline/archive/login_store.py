"""Where logins are kept: `logins.sealed` in the archive's folder, encrypted and bound to its form (AES-256-GCM).
Those of a cluster are kept in its database, in the same form (cluster/logins.py).

The key is that of the environment, or of the file `logins.key` beside it, made at the first login, for its owner's eyes
only. Neither file is part of backups, exports or copies of an archive.
"""

import base64
import contextlib
import json
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from strandline.core.logins import Logins
from strandline.durable import sync_path
from strandline.errors import SettingError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

SEALED: Final = "logins.sealed"
KEY: Final = "logins.key"
VARIABLE: Final = "STRANDLINE_LOGIN_KEY"
_FORM: Final = b"strandline logins 1\n"
_EVERY: Final = 1.0
"""Seconds. Origin: a guess."""
_NONCE: Final = 12
"""Bytes. Origin: a standard, NIST SP 800-38D."""
_BITS: Final = 256
"""Of a key. Origin: a standard, the longest of AES."""


def read_logins(folder: Path) -> Logins:
    """The logins of an archive, none where none were kept; SettingError when they cannot be opened."""
    path = folder / SEALED
    try:
        sealed = path.read_bytes()
    except FileNotFoundError:
        return Logins()
    return unsealed(sealed, lambda: _key(folder, make=False), str(path))


def unsealed(sealed: bytes, key: Callable[[], bytes], where: str) -> Logins:
    """Logins that were sealed with a key; SettingError when they cannot be opened with it."""
    try:
        opened = _cipher(key).decrypt(sealed[len(_FORM) :][:_NONCE], sealed[len(_FORM) + _NONCE :], _FORM)
        return Logins.from_data(json.loads(opened))
    except SettingError:
        raise
    except Exception as problem:  # the package's own kind, which has no text
        raise SettingError(
            f"{where} cannot be opened with this key; `strandline login` keeps the login anew"
        ) from problem


def sealed_with(key: Callable[[], bytes], logins: Logins) -> bytes:
    """Logins, encrypted; never the same twice."""
    nonce = os.urandom(_NONCE)
    return _FORM + nonce + _cipher(key).encrypt(nonce, json.dumps(logins.as_data()).encode(), _FORM)


class LoginFile:
    """The logins of an archive as they are now: looked for again each second, while a watch runs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._logins = read_logins(folder)
        self._seen, self._next = self._look(), time.monotonic() + _EVERY

    def __call__(self) -> Logins:
        """Those of the file; while it cannot be opened, those of before."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _EVERY
            seen = self._look()
            if seen != self._seen:
                with contextlib.suppress(SettingError):
                    self._logins = read_logins(self._folder)
                self._seen = seen
        return self._logins

    def _look(self) -> tuple[int, int] | None:
        try:
            found = (self._folder / SEALED).stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_ino


def write_logins(folder: Path, logins: Logins) -> None:
    """Keep logins, in place of those that were; without any, the file goes."""
    path = folder / SEALED
    if not logins:
        path.unlink(missing_ok=True)
        return
    sealed = sealed_with(lambda: _key(folder, make=True), logins)
    new = path.with_suffix(".new")
    with contextlib.suppress(FileNotFoundError):
        new.unlink()
    _write_new(new, sealed)
    new.replace(path)
    sync_path(folder)


def _write_new(path: Path, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _cipher(key: Callable[[], bytes]) -> "AESGCM":
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - only with a login
    except ImportError:
        raise SettingError(
            "logins are kept encrypted, which needs a package: pip install 'strandline[login]'"
        ) from None
    return AESGCM(key())


def environment_key() -> bytes:
    """The key where there is no folder to keep one in."""
    given = os.environ.get(VARIABLE, "")
    if not given:
        raise SettingError(
            f"the logins of a cluster are encrypted with a key that its database does not have: set {VARIABLE} here "
            "and for every worker (head -c 32 /dev/urandom | base64)"
        )
    return _decoded(given, f"${VARIABLE}")


def _key(folder: Path, make: bool) -> bytes:
    given, path = os.environ.get(VARIABLE, ""), folder / KEY
    if given:
        where = f"${VARIABLE}"
    else:
        if make and not path.exists():
            with contextlib.suppress(FileExistsError):  # somebody else made it in this very moment
                _write_new(path, base64.b64encode(os.urandom(_BITS // 8)) + b"\n")
        where = str(path)
        try:
            if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise SettingError(f"{path} can be read by others: chmod 600 {path}")
            given = path.read_text("ascii").strip()
        except (OSError, UnicodeDecodeError) as problem:
            raise SettingError(f"{path}: the key of the logins cannot be read") from problem
    return _decoded(given, where)


def _decoded(given: str, where: str) -> bytes:
    try:
        key = base64.b64decode(given, validate=True)
    except ValueError:
        key = b""
    if len(key) != _BITS // 8:
        raise SettingError(f"{where} is no key: 32 bytes in base 64 are expected")
    return key
