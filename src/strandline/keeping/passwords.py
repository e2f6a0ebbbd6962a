"""Passwords are kept as argon2id sums, which take memory and time to try.

The package `argon2-cffi` comes with the extra `people`; whoever comes by tokens or single sign-on needs none of it.
"""

from functools import cache
from typing import TYPE_CHECKING, Final

from strandline.errors import SettingError

if TYPE_CHECKING:
    from argon2 import PasswordHasher

_MEMORY: Final = 47_104
"""KiB a sum takes. Origin: OWASP's password storage cheat sheet, the first of its settings for Argon2id."""
_PASSES: Final = 1
"""Passes over that memory. Origin: the same."""
_LANES: Final = 1
"""Threads of a sum. Origin: the same."""


@cache
def _hasher() -> "PasswordHasher":
    try:
        from argon2 import PasswordHasher  # noqa: PLC0415 - an extra
    except ImportError:
        raise SettingError("passwords need the extra `people`: pip install 'strandline[people]'") from None
    return PasswordHasher(time_cost=_PASSES, memory_cost=_MEMORY, parallelism=_LANES)


def hashed(password: str) -> str:
    """The sum of a password, with its salt and settings."""
    return str(_hasher().hash(password))


def matches(kept: str, password: str) -> bool:
    """Whether a password is the one of a sum. Takes as long when there is no sum: names cannot be guessed by time."""
    hasher = _hasher()
    from argon2.exceptions import InvalidHashError, VerificationError  # noqa: PLC0415 - an extra

    try:
        hasher.verify(kept or _of_nobody(), password)
    except (VerificationError, InvalidHashError):
        return False
    return bool(kept)


@cache
def _of_nobody() -> str:
    return hashed("nobody has this password")
