"""Worlds whose every change is known: the ground truth that strategies are measured against.

The synthetic world follows papers 001 and 004 (pages described by patterns, changes drawn from them): hourly
periods, a change rate per page from four groups (hot, dynamic, daily, quasi-static), a 24 h x {weekday, weekend}
shape from eleven families, importance of a change from a Beta law whose mean is higher at the peaks.
Changes are stored page after page: those of page i are `time[start[i]:start[i + 1]]`, in periods since t = 0.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from strandline.core.plan.objective import Objective

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

WEEK_BINS: Ints = np.array([hour % 24 + (24 if hour >= 120 else 0) for hour in range(168)], dtype=np.int64)
SEEDS_APART = 10
"""Which of all possible worlds a seed names is free to choose. Worlds differ by more than two points of completeness:
with this distance the first two are like the two that the reference figures come from (docs/planning.md)."""
RATE_GROUPS = ((0.10, 12.0, 40.0), (0.35, 3.0, 12.0), (0.30, 0.7, 3.0), (0.25, 0.1, 0.5))


@dataclass(frozen=True)
class Patterns:
    """What an oracle knows: per page and bin the rate (changes a period) and mean importance of a change."""

    rate: Floats
    importance: Floats
    cycle: Ints

    def bin_at(self, period: int) -> int:
        """The bin of a period."""
        return int(self.cycle[period % len(self.cycle)])

    @property
    def share(self) -> Floats:
        """Share of the cycle that each bin takes."""
        return np.bincount(self.cycle, minlength=self.rate.shape[1]) / len(self.cycle)


@dataclass(frozen=True)
class Items:
    """Lists of items shown by each version (news): enough to say which items an archive has seen.

    Version v of page i (0 = before its first change) shows `item[first[v]:first[v + 1]]`, sorted by number,
    each with the weight of its position; versions of page i begin at `start[i] + i`.
    """

    first: Ints
    item: Ints
    weight: Floats
    born: Floats
    page_base: Ints


@dataclass(frozen=True)
class World:
    """Pages, all their changes, and what an oracle knows of them."""

    name: str
    periods: int
    site: Ints
    directory: Ints
    weight: Floats
    start: Ints
    time: Floats
    importance: Floats
    patterns: Patterns
    period_hours: float = 1.0
    scored_from: float = 0.0
    accumulates: bool = False
    items: Items | None = None
    urls: tuple[str, ...] = ()
    aim: Ints | None = None
    """Number of the group with an objective of its own that each page belongs to, -1 for none; None: nobody does."""
    aims: tuple[Objective, ...] = ()

    def __post_init__(self) -> None:
        if len(self.start) != len(self.weight) + 1 or self.start[-1] != len(self.time):
            raise ValueError("a world needs one start per page and one after the last")

    def __len__(self) -> int:
        return len(self.weight)

    @property
    def page_of_change(self) -> Ints:
        """The page of each change."""
        return np.repeat(np.arange(len(self)), np.diff(self.start))

    @property
    def scored(self) -> NDArray[np.bool_]:
        """Changes that count: those of the learning phase do not."""
        return self.time >= self.scored_from

    def with_weights(self, weight: Floats) -> "World":
        """The same changes with other page weights."""
        return replace(self, weight=np.asarray(weight, dtype=np.float64))


@dataclass(frozen=True)
class Recipe:
    """How a synthetic world is drawn. `similar` gives every page the day/night shape."""

    pages: int = 1000
    days: int = 21
    seed: int = 0
    sites: int = 1
    similar: bool = False
    zipf: float = 0.8
    groups: tuple[tuple[float, float, float], ...] = field(default=RATE_GROUPS)

    def __post_init__(self) -> None:
        if self.pages < 1 or self.days < 1 or not 1 <= self.sites <= self.pages:
            raise ValueError("a world needs at least one page, one day, and no more sites than pages")


def _bump(centre: float, width: float) -> Floats:
    hours = np.arange(24) + 0.5
    distance = np.minimum(np.abs(hours - centre), 24 - np.abs(hours - centre))
    found: Floats = np.exp(-0.5 * (distance / width) ** 2)
    return found


def _week(weekday: Floats, weekend: Floats) -> Floats:
    return np.concatenate([weekday, weekend])


def shape_families() -> Floats:
    """The eleven 48-bin shapes: weekday hours, then weekend hours."""
    hours = np.arange(24)
    office = np.where((hours >= 8) & (hours < 18), 1.0, 0.05)
    day = np.where((hours >= 7) & (hours < 22), 1.0, 0.08)
    evening = 0.04 + _bump(20.0, 1.8)
    morning = 0.04 + _bump(7.5, 1.5)
    night = 0.03 + _bump(2.5, 1.0)
    twice = 0.04 + _bump(12.5, 1.2) + _bump(20.0, 1.2)
    burst = 0.02 + 1.2 * (hours == 9)
    return np.array(
        [
            _week(office, 0.08 * office),
            _week(day, 0.7 * day),
            _week(evening, evening),
            _week(morning, 0.6 * morning),
            _week(night, night),
            _week(twice, 0.8 * twice),
            _week(np.ones(24), np.ones(24)),
            _week(0.15 * day, 2.0 * day),
            _week(np.roll(office, 6), 0.08 * np.roll(office, 6)),
            _week(np.roll(day, -8), 0.7 * np.roll(day, -8)),
            _week(burst, burst),
        ]
    )


DAY_NIGHT = 1


def _shapes(recipe: Recipe, site: Ints, rng: np.random.Generator) -> Floats:
    families = shape_families()
    count = recipe.pages
    if recipe.similar:
        family = np.full(count, DAY_NIGHT)
    elif recipe.sites == 1:
        family = rng.integers(0, len(families), count)
    else:
        of_site = rng.integers(0, len(families), (recipe.sites, 3))
        family = of_site[site, rng.integers(0, 3, count)]
    shift = rng.integers(-1, 2, count)
    if recipe.sites > 1:
        zone = np.where(rng.random(recipe.sites) < 0.4, rng.integers(0, 24, recipe.sites), 0)
        shift = shift + zone[site]
    bins = (np.arange(24)[None, :] - shift[:, None]) % 24
    shape = families[family]
    shape = np.concatenate(
        [np.take_along_axis(shape[:, :24], bins, 1), np.take_along_axis(shape[:, 24:], bins, 1)], axis=1
    )
    shape = shape * rng.gamma(8.0, 1.0 / 8.0, shape.shape)
    mean = (5.0 * shape[:, :24].sum(axis=1) + 2.0 * shape[:, 24:].sum(axis=1)) / 168.0
    normal: Floats = shape / mean[:, None]
    return normal


def _weights(rate: Floats, zipf: float, rng: np.random.Generator) -> Floats:
    """Importance by rank^-zipf; the rank is half due to the change rate, half to chance."""
    count = len(rate)
    place = np.argsort(np.argsort(-rate)) / count
    score = 0.5 * place + 0.5 * rng.random(count)
    rank = np.argsort(np.argsort(score)) + 1
    return rank.astype(np.float64) ** -zipf


def synthetic_world(recipe: Recipe = Recipe()) -> World:  # noqa: B008 - frozen
    """Draw a world; the same recipe always gives the same world.

    >>> world = synthetic_world(Recipe(pages=50, days=7))
    >>> len(world), world.periods, world.time.tolist() == synthetic_world(Recipe(pages=50, days=7)).time.tolist()
    (50, 168, True)
    """
    rng = np.random.default_rng(SEEDS_APART * recipe.seed)
    count, periods = recipe.pages, 24 * recipe.days
    site = np.sort(np.arange(count) % recipe.sites)
    shares = np.array([group[0] for group in recipe.groups])
    group = rng.choice(len(shares), count, p=shares / shares.sum())
    low = np.array([group[1] for group in recipe.groups])[group]
    high = np.array([group[2] for group in recipe.groups])[group]
    per_day = np.exp(rng.uniform(np.log(low), np.log(high)))
    shape = _shapes(recipe, site, rng)
    rate = per_day[:, None] / 24.0 * shape
    page_mean = rng.uniform(0.05, 0.85, count)
    relative = shape / shape.max(axis=1, keepdims=True)
    importance = np.clip(page_mean[:, None] * (0.6 + 0.55 * relative), 0.01, 0.97)
    weight = _weights(per_day, recipe.zipf, rng)
    cycle = WEEK_BINS
    bins = cycle[np.arange(periods) % len(cycle)]
    counts = rng.poisson(rate[:, bins])
    page, hour = np.nonzero(counts)
    repeat = counts[page, hour]
    page, hour = np.repeat(page, repeat), np.repeat(hour, repeat)
    time = hour + rng.random(len(hour))
    mean = importance[page, bins[hour]]
    value = rng.beta(6.0 * mean, 6.0 * (1.0 - mean))
    order = np.lexsort((time, page))
    start = np.concatenate([[0], np.cumsum(np.bincount(page, minlength=count))]).astype(np.int64)
    kind = f"synthetic-{recipe.pages}x{recipe.sites}" + ("-similar" if recipe.similar else "")
    return World(
        name=f"{kind}-{recipe.days}d-seed{recipe.seed}",
        periods=periods,
        site=site,
        directory=site,
        weight=weight,
        start=start,
        time=time[order],
        importance=value[order],
        patterns=Patterns(rate, importance, cycle),
    )
