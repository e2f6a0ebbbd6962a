"""From captures to what is known about the directories of a site: rules, dormant directories, directory rates.

Captures of one period (a week, say) make a version of the site (core/learn/site_looks). Where study knows how much a
change mattered, an updated page counts that much in the degree of change: the step the authors of NEAR-Miner (paper
000) left for later. A change that hardly matters (a clock, a counter) is none for the rules, nor when
thresholds are chosen on the site's own history (core/plan/skip_choice): skipping it is no loss. The dormant baseline
and the rates of the site-level policy are always shown beside the rules; both count every change.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from strandline.core.changes.directories import Ids, SiteIndex
from strandline.core.history.delta_tree import SMALLEST, ChangeWindow, DeltaTree
from strandline.core.history.site_versions import Mask, SiteHistory
from strandline.core.history.tree_kernels import topmost_listed
from strandline.core.mining.learned import DirectoryView, SiteRules, Visits
from strandline.core.mining.near import Thresholds, dormant_directories, dormant_paths, mine_numbers, named_rules
from strandline.core.mining.site_looks import GatheredLooks
from strandline.core.mining.site_rates import WEEK, SiteRates
from strandline.core.mining.site_state import NEGLIGIBLE, Price, SiteState
from strandline.core.skip.price_choice import choose_price
from strandline.core.skip.quiet_directories import SkipAnswer, warm
from strandline.core.skip.threshold_choice import choose_for_site

RESTLESS = 0.2
"""A page whose bytes differ without a visible change in more than this share of its captures is no witness by them.
Origin: a guess."""


@dataclass(frozen=True, slots=True)
class GivenThresholds:
    """Thresholds as the user gave them; None where the site's own history decides."""

    alpha: float | None = None
    beta: float | None = None
    gamma: float | None = None
    theta: float | None = None
    literal: bool = False
    """A correlation of 0/0 is 0, as the paper prints it."""

    @property
    def all_open(self) -> bool:
        """Whether nothing was given."""
        return self.alpha is self.beta is self.gamma is self.theta is None and not self.literal

    def over(self, base: Thresholds) -> Thresholds:
        """These thresholds, and those of `base` where none was given."""
        given = {name: getattr(self, name) for name in ("alpha", "beta", "gamma", "theta")}
        kept = {name: value for name, value in given.items() if value is not None}
        return replace(base, **kept, degenerate="none" if self.literal else base.degenerate)


@dataclass(frozen=True, slots=True)
class RuleWish:
    """How rules are to be learned."""

    period: float = WEEK
    """Seconds that make a version."""
    recall: float = 0.95
    """Least share of the changes that chosen thresholds must catch."""
    weighted: bool = True
    """Whether updated pages count by the importance of their change."""
    given: GivenThresholds = GivenThresholds()


@dataclass(frozen=True, slots=True, eq=False)
class MinedSite:
    """Rules of a site, with the tree they were mined from (for figures)."""

    learned: SiteRules
    history: SiteHistory
    window: ChangeWindow
    skipped: SkipAnswer
    state: SiteState | None = None
    """What the site-level policy learned; None for a history that is not an archive's."""


def learn_rules(site: str, pages: Sequence[Visits], wish: RuleWish) -> MinedSite:
    """Rules, dormant directories and directory rates of one site."""
    gathered = GatheredLooks(wish.period)
    gathered.add(pages)
    return gathered_rules(site, gathered, wish)


def gathered_rules(site: str, gathered: GatheredLooks, wish: RuleWish) -> MinedSite:
    """The same of captures that were gathered some pages at a time, by the period of the wish."""
    looks = gathered.looks()
    whole, rates, every = looks.whole_versions(), looks.rates(), looks.history()
    history = looks.history(NEGLIGIBLE) if wish.weighted else every
    pages = _Pages(looks.index, looks.owners, looks.period)
    del looks  # of a large site the rows take as much memory as what is mined from them
    mined = mine_history(site, history, wish)
    window = DeltaTree.of(every, (SMALLEST,)).window()
    learned = replace(
        mined.learned,
        captures=gathered.captures,
        first=gathered.first,
        last=gathered.last,
        weighted=wish.weighted,
        dormant=tuple(dormant_paths(window, every.watched_directories())),
        directories=_views(pages, rates, (window, every.watched_directories()), mined.skipped),
    )
    price = choose_price(every, whole, wish.recall)
    return replace(mined, learned=learned, state=_state(gathered, pages, rates, (len(whole), price)))


