"""What to expect of a page that was hardly watched: what its neighbours in the same directory do.

A new watch knows nothing. Pages of one directory mostly behave alike (articles, minutes, product pages), so a handful
of visits to a directory tell what the other pages in it are worth, long before each has a history of its own. The
estimate is the one of paper 002 for n visits with X changes, -ln((n - X + 0.5) / (n + 0.5)) per mean interval, over all
pages of the directory but the page itself; few visits lean on the site, a site with few on the start value.
"""

from typing import Final, NamedTuple

import numpy as np

from strandline.core.plan.strategy import Floats, Rows

LEAN: Final = 4.0
"""Visits a group must have before it speaks as loud as what it leans on. Origin: a guess."""


class Watched(NamedTuple):
    """Per page: visits after the first, how many of them found a change, and the hours they cover."""

    visits: Floats
    changes: Floats
    hours: Floats

    def sums(self, group: Rows) -> "Watched":
        """Sums over groups, by number."""
        size = int(group.max()) + 1
        return Watched(*(np.bincount(group, weights=column, minlength=size).astype(np.float64) for column in self))

    def at(self, rows: Rows) -> "Watched":
        """Some rows, in this order."""
        return Watched(*(column[rows] for column in self))

    def less(self, other: "Watched") -> "Watched":
        """Without what another one holds."""
        return Watched(*(np.maximum(mine - its, 0.0) for mine, its in zip(self, other, strict=True)))

    def rate(self) -> Floats:
        """Changes an hour; NaN without visits."""
        with np.errstate(divide="ignore", invalid="ignore"):
            per_visit = -np.log((self.visits - self.changes + 0.5) / (self.visits + 0.5))
            found: Floats = np.where(self.hours > 0, per_visit * self.visits / self.hours, np.nan)
        return found


def neighbour_rates(site: Rows, directory: Rows, watched: Watched, start: float) -> Floats:
    """Expected changes an hour of each page, from the other pages of its directory and site.

    >>> watched = Watched(np.array([4.0, 4.0, 0.0, 4.0]), np.array([4.0, 3.0, 0.0, 0.0]), np.array([24.0, 24, 0, 24]))
    >>> rates = neighbour_rates(np.zeros(4, int), np.array([0, 0, 0, 1]), watched, 0.004)
    >>> bool(rates[2] > 0.1), bool(rates[2] > 1.5 * rates[3])
    (True, True)
    """
    everyone = _leaning(watched.sums(np.zeros(len(site), dtype=np.int64)), np.array([start]))
    of_site = _leaning(watched.sums(site), np.broadcast_to(everyone, int(site.max()) + 1))
    others = watched.sums(directory).at(directory).less(watched)
    return np.clip(_leaning(others, of_site[site]), 1e-5, 10.0)


def _leaning(watched: Watched, on: Floats) -> Floats:
    """Rates of groups; those with few visits lean on something else."""
    own = watched.rate()
    trust = watched.visits / (watched.visits + LEAN)
    logs = np.log(np.maximum(np.where(np.isnan(own), on, own), 1e-6))
    found: Floats = np.exp(trust * logs + (1.0 - trust) * np.log(np.maximum(on, 1e-6)))
    return found
