"""Signals of change in a world: which changes are announced, and what is announced wrongly.

A signal names a page and a time, as a line of a sitemap, an entry of a feed or a ping does. `recall` of the changes are
signalled, at once; false signals come at random moments, as many as make the right ones `precision` of all.
"""

from dataclasses import dataclass

import numpy as np

from strandline.core.quality.completeness import Changes
from strandline.lab.simulate.world import Floats, Ints, World


@dataclass(frozen=True)
class SignalQuality:
    """How good signals are."""

    recall: float
    precision: float

    def __post_init__(self) -> None:
        if not 0.0 <= self.recall <= 1.0:
            raise ValueError(f"signals tell of a part of the changes, between 0 and 1, not {self.recall:g}")
        if not 0.0 < self.precision <= 1.0:
            raise ValueError(f"a part of the signals is right, above 0 and at most 1, not {self.precision:g}")

    def false_rate(self, world: World) -> float:
        """False signals a period and page."""
        right = self.recall * len(world.time)
        return right * (1.0 / self.precision - 1.0) / max(world.periods * len(world), 1)


@dataclass(frozen=True)
class Signals:
    """Signals of a world in the order of time."""

    page: Ints
    time: Floats

    def between(self, start: float, end: float) -> tuple[Ints, Floats]:
        """Those of a stretch of time, its start included."""
        first, last = np.searchsorted(self.time, [start, end])
        return self.page[first:last], self.time[first:last]


def signals_of(world: World, quality: SignalQuality, seed: int = 0) -> Signals:
    """Signals as they might have come."""
    rng = np.random.default_rng(seed)
    changes = Changes(world.start, world.time, world.importance)
    told = rng.random(len(world.time)) < quality.recall
    page, time = changes.page[told].astype(np.int64), world.time[told]
    wrong = rng.poisson(quality.false_rate(world) * world.periods * len(world)) if quality.recall else 0
    page = np.concatenate([page, rng.integers(0, len(world), wrong)])
    time = np.concatenate([time, rng.uniform(0.0, world.periods, wrong)])
    order = np.argsort(time, kind="stable")
    return Signals(page[order], time[order])
