"""A site as its captures show it, period by period: which pages were looked at, and what had become of them.

Captures of one period (a week, say) make a version of the site, with the last known state of every page; a period
without captures makes none, because nobody looked. What was not captured in a period was not seen: it is neither
changed nor unchanged. A page that answered 404 or 410 is gone. Of an address kept under http and https, the one with
more captures counts.

One row stands for all captures of a page in a period. Everything is worked out in whole columns: a site can have
millions of captures.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from strandline.core.changes.directories import Ids, PageChanges, SiteIndex
from strandline.core.history.site_versions import SiteHistory
from strandline.core.learn.learned import Visits
from strandline.core.learn.site_rates import CrawlSeen, Floats, SiteRates
from strandline.core.urls import site_path

Mask = NDArray[np.bool_]
WHOLE = 0.9
"""Share of a site's pages that must have been looked at for a version to count as seen whole."""


@dataclass(frozen=True, slots=True, eq=False)
class SiteLooks:
    """Rows in the order of time: a page, a period, and what the captures of the page in that period showed."""

    index: SiteIndex
    """Pages that were there at the end of at least one period."""
    owners: Ids
    """For each page of the index, its place among the pages given."""
    period: float
    """Seconds."""
    numbers: Ids
    """Periods with captures since time 0, ascending: one version each."""
    starts: Ids
    """Where the rows of each version start; then the number of rows."""
    pages: Ids
    existed: Mask
    """Whether the page was there before the period."""
    exists: Mask
    """Whether it was there at the end."""
    differs: Mask
    """Whether it was there both times and had changed."""
    importance: Floats
    """Of the changes in the period, added up."""

    @classmethod
    def of(cls, pages: Sequence[Visits], period: float) -> "SiteLooks":
        """Cut the captures of a site into periods of so many seconds."""
        if period <= 0.0:
            raise ValueError(f"the period must be longer than 0 seconds, not {period}")
        paths = _one_page_a_path(pages)
        chosen = [pages[place] for place in paths.values()]
        rows = _rows(chosen, period)
        numbers = np.unique(rows.number)
        shown = rows.existed | rows.exists
        order = np.flatnonzero(shown)[np.argsort(rows.number[shown], kind="stable")]
        there = np.zeros(len(chosen), dtype=np.bool_)
        there[rows.owner[rows.exists]] = True
        index = SiteIndex()
        index.pages(path for path, kept in zip(paths, there.tolist(), strict=True) if kept)
        return cls(
            index=index,
            owners=np.array(list(paths.values()), dtype=np.int64)[there],
            period=period,
            numbers=numbers,
            starts=np.append(np.searchsorted(rows.number[order], numbers), len(order)),
            pages=(np.cumsum(there) - 1)[rows.owner[order]],
            existed=rows.existed[order],
            exists=rows.exists[order],
            differs=rows.differs[order],
            importance=rows.importance[order],
        )

    def versions(self) -> Iterator[tuple[int, slice]]:
        """Period and rows of each version."""
        for version, number in enumerate(self.numbers.tolist()):
            yield number, slice(int(self.starts[version]), int(self.starts[version + 1]))

    def history(self, negligible: float | None = None) -> SiteHistory:
        """The versions as differences. Times are the ends of the periods, in seconds.

        Every update counts the same; or, with `negligible`, by the importance of its changes, at most 1, and those
        below this importance not at all.
        """
        history = SiteHistory()
        history.index = self.index
        # Of a page that nobody looked at again it is not known whether it changed.
        history.watched = np.bincount(self.pages, minlength=len(self.index)) > 1
        for number, rows in self.versions():
            pages, differs = self.pages[rows], self.differs[rows]
            existed, exists = self.existed[rows], self.exists[rows]
            weights = None
            if negligible is not None:
                differs = differs & (self.importance[rows] >= negligible)
                weights = np.minimum(1.0, self.importance[rows][differs])
            changes = PageChanges(pages[exists & ~existed], pages[existed & ~exists], pages[differs], weights)
            history.add_changes(f"{(number + 1) * self.period:g}", changes)
        return history

    def rates(self) -> SiteRates:
        """What the versions teach the site-level policy. Its clock runs in periods since time 0."""
        rates, shape = SiteRates(), self.index.shape()
        for version, (number, rows) in enumerate(self.versions()):
            pages, existed, exists = self.pages[rows], self.existed[rows], self.exists[rows]
            found, now = pages[~existed], float(number)
            if version == 0:
                rates.start(shape, found, now)
                continue
            gone = ~exists[existed]
            seen = CrawlSeen(pages[existed], self.differs[rows][existed] | gone, gone, found)
            rates.observe(shape, rates.outlook(shape, now), seen, now)
        return rates

    def whole_versions(self) -> list[int]:
        """Versions in which nearly all pages that existed were looked at."""
        live, found = 0, []
        for version, (_, rows) in enumerate(self.versions()):
            live += int(self.exists[rows].sum()) - int(self.existed[rows].sum())
            if rows.stop - rows.start >= WHOLE * live:
                found.append(version)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The columns of `SiteLooks` by page and period; `owner` counts the pages given."""

    owner: Ids
    number: Ids
    existed: Mask
    exists: Mask
    differs: Mask
    importance: Floats


def _rows(pages: Sequence[Visits], period: float) -> _Rows:
    owner = np.repeat(np.arange(len(pages)), [one.times.size for one in pages])
    number = (_column([one.times for one in pages], np.float64) // period).astype(np.int64)
    first = np.ones(len(owner), dtype=np.bool_)
    first[1:] = (owner[1:] != owner[:-1]) | (number[1:] != number[:-1])
    starts = np.flatnonzero(first)
    ends = np.append(starts[1:], len(owner)) - 1 if len(starts) else starts
    # Counted over all pages: only counts of the same page are compared.
    content = np.cumsum(_column([one.changed for one in pages], np.bool_))[ends]
    owner, number = owner[ends], number[ends]
    exists = ~_column([one.gone for one in pages], np.bool_)[ends]
    known = np.zeros(len(ends), dtype=np.bool_)
    known[1:] = owner[1:] == owner[:-1]
    existed = known & np.roll(exists, 1)
    amounts = _column([one.importance for one in pages], np.float64)
    return _Rows(
        owner=owner,
        number=number,
        existed=existed,
        exists=exists,
        differs=existed & exists & (content != np.roll(content, 1)),
        importance=np.add.reduceat(amounts, starts) if len(starts) else amounts,
    )


def _column(parts: list[NDArray[Any]], kind: type) -> NDArray[Any]:
    return np.concatenate([np.empty(0, dtype=kind), *parts])


def _one_page_a_path(pages: Sequence[Visits]) -> dict[str, int]:
    """Places of pages by path; of an address kept under http and https, the one with more captures."""
    chosen: dict[str, int] = {}
    for place, visits in enumerate(pages):
        path = site_path(visits.url)
        known = chosen.setdefault(path, place)
        if visits.times.size > pages[known].times.size:
            chosen[path] = place
    return chosen
