"""Closed loops site by site: the policy beside every rival it must not fall behind, on real sites and on made ones.

The rivals: page rates, the policy when nothing but its own forecaster is asked, a counter of each page's changes, all
at half of the requests; and directories that never changed, at what they leave out by themselves.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from strandline.core.mining.site_rates import RateSettings
from strandline.core.skip.site_level import BurstSettings
from strandline.lab.experiments.report import Cell, Table, Target
from strandline.lab.simulate.made_sites import MadeSite, counting_crawler
from strandline.lab.simulate.site_crawls import KnownSite
from strandline.lab.simulate.site_loops import PAGE_RATE, LoopResult, crawl_with_budget, crawl_with_rules

HALF = 0.5
MOST_BEHIND = 0.01
"""How far behind its best rival the policy may be on any site, in changes on time."""
BUSY = (MadeSite("hot pages scattered", 600), MadeSite("hot directories", 600))
ONE_FORECASTER = RateSettings(forecasters=())
"""The policy when nothing but its own forecaster is asked."""
COUNTS = RateSettings(
    forgetting=1.0, directory_prior=1e9, page_prior=1.0, busy_share=1.0, longest_gap=1e9, forecasters=()
)  # fmt: skip
"""Changes and weeks of each page, never forgotten; beside them the mean page of the site counts for a week."""
BURSTS_ONLY = BurstSettings(oldest_from=0.0)


@dataclass(frozen=True, slots=True)
class SiteLoops:
    """What each crawler achieved on one site."""

    name: str
    policy: LoopResult
    rivals: dict[str, LoopResult]
    dormant: LoopResult
    at_dormant: LoopResult
    """The policy, leaving out as much as the dormant rule does."""

    @property
    def behind(self) -> float:
        """By how much the policy is behind its best rival, in changes on time; below 0 when it leads."""
        best = max(one.on_time for one in self.rivals.values()) - self.policy.on_time
        return max(best, self.dormant.on_time - self.at_dormant.on_time)


def site_loops(name: str, site: KnownSite, still: bool) -> SiteLoops:
    """Run all crawlers on one site; `still`: its pages are all there from the beginning, then the counter is the one in
    ten lines, which knows no others.
    """
    rivals = {
        "one forecaster": crawl_with_budget(site, HALF, BURSTS_ONLY, settings=ONE_FORECASTER),
        "page rates": crawl_with_budget(site, HALF, PAGE_RATE, settings=ONE_FORECASTER),
        "counter": counting_crawler(site, HALF) if still else crawl_with_budget(site, HALF, PAGE_RATE, settings=COUNTS),
    }
    dormant = crawl_with_rules(site, None, None, np.random.default_rng(7))
    return SiteLoops(
        name,
        crawl_with_budget(site, HALF, BurstSettings()),
        rivals,
        dormant,
        crawl_with_budget(site, max(0.0, dormant.saved), BurstSettings()),
    )


def rivals_table(loops: Sequence[SiteLoops]) -> Table:
    """A row for each site."""
    names = ("one forecaster", "page rates", "counter")
    rows: list[tuple[Cell, ...]] = []
    for one in loops:
        rivals = [one.rivals[name].on_time if name in one.rivals else None for name in names]
        by_rule = (one.dormant.saved, one.dormant.on_time, one.at_dormant.on_time)
        rows.append((one.name, one.policy.on_time, *rivals, *by_rule, one.behind))
    return Table(
        "Closed loop, site by site: changes on time at half of the requests, and at what the dormant rule leaves out",
        ("site", "policy", *names, "dormant saves", "dormant", "policy there", "behind the best"),
        tuple(rows),
        "Below 0 the policy leads all of them.",
    )


def rivals_target(loops: Sequence[SiteLoops]) -> Target:
    """The site on which the policy is farthest behind."""
    worst = max(loops, key=lambda one: one.behind)
    got = f"{worst.behind:.3f} on {worst.name}"
    return Target("behind the best rival on any site, on time", f"<= {MOST_BEHIND}", got, worst.behind <= MOST_BEHIND)
