"""From captures to what is known about the directories of a site: rules, dormant directories, directory rates.

Captures of one period (a week, say) make a version of the site, with the last known state of every page. Where study
knows how much a change mattered, an updated page counts that much in the degree of change: the step the authors of
NEAR-Miner (paper 000) left for later. A change that hardly matters (a clock, a counter) is none for the rules, nor when
thresholds are chosen on the site's own history (core/plan/skip_choice): skipping it is no loss. The dormant baseline
and the rates of the site-level policy are always shown beside the rules; both count every change.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from strandline.core.changes.directories import PageChanges, SiteIndex
from strandline.core.history.delta_tree import SMALLEST, ChangeWindow, DeltaTree
from strandline.core.history.site_versions import SiteHistory
from strandline.core.history.tree_kernels import topmost_listed
from strandline.core.learn.learned import DirectoryView, SiteRules, Visits
from strandline.core.learn.near import Thresholds, dormant_directories, dormant_paths, mine, mine_numbers
from strandline.core.learn.site_rates import WEEK, SiteRates, rates_from_captures
from strandline.core.learn.site_state import SiteState
from strandline.core.plan.price_choice import choose_price
from strandline.core.plan.skip import SkipAnswer, warm
from strandline.core.plan.skip_choice import choose_for_site
from strandline.core.urls import path_segments

NEGLIGIBLE = 0.01
"""Importance of a page's changes within a version below which it counts as not changed."""
RESTLESS = 0.2
"""A page whose bytes differ without a visible change in more than this share of its captures is no witness by them."""
WHOLE = 0.9
"""Share of a site's pages that must have been looked at for a version to count as seen whole."""


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


def site_history(pages: Sequence[Visits], period: float) -> SiteHistory:
    """The captures of a site as versions; a page that answered 404 or 410 is gone. Every update counts the same."""
    return SiteHistory.from_captures(_states(_one_page_a_path(pages)), period)


