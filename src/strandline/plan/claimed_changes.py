"""What the sites of an archive say of its pages (plan/claims.py), as the priced plan takes it: signals, row by row."""

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

import numpy as np

from strandline.core.plan.priced_kernels import Pages
from strandline.core.plan.signals import MOST, Heard, SiteSignals, as_changes, by_site
from strandline.core.plan.strategy import Floats, Outcomes, PageTable, Rows
from strandline.learn.experience import Learned
from strandline.learn.known_pages import Groups, Hours
from strandline.plan.claims import SOURCES, Before, Claims, nothing_known

_NO_WORD = SiteSignals()
"""Of a site that said something, and of which nothing shows whether it was right. Origin: a definition."""

SILENCE: Final = 0.5
"""Part of what silence would say if a site told of as many changes as it did of pages whose last change it told: these
are the pages it told of by chance, too.
Origin: measured, make demo: .73 to .75 at 1, .72 at .5, .70 at 0; while its feed, of which an hour of changes pushes
all others off, was asked half as often, .60, .64 to .66 and .65."""


class PlannedPages(Protocol):
    """Where the pages of a planner stand."""

    hours: Hours
    groups: Groups

    @property
    def table(self) -> PageTable:
        """The pages as a strategy sees them."""

    @property
    def rows(self) -> Mapping[int, int]:
        """The row of each page."""


class ClaimedChanges:
    """Implements core.plan.signals.Signals for the pages of a planner."""

    def __init__(self, claims: Claims, planned: PlannedPages) -> None:
        self._claims = claims
        self._planned = planned
        self._names: list[str] = []

    def news(self) -> Rows:
        """See Signals."""
        rows = (self._planned.rows.get(page) for page in self._claims.take_news())
        return np.array(sorted(row for row in rows if row is not None), dtype=np.int64)

    def heard(self, rows: Rows, period: int) -> Heard | None:
        """See Signals. What is said to change later, by a clock that is wrong or on purpose, is of interest when its
        time has come; of a page whose changes are not told silence tells nothing.
        """
        claims = self._claims
        if not claims:
            return None
        table = self._planned.table
        pages, last = table.page[rows].tolist(), table.last_visit[rows]
        told = [claims.told_of(page) for page in pages]
        hours = self._planned.hours
        at = (np.array([claim.time for claim in told]) - hours.start) / hours.length
        counts = np.array([claim.counts for claim in told]).reshape(-1, len(SOURCES))
        counts[~((at < period + 1.0) & ~(at <= last))] = 0.0
        if len(self._names) < len(self._planned.groups.sites):
            self._names = list(self._planned.groups.sites)
        names = self._names
        sites, listened = table.site[rows], [claims.listens_for(page) for page in pages]
        said, recall, until = np.zeros(len(rows)), np.zeros(len(rows)), np.full(len(rows), -np.inf)
        read, place = np.unique(sites, return_inverse=True)
        for source in range(len(SOURCES)):
            known, false = by_site(sites, lambda site, of=source: claims.of(names[site], of) or _NO_WORD)  # type: ignore[misc]
            said += as_changes(false, counts[:, source])
            # Sitemap and feed tell of the same changes: the silence of the better one counts.
            better = np.array([source in theirs for theirs in listened], dtype=np.bool_) & (known > recall)
            last_read = np.array([hours.at(claims.read_last(names[site], source)) for site in read.tolist()])[place]
            recall, until = np.where(better, known, recall), np.where(better, last_read, until)
        number = counts.sum(axis=1)
        false = np.exp(-said / np.maximum(np.minimum(number, MOST), 1.0))
        return Heard(number, SILENCE * recall, np.where(number > 0, false, 1.0), until)

    def observe(self, pages: PageTable, outcomes: Outcomes, tables: Pages) -> None:
        """See Signals: claims are lived through with what study finds."""


def believed_before(learned: Learned, rows: Mapping[int, int]) -> Before:
    """What was believed of pages before captures teach it: see Claims.relive."""

    def known(pages: Sequence[int]) -> tuple[Floats, Floats]:
        rate, last = nothing_known(pages)
        there = [(place, rows[page]) for place, page in enumerate(pages) if page in rows]
        if there:
            places, own = np.array(there, dtype=np.int64).T
            rate[places] = learned.learner.mean_rates(own) / learned.hours.length
            last[places] = learned.hours.start + learned.last[own] * learned.hours.length
        return rate, last

    return known


def believed_after(learned: Learned, rows: Mapping[int, int]) -> Before:
    """The same of rates, for who lives through everything again, from before the first capture."""
    known = believed_before(learned, rows)
    return lambda pages: (known(pages)[0], nothing_known(pages)[1])
