"""Which way of forecasting a page's changes fits this site? Its own crawls decide.

No paper. Most pages of most sites change too rarely to be judged by themselves, so the site-level policy borrows from
directories, and lets weeks of mass updates count less. On a busy site both are wrong: hot and still pages stand side by
side, every week is a busy one, and what is borrowed drowns what each page has shown. So several forecasters run side by
side. Before each crawl every one of them says how likely each page is to have changed; after it they are judged by the
pages that were fetched, and by these only, with the logarithm of the chance they gave to what was found. Older crawls
count less. The chance that is used is the mean of all, each weighted by how well it did (Bayes' rule): within a few
crawls this is the best of them, and where two do equally well it lies between.
"""

from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]
LEAST_CHANCE = 1e-4
"""No forecaster is ruined by one page: no chance counts as smaller, or nearer to 1, than this. Origin: a guess."""


_OUT = -1000.0
"""A score below the best by so much leaves a forecaster without a say. Origin: a bound on rounding."""
LONG = 0.97
"""Share of what a long memory keeps from one week to the next. Origin: a guess."""


class Memory(Enum):
    """How past weeks count."""

    CALM = "calm"
    """Recent weeks most, and those in which much of the site changed less."""
    RECENT = "recent"
    """Recent weeks most."""
    LONG = "long"
    """Many weeks nearly alike."""


@dataclass(slots=True)
class PageCounts:
    """Changes and weeks of every page, by number, as one memory has them."""

    changes: Floats = field(default_factory=lambda: np.zeros(0))
    weeks: Floats = field(default_factory=lambda: np.zeros(0))

    def forget(self, share: float) -> None:
        """Older crawls count less."""
        self.changes *= share
        self.weeks *= share

    def add(self, pages: Ids, changed: NDArray[np.bool_], weeks: Floats, weight: float) -> None:
        """A crawl fetched these pages, each after so many weeks."""
        self.weeks[pages] += weight * weeks
        self.changes[pages[changed]] += weight

    def grow(self, pages: int) -> None:
        """So many more pages."""
        self.changes = np.concatenate([self.changes, np.zeros(pages)])
        self.weeks = np.concatenate([self.weeks, np.zeros(pages)])

    def at(self, places: Ids) -> "PageCounts":
        """The counts of some pages, in this order."""
        return PageCounts(self.changes[places], self.weeks[places])

    def spread(self, places: Ids, pages: int) -> "PageCounts":
        """The same among so many pages, at these places; nothing is known of the others."""
        every = PageCounts(np.zeros(pages), np.zeros(pages))
        every.changes[places], every.weeks[places] = self.changes, self.weeks
        return every


def in_every_memory(changes: Floats, weeks: Floats) -> dict[Memory, PageCounts]:
    """The same counts in all of them: what is known when only one was kept."""
    return {memory: PageCounts(changes.copy(), weeks.copy()) for memory in Memory}


@dataclass(frozen=True, slots=True)
class Forecaster:
    """How much a page borrows from its directory, and that from those above."""

    page_prior: float
    """Weeks after which a page's own evidence outweighs its directory's."""
    directory_prior: float
    """The same for a directory and the one above, in page-weeks."""
    memory: Memory = Memory.RECENT


FORECASTERS = (
    Forecaster(6.0, 1000.0),
    Forecaster(2.0, 100.0),
    Forecaster(0.5, 20.0),
    Forecaster(2.0, 100.0, Memory.LONG),
    Forecaster(0.5, 20.0, Memory.LONG),
)
"""Tried beside the policy's own: from pages judged by their directory to pages judged nearly by themselves.
Origin: measured, generated sites and `strandline experiment near --data`."""


@dataclass(slots=True)
class ForecastScores:
    """How well each forecaster did on the crawls so far: sums of log chances, older crawls counting less."""

    sums: Floats = field(default_factory=lambda: np.zeros(1 + len(FORECASTERS)))

    def weights(self) -> Floats:
        """What each forecast counts, in all 1."""
        odds = np.exp(self.sums - self.sums.max())
        shares: Floats = odds / odds.sum()
        return shares

    def mixed(self, forecasts: Floats) -> Floats:
        """One chance a page; `forecasts` are forecasters x pages."""
        mean: Floats = self.weights() @ forecasts
        return mean

    def learn(self, chances: Floats, changed: NDArray[np.bool_], weight: float) -> None:
        """Judge a crawl; `chances` are forecasters x fetched pages, `weight` is what the crawl counts."""
        given = np.clip(chances, LEAST_CHANCE, 1.0 - LEAST_CHANCE)
        self.sums += weight * np.log(np.where(changed, given, 1.0 - given)).sum(axis=1)

    def forget(self, share: float) -> None:
        """Older crawls count less."""
        self.sums *= share

    def as_data(self) -> list[float]:
        """For JSON."""
        return [float(one) for one in self.sums]

    @classmethod
    def from_data(cls, data: list[float]) -> "ForecastScores":
        """The inverse of `as_data`; when other forecasters were judged, the policy's own is left alone."""
        count = 1 + len(FORECASTERS)
        return cls(np.array(data if len(data) == count else [0.0] + [_OUT] * (count - 1), dtype=np.float64))
