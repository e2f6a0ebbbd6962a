"""Opening what a command was given: an archive folder, or the address of a cluster's database in its place."""

import contextlib
import difflib
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from strandline.archive.database_names import database_at
from strandline.archive.deployment import FolderPlace, Place
from strandline.archive.folder import Archive, create, is_empty
from strandline.archive.folder import open_archive as open_folder
from strandline.errors import StrandlineError, UsageError
from strandline.settings.file import NAME
from strandline.store.lock import WriteLock

_NEAR: Final = 0.85
"""Likeness of two names from which on one may be the other, mistyped."""


def is_archive(place: Path) -> bool:
    """Whether a path may be an archive, not a file."""
    return bool(database_at(place)) or place.is_dir()


def open_archive(place: Path) -> Archive:
    """The archive in a folder, or the cluster at an address; UsageError when there is none."""
    database = database_at(place)
    if database:
        from strandline.cluster.archive import open_shared  # noqa: PLC0415 - needs the extra `cluster`

        return open_shared(database)
    return open_folder(place)


@contextlib.contextmanager
def opened_or_made(place: Path) -> Iterator[Archive]:
    """The archive in a folder, made if there is none. What fails before anything is kept leaves no new archive behind:
    whoever mistyped a name or an address finds everything as it was.
    """
    before = place.exists()
    if database_at(place) or (before and not is_empty(place)):
        yield open_archive(place)
        return
    meant = None if before else _meant(place)
    if meant is not None:
        raise UsageError(
            f"there is no archive {place}; did you mean {meant}? `strandline init {place}` makes a new one"
        )
    try:
        archive = create(place)
    except UsageError:
        yield open_archive(place)  # somebody else made it in this very moment
        return
    try:
        yield archive
    except StrandlineError:
        _unmake(place, before)
        raise


def _meant(place: Path) -> Path | None:
    """An archive beside a folder that is not there, whose name is so near that the other one is probably mistyped.
    Names that differ in their numbers only are meant as they are: `news-2025`, `news-2026`.
    """
    try:
        beside = {other.name: other for other in place.parent.iterdir() if (other / NAME).is_file()}
    except OSError:
        return None
    near = difflib.get_close_matches(place.name, beside, 1, _NEAR)
    return beside[near[0]] if near and _without_numbers(near[0]) != _without_numbers(place.name) else None


def _without_numbers(name: str) -> str:
    return re.sub(r"[-_. ]*\d+", "", name)


def _unmake(place: Path, before: bool) -> None:
    """Remove an archive in which nothing was kept, unless somebody else writes it by now."""
    with contextlib.suppress(StrandlineError), WriteLock(place, "init"):
        if not any((place / "archive").iterdir()):
            shutil.rmtree(place)
            if before:
                place.mkdir(mode=0o700)


def place_of(archive: Archive) -> Place:
    """Where an archive lives."""
    if database_at(archive.folder):
        from strandline.cluster.deployment import ClusterPlace  # noqa: PLC0415 - needs the extra `cluster`

        return ClusterPlace.of(archive)
    return FolderPlace(archive.folder)
