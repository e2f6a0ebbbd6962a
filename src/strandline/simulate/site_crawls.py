"""Crawls of sites whose every version is known: how much would each policy have skipped, and what missed?

One step ahead: everything is learned from a window of full crawls, and tested on one later version. A ranking is traced
request by request, so its change recall can be read at any bypass ratio. New pages are seen only through the
hub of their unit (see `core.learn.site_rates`), and each costs a request; deletes are seen only by asking.
Directory rules are given the paper's assumption, that entering a directory shows what is new in it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from strandline.core.changes.directories import Ids
from strandline.core.history.site_versions import SiteHistory
from strandline.core.learn.site_rates import CrawlSeen, Floats, RateSettings, SiteOutlook, SiteRates
from strandline.core.plan.site_level import Answers, BurstSettings, SiteCrawl, StopRule, run_crawl
from strandline.core.quality.maintenance import Maintenance

Mask = NDArray[np.bool_]
JUST_BELOW = 1e-9
"""Far less than one page of any site."""


@dataclass(frozen=True, slots=True)
class Trace:
    """Bypass ratio and strict change recall after each request of one crawl, from none to all."""

    bypass: Floats
    recall: Floats

    def recall_at(self, bypass: Sequence[float]) -> Floats:
        """Strict change recall where these shares of the pages are skipped, interpolated.

        Requests that find a page gone do not change the share; all of them count at the share where they are made.
        """
        recall: Floats = np.interp(np.asarray(bypass) - JUST_BELOW, self.bypass[::-1], self.recall[::-1])
        return recall


class KnownSite:
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

    def trace(self, outlook: SiteOutlook, before: int, version: int, burst: BurstSettings) -> Trace:
        """Fetch everything, best first, when a site known as of version `before` is in a later version."""
        old, new = self.live[before], self.live[version]
        changed = self.changed_between(before, version)
        inserted = np.flatnonzero(new & ~old)
        found = self.new_pages_shown(self.shown_by(outlook, inserted))
        crawl = SiteCrawl(self.shape, outlook, burst)
        order = run_crawl(crawl, StopRule(), lambda pages: Answers(changed[pages], found[pages]))
        caught = np.cumsum(changed[order] + found[order])
        held = np.cumsum(new[order] + found[order])
        total = max(1, int(changed[old].sum()) + len(inserted))
        return Trace(
            bypass=1.0 - np.concatenate([[0], held]) / max(1, int(new.sum())),
            recall=np.concatenate([[0], caught]) / total,
        )

    def changed_between(self, before: int, version: int) -> Mask:
        """Pages of an earlier version that are gone or have other content in a later one."""
        changed = np.zeros(self.shape.pages, dtype=np.bool_)
        for changes in self.history.changes[before + 1 : version + 1]:
            changed[changes.updated] = True
            changed[changes.deleted] = True
        result: Mask = changed & self.live[before]
        return result

    def skipping(self, directories: Mask, before: int, version: int) -> Maintenance:
        """Count a crawl that skips all pages of these directories (by number)."""
        skipped = directories[self.shape.page_directories]
        old, new = self.live[before], self.live[version]
        changed = self.changed_between(before, version)
        inserted, deleted = new & ~old, old & ~new
        updated = changed & old & new
        return Maintenance(
            skipped=int((new & skipped).sum()),
            maintained=int((new & ~skipped).sum()),
            changed=int(inserted.sum() + deleted.sum() + updated.sum()),
            skipped_inserts=int((inserted & skipped).sum()),
            skipped_deletes=int((deleted & skipped).sum()),
            skipped_updates=int((updated & skipped).sum()),
        )

    def _mask(self, pages: Ids) -> Mask:
        mask = np.zeros(self.shape.pages, dtype=np.bool_)
        mask[pages] = True
        return mask
