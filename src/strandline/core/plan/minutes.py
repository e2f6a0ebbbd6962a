"""The place of each page in a period: fixed, so that its captures are evenly spaced, and near what belongs to it.

The pages of a site lie next to each other; inside a site the quiet ones lie outside, directory by directory, and the
fast ones in the middle, the fastest in its centre (SHARC's organ pipe, within a period). Versions that live shortly
are then fetched close together: a site's captures of one period fit each other better.

On the web, fast pages come first instead, all within the first minutes: of a page that changes about once a period, a
capture near the turn of the period finds what the whole period before left behind, one in its middle parts of two.
Where changes follow a rate that is constant within each period (the synthetic worlds), it is the other way round.
"""

from dataclasses import dataclass

import numpy as np

from strandline.core.plan.strategy import Floats, PageTable, Rows

FAST = 0.1
"""Changes a period from which on a page comes first.
Origin: a guess; that fast pages come first was measured, `strandline experiment scheduling --data`."""
FIRST_PART = 0.1
"""Part of the period that pages which come first share; more where one host has too many of them. Origin: a guess."""
BORNE = 700.0
"""Visits a period that any host bears. Origin: a guess: an hour of pauses of about five seconds."""


def places(table: PageTable, rate: Floats, quiet_below: float) -> Floats:
    """The place (0 to 1) of every page in each period, by changes a period expected of it.

    >>> pages = PageTable.of(5, site=[0, 0, 0, 0, 1])
    >>> places(pages, np.array([0.9, 0.0, 0.5, 0.0, 0.1]), quiet_below=0.01).tolist()
    [0.5, 0.1, 0.3, 0.7, 0.9]
    """
    order = _in_order(np.arange(len(table)), table, rate, quiet_below)
    place = np.empty(len(table))
    place[order] = _spread(len(table))
    return place


def fast_first(table: PageTable, rate: Floats, quiet_below: float, visits: float) -> Floats:
    """The same with all fast pages in the first part, when there are not more `visits` a period than hosts bear so.

    >>> pages = PageTable.of(5, site=[0, 0, 0, 0, 1])
    >>> [round(place, 3) for place in fast_first(pages, np.array([0.9, 0.0, 0.5, 0.0, 0.1]), 0.01, visits=2.0).tolist()]
    [0.05, 0.325, 0.017, 0.775, 0.083]
    """
    fast, others = (np.flatnonzero(which) for which in (rate >= FAST, rate < FAST))
    _, of_host = np.unique(table.host[fast], return_counts=True)
    part = max(2.0 * min(float(of_host.max(initial=0)), visits) / BORNE, FIRST_PART)
    if len(fast) == 0 or part > 0.5:
        return places(table, rate, quiet_below)
    place = np.empty(len(table))
    place[_in_order(fast, table, rate, quiet_below)] = part * _spread(len(fast))
    place[_in_order(others, table, rate, quiet_below)] = part + (1.0 - part) * _spread(len(others))
    return place


def _spread(count: int) -> Floats:
    return (np.arange(count) + 0.5) / max(count, 1)


def _in_order(rows: Rows, table: PageTable, rate: Floats, quiet_below: float) -> Rows:
    """Some pages site by site, each site in its order."""
    by_site = rows[np.lexsort((rows, table.directory[rows], table.site[rows]))]
    first_of_sites = np.flatnonzero(np.diff(table.site[by_site])) + 1
    return np.concatenate([_in_a_site(some, rate, quiet_below) for some in np.split(by_site, first_of_sites)])


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


def organ_pipe(value: Floats) -> Rows:
    """Order with the largest values in the middle and the smallest at both ends.

    >>> organ_pipe(np.array([5.0, 1.0, 3.0, 2.0, 4.0])).tolist()
    [1, 2, 0, 4, 3]
    """
    ascending = np.lexsort((np.arange(len(value)), value))
    return np.concatenate([ascending[::2], ascending[1::2][::-1]])
