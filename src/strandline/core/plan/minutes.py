"""The place of each page in a period: fixed, so that its captures are evenly spaced, and near what belongs to it.

The pages of a site lie next to each other; inside a site the quiet ones lie outside, directory by directory, and the
fast ones in the middle, the fastest in its centre (SHARC's organ pipe, within a period). Versions that live shortly
are then fetched close together: a site's captures of one period fit each other better.
"""

from dataclasses import dataclass

import numpy as np

from strandline.core.plan.baselines import organ_pipe
from strandline.core.plan.strategy import Floats, PageTable, Rows


def places(table: PageTable, rate: Floats, quiet_below: float) -> Floats:
    """The place (0 to 1) of every page in each period, by changes a period expected of it.

    >>> pages = PageTable.of(5, site=[0, 0, 0, 0, 1])
    >>> places(pages, np.array([0.9, 0.0, 0.5, 0.0, 0.1]), quiet_below=0.01).tolist()
    [0.5, 0.1, 0.3, 0.7, 0.9]
    """
    count = len(table)
    by_site = np.lexsort((np.arange(count), table.directory, table.site))
    first_of_sites = np.flatnonzero(np.diff(table.site[by_site])) + 1
    place = np.empty(count)
    in_order = [_in_a_site(rows, rate, quiet_below) for rows in np.split(by_site, first_of_sites)]
    place[np.concatenate(in_order)] = (np.arange(count) + 0.5) / max(count, 1)
    return place


def _in_a_site(rows: Rows, rate: Floats, quiet_below: float) -> Rows:
    quiet = rate[rows] < quiet_below
    still, fast = rows[quiet], rows[~quiet]
    half = len(still) // 2 if len(fast) else len(still)
    return np.concatenate([still[:half], fast[organ_pipe(rate[fast])], still[half:]])


@dataclass
class Settling:
    """When places are given anew: after a day, two, four, eight, for rates are learned and each move costs a little of
    the even spacing.
    """

    first: int | None = None
    last: int = 0

    def due(self, day: int) -> bool:
        """Whether pages are to be given places today; asked once a day.

        >>> settling = Settling()
        >>> [day for day in range(100, 120) if settling.due(day)]
        [101, 102, 104, 108, 116]
        """
        if self.first is None:
            self.first = self.last = day
        if day - self.first < max(2 * (self.last - self.first), 1):
            return False
        self.last = day
        return True
