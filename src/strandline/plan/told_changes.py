"""What sitemaps and feeds told of changes, and what their silence tells: see access/gaps.py."""

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from strandline.access.gaps import Said, Sights
from strandline.core.plan.strategy import Floats, Rows
from strandline.learn.experience import History
from strandline.learn.known_pages import Hours, Known, Told
from strandline.learn.page_columns import PageRows
from strandline.plan.claims import Claims
from strandline.plan.next_visits import Silence
from strandline.store.standing import StandingReading

_REMEMBERED: Final = 1_000
"""Times that sitemaps and feeds of a site were read which a watch keeps in mind; beyond, the oldest are forgotten.
Origin: a bound on memory."""


def said_of(
    told: Iterable[Told], readings: Iterable[tuple[str, str, float]], pages: Sequence[Known], hours: Hours
) -> Said:  # fmt: skip
    """What was told of these pages, and when the sitemaps and feeds of their sites (`readings`) were read."""
    row_of = PageRows(page.page for page in pages)
    claims = [(row_of[page], time, seen) for page, time, seen, *_ in told if page in row_of]
    table = np.array(claims, dtype=np.float64).reshape(-1, 3)
    sites = {site: number for number, site in enumerate(dict.fromkeys(page.site for page in pages))}
    asked: dict[int, list[float]] = {}
    for site, _, time in readings:
        if site in sites:
            asked.setdefault(sites[site], []).append(hours.at(time))
    return Said(
        row=table[:, 0].astype(np.int64),
        time=(table[:, 1] - hours.start) / hours.length,
        seen=(table[:, 2] - hours.start) / hours.length,
        readings={site: np.array(sorted(times)) for site, times in asked.items()},
    )


def silent_looks(past: History, said: Said, pages: Sequence[Known]) -> tuple[Rows, Floats]:
    """Pages, and when their site was asked and did not tell yet of the change that called for the next visit."""
    own = np.isin(past.row, said.row)  # nobody told of the others, and there are many
    sights = Sights.of(past.row[own], past.time[own], past.changed[own])
    numbers = dict[str, int]()
    site = np.array([numbers.setdefault(page.site, len(numbers)) for page in pages], dtype=np.int64)
    until = said.silent_until(sights, site)
    found = ~np.isnan(until)
    return sights.row[found], until[found]


class ToldChanges:
    """The same for a watch at work, at a cost that does not depend on how many pages and captures there are."""

    def __init__(self, reading: StandingReading, hours: Hours) -> None:
        self._reading = reading
        self._hours = hours
        self._asked: defaultdict[str, deque[float]] = defaultdict(lambda: deque(maxlen=_REMEMBERED))
        self._read_up_to: int | None = None
        self._told_up_to = 0

    def silence(self, told: Sequence[Told], pages: Sequence[Known]) -> Silence:
        """What Planner.observe takes; `told` of the pages whose captures it is given, `pages` all it plans."""

        def silent(past: History) -> tuple[Rows, Floats]:
            rows, places = np.unique(past.row, return_inverse=True)
            if not told or len(rows) == 0:
                return rows[:0], np.empty(0)
            self._catch_up()
            these = [pages[row] for row in rows.tolist()]
            sites = {page.site for page in these}
            readings = ((site, "", time) for site in sites for time in self._asked.get(site, ()))
            places, until = silent_looks(
                replace(past, row=places), said_of(told, readings, these, self._hours), these
            )  # fmt: skip
            return rows[places], until

        return silent

    def read_since(self, claims: Claims, seq: int) -> None:
        """Tell when sitemaps and feeds of sites were read, by captures after this one or since this was asked last."""
        since, self._told_up_to = max(self._told_up_to, seq), self._reading.progress()
        for reading in self._reading.sitemap_readings((since, self._told_up_to)):
            claims.read(*reading)

    def _catch_up(self) -> None:
        """Take notice of sitemaps and feeds that were read meanwhile."""
        studied = self._reading.progress()
        between = None if self._read_up_to is None else (self._read_up_to, studied)
        for site, _, time in self._reading.sitemap_readings(between):
            self._asked[site].append(time)
        self._read_up_to = studied
