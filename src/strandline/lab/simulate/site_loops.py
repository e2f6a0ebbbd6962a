"""Closed loops: a crawler that knows of a site only what it fetched, for the whole history.

After some full crawls each crawl gets a budget, or skips what its rules say. What was not fetched is not known:
a page that changed twice in between has lost a version, a new page whose hub was not fetched does not exist yet.
Three measures, each a mean over crawls or a share of the whole:
    on_time    share of the changes of a transition which the very next crawl caught
    captured   share of all versions which were captured before the next one replaced them
    current    share of the live pages whose archived content is the live content
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from strandline.core.changes.directories import Ids, PageChanges
from strandline.core.history.delta_tree import SMALLEST, DeltaTree
from strandline.core.mining.near import Thresholds, dormant_directories, mine_numbers
from strandline.core.mining.site_rates import CrawlSeen, RateSettings
from strandline.core.skip.past_crawls import Mask
from strandline.core.skip.quiet_directories import RuleWatch, SkipAnswer, skip_listed, warm
from strandline.core.skip.site_level import Answers, BurstSettings, SiteCrawl, StopRule, run_crawl
from strandline.lab.simulate.site_crawls import KnownSite

ROUND_ROBIN = BurstSettings(oldest_share=1.0, learn_in_crawl=False)
PAGE_RATE = BurstSettings(oldest_share=0.0, learn_in_crawl=False)


@dataclass(frozen=True, slots=True)
class LoopResult:
    """What a closed loop achieved."""

    saved: float
    """Share of the requests of full crawls that were not made."""
    on_time: float
    captured: float
    current: float


class _Ledger:
    """Truth and archive side by side, and what the crawls so far achieved."""

    def __init__(self, site: KnownSite, warm_up: int) -> None:
        self.site = site
        self.content = np.zeros(site.shape.pages, dtype=np.int64)
        for changes in site.history.changes[:warm_up]:
            self._apply(changes)
        self.archived = np.where(site.live[warm_up - 1], self.content, 0)
        self._requests = 0
        self._pages = 0
        self._versions = 0
        self._captured = 0
        self._on_time: list[float] = []
        self._current: list[float] = []

    def advance(self, version: int) -> None:
        """The site moves on to a version."""
        changes = self.site.history.changes[version]
        self._apply(changes)
        self._versions += len(changes.inserted) + len(changes.updated)

    def crawled(self, version: int, fetched: Ids, found: Ids) -> None:
        """Book a crawl: known pages asked for, and new pages met and fetched."""
        live = self.site.live[version]
        both = np.concatenate([fetched, found])
        there = both[live[both]]
        self._captured += int((self.archived[there] != self.content[there]).sum())
        self.archived[there] = self.content[there]
        self._requests += len(both)
        self._pages += int(live.sum())
        reached = np.zeros(self.site.shape.pages, dtype=np.bool_)
        reached[both] = True
        changes = self.site.history.changes[version]
        if len(changes):
            touched = np.concatenate([changes.inserted, changes.deleted, changes.updated])
            self._on_time.append(float(reached[touched].mean()))
        self._current.append(float((self.archived[live] == self.content[live]).mean()) if live.any() else 1.0)

    def result(self) -> LoopResult:
        """The measures over all crawls booked."""
        return LoopResult(
            saved=1.0 - self._requests / max(1, self._pages),
            on_time=float(np.mean(self._on_time)) if self._on_time else 1.0,
            captured=self._captured / self._versions if self._versions else 1.0,
            current=float(np.mean(self._current)) if self._current else 1.0,
        )

    def _apply(self, changes: PageChanges) -> None:
        # Every version of every page has a number of its own; 0 is "never".
        self.content[changes.inserted] += 1
        self.content[changes.updated] += 1


def crawl_with_budget(
    site: KnownSite, saved: float, burst: BurstSettings, warm_up: int = 20, settings: RateSettings | None = None
) -> LoopResult:
    """Full crawls of the first versions, then crawls that leave out this share of the requests."""
    ledger = _Ledger(site, warm_up)
    rates = site.learned(0, warm_up - 1, settings)
    for version in range(warm_up, site.history.versions):
        ledger.advance(version)
        live = site.live[version]
        outlook = rates.outlook(site.shape, float(version))
        hidden = np.flatnonzero(live & ~rates.known)
        shown_by = site.shown_by(outlook, hidden)
        found = site.new_pages_shown(shown_by)
        changed = ~live | (ledger.archived != ledger.content)
        crawl = SiteCrawl(site.shape, outlook, burst)
        stop = StopRule(budget=round((1.0 - saved) * len(outlook.pages)))
        fetched = run_crawl(crawl, stop, _answering(changed, found))
        met = hidden[np.isin(shown_by, fetched)]
        rates.carry_over(*crawl.left_over())
        seen = CrawlSeen(fetched, changed[fetched], ~live[fetched], met)
        rates.observe(site.shape, outlook, seen, float(version))
        ledger.crawled(version, fetched, met)
    return ledger.result()


def _answering(changed: Mask, found: NDArray[np.int64]) -> Callable[[Ids], Answers]:
    return lambda pages: Answers(changed[pages], found[pages])


def crawl_with_rules(
    site: KnownSite, thresholds: Thresholds | None, watch: RuleWatch | None, rng: np.random.Generator, warm_up: int = 20
) -> LoopResult:
    """Full crawls, then WARM with rules re-mined each week from the crawler's own archive; None: dormant directories.

    Without a `watch` skipped directories look unchanged and stay skipped; with one they are re-tested by sampling.
    """
    alpha = SMALLEST if thresholds is None else thresholds.alpha
    ledger = _Ledger(site, warm_up)
    tree = DeltaTree((alpha,), site.history.index)
    for changes in site.history.changes[:warm_up]:
        tree.add_changes(site.shape, changes)
    known = site.live[warm_up - 1].copy()
    for version in range(warm_up, site.history.versions):
        ledger.advance(version)
        answer = _rules_answer(site, tree, thresholds, (version - warm_up, version - 1))
        answer = answer if watch is None else watch.apply(answer)
        skipped = answer.pages(site.shape)
        live = site.live[version]
        fetched = np.flatnonzero(known & ~skipped)
        changed = ~live | (ledger.archived != ledger.content)
        if watch is not None:
            sample = watch.sample(site.shape, answer, np.flatnonzero(known), rng)
            watch.record(answer, site.shape, sample, changed[sample])
            fetched = np.concatenate([fetched, sample])
        met = np.flatnonzero(live & ~known & ~skipped)
        changed_seen = fetched[changed[fetched]]
        seen = PageChanges(met, changed_seen[~live[changed_seen]], changed_seen[live[changed_seen]])
        known[met] = True
        known[seen.deleted] = False
        tree.add_changes(site.shape, seen)
        ledger.crawled(version, fetched, met)
    return ledger.result()


def _rules_answer(
    site: KnownSite, tree: DeltaTree, thresholds: Thresholds | None, window: tuple[int, int]
) -> SkipAnswer:
    changes = tree.window(None, *window)
    if thresholds is None:
        return skip_listed(site.shape, dormant_directories(changes))
    return warm(site.shape, mine_numbers(changes, thresholds, start=changes.root), changes.root)
