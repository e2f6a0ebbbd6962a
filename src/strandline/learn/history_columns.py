"""Captures as planning learns from them, in columns: what quality is measured by.

`site_past` says of a site, some thousand captures at a time, what `learn.experience.sighted` says capture by capture;
`FoundPast` has those of all sites in the order of time.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from strandline.engines.mining_reading import Looks, Reading, Room, SiteReading
from strandline.engines.mining_scratch import pieces
from strandline.learn.experience import History
from strandline.learn.known_pages import Hours
from strandline.learn.observations import NOISE
from strandline.store.standing import UNSTUDIED_IMPORTANCE

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Row = TypeVar("Row", bound=tuple[Any, ...])

_COLUMNS: Final = {
    "page": np.int64,
    "time": np.float64,
    "changed": np.bool_,
    "importance": np.float64,
    "last_change": np.float64,
}
"""Of a history: 33 bytes a capture."""


class ByPage(Generic[Row]):
    """Rows that come by page, read along with something else that does."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = iter(rows)
        self._next = next(self._rows, None)
        self._kept: dict[int, list[Row]] = {}

    def of(self, first: int, last: int) -> dict[int, list[Row]]:
        """The rows of pages from `first` to `last`; then never again of pages before `last`."""
        found = {page: rows for page, rows in self._kept.items() if page >= first}
        while self._next is not None and int(self._next[0]) <= last:
            page = int(self._next[0])
            if page >= first:
                found.setdefault(page, []).append(self._next)
            self._next = next(self._rows, None)
        self._kept = {page: rows for page, rows in found.items() if page == last}
        return found


def site_past(reading: SiteReading, pages: Ints, hours: Hours) -> Iterator[dict[str, NDArray[Any]]]:
    """Captures of these pages that teach something, by page and time, with their place in that order."""
    claims: ByPage[tuple[int, float]] = ByPage(reading.claimed_times())
    latest, place = (-1, np.nan), 0
    for batch in reading.sightings(UNSTUDIED_IMPORTANCE):
        batch = batch._replace(changed=batch.changed & (batch.importance >= NOISE))
        shown = np.isin(batch.page, pages) & ~batch.held & ((batch.status < 400) | batch.changed)
        if not shown.any():
            continue
        kept = Looks._make(column[shown] for column in batch)
        first, last = int(kept.page[0]), int(kept.page[-1])
        hints = _hints(kept, _times_before(kept.page, kept.time, latest), claims.of(first, last), hours)
        yield {
            "page": kept.page,
            "time": (kept.time - hours.start) / hours.length,
            "changed": kept.changed,
            "importance": np.where(kept.changed, kept.importance, 0.0),
            "last_change": hints,
            "place": np.arange(place, place + kept.page.size),
        }
        latest, place = (last, float(kept.time[-1])), place + kept.page.size


class FoundPast:
    """The captures of all sites, in the files of tasks until they are asked for."""

    def __init__(self, files: Sequence[str], room: Room) -> None:
        self._files = files
        self._room = room

    def __len__(self) -> int:
        return sum(len(one["place"]) for one in pieces(self._files, ("place",)))

    def batches(self) -> Iterator[list[NDArray[Any]]]:
        """Columns of some captures, then of the next ones, in the order of time; those of one moment by page."""
        with Reading(self._room) as reading:
            yield from reading.ordered(self._files, tuple(_COLUMNS), "time, page, place")

    def history(self, numbers: Ints) -> History:
        """All captures with rows instead of numbers of pages; `numbers` are those of the rows.

        Captures of pages without a row are left out. One copy is made, and no more: there may be very many.
        """
        columns: list[NDArray[Any]] = [np.empty(len(self), kind) for kind in _COLUMNS.values()]
        count, order = 0, np.argsort(numbers)
        for page, *rest in self.batches():
            known = np.isin(page, numbers)
            row = np.zeros(len(page), np.int64)
            row[known] = order[np.searchsorted(numbers, page[known], sorter=order)]
            end = count + int(known.sum())
            for column, values in zip(columns, (row, *rest), strict=True):
                column[count:end] = values[known]
            count = end
        return History(*(column[:count] for column in columns))


def _times_before(page: Ints, time: Floats, latest: tuple[int, float]) -> Floats:
    """Of each capture, the time of the one before of the same page; infinity for the first."""
    before = np.concatenate([[latest[1]], time[:-1]])
    same = np.concatenate([[page[0] == latest[0]], page[1:] == page[:-1]])
    return np.where(same, before, np.inf)


def _hints(looks: Looks, before: Floats, told: Mapping[int, Sequence[tuple[int, float]]], hours: Hours) -> Floats:
    """When a change happened, where a claim lies between the two captures that differ; else NaN."""
    found = np.full(looks.page.size, np.nan)
    if told:
        for row in np.flatnonzero(looks.changed & np.isin(looks.page, list(told))).tolist():
            claims = (at for _, at in told[int(looks.page[row])] if before[row] < at <= looks.time[row])
            found[row] = max((hours.at(at) for at in claims), default=np.nan)
    return found
