"""Made-up change traces of known kinds, to see where a strategy stands and where it does not.

    flat       every page changes at its own rate, at any hour (Poisson), rates from a change a month to dozens a day
    periodic   most changes of a page fall into certain hours of the day, or into working days
    bursty     quiet for days, then many changes within hours
    mixed      a third of the pages of each kind
    silenced   flat, and after half of the time the busy section never changes again
    redesign   flat, and after half of the time every page changes once, within an hour
    steady     flat, from a change an hour to one in 200 hours, and all changes of a page matter about the same

Pages lie in directories of thirty; busy and quiet ones lie side by side, but for `silenced`, whose first quarter holds
the busy ones. The same recipe always gives the same trace.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from strandline.lab.simulate.run import Archive
from strandline.lab.simulate.traces import Change, TraceOptions, trace_world
from strandline.lab.simulate.world import Floats, Ints, World

Kind = Literal["flat", "periodic", "bursty", "mixed", "silenced", "redesign", "steady"]
KINDS: tuple[str, ...] = get_args(Kind)
IN_DIRECTORY = 30
SLOWEST, FASTEST = 0.03, 24.0
"""Changes a day between which pages lie, evenly in the logarithm."""
SECTIONS, BUSY, REST = 4, (6.0, 24.0), (0.3, 3.0)
"""Of the kind `silenced`: one section of so many is busy; changes a day there, and elsewhere."""
MONDAY = 4.0 * 86_400.0
"""The first Monday of 1970, in epoch seconds."""


@dataclass(frozen=True)
class TraceRecipe:
    """How a trace is drawn. `zipf` is the exponent of page weights by rank; 0 makes all pages matter the same."""

    kind: Kind = "flat"
    pages: int = 300
    days: int = 28
    seed: int = 0
    zipf: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"no kind of trace {self.kind!r}; there are {', '.join(KINDS)}")
        if self.pages < 1 or self.days < 1:
            raise ValueError("a trace needs at least one page and one day")


def made_trace(recipe: TraceRecipe) -> World:
    """The world of a made-up trace.

    >>> world = made_trace(TraceRecipe("bursty", pages=20, days=7))
    >>> len(world), world.name
    (20, 'made-bursty-20-7d-seed0')
    """
    rng = np.random.default_rng([KINDS.index(recipe.kind), recipe.seed])
    count, hours = recipe.pages, 24.0 * recipe.days
    page, time = _times(recipe, _rates(recipe, rng), hours, rng)
    matters = rng.beta(2.0, 4.0, count)
    importance = np.clip(rng.beta(6.0 * matters[page], 6.0 * (1.0 - matters[page])), 0.005, 0.995)
    if recipe.kind == "steady":
        importance = np.clip(rng.normal(rng.uniform(0.05, 0.95, count)[page], 0.05), 0.005, 0.995)
    weight = (rng.permutation(count) + 1.0) ** -recipe.zipf
    urls = [f"https://made.example/d{row // IN_DIRECTORY}/{row}.html" for row in range(count)]
    changes = [
        Change(urls[row], MONDAY + 3600.0 * float(when), float(much))
        for row, when, much in zip(page.tolist(), time, importance, strict=True)
    ]
    name = f"made-{recipe.kind}-{count}-{recipe.days}d-seed{recipe.seed}" + (
        f"-zipf{recipe.zipf:g}" * bool(recipe.zipf)
    )
    return trace_world(name, changes, dict(zip(urls, weight.tolist(), strict=True)), TraceOptions())


def expected_by_page(recipe: TraceRecipe, world: World, archive: Archive) -> float:
    """The objective `page` as the visits of an archive may expect it of flat or steady pages, whose rates are known.

    Slow pages change once or twice in a trace, and whether a second change came just before a visit is luck: two
    strategies of the same worth differ by two points on single draws. What their visits may expect differs far less.
    """
    rng = np.random.default_rng([KINDS.index(recipe.kind), recipe.seed])
    row = [int(url.rpartition("/")[2].removesuffix(".html")) for url in world.urls]
    rate = _rates(recipe, rng)[row]
    order = np.lexsort((archive.time, archive.page))
    page, time = archive.page[order], archive.time[order]
    same = np.diff(page) == 0
    caught = -np.expm1(-rate[page[1:]] * np.diff(time)) * same
    share = np.bincount(page[1:], caught, len(world)) / (rate * world.periods)
    judged = world.weight * -np.expm1(-rate * world.periods)
    return float(share @ judged / judged.sum())


def _rates(recipe: TraceRecipe, rng: np.random.Generator) -> Floats:
    """Changes an hour of each page."""
    count = recipe.pages
    per_day = np.exp(rng.uniform(np.log(SLOWEST), np.log(FASTEST), count))
    if recipe.kind == "silenced":
        ends = np.where(np.arange(count)[:, None] < count // SECTIONS, BUSY, REST)
        per_day = np.exp(rng.uniform(np.log(ends[:, 0]), np.log(ends[:, 1])))
    if recipe.kind == "steady":
        per_day = 24.0 / np.exp(rng.uniform(0.0, np.log(200.0), count))
    return np.asarray(per_day / 24.0)


def _times(recipe: TraceRecipe, rate: Floats, hours: float, rng: np.random.Generator) -> tuple[Ints, Floats]:
    """Page and hour of every change."""
    count, kind = recipe.pages, recipe.kind
    of_kind = np.full(count, kind, dtype=object)
    if kind == "mixed":
        of_kind = np.array(("flat", "periodic", "bursty"), dtype=object)[rng.integers(0, 3, count)]
    pages, times = [], []
    for row in range(count):
        if of_kind[row] == "bursty":
            found = _bursts(rate[row], hours, rng)
        else:
            found = np.sort(rng.uniform(0.0, hours, rng.poisson(rate[row] * hours)))
            if of_kind[row] == "periodic":
                found = _in_rhythm(found, rng)
        if kind == "silenced" and row < count // SECTIONS:
            found = found[found < hours / 2.0]
        if kind == "redesign":
            found = np.sort(np.append(found, hours / 2.0 + rng.random()))
        pages.append(np.full(len(found), row))
        times.append(found)
    return np.concatenate(pages).astype(np.int64), np.concatenate(times)


def _bursts(rate: float, hours: float, rng: np.random.Generator) -> Floats:
    """Bursts of about twelve changes within some hours; as many changes in all as the rate says."""
    begins = rng.uniform(0.0, hours, rng.poisson(rate * hours / 12.0))
    found = np.concatenate([begin + rng.exponential(0.7, 12).cumsum() for begin in begins] or [np.empty(0)])
    return np.sort(found[found < hours])


def _in_rhythm(time: Floats, rng: np.random.Generator) -> Floats:
    """Moves nine of ten changes into the page's own hours: four hours of the day, or its working days."""
    moved = rng.random(len(time)) < 0.9
    day, hour = np.floor(time / 24.0), time % 24.0
    if rng.random() < 0.5:
        hour = np.where(moved, (rng.integers(0, 24) + hour / 6.0) % 24.0, hour)
    else:
        weekend = moved & (day % 7.0 >= 5.0)
        day = np.where(weekend, day - day % 7.0 + rng.integers(0, 5, len(time)), day)
    return np.sort(day * 24.0 + hour)