@dataclass(frozen=True, slots=True)
class _Pages:
    """What is left of a site's looks once it is known what they teach; see site_looks.SiteLooks."""

    index: SiteIndex
    owners: Ids
    period: float


def mine_history(site: str, history: SiteHistory, wish: RuleWish) -> MinedSite:
    """Rules and dormant directories of a history, whatever it came from."""
    choice = choose_for_site(history, floor=wish.recall) if _to_be_chosen(wish.given) else None
    thresholds = wish.given.over(choice.thresholds if choice else Thresholds())
    tree = DeltaTree.of(history, (thresholds.alpha, SMALLEST))
    window = tree.window()
    watched = history.watched_directories()
    numbers = mine_numbers(window, thresholds).about(watched)
    skipped = (
        warm(history.shape, numbers, window.root)
        if window.root >= 0
        else SkipAnswer(np.full(history.shape.directories, -1, dtype=np.int64))
    )
    learned = SiteRules(
        site=site,
        versions=history.versions,
        period=wish.period,
        captures=0,
        first=0.0,
        last=0.0,
        weighted=False,
        thresholds=thresholds,
        chosen=choice is not None,
        bypass_ratio=choice.bypass_ratio if choice else None,
        change_recall=choice.change_recall_strict if choice else None,
        rules=tuple(named_rules(window, numbers)),
        dormant=tuple(dormant_paths(tree.window(SMALLEST), watched)),
        directories=(),
    )
    return MinedSite(learned, history, window, skipped)


def _to_be_chosen(given: GivenThresholds) -> bool:
    return given.alpha is given.beta is given.theta is None


def _state(gathered: GatheredLooks, looks: _Pages, rates: SiteRates, chosen: tuple[int, Price | None]) -> SiteState:
    """What a crawl that skips by the site-level policy has to know."""
    pages, captures, restless = (column[looks.owners] for column in gathered.pages())
    whole, price = chosen
    return SiteState.of(
        looks.index,
        rates,
        pages,
        restless > RESTLESS * (captures - 1),
        period=looks.period,
        whole=whole,
        price=price,
    )


def _views(
    looks: _Pages, rates: SiteRates, seen: tuple[ChangeWindow, Mask], skipped: SkipAnswer
) -> tuple[DirectoryView, ...]:
    """Directories that hold pages now, the likeliest to change first.

    `seen` are every change, and which directories were looked at more than once.
    """
    window, watched = seen
    shape = looks.index.shape()
    outlook = rates.outlook(shape, rates.now + 1.0)
    inside = shape.page_directories[outlook.pages]
    own = np.bincount(inside, minlength=shape.directories)
    a_week = 1.0 - (1.0 - outlook.rates) ** (WEEK / looks.period)
    chances = np.bincount(inside, a_week, shape.directories) / np.maximum(own, 1)
    # Whole columns, worked out once: a site can have as many directories as pages.
    dormant = topmost_listed(window.parents, dormant_directories(window) & watched) >= 0
    counts, near = window.change_counts, skipped.directories
    views = [
        DirectoryView(
            path=looks.index.directory_path(number),
            pages=int(own[number]),
            changes_a_week=float(chances[number]),
            changed=int(counts[number]),
            near=bool(near[number]),
            dormant=bool(dormant[number]),
        )
        for number in np.flatnonzero(own).tolist()
    ]
    return tuple(sorted(views, key=lambda view: (-view.changes_a_week, view.path)))
