"""How likely is each page of a site to have changed, and where do new pages appear?

No paper: page-level rates which borrow from their directory and it from the directories above, because most
pages have changed too rarely to tell. Notation of the design notes -> here:
    x, n      changes and weeks of a page, both forgotten at the rate `forgetting` a week
    A, B      `directory_prior` (page-weeks) and `page_prior` (weeks): how much evidence outweighs the level above
    r, p      rate of a subtree; rate of a directory's own pages and of a page
    g         weight of a week: a mass update (new templates, say) must not drown what is usual
    i, W, u   new pages and weeks of a unit; expected new pages a week
    H         hazard a page has gathered in the crawls which did not reach it
A *unit* is a directory with pages of its own. Its *hub* (the index page, else the page most likely to change) is where
new pages show: those of the directory, and of directories below that have no page yet.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from strandline.core.changes.directories import Ids, TreeShape
from strandline.core.history.tree_kernels import best_pages, nearest_holder, shrink_down, subtree_sums
from strandline.core.mining.page_forecasts import FORECASTERS, LONG, Forecaster, ForecastScores, Memory, PageCounts
from strandline.core.mining.togetherness import SURE, Found, Togetherness

Floats = NDArray[np.float64]
WEEK = 7 * 86400.0
"""Seconds. Origin: a unit."""
MOST_HAZARD = 3.0
"""Most hazard that one crawl can add to a page it did not reach. Origin: a guess."""


@dataclass(frozen=True, slots=True)
class RateSettings:
    """How fast to forget and how much to borrow."""

    forgetting: float = 0.9
    directory_prior: float = 1000.0
    page_prior: float = 6.0
    busy_share: float = 0.05
    """A week in which a larger share of the known pages changed counts proportionally less."""
    longest_gap: float = 20.0
    """Weeks without a visit count up to this many."""
    forecasters: tuple[Forecaster, ...] = FORECASTERS
    """Tried on every crawl beside the one that the fields above describe; the site's own crawls weigh them."""


@dataclass(frozen=True, slots=True)
class CrawlSeen:
    """What one crawl saw. `changed` and `gone` belong to `fetched`; a page that is gone is changed, too."""

    fetched: Ids
    changed: NDArray[np.bool_]
    gone: NDArray[np.bool_]
    found: Ids
    """Pages met for the first time."""


@dataclass(frozen=True, slots=True)
class SiteOutlook:
    """What to expect of the coming crawl. Page arrays belong to `pages`."""

    pages: Ids
    rates: Floats
    """Probability of a change since the last crawl."""
    pending: Floats
    """Probability of a change since the page's last fetch."""
    new_pages: Floats
    """Expected new pages which the page would show, as hub of one or more units."""
    ages: Floats
    """Weeks since the last fetch."""
    directory_rates: Floats
    units: NDArray[np.int64]
    """For each directory, the unit whose hub shows its new pages."""
    hubs: NDArray[np.int64]
    """For each unit the number of its hub page; -1 for directories that are no unit."""
    directory_prior: float
    """Expected changes after which what a crawl finds in a directory outweighs what it finds around it."""
    name_prior: float
    """The same for pages of one name."""
    forecasts: Floats
    """Rates a week as each forecaster has them: forecasters x pages; `rates` is their mean, weighted by success."""


