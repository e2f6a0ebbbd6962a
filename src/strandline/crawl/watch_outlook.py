"""What a watch expects: the planner, what neighbours tell of pages hardly watched, and which visits are worth making.

The planner ranks pages and spends an allowance to the last request. A watch looks at its proposals once more: a visit
that will probably find nothing new costs a site and the budget as much as one that finds something. Visits with less
than a *least chance* are therefore left out, but for a few, which see to it that quiet pages are still quiet; what is
saved stays in the purse. A directory that was hardly watched is tried whatever is expected of it: that is how it is
learned.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Final

import numpy as np

from strandline.core.plan.priced_plan import PricedPlan
from strandline.core.plan.strategy import Floats, Rows
from strandline.crawl.experience import Known, Learned
from strandline.crawl.next import Due, Planner
from strandline.crawl.sightings import Sighting
from strandline.crawl.watch_priors import Watched, neighbour_rates

EXPLORED: Final = 0.1
"""Part of an hour's visits, one at least, that may look at pages of which nothing is expected."""
YOUNG: Final = 6.0
"""Visits, beside the first of each page, up to which a directory is tried whatever is expected of it."""
_SMALL: Final = 20_000
"""Pages up to which all of them can be looked at every hour."""
_LONGEST: Final = 1_344
"""Hours, at most, over which a chance is summed up; after eight weeks it no longer matters."""


class Outlook:
    """A planner at work for a watch; `visits` counts the captures of each page that were studied."""

    def __init__(self, planner: Planner, learned: Learned, visits: Counter[int], least_chance: float) -> None:
        self.planner = planner
        self._learned = learned
        self._visits = visits
        self._least = least_chance
        self._looked = -1
        self._directories: Rows = np.empty(0, dtype=np.int64)
        self._watched: Floats = np.empty(0)
        """Visits of each directory beside the first of each page."""
        self.left_out = 0
        """Visits of the last plan that were not worth making."""

    def grow(self, pages: Iterable[Known]) -> None:
        """Pages are new, or something about them changed."""
        self.planner.grow(pages)

    def observe(self, seen: list[Sighting], claims: Iterable[tuple[int, float]] = ()) -> None:
        """Captures were studied."""
        self._visits.update(one.page for one in seen)
        self.planner.observe(seen, claims)

    def plan(self, hour: int, visits: int) -> list[Due]:
        """The visits of an hour worth making, at most so many, in the order of time."""
        self.left_out = 0
        if visits < 1 or not self.planner.pages:
            return []
        grown = len(self._directories) != len(self.planner.pages)
        if grown or hour >= self._looked + self._look_every or hour < self._looked:
            self._looked = hour
            self._look_around()
        wanted = self.planner.next(visits, self.planner.hours.seconds(hour))
        kept = self._worthwhile(wanted, visits) if isinstance(self.planner.strategy, PricedPlan) else wanted
        self.left_out = len(wanted) - len(kept)
        return sorted(kept, key=lambda due: due.due)

    def _worthwhile(self, wanted: list[Due], visits: int) -> list[Due]:
        """Visits that may find something, and a few that look whether quiet pages are still quiet."""
        chances = self._chances(wanted)
        kept, quiet = [], max(1, round(EXPLORED * visits))
        for due, chance in zip(wanted, chances.tolist(), strict=True):
            row = self.planner.row_of(due.page)
            if chance < self._least and not self.planner.pages[row].tests and not self._tried(row):
                quiet -= 1
                if quiet < 0:
                    continue
            kept.append(due)
        return kept

    def _tried(self, row: int) -> bool:
        """Whether a page lies in a directory that was hardly watched; the visit is counted."""
        directory = int(self._directories[row])
        self._watched[directory] += 1.0
        return bool(self._watched[directory] <= YOUNG)

    # -- neighbours ----------------------------------------------------------------------------------------------------

    @property
    def _look_every(self) -> int:
        """Hours between two looks at what neighbours do: it takes a look at every page."""
        return 1 if len(self.planner.pages) <= _SMALL else 24

    def _look_around(self) -> None:
        """Let pages that were hardly watched learn from their neighbours."""
        learned, groups = self._learned, self.planner.groups
        visits = np.array([self._visits[page.page] for page in self.planner.pages], dtype=np.float64)
        watched = Watched(np.maximum(visits - 1.0, 0.0), learned.found, np.nan_to_num(learned.last - learned.first))
        self._directories = groups.directory
        self._watched = watched.sums(groups.directory).visits
        rates = neighbour_rates(groups.site, groups.directory, watched, learned.learner.settings.start_rate)
        learned.learner.grow(groups.site, groups.directory, rates)
        if isinstance(self.planner.strategy, PricedPlan):
            self.planner.strategy.renew()

    # -- chances -------------------------------------------------------------------------------------------------------

    def _chances(self, wanted: list[Due]) -> Floats:
        """How likely each visit finds a change."""
        rows: Rows = np.array([self.planner.row_of(due.page) for due in wanted], dtype=np.int64)
        if len(rows) == 0:
            return np.empty(0)
        estimate, table = self._learned.learner.estimate(rows), self.planner.table
        cycle = np.asarray(self._learned.learner.cycle)
        found = np.ones(len(rows))
        for place, (row, due) in enumerate(zip(rows.tolist(), wanted, strict=True)):
            last, until = table.last_visit[row], self.planner.hours.at(due.due)
            if np.isnan(last):
                continue
            hours = np.arange(np.floor(max(last, until - _LONGEST)), np.ceil(until))
            part = np.maximum(np.minimum(hours + 1.0, until) - np.maximum(hours, last), 0.0)
            bins = cycle[((hours + table.shift[row]) % len(cycle)).astype(np.int64)]
            expected = float(estimate.rate[place, bins].astype(np.float64) @ part)
            found[place] = float(-np.expm1(-expected * estimate.level[place]) @ estimate.odds[place])
        return found
