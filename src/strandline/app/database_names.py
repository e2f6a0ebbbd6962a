"""Telling the address of a cluster's database from a folder, where either may be given."""

from pathlib import Path


def database_at(place: Path | None) -> str:
    """The address of a database that was given where a folder is expected; empty for a folder."""
    scheme, *rest = place.parts if place is not None else ("",)
    if scheme not in ("postgresql:", "postgres:"):
        return ""
    # A path has no empty parts: what is left of postgresql:///web is a name without a host.
    return f"{scheme}//{'/' if len(rest) == 1 else ''}{'/'.join(rest)}"
