"""Run a strategy in a world, period by period, and measure the archive it would have made.

Papers 001 (section 9) and 004 (section 7): every strategy may fetch M pages in each period, at most one capture
per page and period; the j-th fetch of period h happens at h + (j + 0.5)/M unless the strategy fixes the moment.
All pages are fetched once at t = 0. The strategy sees only what a crawler would see: whether a page differs from
its last capture and by how much; with `known=True` the page table also carries the true patterns.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from strandline.core.plan.budget import Budget
from strandline.core.plan.strategy import Learner, Listener, Outcomes, PageTable, Strategy, choose, moments
from strandline.core.quality.coherence import Captures, archive_coherence, shown_versions
from strandline.core.quality.completeness import Changes, Weights, caught_versions, completeness
from strandline.lab.simulate.capture_kernels import capture_all, items_seen, list_difference
from strandline.lab.simulate.signals import Signals
from strandline.lab.simulate.world import Floats, Ints, World

QUERIES = 720


@dataclass(frozen=True)
class Archive:
    """The captures a strategy made in a world: page, time, and whether the page had changed."""

    page: Ints
    time: Floats
    changed: NDArray[np.bool_]


@dataclass(frozen=True)
class Measures:
    """How good an archive is. `items` is NaN for worlds without lists of items."""

    pool: float
    page: float
    count: float
    coherence: float
    wasted: float
    items: float


class Web:
    """The live side of a world: what captures find, given what was captured before."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._shown = world.start[:-1] - 1
        loss = -np.log1p(-np.clip(world.importance, 0.0, 1.0 - 1e-12))
        self._accumulated = np.concatenate([[0.0], np.cumsum(loss)])

    def capture(self, rows: Ints, times: Floats) -> Outcomes:
        """Fetch pages at given times (each page's times in order)."""
        world = self._world
        changed, importance, old, new = capture_all(
            rows, times, world.start, world.time, self._shown, self._accumulated
        )
        if world.items is not None:
            listed = changed & (world.items.page_base[rows] >= 0)
            if listed.any():
                offset = world.items.page_base[rows[listed]] - world.start[rows[listed]] + 1
                importance[listed] = list_difference(
                    world.items.first, world.items.item, world.items.weight,
                    old[listed] + offset, new[listed] + offset,
                )  # fmt: skip
        if not world.accumulates:
            importance = np.where(changed, world.importance[np.maximum(new, 0)], 0.0)
        return Outcomes(rows, times, changed, importance)


def listed_items(world: World) -> Floats:
    """How many items the first version of each page lists; 1 for pages that are no lists."""
    count = np.ones(len(world))
    if world.items is not None:
        listed = world.items.page_base >= 0
        base = world.items.page_base[listed]
        count[listed] = np.maximum(world.items.first[base + 1] - world.items.first[base], 1)
    return count


def known_table(world: World, last_visit: Floats, period: int) -> PageTable:
    """The page table of an oracle: true rates and the true pattern of this period."""
    patterns = world.patterns
    rate, importance = patterns.rate, patterns.importance
    share = patterns.share
    now = patterns.bin_at(period)
    chance = -np.expm1(-rate)
    expected = chance * importance
    return PageTable.of(
        len(world),
        site=world.site,
        directory=world.directory,
        weight=world.weight,
        last_visit=last_visit,
        items=listed_items(world),
        rate=rate @ share,
        chance=chance[:, now],
        expected_change=expected[:, now],
        mean_change=expected @ share,
        aim=-1 if world.aim is None else world.aim,
    )


class _Tables:
    """Page tables of a run; what does not depend on the period is computed once."""

    def __init__(self, world: World, known: bool) -> None:
        self._first = known_table(world, np.zeros(len(world)), 0) if known else None
        self._plain = PageTable.of(
            len(world),
            site=world.site,
            directory=world.directory,
            weight=world.weight,
            last_visit=0.0,
            items=listed_items(world),
            aim=-1 if world.aim is None else world.aim,
        )
        patterns = world.patterns
        self._patterns = patterns
        self._chance = -np.expm1(-patterns.rate)
        self._expected = self._chance * patterns.importance

    def at(self, period: int, last_visit: Floats) -> PageTable:
        if self._first is None:
            return self._plain.with_columns(last_visit=last_visit)
        now = self._patterns.bin_at(period)
        return self._first.with_columns(
            last_visit=last_visit, chance=self._chance[:, now], expected_change=self._expected[:, now]
        )


def run(
    world: World, strategy: Strategy, budget: Budget, known: bool = True, signals: Signals | None = None
) -> Archive:
    """Let a strategy crawl a world from its first period to its last; signals are heard when a period is planned."""
    web, tables = Web(world), _Tables(world, known)
    everything = np.arange(len(world))
    last_visit = np.zeros(len(world))
    first = web.capture(everything, last_visit)
    parts = [(everything, last_visit.copy(), first.changed)]
    for period in range(world.periods):
        pages = tables.at(period, last_visit.copy())
        if signals is not None and isinstance(strategy, Listener):
            strategy.hear(pages, *signals.between(period - 1.0, float(period)))
        choice = choose(strategy, pages, budget, float(period))
        times = period + moments(choice, budget.visits)
        order = np.argsort(times, kind="stable")
        outcomes = web.capture(choice.rows[order], times[order])
        if isinstance(strategy, Learner):
            strategy.observe(pages, outcomes)
        last_visit[outcomes.row] = outcomes.time
        parts.append((outcomes.row, outcomes.time, outcomes.changed))
    return Archive(
        np.concatenate([part[0] for part in parts]),
        np.concatenate([part[1] for part in parts]),
        np.concatenate([part[2] for part in parts]),
    )


def measure(world: World, archive: Archive, queries: int = QUERIES, seed: int = 0) -> Measures:
    """Completeness, coherence and waste of an archive, against the truth of its world."""
    changes = Changes(world.start, world.time, world.importance)
    caught = caught_versions(changes, archive.page, archive.time)
    found = completeness(changes, caught, Weights(world.weight, world.site, world.scored))
    late = archive.time >= max(world.scored_from, 1e-9)
    captures = Captures.of(archive.page, archive.time, len(world))
    coherent = float("nan")
    if queries:
        # What the versions before the first known change weigh is not defined: as much as the middle one of all.
        typical = float(np.median(world.importance)) if len(world.importance) else 1.0
        shown = shown_versions(changes, captures, world.weight, typical)
        instants = np.random.default_rng(seed).uniform(world.scored_from, world.periods, queries)
        coherent = archive_coherence(shown, instants, world.site)
    return Measures(
        pool=found.pool,
        page=found.by_page,
        count=found.count,
        coherence=coherent,
        wasted=float(np.mean(~archive.changed[late])) if late.any() else 0.0,
        items=_items(world, archive),
    )


def _items(world: World, archive: Archive) -> float:
    items = world.items
    if items is None:
        return float("nan")
    listed = items.page_base[archive.page] >= 0
    page, time = archive.page[listed], archive.time[listed]
    changes = Changes(world.start, world.time, world.importance)
    keys = changes.page * (world.periods + 1.0) + changes.time
    shown = np.searchsorted(keys, page * (world.periods + 1.0) + time, side="right") - world.start[page]
    version = items.page_base[page] + shown
    seen = items_seen(items.first, items.item, np.unique(version), len(items.born))
    counted = items.born >= world.scored_from
    return float(seen[counted].mean()) if counted.any() else float("nan")