def weighted_history(plain: SiteHistory, chosen: Mapping[str, Visits], period: float) -> SiteHistory:
    """The same versions with the importance of every update; negligible updates are left out.

    `chosen` are the pages by path.
    """
    numbers = sorted({number for visits in chosen.values() for number in np.unique(visits.times // period).tolist()})
    version_of = {number: version for version, number in enumerate(numbers)}
    amounts: list[dict[int, float]] = [{} for _ in numbers]
    for path, visits in chosen.items():
        page = plain.index.find(path)
        if page is None:
            continue
        places = np.flatnonzero(visits.changed)
        versions = (visits.times[places] // period).tolist()
        for number, amount in zip(versions, visits.importance[places].tolist(), strict=True):
            book = amounts[version_of[number]]
            book[page] = book.get(page, 0.0) + amount
    history = SiteHistory()
    history.index = plain.index
    for time, changes, book in zip(plain.times, plain.changes, amounts, strict=True):
        weights = np.array([min(1.0, book.get(page, 1.0)) for page in changes.updated.tolist()])
        matters = weights >= NEGLIGIBLE
        kept = PageChanges(changes.inserted, changes.deleted, changes.updated[matters], weights[matters])
        history.add_changes(time, kept)
    return history


def _one_page_a_path(pages: Sequence[Visits]) -> dict[str, Visits]:
    """Pages by path; of an address kept under http and https, the one with more captures."""
    chosen: dict[str, Visits] = {}
    for visits in pages:
        path = "/".join(path_segments(visits.url))
        known = chosen.get(path)
        if known is None or visits.times.size > known.times.size:
            chosen[path] = visits
    return chosen


def _states(pages: dict[str, Visits]) -> Iterator[tuple[float, str, str | None]]:
    """(time, path, a text that differs when the content does) in the order of time; None for a page that is gone."""
    paths = list(pages)
    owner = np.concatenate([np.empty(0, np.int64), *(np.full(v.times.size, i) for i, v in enumerate(pages.values()))])
    times = np.concatenate([np.empty(0), *(visits.times for visits in pages.values())])
    version = np.concatenate([np.empty(0, np.int64), *(np.cumsum(visits.changed) for visits in pages.values())])
    gone = np.concatenate([np.empty(0, np.bool_), *(visits.gone for visits in pages.values())])
    states = [str(number) for number in range(int(version.max(initial=0)) + 1)]
    order = np.argsort(times, kind="stable")
    columns = (times[order].tolist(), owner[order].tolist(), version[order].tolist(), gone[order].tolist())
    for time, page, number, absent in zip(*columns, strict=True):
        yield time, paths[page], None if absent else states[number]


def learn_rules(site: str, pages: Sequence[Visits], wish: RuleWish) -> MinedSite:
    """Rules, dormant directories and directory rates of one site."""
    chosen = _one_page_a_path(pages)
    every = SiteHistory.from_captures(_states(chosen), wish.period)
    history = weighted_history(every, chosen, wish.period) if wish.weighted else every
    mined = mine_history(site, history, wish)
    window = DeltaTree.of(every, (SMALLEST,)).window()
    index, rates = rates_from_captures(_states(chosen), wish.period)
    learned = replace(
        mined.learned,
        captures=sum(visits.times.size for visits in pages),
        first=min((float(visits.times[0]) for visits in pages), default=0.0),
        last=max((float(visits.times[-1]) for visits in pages), default=0.0),
        weighted=wish.weighted,
        dormant=tuple(dormant_paths(window)),
        directories=_views(index, rates, (window, mined.skipped), wish.period),
    )
    return replace(mined, learned=learned, state=_state(chosen, every, (index, rates), wish))


def mine_history(site: str, history: SiteHistory, wish: RuleWish) -> MinedSite:
    """Rules and dormant directories of a history, whatever it came from."""
    choice = choose_for_site(history, floor=wish.recall) if _to_be_chosen(wish.given) else None
    thresholds = wish.given.over(choice.thresholds if choice else Thresholds())
    tree = DeltaTree.of(history, (thresholds.alpha, SMALLEST))
    window = tree.window()
    numbers = mine_numbers(window, thresholds)
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
        rules=tuple(mine(window, thresholds)),
        dormant=tuple(dormant_paths(tree.window(SMALLEST))),
        directories=(),
    )
    return MinedSite(learned, history, window, skipped)


def _to_be_chosen(given: GivenThresholds) -> bool:
    return given.alpha is given.beta is given.theta is None


def _state(
    pages: dict[str, Visits], history: SiteHistory, learned: tuple[SiteIndex, SiteRates], wish: RuleWish
) -> SiteState:
    """What a crawl that skips by the site-level policy has to know."""
    index, rates = learned
    visits = [pages[index.page_path(page)] for page in range(len(index))]
    whole = whole_versions(history, pages.values(), wish.period)
    restless = [one.restless > RESTLESS * (one.times.size - 1) for one in visits]
    return SiteState.of(
        index,
        rates,
        np.array([one.page for one in visits], dtype=np.int64),
        np.array(restless, dtype=np.bool_),
        period=wish.period,
        whole=len(whole),
        price=choose_price(history, whole, wish.recall),
    )


def whole_versions(history: SiteHistory, pages: Iterable[Visits], period: float) -> list[int]:
    """Versions in which nearly all pages that existed were looked at."""
    numbers = np.concatenate([np.empty(0), *(np.unique(visits.times // period) for visits in pages)])
    _, looked_at = np.unique(numbers, return_counts=True)
    live = 0
    found = []
    for version, (changes, count) in enumerate(zip(history.changes, looked_at.tolist(), strict=True)):
        live += len(changes.inserted) - len(changes.deleted)
        if count >= WHOLE * live:
            found.append(version)
    return found


def _views(
    index: SiteIndex, rates: SiteRates, told: tuple[ChangeWindow, SkipAnswer], period: float
) -> tuple[DirectoryView, ...]:
    """Directories that hold pages now, the likeliest to change first."""
    window, skipped = told
    shape = index.shape()
    outlook = rates.outlook(shape, rates.now + 1.0)
    inside = shape.page_directories[outlook.pages]
    own = np.bincount(inside, minlength=shape.directories)
    a_week = 1.0 - (1.0 - outlook.rates) ** (WEEK / period)
    chances = np.bincount(inside, a_week, shape.directories) / np.maximum(own, 1)
    # Whole columns, worked out once: a site can have as many directories as pages.
    quiet = topmost_listed(window.parents, dormant_directories(window)) >= 0
    counts, near = window.change_counts, skipped.directories
    assert window.index is not None
    views = []
    for place in np.flatnonzero(own).tolist():
        path = index.directory_path(place)
        number = window.index.find_directory(path)
        assert number is not None  # both were built from the same captures
        views.append(
            DirectoryView(
                path=path,
                pages=int(own[place]),
                changes_a_week=float(chances[place]),
                changed=int(counts[number]),
                near=bool(near[number]),
                dormant=bool(quiet[number]),
            )
        )
    return tuple(sorted(views, key=lambda view: (-view.changes_a_week, view.path)))
