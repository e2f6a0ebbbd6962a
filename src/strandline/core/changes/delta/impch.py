"""The importance of a change by the formula of paper 001, section 6.2 (SPEC section 2), in [0, 1].

    ImpCh = sum over blocks Imp(B) * 1/N_op * sum over operations Imp(op) * PerCh(B, op)

Its text leaves open what N_op counts. The default is the monotone reading: another edit never lowers the score, and a
block that is replaced as a whole counts as a whole. The others are kept for comparison:

    monotone  sum_b Imp(b) * min(1, sum over operation types of mean Imp(op) * PerCh(b, op))
    A         N_op = operations in the block, PerCh = share of the elements hit by this operation on this kind of one
    B         N_op = 3 operation types
    C         N_op = all operations of the delta
    D         N_op = 9 pairs of operation and kind of element

Imp(B) sums to 1 over the blocks of the old version and the inserted ones, and a block weighs what it weighed in the old
version: an edit then adds its own share and takes nothing from the others, however the new version is cut. Elements are
counted in the larger version of a block; an inserted advertisement, which counts .1, makes it larger by .1.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal

from strandline.core.blocks.roles import block_weight, block_weights
from strandline.core.blocks.tree import PageBlock
from strandline.core.changes.delta.delta import BlockChange, Delta

Reading = Literal["monotone", "A", "B", "C", "D"]
Counted = Sequence[tuple[str, str, float]]  # operations as the formula counts them: kind, element, Imp(op)


def impch(delta: Delta, reading: Reading = "monotone", blocks: str = "auto") -> float:
    """The paper's importance of a change, in [0, 1]; `blocks` says how blocks are weighed: auto, area or uniform."""
    changed = [(change, _counted(change)) for change in delta.changes if change.content]
    if not changed:
        return 0.0
    whole = sum(block_weights(delta.old.blocks, blocks))
    total = sum(len(counted) for _, counted in changed)
    score = 0.0
    for change, counted in changed:
        if change.old is None:
            # What the page already showed elsewhere is no part of what was inserted, and advertising hardly is.
            inserted = sum([weight for _, _, weight in counted])
            weight = block_weight(change.block, blocks) * inserted / len(change.block.items)
            whole += weight
            entire = [(kind, element, 1.0) for kind, element, _ in counted]
            score += weight * block_score(entire, len(entire), reading, total)
        else:
            weight = block_weight(change.old, blocks)
            score += weight * block_score(counted, _elements(change.old, counted), reading, total)
    return min(1.0, score / whole) if whole else 1.0


def block_score(operations: Counted, elements: float, reading: Reading, total: int) -> float:
    """The inner sum of the formula for one block: operations as (kind, element, Imp(op)), elements of the block.

    Half of ten texts inserted, then five small edits besides: reading A falls, the monotone one rises.

        >>> inserted, edits = [("insert", "text", 1.0)] * 5, [("update", "text", 0.1)] * 5
        >>> block_score(inserted, 10, "A", 5), round(block_score(inserted + edits, 10, "A", 10), 3)
        (0.5, 0.275)
        >>> block_score(inserted, 10, "monotone", 5), round(block_score(inserted + edits, 10, "monotone", 10), 3)
        (0.5, 0.55)
    """
    if not operations:
        return 0.0
    elements = max(elements, 1.0)
    if reading in ("A", "C"):
        shares = _shares(((kind, element) for kind, element, _ in operations), elements)
        summed = sum(weight * shares[kind, element] for kind, element, weight in operations)
        return summed / (len(operations) if reading == "A" else max(total, 1))
    if reading == "monotone":  # mean Imp(op) * PerCh, summed over the types, is the sum of all Imp(op) by elements
        return min(1.0, sum([weight for _, _, weight in operations]) / elements)
    groups: defaultdict[object, list[float]] = defaultdict(list)
    for kind, element, weight in operations:
        groups[(kind, element) if reading == "D" else kind].append(weight)
    summed = sum(sum(weights) / len(weights) * min(1.0, len(weights) / elements) for weights in groups.values())
    return summed / (3 if reading == "B" else 9)


def _shares(keys: Iterable[tuple[str, str]], elements: float) -> dict[tuple[str, str], float]:
    counts: defaultdict[tuple[str, str], int] = defaultdict(int)
    for key in keys:
        counts[key] += 1
    return {key: min(1.0, count / elements) for key, count in counts.items()}


def _counted(change: BlockChange) -> Counted:
    """Operations of a change as the formula counts them: a whole block counts as each of its elements."""
    counted: list[tuple[str, str, float]] = []
    for operation in change.content:
        kind, element, _, weight, _, _ = operation
        if element == "block":
            counted += [(kind, item[0], weight) for item, weight in zip(change.items, change.weights, strict=True)]
        else:
            counted.append((kind, element, weight))
    return counted


def _elements(old: PageBlock, counted: Counted) -> float:
    """Elements of a block, in whichever version it has more; an inserted one adds no more of them than it counts."""
    inserted = [weight for kind, _, weight in counted if kind == "insert"]
    if not inserted:
        return float(len(old.items))
    deleted = [kind for kind, _, _ in counted].count("delete")
    return len(old.items) + max(0.0, sum(inserted) - deleted)
