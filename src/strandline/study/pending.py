"""Studying what waits: all pending captures, or the whole history of one page again."""

from collections.abc import Callable
from functools import singledispatch

from strandline.archive.folder import Archive
from strandline.core.blocks.levels import LEVELS
from strandline.errors import UsageError
from strandline.store.catalog import SqliteCatalog
from strandline.study.studying import Studying


@singledispatch
def studying_of(archive: Archive, catalog: SqliteCatalog) -> Studying:
    """Study of what is pending, as the settings want it. A cluster has its own (cluster/archive.py)."""
    return Studying(archive.folder, archive.settings.study, catalog)


def study(archive: Archive, progress: Callable[[int, int], None] = lambda _done, _pending: None) -> int:
    """Study every capture that is pending; returns how many."""
    with archive.writing("study") as catalog, studying_of(archive, catalog) as studying:
        return studying.finish(progress)


def relearn(archive: Archive, url: str, level: int = 0) -> None:
    """Study the whole history of a page again; with `level` it is cut into larger or smaller blocks from now on."""
    row = archive.page(url)
    if row is None:
        raise UsageError(f"{url} is not in this archive")
    if level not in (0, *LEVELS):
        raise UsageError(f"the level is 1, 2 or 3, not {level}")
    state = archive.studies.state(row.page)
    wanted = level or (state.level if state else archive.settings.study.level)
    with archive.writing("study") as catalog, studying_of(archive, catalog) as studying:
        studying.relearn(row.url, row.page, wanted)
