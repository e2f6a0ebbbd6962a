"""Rules of chains that jump over an excluded directory.

A chain may exclude a directory of which little changes, and something deep inside it may change with the chain all the
same. Then chain and inner directory are a longer chain, which no definition calls subsumed, with rules of its own. The
compiled walk (near_kernels.py) stops at an excluded directory; here it goes on, which is seldom needed.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from strandline.core.history.tree_kernels import Bits
from strandline.core.mining.near_kernels import ROUNDING, STEPS_PER_UNIT, STRONGEST, WEAKEST, Limits, PreorderTree


class Jump(NamedTuple):
    """A rule in preorder places, with the transitions in which its chain changed."""

    chain: tuple[int, ...]
    tail: int
    together: int
    correlation: float
    confidence: float


class _Chain(NamedTuple):
    members: tuple[int, ...]
    bits: Bits
    times: int
    gamma: float


def jumps(tree: PreorderTree, limits: Limits, chain: tuple[int, ...], tail: int, gamma: float) -> Iterator[Jump]:
    """Rules below a directory that a chain excludes."""
    if tree.ends[tail] <= tail + 1:
        return
    bits = np.bitwise_and.reduce(tree.bits[list(chain)], axis=0)
    inside = np.bitwise_count(tree.bits[tail + 1 : tree.ends[tail]] & bits).sum(axis=1, dtype=np.int64)
    if (inside / limits.transitions >= limits.beta).any():
        count = int(np.bitwise_count(bits).sum(dtype=np.int64))
        yield from _below(tree, limits, _Chain(chain, bits, count, gamma), (tail + 1, int(tree.ends[tail])), True)


def _below(
    tree: PreorderTree, limits: Limits, chain: _Chain, places: tuple[int, int], excluded: bool
) -> Iterator[Jump]:
    """Rules of a chain and of longer ones among some places; `excluded`: the chain excludes a directory above them."""
    place, end = places
    while place < end:
        common = chain.bits & tree.bits[place]
        both, inner = int(np.bitwise_count(common).sum(dtype=np.int64)), (place + 1, int(tree.ends[place]))
        if both / limits.transitions >= limits.beta:
            longer = _Chain((*chain.members, place), common, both, chain.gamma)
            yield from _below(tree, limits, longer, inner, False)
            place = inner[1]
            continue
        confidence = (chain.times - both) / chain.times
        value = _correlation(both, chain.times, int(tree.counts[place]), limits)
        if not excluded and confidence >= limits.theta and value <= ROUNDING - chain.gamma:
            yield Jump(chain.members, place, chain.times, value, confidence)
            yield from _below(tree, limits, chain, inner, True)
            place = inner[1]
            continue
        place += 1


def _correlation(both: int, left: int, right: int, limits: Limits) -> float:
    """As `near_kernels.correlation`, without a compiler."""
    total = limits.transitions
    spread = float(left * (total - left)) * float(right * (total - right))
    if spread == 0.0:
        return limits.never_together if left > 0 and both == 0 else 0.0
    return float((total * both - left * right) / np.sqrt(spread))


def gamma_of(strongest: float) -> float:
    """The automatic gamma with which a start directory found its rules, the strongest of which correlates so.

    >>> gamma_of(-1.0), gamma_of(-0.43), gamma_of(-0.3)
    (0.5, 0.4, 0.3)
    """
    steps = (step / STEPS_PER_UNIT for step in range(STRONGEST, WEAKEST - 1, -1))
    return next((gamma for gamma in steps if strongest <= ROUNDING - gamma), WEAKEST / STEPS_PER_UNIT)
