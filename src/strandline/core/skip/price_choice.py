"""What a request must be worth, chosen per site from the site's own history.

The site-level policy asks for a page while its chance of a change is at least a price. Here the policy is run again on
versions of the past, each time knowing only what came before, and the highest price which still caught the wanted share
of the changes wins. On the version after that it catches a little less: with .95 wanted, .93 were measured on eight
sites, at .54 of the requests saved.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from strandline.core.history.site_versions import SiteHistory
from strandline.core.mining.site_rates import Floats, SiteOutlook, SiteRates
from strandline.core.mining.site_state import Price
from strandline.core.skip.past_crawls import PastCrawls
from strandline.core.skip.site_level import Answers, BurstSettings, SiteCrawl, StopRule

PRICES = (
    1e-5,
    3e-5,
    1e-4,
    2e-4,
    5e-4,
    0.001,
    0.002,
    0.003,
    0.005,
    0.0075,
    0.01,
    0.015,
    0.02,
    0.03,
    0.05,
    0.075,
    0.1,
    0.2,
    0.3,
    0.5,
)
"""Prices to choose from. Origin: a guess."""
LEAST_VERSIONS = 4
"""Versions that must have been seen whole before anything is left out. Origin: a guess."""
MOST_TESTS = 10
"""Versions at the end of the history on which prices are tried.
Origin: measured, `strandline experiment near --data`."""
_LARGE, _FEW_TESTS = 100_000, 3
"""Sites from so many pages on are tried on fewer versions: it would take minutes. Origin: a bound on time."""


@dataclass(frozen=True, slots=True)
class _Trial:
    """One crawl to its end, best first: what each request was worth when it was made, and what it found."""

    worth: Floats
    requests: Floats
    caught: Floats
    pages: int
    changes: int

    def stopped_at(self, price: float) -> tuple[float, float]:
        """Share of the requests saved and of the changes caught, had it stopped at this price."""
        below = np.flatnonzero(self.worth < price)
        end = int(below[0]) if len(below) else len(self.worth)
        saved = 1.0 - self.requests[:end].sum() / max(1, self.pages)
        return float(saved), float(self.caught[:end].sum() / self.changes)


def choose_price(history: SiteHistory, whole: Sequence[int], floor: float = 0.95) -> Price | None:
    """The highest price that caught this share of the changes in the last whole versions; None when none did.

    `whole` lists the versions in which nearly all pages were looked at: in the others nobody knows what was missed.
    """
    pages = history.shape.pages
    most = MOST_TESTS if pages < _LARGE else _FEW_TESTS
    tests = {version for version in whole if version >= LEAST_VERSIONS and len(history.changes[version])}
    tests = set(sorted(tests)[-most:])
    if not tests:
        return None
    site = PastCrawls(history)
    rates = SiteRates()
    rates.start(site.shape, np.flatnonzero(site.live[0]), 0.0)
    trials = []
    for version in range(1, max(tests) + 1):
        outlook = rates.outlook(site.shape, float(version))
        if version in tests:
            trials.append(_trial(site, outlook, version))
        rates.observe(site.shape, outlook, site.full_crawl(outlook.pages, version), float(version))
    for price in reversed(PRICES):
        saved, caught = np.mean([trial.stopped_at(price) for trial in trials], axis=0)
        if caught >= floor:
            return Price(price, max(0.0, float(saved)), float(caught), len(trials))
    return None


def _trial(site: PastCrawls, outlook: SiteOutlook, version: int) -> _Trial:
    changed = site.changed_between(version - 1, version)
    inserted = site.history.changes[version].inserted
    found = site.new_pages_shown(site.shown_by(outlook, inserted))
    crawl = SiteCrawl(site.shape, outlook, BurstSettings(oldest_share=0.0))
    worth, order = [np.empty(0)], [np.empty(0, dtype=np.int64)]
    while len(places := crawl.next_round(StopRule())):
        pages = outlook.pages[places]
        worth.append(crawl.values()[places])
        order.append(pages)
        crawl.record(places, Answers(changed[pages], found[pages]))
    asked = np.concatenate(order)
    return _Trial(
        worth=np.concatenate(worth),
        requests=(1 + found[asked]).astype(np.float64),
        caught=(changed[asked] + found[asked]).astype(np.float64),
        pages=int(site.live[version].sum()),
        changes=len(site.history.changes[version]),
    )
