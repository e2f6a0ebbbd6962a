"""What a fetch tells of the other pages of its directory.

Pages of a directory often change together (core/beliefs/clock_kernels.py), so a look at one of them says whether the
others are worth a fetch. A plan that weighs each page by itself lets whole directories wait until each of their pages
is due, looks at all of them on one day, and finds out too late. Here a fetch is also worth a part of the changes that
may have happened on its siblings since any page of the directory was last looked at:

    worth   = (sum over siblings of `hope`) * periods since the last look at the directory
    hope    = TELLS * together * changes a period * worth of a change * (1 - price / worth of a change)^2

A sibling that is not worth a fetch even when it has changed adds nothing; `together` is 0 where the pages of a site
change each by itself. One look a decision is enough, so only the best page of a directory is raised.
"""

import numpy as np

from strandline.core.growing import with_room
from strandline.core.plan.priced_kernels import Pages
from strandline.core.plan.strategy import Floats, Rows

TELLS = 0.03
"""Part of the siblings' changes that one look saves. Origin: measured, docs/decisions/clock-of-directories.md."""


class SiblingValue:
    """Per page its directory and hope; per directory the sum of hopes, and when one of its pages was last fetched."""

    def __init__(self) -> None:
        self._hope = np.empty(0)
        self._directory = np.empty(0, dtype=np.int64)
        self._sum = np.empty(0)
        self._looked = np.empty(0)

    def believe(self, pages: Pages, rows: Rows, directory: Rows, together: Floats) -> None:
        """Take notice of some pages, each once: what is believed of them, and when they were last fetched."""
        if len(rows) == 0:
            return
        self._make_room(int(rows.max()) + 1, int(directory.max()) + 1)
        value, last = pages.value[rows], pages.last[rows]
        change = value.sum(axis=1) * pages.mean_importance[rows]
        rate = pages.mean_rate[rows] * (value * pages.level[rows]).sum(axis=1) * pages.mean_importance[rows]
        room = np.clip(1.0 - pages.price[rows] / np.maximum(change, 1e-300), 0.0, 1.0)
        hope = np.where(pages.slow[rows] & ~np.isnan(last), TELLS * together * rate * room**2, 0.0)
        np.add.at(self._sum, directory, hope - self._hope[rows])
        self._hope[rows], self._directory[rows] = hope, directory
        np.maximum.at(self._looked, directory, np.floor(np.nan_to_num(last)))

    def _make_room(self, pages: int, directories: int) -> None:
        self._hope = with_room(self._hope, len(self._hope), pages)
        self._directory = with_room(self._directory, len(self._directory), pages)
        self._sum = with_room(self._sum, len(self._sum), directories)
        self._looked = with_room(self._looked, len(self._looked), directories)

    def gain(self, rows: Rows) -> Floats:
        """What a look at each of these pages comes to be worth with every period, for its siblings."""
        found: Floats = np.maximum(self._sum[self._directory[rows]] - self._hope[rows], 0.0)
        return found

    def unseen(self, rows: Rows, period: int) -> Floats:
        """Periods since the one in which the directories of these pages were last looked at."""
        directory = self._directory[rows]
        self._looked[directory] = np.minimum(self._looked[directory], period)  # clocks are set back
        found: Floats = period - self._looked[directory]
        return found

    def worth(self, rows: Rows, period: int) -> Floats:
        """What a look at each of these pages is worth in a period, for its siblings."""
        return self.gain(rows) * self.unseen(rows, period)

    def raised(self, rows: Rows, advantage: Floats, period: int) -> Floats:
        """The advantages of these pages, with what the best page of each directory tells of the others."""
        able = np.flatnonzero(self._hope[rows] > 0.0)
        if len(able) == 0:
            return advantage
        best = able[first_of_each(self._directory[rows[able]], -advantage[able])]
        found = advantage.copy()
        found[best] += self.worth(rows[best], period)
        return found

    def next_looks(self, rows: Rows, advantage: Floats) -> tuple[Rows, Floats]:
        """Of each directory of these pages the one that should be looked at first, and the periods until then, when
        nothing else of it is fetched. advantage = of a fetch now, each page by itself.
        """
        gain = self.gain(rows)
        able = np.flatnonzero((gain > 0.0) & (self._hope[rows] > 0.0))
        wait = np.maximum(-advantage[able], 0.0) / gain[able]
        first = first_of_each(self._directory[rows[able]], wait)
        return rows[able[first]], wait[first]


def first_of_each(group: Rows, order: Floats) -> Rows:
    """The place of the smallest of each group; among equals the first.

    >>> first_of_each(np.array([7, 4, 7]), np.array([2.0, 5.0, 1.0])).tolist()
    [1, 2]
    """
    places = np.lexsort((order, group))
    found: Rows = places[np.unique(group[places], return_index=True)[1]]
    return found
