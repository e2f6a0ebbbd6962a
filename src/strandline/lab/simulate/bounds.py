"""How good could any strategy be? Two upper bounds on completeness, both by Lagrangian duality.

*Clairvoyant*: knows every future change. Which versions to catch, and in which period each, under M captures a
period and one per page and period, is a flow problem; with a price per period it falls apart into one small
dynamic programme per page, and any prices give a valid bound. Capture times inside a period are left free.
*Known patterns*: knows rates and importances, not the changes. With Poisson changes a capture tells nothing about
the future, so the best policy is a fixed schedule; same duality, captures at mid-period. It bounds the expected
captured weight; under the objective `page` the expected ratio is taken as the ratio of expectations.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from strandline.lab.simulate.bounds_kernels import best_captures, best_schedules
from strandline.lab.simulate.world import Floats, Ints, World


@dataclass(frozen=True)
class Bound:
    """The bound as completeness, and the prices that prove it."""

    completeness: float
    prices: Floats


def version_values(world: World, objective: str) -> Floats:
    """What catching each change adds to the completeness of an objective (pool, page or count)."""
    page = world.page_of_change
    scored = np.where(world.scored, 1.0, 0.0)
    if objective == "count":
        value = scored
    elif objective == "pool":
        value = scored * world.importance * world.weight[page]
    elif objective == "page":
        total = np.bincount(page, weights=scored * world.importance, minlength=len(world))
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.where(total[page] > 0, scored * world.importance / total[page], 0.0)
        value = share * world.weight[page]
    else:
        raise ValueError(f"bounds are known for pool, page and count, not {objective!r}")
    return value / max(float(value.sum()), 1e-300)


def clairvoyant_bound(world: World, visits: int, objective: str, rounds: int = 120) -> Bound:
    """No strategy with M visits a period can exceed this completeness."""
    value = version_values(world, objective)

    def answer(price: Floats) -> tuple[float, Ints]:
        return best_captures(world.start, world.time, value, price)

    return _lower(answer, visits, _first_price(value, visits, world.periods), rounds)


def known_pattern_bound(world: World, visits: int, objective: str, rounds: int = 60) -> Bound:
    """The expected completeness of no strategy that knows only patterns can exceed this (captures mid-period).

    Raises:
        ValueError: for a trace, whose patterns were fitted to what happened: changes that come by the clock or in
            batches are no Poisson changes, and this would be no bound.
    """
    if world.accumulates:
        raise ValueError("a trace has no bound for known patterns: its changes were not drawn from its patterns")
    patterns = world.patterns
    bins = patterns.cycle[np.arange(world.periods) % len(patterns.cycle)]
    hours = np.bincount(bins, minlength=patterns.rate.shape[1])
    expected = (patterns.rate * patterns.importance) @ hours
    importance = patterns.importance
    if objective == "count":
        importance = np.ones_like(importance)
        weight = np.ones(len(world)) / max(float((patterns.rate @ hours).sum()), 1e-300)
    elif objective == "pool":
        weight = world.weight / float(world.weight @ expected)
    elif objective == "page":
        changed = world.weight * -np.expm1(-(patterns.rate @ hours))
        weight = changed / np.maximum(expected, 1e-300) / float(changed.sum())
    else:
        raise ValueError(f"bounds are known for pool, page and count, not {objective!r}")

    def answer(price: Floats) -> tuple[float, Ints]:
        return best_schedules(patterns.rate, importance, weight, patterns.cycle, price)

    first = _first_price(weight * importance.mean(axis=1), visits, 1)
    return _lower(answer, visits, first * np.ones(world.periods), rounds)


def _first_price(value: Floats, visits: int, periods: int) -> Floats:
    """A first guess: the worth of the version that would just be left out."""
    kept = min(visits * periods, len(value)) - 1
    level = float(np.partition(value, len(value) - 1 - kept)[len(value) - 1 - kept]) if len(value) else 0.0
    return np.full(periods, max(level, float(value.mean()) * 0.05 if len(value) else 0.0, 1e-15))


def _lower(answer: Callable[[Floats], tuple[float, Ints]], visits: int, price: Floats, rounds: int) -> Bound:
    """Move prices towards balance, keep the lowest bound seen."""
    best, kept = np.inf, price
    smooth = np.zeros(len(price))
    for turn in range(rounds):
        total, load = answer(price)
        bound = total + visits * float(price.sum())
        if bound < best:
            best, kept = bound, price.copy()
        excess = np.clip((load - visits) / visits, -1.0, 2.0)
        smooth = 0.5 * smooth + 0.5 * excess
        price = price * np.exp(0.5 / (1.0 + 0.12 * turn) * smooth)
    return Bound(min(float(best), 1.0), kept)