class SiteRates:
    """Learns from crawls of one site, full or partial. Pages are the numbers of a `TreeShape`, times are weeks.

    Any other unit of time may stand for the week, when a site is crawled more often or more rarely than that.
    """

    def __init__(self, settings: RateSettings | None = None) -> None:
        self.settings = settings or RateSettings()
        self.now = 0.0
        self.known = np.zeros(0, dtype=np.bool_)
        self._counts: dict[Memory, PageCounts] = {memory: PageCounts() for memory in Memory}
        self._hazard = np.zeros(0)
        self._last = np.zeros(0)
        self._found = np.zeros(1)
        self._unit_weeks = np.zeros(1)
        self.together = Togetherness()
        self.scores = ForecastScores(np.zeros(1 + len(self.settings.forecasters)))

    def start(self, shape: TreeShape, pages: Ids, now: float) -> None:
        """The first full crawl: these pages exist."""
        self._grow(shape)
        self.now = now
        self._meet(pages)

    def observe(self, shape: TreeShape, outlook: SiteOutlook, seen: CrawlSeen, now: float) -> None:
        """Learn from a crawl at time `now` for which `outlook` was the expectation."""
        self._grow(shape)
        forget = self.settings.forgetting ** (now - self.now)
        for column in (self._found, self._unit_weeks):
            column *= forget
        share = seen.changed.sum() / max(1, int(self.known.sum()))
        weight = min(1.0, self.settings.busy_share / share) if share else 1.0
        gaps = np.minimum(now - self._last, self.settings.longest_gap)
        fetched = np.zeros(shape.pages, dtype=np.bool_)
        fetched[seen.fetched] = True
        self._learn_together(shape, outlook, seen, (forget, weight))
        self._judge(outlook, seen, gaps, (forget, weight))
        hubs = outlook.hubs
        held = np.flatnonzero(hubs >= 0)
        asked = held[fetched[hubs[held]]]
        self._unit_weeks[asked] += weight * gaps[hubs[asked]]
        np.add.at(self._found, outlook.units[shape.page_directories[seen.found]], weight)
        for memory, counts in self._counts.items():
            counts.forget(LONG ** (now - self.now) if memory is Memory.LONG else forget)
            counts.add(seen.fetched, seen.changed, gaps[seen.fetched], weight if memory is Memory.CALM else 1.0)
        self._hazard[seen.fetched] = 0.0
        self._last[seen.fetched] = now
        self.known[seen.fetched[seen.gone]] = False
        self.now = now
        self._meet(seen.found)

    def _learn_together(
        self, shape: TreeShape, outlook: SiteOutlook, seen: CrawlSeen, weights: tuple[float, float]
    ) -> None:
        expected = np.zeros(shape.pages)
        expected[outlook.pages] = outlook.pending
        pages = seen.fetched
        found = Found(shape.page_directories[pages], shape.name_groups[pages], expected[pages], seen.changed)
        self.together.forget(weights[0])
        self.together.learn(shape.parents, found, weights[1])

    def _judge(self, outlook: SiteOutlook, seen: CrawlSeen, gaps: Floats, weights: tuple[float, float]) -> None:
        """Hold every forecaster against what was found."""
        places = np.full(len(self.known), -1, dtype=np.int64)
        places[outlook.pages] = np.arange(len(outlook.pages))
        expected = places[seen.fetched] >= 0
        pages = seen.fetched[expected]
        chances = 1.0 - (1.0 - outlook.forecasts[:, places[pages]]) ** gaps[pages]
        self.scores.forget(weights[0])
        self.scores.learn(chances, seen.changed[expected], weights[1])

    def page_counts(self) -> dict[Memory, PageCounts]:
        """Changes and weeks of every page, by number, as each memory has them."""
        return self._counts

    def unit_counts(self) -> tuple[Floats, Floats]:
        """Weighted new pages and weeks of every unit, by the number of its directory."""
        return self._found, self._unit_weeks

    def restore(self, shape: TreeShape, pages: dict[Memory, PageCounts], units: tuple[Floats, Floats]) -> None:
        """Take over counts that were kept, for all pages and directories of a tree; `seen_at` says what exists."""
        self._grow(shape)
        self._counts = pages
        self._found, self._unit_weeks = units

    def seen_at(self, known: NDArray[np.bool_], last: Floats, now: float) -> None:
        """Which pages exist, and when each was last fetched, when a crawl at time `now` is being thought of.

        Nothing but these times is known of the crawls in between: the last one counts as a week ago.
        """
        self.known, self._last, self.now = known, last, now - 1.0

    def carry_over(self, pages: Ids, hazard: Floats) -> None:
        """Remember what the last crawl made likely for pages it did not reach."""
        self._hazard[pages] += np.minimum(MOST_HAZARD, hazard)

    def outlook(self, shape: TreeShape, now: float) -> SiteOutlook:
        """What to expect of a crawl at time `now`."""
        self._grow(shape)
        pages = np.flatnonzero(self.known)
        directories = shape.page_directories
        own_pages = np.bincount(directories[pages], minlength=shape.directories)
        forecasts, own = self._forecasts(shape, pages)
        page_rates, directory_rates = self.scores.mixed(forecasts), self.scores.mixed(own)
        elapsed = max(now - self.now, 0.0)
        rates = 1.0 - (1.0 - page_rates) ** elapsed if elapsed != 1.0 else page_rates
        units = nearest_holder(shape.parents, own_pages > 0)
        scores = page_rates + 2.0 * shape.index_pages[pages]
        best = best_pages(directories, pages, scores, shape.directories)
        if len(pages) and best[0] < 0:
            best[0] = _stand_in(shape, units, best, scores)
        ages = now - self._last[pages]
        new_pages = np.zeros(len(pages))
        held = np.flatnonzero(best >= 0)
        # New pages can be met in a unit whose hub nobody has asked again yet: then they stand for one week.
        watched = np.where(self._unit_weeks[held] > 0.0, self._unit_weeks[held], 1.0)
        np.add.at(new_pages, best[held], ages[best[held]] * self._found[held] / watched)
        hubs = np.full(shape.directories, -1, dtype=np.int64)
        hubs[held] = pages[best[held]]
        return SiteOutlook(
            pages=pages,
            rates=rates,
            pending=1.0 - (1.0 - rates) * np.exp(-self._hazard[pages]),
            new_pages=new_pages,
            ages=ages,
            directory_rates=directory_rates,
            units=units,
            hubs=hubs,
            directory_prior=self.together.directory_prior,
            name_prior=self.together.name_prior,
            forecasts=forecasts,
        )

    def _forecasts(self, shape: TreeShape, pages: Ids) -> tuple[Floats, Floats]:
        """Rates a week by each forecaster: of the known pages, and of the directories' own pages."""
        settings = self.settings
        usual = Forecaster(settings.page_prior, settings.directory_prior, Memory.CALM)
        both = [self._rates(shape, pages, one) for one in (usual, *settings.forecasters)]
        return np.array([one[0] for one in both]), np.array([one[1] for one in both])

    def _rates(self, shape: TreeShape, pages: Ids, by: Forecaster) -> tuple[Floats, Floats]:
        counts = self._counts[by.memory]
        directories = shape.page_directories
        changes = np.bincount(directories, counts.changes, shape.directories).astype(np.float64)
        weeks = np.bincount(directories, counts.weeks, shape.directories).astype(np.float64)
        all_changes, all_weeks = subtree_sums(shape.parents, changes), subtree_sums(shape.parents, weeks)
        site = (all_changes[0] + 0.5) / (all_weeks[0] + 10.0)  # one change in 20 page-weeks before anything is seen
        subtree = shrink_down(shape.parents, all_changes, all_weeks, site, by.directory_prior)
        own = (by.directory_prior * subtree + changes) / (by.directory_prior + weeks)
        borrowed = by.page_prior * own[directories[pages]]
        rates = (borrowed + counts.changes[pages]) / (by.page_prior + counts.weeks[pages])
        return np.minimum(SURE, rates), own

    def _meet(self, pages: Ids) -> None:
        self.known[pages] = True
        self._last[pages] = self.now
        self._hazard[pages] = 0.0

    def _grow(self, shape: TreeShape) -> None:
        missing = shape.pages - len(self.known)
        if missing > 0:
            self.known = np.concatenate([self.known, np.zeros(missing, dtype=np.bool_)])
            for counts in self._counts.values():
                counts.grow(missing)
            for name in ("_hazard", "_last"):
                setattr(self, name, np.concatenate([getattr(self, name), np.zeros(missing)]))
        missing = shape.directories - len(self._found)
        if missing > 0:
            self._found = np.concatenate([self._found, np.zeros(missing)])
            self._unit_weeks = np.concatenate([self._unit_weeks, np.zeros(missing)])


def _stand_in(shape: TreeShape, units: NDArray[np.int64], best: NDArray[np.int64], scores: Floats) -> int:
    """A hub for a site root without pages: the best hub among the topmost units."""
    inner = shape.parents > 0
    topmost = (best >= 0) & ~(inner & (units[shape.parents] > 0))
    places = best[topmost]
    return int(places[np.argmax(scores[places])])
