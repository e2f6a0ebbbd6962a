"""Which pages of a site to fetch in this crawl: best first, and learning while it goes.

No paper: on real sites changes come together along the tree, so the reverse of paper 000's rules pays. A directory in
which something already turned out changed gets more requests, one that turned out quiet gets fewer, and so do pages
of the same name elsewhere (translations). Notation of the design notes -> here:
    P        `SiteOutlook.pending`               u   `SiteOutlook.new_pages`
    e, c     changes expected and found among the fetched pages of a subtree
    m        burst multiplier of a directory     f   multiplier of a name group
    q        value of a request: probable changes it would catch
Likely pages are fetched first and serve as probes for the rest. A share of every round goes to the pages that
were not seen for longest, which is the only unbiased view of what is being missed.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from strandline.core.changes.directories import Ids, TreeShape
from strandline.core.history.tree_kernels import shrink_down, subtree_sums
from strandline.core.mining.site_rates import Floats, SiteOutlook
from strandline.core.mining.togetherness import LOOSE, SITE_PRIOR, SURE

MASS_UPDATE = 0.3
"""Share of the pages that changed in a crawl though their past did not say so, from which on all pages are taken to
have changed so. Origin: a guess."""
UNLIKELY = 0.5
"""Chance below which a page that changed says so; a busy page would have changed anyway.
Origin: measured, of .3, .5 and .7 by the kinds of tests/lab/simulate/test_site_loops.py."""


@dataclass(frozen=True, slots=True)
class BurstSettings:
    """How quickly what a crawl finds changes what it does next."""

    directory_prior: float | None = None
    """Expected changes after which a directory's own findings outweigh its parent's multiplier; None: as learned from
    the site's own crawls."""
    site_prior: float = SITE_PRIOR
    name_prior: float | None = None
    """The same for pages of one name."""
    rounds: int = 40
    """The pages of a site are fetched in about this many rounds, with new multipliers after each."""
    counted_new_pages: int = 3
    """New pages of one hub that count as evidence of a burst."""
    oldest_share: float = 0.1
    """Share of the requests for the pages that were not fetched for longest."""
    oldest_from: float = 10.0
    """Weeks from which on a page is one of those, where pages change by themselves: there a page that is asked out of
    turn says nothing about its neighbours. Where changes come together any age will do."""
    learn_in_crawl: bool = True
    """Off: the plain page rate, all multipliers stay 1."""


@dataclass(frozen=True, slots=True)
class StopRule:
    """When a crawl of a site is enough; the first limit that is reached stops it."""

    budget: int | None = None
    """Requests, those for newly found pages included."""
    price: float | None = None
    """Stop when the best remaining request is worth less than this many changes."""
    target: float | None = None
    """Stop when this share of the changes is caught, as far as can be estimated (optimistic by .01 to .05)."""

    def __post_init__(self) -> None:
        """Refuse limits that cannot be meant."""
        if self.budget is not None and self.budget < 0:
            raise ValueError(f"budget must not be negative: {self.budget}")
        if self.target is not None and not 0.0 <= self.target <= 1.0:
            raise ValueError(f"target must lie between 0 and 1, not {self.target}")


@dataclass(frozen=True, slots=True)
class Answers:
    """What the site answered to a round, page by page."""

    changed: NDArray[np.bool_]
    """Other content, or gone."""
    found: NDArray[np.int64]
    """How many new pages it showed; each is fetched at once."""


