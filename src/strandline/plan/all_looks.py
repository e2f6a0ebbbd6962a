"""All captures of an archive, as its measures see them: row of the page, time and version.

They come by page and time, and become columns some thousand at a time, which are noted in a room (plan/away_sights.py):
in a file where pages are many.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

import numpy as np

from strandline.access.gaps import AllSights, Sights
from strandline.core.beliefs.page_beliefs import NearRows
from strandline.core.plan.strategy import Floats, Rows
from strandline.learn.experience import History, sighted
from strandline.learn.file_rows import rooms_for
from strandline.learn.known_pages import Hours, Told
from strandline.learn.observations import Sighting
from strandline.plan.away_sights import SightsNoted

_AT_ONCE: Final = 50_000
"""Captures that are held as objects before they become columns. Origin: a bound on memory."""


class AllLooks(NamedTuple):
    """Captures with the versions that changes make, and with those that differences a reader sees make; rows and times
    of changes that are told.
    """

    sights: AllSights
    shown: AllSights
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
    noted = SightsNoted(rooms_for(len(row_of)) or NearRows, len(row_of))
    rows, times = [np.empty(0, dtype=np.int64)], [np.empty(0)]
    for some in _by_pages(sightings):
        about = (claim for page in {seen.page for seen in some} for claim in said.get(page, ())) if said else ()
        past = sighted(row_of, some, hours, about)
        noted.add(past.row, past.time, (past.changed, past.changed if past.shown is None else past.shown))
        told = ~np.isnan(past.last_change)
        rows.append(past.row[told])
        times.append(past.last_change[told])
    return AllLooks(noted.sights("changes"), noted.sights("shown"), (np.concatenate(rows), np.concatenate(times)))


def _by_pages(sightings: Iterable[Sighting]) -> Iterator[list[Sighting]]:
    """Some thousand captures at a time; those of a page are not divided."""
    some: list[Sighting] = []
    for seen in sightings:
        if len(some) >= _AT_ONCE and seen.page != some[-1].page:
            yield some
            some = []
        some.append(seen)
    yield some
