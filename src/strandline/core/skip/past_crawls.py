"""Crawls of a site whose every version is known, to be made again: what would have been learned, found and missed?

New pages are seen only through the hub of their unit (see `core.learn.site_rates`), and each costs a request; deletes
are seen only by asking.
"""

import numpy as np
from numpy.typing import NDArray

from strandline.core.changes.directories import Ids
from strandline.core.history.site_versions import SiteHistory
from strandline.core.mining.site_rates import CrawlSeen, RateSettings, SiteOutlook, SiteRates

Mask = NDArray[np.bool_]


class PastCrawls:
    """A history with what every version holds, ready to be crawled many times."""

    def __init__(self, history: SiteHistory) -> None:
        self.history = history
        self.shape = history.shape
        live = np.zeros(self.shape.pages, dtype=np.bool_)
        rows = []
        for changes in history.changes:
            live[changes.inserted] = True
            live[changes.deleted] = False
            rows.append(live.copy())
        self.live: Mask = np.array(rows).reshape(len(rows), self.shape.pages)

    def learned(self, first: int, last: int, settings: RateSettings | None = None) -> SiteRates:
        """Rates learned from full crawls of the versions first .. last."""
        rates = SiteRates(settings)
        rates.start(self.shape, np.flatnonzero(self.live[first]), float(first))
        for version in range(first + 1, last + 1):
            outlook = rates.outlook(self.shape, float(version))
            rates.observe(self.shape, outlook, self.full_crawl(outlook.pages, version), float(version))
        return rates

    def full_crawl(self, pages: Ids, version: int) -> CrawlSeen:
        """What a full crawl of a version sees after one of the version before."""
        changes = self.history.changes[version]
        gone = self._mask(changes.deleted)
        return CrawlSeen(pages, (gone | self._mask(changes.updated))[pages], gone[pages], changes.inserted)

    def shown_by(self, outlook: SiteOutlook, new_pages: Ids) -> Ids:
        """For each new page, the known page which shows it; -1 when no page is known any more."""
        shown: Ids = outlook.hubs[outlook.units[self.shape.page_directories[new_pages]]]
        return shown

    def new_pages_shown(self, shown_by: Ids) -> NDArray[np.int64]:
        """For each page of the site, how many new pages it shows."""
        return np.bincount(shown_by[shown_by >= 0], minlength=self.shape.pages)

    def changed_between(self, before: int, version: int) -> Mask:
        """Pages of an earlier version that are gone or have other content in a later one."""
        changed = np.zeros(self.shape.pages, dtype=np.bool_)
        for changes in self.history.changes[before + 1 : version + 1]:
            changed[changes.updated] = True
            changed[changes.deleted] = True
        result: Mask = changed & self.live[before]
        return result

    def _mask(self, pages: Ids) -> Mask:
        mask = np.zeros(self.shape.pages, dtype=np.bool_)
        mask[pages] = True
        return mask