class SiteCrawl:
    """One crawl of one site: ask for the next round, record the answers, repeat."""

    def __init__(
        self,
        shape: TreeShape,
        outlook: SiteOutlook,
        settings: BurstSettings | None = None,
        weights: Floats | None = None,
    ) -> None:
        """`weights` multiply the value of each of the outlook's pages (importance, priority; 0 forbids it)."""
        self.outlook = outlook
        self.settings = settings or BurstSettings()
        self.requests = 0
        self.caught = 0
        self._parents = shape.parents
        self._directories = shape.page_directories[outlook.pages]
        self._groups = shape.name_groups[outlook.pages]
        self._weights = weights
        self._open = np.ones(len(outlook.pages), dtype=np.bool_) if weights is None else weights > 0
        self._changed = np.zeros(len(outlook.pages), dtype=np.bool_)
        self._expected = np.zeros(shape.directories)
        self._seen = np.zeros(shape.directories)
        self._late = np.zeros(shape.directories)
        self._multipliers = np.ones(shape.directories)
        self._group_changes = np.zeros(int(shape.name_groups.max()) + 1 if shape.pages else 1)
        self._group_factors = np.ones(len(self._group_changes))
        self._fetched: list[NDArray[np.int64]] = []
        given = self.settings.directory_prior, self.settings.name_prior
        self._directory_prior = outlook.directory_prior if given[0] is None else given[0]
        self._name_prior = outlook.name_prior if given[1] is None else given[1]
        by_themselves = self._directory_prior > LOOSE and self.settings.oldest_share < 1.0
        self._oldest_from = self.settings.oldest_from if by_themselves else -np.inf

    def values(self) -> Floats:
        """Value of a request for each page of the outlook, as known now; fetched pages keep theirs."""
        expected_new = self._expected_new()
        value = (self.chances() + expected_new) / (1.0 + expected_new)
        return value if self._weights is None else value * self._weights

    def chances(self) -> Floats:
        """Probability that each page of the outlook has changed, with what this crawl has shown so far."""
        chance = self.outlook.pending * self._factors()
        high = chance > 0.5
        chance[high] = 1.0 - 0.25 / chance[high]
        return chance

    def reason(self, place: int) -> str:
        """Why a page has its value: one line for an archivist."""
        look = self.outlook
        parts = [f"{look.rates[place]:.1%} a visit by its history"]
        if look.pending[place] > look.rates[place] * 1.001:
            parts.append(f"{look.pending[place]:.1%} with the crawls that left it out")
        for label, factor in (
            ("its directory", self._multipliers[self._directories[place]]),
            ("pages of its name", self._group_factors[self._groups[place]]),
        ):
            if abs(factor - 1.0) >= 0.05:
                parts.append(f"x{factor:.2g} by what this crawl found in {label}")
        if look.new_pages[place] > 0.0:
            parts.append(f"shows about {look.new_pages[place]:.2g} new pages")
        return "change expected: " + ", ".join(parts)

    def next_round(self, stop: StopRule) -> NDArray[np.int64]:
        """Places (in the outlook's pages) to fetch now, best first; empty when the crawl is over."""
        nothing = np.empty(0, dtype=np.int64)
        left = np.flatnonzero(self._open)
        size = max(1, len(self._open) // self.settings.rounds)
        if stop.budget is not None:
            size = min(size, stop.budget - self.requests)
        if size <= 0 or not len(left):
            return nothing
        values = self.values()
        if stop.target is not None and self.share_caught() >= stop.target:
            return nothing
        oldest = int(np.ceil(size * self.settings.oldest_share)) if size > 1 else 0
        stale = self._open & (self.outlook.ages >= self._oldest_from)
        oldest = min(oldest, int(stale.sum()))
        best = left[_largest(values[left], size - oldest)]
        if stop.price is not None:
            best = best[values[best] >= stop.price]
            if not len(best):
                return nothing
        if not oldest:
            return best
        stale[best] = False
        rest = np.flatnonzero(stale)
        return np.concatenate([best, rest[_largest(self.outlook.ages[rest], oldest)]])

    def record(self, places: NDArray[np.int64], answers: Answers) -> None:
        """Take in the answers to a round and recompute all multipliers."""
        self._open[places] = False
        self._changed[places] = answers.changed
        self._fetched.append(places)
        self.requests += len(places) + int(answers.found.sum())
        self.caught += int(answers.changed.sum() + answers.found.sum())
        if not self.settings.learn_in_crawl:
            return
        directories, groups = self._directories[places], self._groups[places]
        shown = np.minimum(answers.found, self.settings.counted_new_pages)
        np.add.at(self._expected, directories, self.outlook.pending[places] + self.outlook.new_pages[places])
        np.add.at(self._seen, directories, answers.changed + shown)
        np.add.at(self._group_changes, groups, answers.changed.astype(np.float64))
        self._recompute()

    def met(self, directories: NDArray[np.int64]) -> None:
        """Take in new pages that turned up later, each by the directory of the hub that shows it."""
        np.add.at(self._late, directories, 1.0)
        self.requests += len(directories)
        self.caught += len(directories)
        if self.settings.learn_in_crawl:
            self._recompute()

    def left_over(self) -> tuple[Ids, Floats]:
        """Pages the crawl did not reach and the hazard they carry into the next one."""
        missed = np.ones(len(self._open), dtype=np.bool_)
        missed[self.fetched_places()] = False
        return self.outlook.pages[missed], (self.outlook.rates * self._factors())[missed] + self._mass_update()

    def _mass_update(self) -> float:
        """Hazard of whatever changed pages of every kind alike (new templates, a move). What a page's own past makes
        likely is multiplied by what a crawl finds; that leaves a still page still, also when everything asked for had
        changed. So let each page change by its own chance or with all others; unlikely ones that did tell how many.
        """
        places = self.fetched_places()
        if not self.settings.learn_in_crawl or not len(places):
            return 0.0
        own = self.chances()[places]
        places, own = places[own < UNLIKELY], own[own < UNLIKELY]
        found = float(self._changed[places].sum() - own.sum())
        share = found / (float((1.0 - own).sum()) + self.settings.site_prior)
        return -math.log1p(-min(share, SURE)) if share >= MASS_UPDATE else 0.0

    def share_caught(self) -> float:
        """Estimated share of all changes that the crawl has caught so far; optimistic by .01 to .05."""
        missed = np.ones(len(self._open), dtype=np.bool_)
        missed[self.fetched_places()] = False
        remaining = float((self.chances() + self._expected_new())[missed].sum())
        return (self.caught + 0.5) / (self.caught + remaining + 0.5)

    def fetched_places(self) -> NDArray[np.int64]:
        """Places fetched so far, in order."""
        return np.concatenate([np.empty(0, dtype=np.int64), *self._fetched])

    def directory_multipliers(self) -> Floats:
        """The burst multiplier of every directory: above 1 busier than usual, below 1 quieter."""
        return self._multipliers

    def _recompute(self) -> None:
        settings = self.settings
        own = self._seen + np.minimum(self._late, settings.counted_new_pages)
        expected, seen = subtree_sums(self._parents, self._expected), subtree_sums(self._parents, own)
        top = (settings.site_prior + seen[0]) / (settings.site_prior + expected[0])
        # The root's multiplier is `top` itself: no events and no trials of its own are added to it.
        expected[0] = seen[0] = 0.0
        self._multipliers = shrink_down(self._parents, seen, expected, top, self._directory_prior)
        places = self.fetched_places()
        surprise = np.minimum(SURE, self.outlook.pending[places] * self._multipliers[self._directories[places]])
        expected_names = np.bincount(self._groups[places], surprise, len(self._group_changes))
        self._group_factors = (self._name_prior + self._group_changes) / (self._name_prior + expected_names)

    def _factors(self) -> Floats:
        return self._multipliers[self._directories] * self._group_factors[self._groups]

    def _expected_new(self) -> Floats:
        return self.outlook.new_pages * self._multipliers[self._directories]


def run_crawl(crawl: SiteCrawl, stop: StopRule, ask: Callable[[Ids], Answers]) -> Ids:
    """Drive a crawl to its end; `ask` fetches pages. Returns the pages asked for, in order."""
    while len(places := crawl.next_round(stop)):
        crawl.record(places, ask(crawl.outlook.pages[places]))
    return crawl.outlook.pages[crawl.fetched_places()]


def _largest(values: Floats, count: int) -> NDArray[np.int64]:
    """Places of the `count` largest values, largest first; equal values in the order of their places."""
    if count < len(values):
        cut = len(values) - count
        edge = np.partition(values, cut)[cut] if count else np.inf
        above = np.flatnonzero(values > edge)
        places = np.concatenate([above, np.flatnonzero(values == edge)[: count - len(above)]])
    else:
        places = np.arange(len(values))
    return places[np.argsort(-values[places], kind="stable")]
