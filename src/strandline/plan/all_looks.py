"""All captures of an archive, as its measures see them: row of the page, time and version, 20 bytes a capture.

They come by page and time, and become columns some thousand pages at a time.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from strandline.access.gaps import Sights
from strandline.core.plan.strategy import Floats, Rows
from strandline.learn.experience import History, sighted
from strandline.learn.known_pages import Hours, Told
from strandline.learn.observations import Sighting

_AT_ONCE: Final = 50_000
"""Captures that are held as objects before they become columns. Origin: a bound on memory."""


class AllLooks(NamedTuple):
    """Captures with the versions that changes make, and with those that differences a reader sees make; rows and times
    of changes that are told.
    """

    sights: Sights
    shown: Sights
    told: tuple[Rows, Floats]

    @staticmethod
    def of(past: History) -> "AllLooks":
        """Of captures that are columns already."""
        told = ~np.isnan(past.last_change)
        pair = Sights.pair(past.row, past.time, past.changed, past.shown)
        return AllLooks(*pair, (past.row[told], past.last_change[told]))


def all_looks(
    row_of: Mapping[int, int], sightings: Iterable[Sighting], hours: Hours, claims: Iterable[Told]
) -> AllLooks:
    """Of sightings that come by page and time; `claims` as for learn.experience.sighted."""
    said: dict[int, list[Told]] = {}
    for claim in claims:
        said.setdefault(claim[0], []).append(claim)
    parts = [_columns(sighted(row_of, (), hours))]
    rows, times = [np.empty(0, dtype=np.int64)], [np.empty(0)]
    for some in _by_pages(sightings):
        about = (claim for page in {seen.page for seen in some} for claim in said.get(page, ())) if said else ()
        past = sighted(row_of, some, hours, about)
        parts.append(_columns(past))
        told = ~np.isnan(past.last_change)
        rows.append(past.row[told])
        times.append(past.last_change[told])
    columns = _joined(parts)
    if (np.diff(columns.row) < 0).any():  # rows are not in the order of pages
        order = np.argsort(columns.row, kind="stable")
        columns = _Columns._make(column[order] for column in columns)
    versions = [np.cumsum(flags, dtype=np.int32) for flags in (columns.changed, columns.shown)]
    pair = [Sights(columns.row, columns.time, version) for version in versions]  # type: ignore[arg-type]
    return AllLooks(pair[0], pair[1], (np.concatenate(rows), np.concatenate(times)))


class _Columns(NamedTuple):
    row: NDArray[np.int32]
    time: Floats
    changed: NDArray[np.bool_]
    shown: NDArray[np.bool_]


def _joined(parts: list[_Columns]) -> _Columns:
    """All of them in their order. What was joined is let go before the next column is, or all would be held twice."""
    kept = [list(column) for column in zip(*parts, strict=True)]
    parts.clear()
    found: list[NDArray[Any]] = []
    while kept:
        found.append(np.concatenate(kept.pop(0)))
    return _Columns._make(found)


def _columns(past: History) -> _Columns:
    order = np.lexsort((past.time, past.row))
    shown = past.changed if past.shown is None else past.shown
    return _Columns(past.row[order].astype(np.int32), past.time[order], past.changed[order], shown[order])


def _by_pages(sightings: Iterable[Sighting]) -> Iterator[list[Sighting]]:
    """Some thousand captures at a time; those of a page are not divided."""
    some: list[Sighting] = []
    for seen in sightings:
        if len(some) >= _AT_ONCE and seen.page != some[-1].page:
            yield some
            some = []
        some.append(seen)
    yield some
