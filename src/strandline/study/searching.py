"""Looking into what study found, for the faces: changes, and blocks by their words."""

from collections.abc import Iterator

from strandline.archive.folder import Archive
from strandline.store.histories import BlockLife
from strandline.store.studies import Change, Returns, StudyCounts, Wanted

__all__ = ["BlockLife", "Change", "Returns", "StudyCounts", "Wanted", "found_blocks", "page_history"]


def found_blocks(archive: Archive, wanted: Wanted) -> Iterator[BlockLife]:
    """Blocks with these words, best match first."""
    return archive.studies.search(wanted)


def page_history(archive: Archive, url: str) -> Iterator[BlockLife]:
    """When each block of a page appeared and vanished."""
    row = archive.page(url)
    return archive.studies.block_history(row.url) if row else iter(())
