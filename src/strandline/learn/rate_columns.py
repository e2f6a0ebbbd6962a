"""Rates of an archive's pages as columns: forty bytes a page, where an object for each takes ten times as much."""

from array import array
from collections.abc import ItemsView, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from strandline.core.mining.learned import PageRate
from strandline.learn.page_columns import PageRows

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class SiteColumns(NamedTuple):
    """What captures made of the pages of a site: see learned.PageRate."""

    visits: Ints
    changes: Ints
    found: Floats
    watched: Floats

    @staticmethod
    def of(rates: Iterable[PageRate]) -> "SiteColumns":
        """Those of pages as they are rated."""
        visits, changes, found, watched = array("q"), array("q"), array("d"), array("d")
        for one in rates:
            visits.append(one.visits)
            changes.append(one.changes)
            found.append(one.found)
            watched.append(one.watched)
        return SiteColumns(*(np.array(column) for column in (visits, changes, found, watched)))


class RateColumns(Mapping[int, PageRate]):
    """Rates by page, in the order they were added. Each is made when it is asked for.

    >>> rates = RateColumns()
    >>> rates.add([7, 5], SiteColumns.of([PageRate(3, 1, 1.5, 2.0), PageRate()]), np.array([0.5, 0.25]))
    >>> rates[5], list(rates), len(rates)
    (PageRate(visits=0, changes=0, found=0.0, watched=0.0, prior=0.25), [7, 5], 2)
    """

    def __init__(self) -> None:
        self._sites: list[tuple[Ints, SiteColumns, Floats]] = []
        self._begins = [0]
        self._rows = PageRows()

    def add(self, pages: Sequence[int], found: SiteColumns, prior: Floats) -> None:
        """The pages of a site, and what is expected of each in the end."""
        begin = self._begins[-1]
        for row, page in enumerate(pages, begin):
            self._rows[page] = row
        self._sites.append((np.array(pages, dtype=np.int64), found, prior))
        self._begins.append(begin + len(pages))

    def __len__(self) -> int:
        return self._begins[-1]

    def __iter__(self) -> Iterator[int]:
        for pages, _, _ in self._sites:
            yield from pages.tolist()

    def __getitem__(self, page: int) -> PageRate:
        row = self._rows[page]
        number = int(np.searchsorted(self._begins, row, side="right")) - 1
        _, found, prior = self._sites[number]
        place = row - self._begins[number]
        visits, changes = int(found.visits[place]), int(found.changes[place])
        return PageRate(visits, changes, float(found.found[place]), float(found.watched[place]), float(prior[place]))

    def items(self) -> ItemsView[int, PageRate]:
        """Pages and rates."""
        return _Items(self)

    def in_order(self) -> Iterator[tuple[int, PageRate]]:
        """Pages and rates, one after the other."""
        for pages, found, prior in self._sites:
            columns = (column.tolist() for column in (pages, *found, prior))
            for page, *rate in zip(*columns, strict=True):
                yield page, PageRate(*rate)

    def seen(self) -> tuple[Floats, Floats, Floats]:
        """Visits, changes and days watched of all pages."""
        found = [site for _, site, _ in self._sites]
        columns = ([site.visits for site in found], [site.changes for site in found], [site.watched for site in found])
        visits, changes, watched = (np.concatenate([np.empty(0), *column]) for column in columns)
        return visits, changes, watched


class _Items(ItemsView[int, PageRate]):
    _mapping: RateColumns

    def __iter__(self) -> Iterator[tuple[int, PageRate]]:
        return self._mapping.in_order()
