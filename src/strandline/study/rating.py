"""What people say about changes: noise, or they matter. It holds on pages made alike and can be taken back."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from strandline.archive.folder import Archive
from strandline.core.changes.noise.ratings import Given, RatingBook, Taught
from strandline.core.changes.noise.volatility import Rating
from strandline.errors import ArchiveBusy, UsageError
from strandline.store.catalog import DATABASE
from strandline.store.lock import signature
from strandline.store.studying import rate_beside, unrate_beside
from strandline.study.comparing import known_address, require_blocks

if TYPE_CHECKING:
    from strandline.store.studying import StudyWriter


def rate(archive: Archive, url: str, rating: Rating, blocks: Sequence[str] = (), author: str = "") -> tuple[str, ...]:
    """Keep what a person says about blocks of a page, or about all those of its last change; returns their paths.

    A crawl or watch that runs meanwhile is not in the way: it scores what it captures next by it.
    """
    address = known_address(archive, url)
    paths = tuple(dict.fromkeys(blocks))
    if not paths:
        last = None
        for change in archive.studies.changes_of(address):
            last = change if change.visible else last
        if last is None:
            raise UsageError(f"{url}: no change was observed yet; name a block with --block (see strandline blocks)")
        paths = tuple(dict.fromkeys(part["path"] for part in last.blocks if part["path"]))
        if not paths:
            raise UsageError(f"{url}: its last change names no block that could be rated")
    else:
        require_blocks(archive, address, paths)
    keep(
        archive,
        "rate",
        lambda studies: studies.rate(address, paths, rating, author),
        lambda database: rate_beside(database, address, paths, rating, author),
    )
    return paths


def unrate(archive: Archive, url: str, block: str = "") -> tuple[str, ...]:
    """Take back what was said about a block of a page, or about all of them; returns their paths."""
    address = known_address(archive, url)
    said = [path for path in archive.studies.ratings(address) if block in ("", path)]
    if not said:
        raise UsageError(f"{url}: nothing was said about {block or 'its blocks'}")
    for path in said:
        keep(
            archive,
            "rate",
            lambda studies, path=path: studies.unrate(address, path),  # type: ignore[misc]
            lambda database, path=path: unrate_beside(database, address, path),  # type: ignore[misc]
        )
    return tuple(said)


def given_ratings(archive: Archive) -> list[Given]:
    """Everything people said about blocks, the newest first."""
    rows = archive.studies.all_ratings()
    found = [Given(row[0], row[1], "noise" if row[2] == "noise" else "matters", row[3], row[4]) for row in rows]
    return sorted(found, key=lambda one: -one.time)


def taught(archive: Archive, url: str) -> dict[str, Taught]:
    """What holds for the blocks of a page, by path: what was said of it, of its site's other pages, or elsewhere."""
    return RatingBook(archive.studies.all_ratings()).taught(url)


def keep(
    archive: Archive, command: str, write: "Callable[[StudyWriter], object]", beside: Callable[[Path], None]
) -> None:
    """Keep what a person says; while another process writes, beside it."""
    try:
        with archive.writing(command) as catalog:
            write(catalog.studies)
    except ArchiveBusy:
        if signature(archive.folder).get("command") == "reindex":  # the new catalog would not have it
            raise
        beside(archive.folder / DATABASE)
