"""Crawls of sites whose every version is known: how much would each policy have skipped, and what missed?

One step ahead: everything is learned from a window of full crawls, and tested on one later version. A ranking is traced
request by request, so its change recall can be read at any bypass ratio. What a crawl sees is in
`core.plan.past_crawls`; directory rules are given the paper's assumption, that entering a directory shows what is new
in it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from strandline.core.mining.site_rates import Floats, SiteOutlook
from strandline.core.quality.maintenance import Maintenance
from strandline.core.skip.past_crawls import Mask, PastCrawls
from strandline.core.skip.site_level import Answers, BurstSettings, SiteCrawl, StopRule, run_crawl

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


class KnownSite(PastCrawls):
    """Past crawls with the measures of both kinds of policy: rankings and directory rules."""

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
