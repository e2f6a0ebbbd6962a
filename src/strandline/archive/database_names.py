"""Telling the address of a cluster's database from a folder, where either may be given."""

import re
from pathlib import Path

from strandline.errors import UsageError


def named(place: Path) -> str:
    """A folder, or the address of a database, as people write it.

    >>> named(Path("my-archive")), named(Path("postgresql://me@db/web"))
    ('my-archive', 'postgresql://me@db/web')
    """
    return database_at(place) or str(place)


def database_at(place: Path | None) -> str:
    """The address of a database that was given where a folder is expected; empty for a folder. UsageError for an
    address of another kind, which is not repeated: there may be a password in it.
    """
    scheme, *rest = (place.parts if place is not None else ()) or ("",)
    if scheme not in ("postgresql:", "postgres:"):
        if rest and "@" in rest[0] and re.fullmatch(r"[a-z][a-z0-9+.-]+:", scheme):
            raise UsageError(f"{scheme}// is no archive; the address of a cluster begins with postgresql://")
        return ""
    # A path has no empty parts: what is left of postgresql:///web is a name without a host.
    return f"{scheme}//{'/' if len(rest) == 1 else ''}{'/'.join(rest)}"
