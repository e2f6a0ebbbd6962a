"""Compiled walk of NEAR-Miner over a delta tree in preorder.

The chain of directories that change together is local to the branch: it is kept per depth, so that going on
to a sibling finds the chain as it was at their parent.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from strandline.core.compiled import compiled
from strandline.core.history.tree_kernels import Bits, popcount

STRONGEST, WEAKEST, STEPS_PER_UNIT = 10, 6, 20
"""Automatic gamma runs from 10/20 down to 6/20 in steps of 1/20."""
ROUNDING = 1e-12


class PreorderTree(NamedTuple):
    """Directories in preorder: their bitmaps, how many bits are set, where each subtree ends, and their depth."""

    bits: Bits
    counts: NDArray[np.int64]
    ends: NDArray[np.int64]
    depths: NDArray[np.int64]


class Limits(NamedTuple):
    """Thresholds of one run."""

    transitions: int
    beta: float
    gamma: float
    """Not a number: automatic."""
    theta: float
    never_together: float
    """The correlation of a pair without one, when it never changed together: -1, or 0 for the literal reading."""
    extend: bool
    """Whether directories that change together with the chain join it."""
    below: bool
    """Whether the walk goes on below an excluded directory, and only what is found there is a rule."""


class RuleArrays(NamedTuple):
    """Rules as numbers; chain i is members[starts[i]:starts[i + 1]]. Places are preorder places."""

    members: NDArray[np.int64]
    starts: NDArray[np.int64]
    tails: NDArray[np.int64]
    together: NDArray[np.int64]
    """Transitions in which the whole chain changed."""
    correlations: NDArray[np.float64]
    confidences: NDArray[np.float64]


class Chains(NamedTuple):
    """The chain in force at each depth of the walk."""

    bits: Bits
    counts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    excluded: NDArray[np.bool_]
    members: NDArray[np.int64]


@compiled
def correlation(both: int, left: int, right: int, limits: Limits) -> float:
    """Phi coefficient of two events seen `left` and `right` times, together `both` times."""
    total = limits.transitions
    spread = float(left * (total - left)) * float(right * (total - right))
    if spread == 0.0:
        return limits.never_together if left > 0 and both == 0 else 0.0
    return float(total * both - left * right) / np.sqrt(spread)  # type: ignore[no-any-return]


@compiled
def common_bits(left: Bits, left_row: int, right: Bits, right_row: int) -> int:
    """Number of bits set in both rows."""
    total = 0
    for word in range(left.shape[1]):
        total += popcount(left[left_row, word] & right[right_row, word])
    return total


@compiled
def write_rule(rules: RuleArrays, used: NDArray[np.int64], chains: Chains, depth: int, tail: int) -> bool:
    """Append the rule "chain at this depth excludes tail" when there is room; always count it."""
    length = chains.lengths[depth]
    fits = used[0] < len(rules.tails) and used[1] + length <= len(rules.members)
    if fits:
        for place in range(length):
            rules.members[used[1] + place] = chains.members[place]
        rules.tails[used[0]] = tail
        rules.together[used[0]] = chains.counts[depth]
        rules.starts[used[0] + 1] = used[1] + length
    used[0] += 1
    used[1] += length
    return fits  # type: ignore[no-any-return]


@compiled
def enter(tree: PreorderTree, chains: Chains, place: int, joins: bool) -> None:
    """Set the chain in force below a directory: its parent's, with the directory itself when it joins."""
    depth = tree.depths[place]
    chains.excluded[depth] = chains.excluded[depth - 1]
    chains.lengths[depth] = chains.lengths[depth - 1]
    chains.counts[depth] = chains.counts[depth - 1]
    for word in range(tree.bits.shape[1]):
        chains.bits[depth, word] = chains.bits[depth - 1, word]
    if joins:
        for word in range(tree.bits.shape[1]):
            chains.bits[depth, word] &= tree.bits[place, word]
        chains.members[chains.lengths[depth]] = place
        chains.lengths[depth] += 1
        chains.excluded[depth] = False  # a longer chain has excluded nothing yet


@compiled
def walk_below(
    tree: PreorderTree, first: int, limits: Limits, chains: Chains, rules: RuleArrays, used: NDArray[np.int64]
) -> float:
    """Rules whose chain starts at `first`; returns the lowest correlation that just failed for gamma."""
    closest = 1.0
    place = first + 1
    while place < tree.ends[first]:
        depth = tree.depths[place]
        count = chains.counts[depth - 1]
        both = common_bits(chains.bits, depth - 1, tree.bits, place)
        next_place = place + 1
        joins = both / limits.transitions >= limits.beta
        inner = tree.ends[place] > next_place
        if inner:
            enter(tree, chains, place, joins and limits.extend)
        if joins:
            if limits.extend and inner:
                chains.counts[depth] = both
        elif (count - both) / count >= limits.theta:
            value = correlation(both, count, tree.counts[place], limits)
            if value > ROUNDING - limits.gamma:
                closest = min(closest, value)
            else:
                chains.excluded[depth] = True
                if not limits.below:
                    next_place = tree.ends[place]
                if (not limits.below or chains.excluded[depth - 1]) and write_rule(
                    rules, used, chains, depth - 1, place
                ):
                    rules.correlations[used[0] - 1] = value
                    rules.confidences[used[0] - 1] = (count - both) / count
        place = next_place
    return closest


@compiled
def rules_from(
    tree: PreorderTree, first: int, limits: Limits, chains: Chains, rules: RuleArrays, used: NDArray[np.int64]
) -> None:
    """Rules of one start directory; an automatic gamma is lowered until there is one."""
    depth = tree.depths[first]
    chains.excluded[depth] = False
    chains.lengths[depth] = 1
    chains.counts[depth] = tree.counts[first]
    chains.members[0] = first
    for word in range(tree.bits.shape[1]):
        chains.bits[depth, word] = tree.bits[first, word]
    if not np.isnan(limits.gamma):
        walk_below(tree, first, limits, chains, rules, used)
        return
    step = STRONGEST
    before = used[0]
    while step >= WEAKEST:
        attempt = Limits(
            limits.transitions,
            limits.beta,
            step / STEPS_PER_UNIT,
            limits.theta,
            limits.never_together,
            limits.extend,
            limits.below,
        )
        closest = walk_below(tree, first, attempt, chains, rules, used)
        if used[0] > before:
            return
        step -= 1
        # Without a rule the walk has met every candidate, so steps that none of them reaches can be left out.
        while step >= WEAKEST and closest > ROUNDING - step / STEPS_PER_UNIT:
            step -= 1


@compiled
def mine_places(tree: PreorderTree, starts: NDArray[np.int64], limits: Limits, rules: RuleArrays) -> NDArray[np.int64]:
    """Mine from every start place; returns how many rules and chain members there are, written or not."""
    used = np.zeros(2, dtype=np.int64)
    deepest = 2 + np.max(tree.depths) if len(tree.depths) else 2
    chains = Chains(
        np.zeros((deepest, tree.bits.shape[1]), dtype=np.uint64),
        np.zeros(deepest, dtype=np.int64),
        np.zeros(deepest, dtype=np.int64),
        np.zeros(deepest, dtype=np.bool_),
        np.zeros(deepest, dtype=np.int64),
    )
    for first in starts:
        if tree.counts[first] > 0 and tree.counts[first] / limits.transitions >= limits.beta:
            rules_from(tree, first, limits, chains, rules, used)
    return used
