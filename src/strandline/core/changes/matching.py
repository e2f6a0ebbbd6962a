"""Which block of the old version is which block of the new one: a cascade from equality to likeness.

    1. same content at the same place          3. same path, most similar words
    2. same content, then same text, in order  4. anywhere, by rare words in common

Most blocks of most pages end at the first step, so the later ones, which compare word sets, see few blocks. Pairs that
cross are moves: those outside a longest increasing subsequence of new positions.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import chain, pairwise
from typing import Final

from strandline.core.blocks.tree import PageBlock

ALIKE_ON_PATH: Final = 0.4
ALIKE_ALONE: Final = 0.1  # enough when a path has one block left on each side
ALIKE_ANYWHERE: Final = 0.5
RARE: Final = 8  # a word in at most so many blocks can lead from one to another
MOST_COMPARED: Final = 2_500

Pairs = dict[int, int]  # old number -> new number


def likeness(one: PageBlock, other: PageBlock) -> float:
    """Share of distinct words two blocks have in common."""
    common = len(one.words & other.words)
    union = len(one.words) + len(other.words) - common
    return common / union if union else float(one.digest == other.digest)


def _may_be_alike(one: PageBlock, other: PageBlock, least: float) -> bool:
    """False when the blocks differ so much in size that they cannot have this share of words in common."""
    small, large = sorted((len(one.words), len(other.words)))
    return small >= least * large


def matched(old: Sequence[PageBlock], new: Sequence[PageBlock]) -> list[tuple[int, int]]:
    """Pairs (old number, new number) of blocks taken to be the same, in the order of the old version."""
    pairs: Pairs = {}
    free_old, free_new = list(range(len(old))), list(range(len(new)))
    signatures: tuple[Callable[[PageBlock], Hashable], ...] = (
        lambda block: (block.digest, block.key),
        lambda block: block.digest,
        lambda block: block.text_digest if block.texts else ("place", block.key),
    )
    for signature in signatures:
        _equal(old, new, (free_old, free_new), signature, pairs)
        free_old, free_new = _free(len(old), pairs.keys()), _free(len(new), pairs.values())
        if not free_old or not free_new:
            return sorted(pairs.items())
    _same_path(old, new, (free_old, free_new), pairs)
    free_old, free_new = _free(len(old), pairs.keys()), _free(len(new), pairs.values())
    _rare_words(old, new, (free_old, free_new), pairs)
    return sorted(pairs.items())


def _free(count: int, taken: Iterable[int]) -> list[int]:
    used = set(taken)
    return [place for place in range(count) if place not in used]


def _equal(
    old: Sequence[PageBlock],
    new: Sequence[PageBlock],
    free: tuple[list[int], list[int]],
    signature: Callable[[PageBlock], Hashable],
    pairs: Pairs,
) -> None:
    """Pair blocks of equal signature, in order."""
    waiting: defaultdict[Hashable, list[int]] = defaultdict(list)
    for place in reversed(free[0]):
        waiting[signature(old[place])].append(place)
    for place in free[1]:
        candidates = waiting.get(signature(new[place]))
        if candidates:
            pairs[candidates.pop()] = place


def _same_path(
    old: Sequence[PageBlock], new: Sequence[PageBlock], free: tuple[list[int], list[int]], pairs: Pairs
) -> None:
    """Pair the blocks of each path that have most words in common."""
    on_path: defaultdict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for side, (blocks, places) in enumerate(zip((old, new), free, strict=True)):
        for place in places:
            on_path[blocks[place].path][side].append(place)
    for olds, news in on_path.values():
        if not olds or not news or len(olds) * len(news) > MOST_COMPARED:
            continue
        least = ALIKE_ALONE if len(olds) == len(news) == 1 else ALIKE_ON_PATH
        scored = []
        for i in olds:
            for j in news:
                same = old[i].masked_digest == new[j].masked_digest
                if not same and not _may_be_alike(old[i], new[j], least):
                    continue
                alike = likeness(old[i], new[j])
                if same or alike >= least:
                    scored.append((-(alike + 0.15 * (old[i].key == new[j].key) + same), i, j))
        _take_best(scored, pairs)


def _rare_words(
    old: Sequence[PageBlock], new: Sequence[PageBlock], free: tuple[list[int], list[int]], pairs: Pairs
) -> None:
    """Pair what is left by words that occur in few blocks."""
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for place in free[0]:
        for word in old[place].words:
            holders[word].append(place)
    rare = {word: found for word, found in holders.items() if len(found) <= RARE}
    candidates: list[tuple[int, int, int]] = []  # words in common, negated, and the pair
    for place in free[1]:
        common = Counter(chain.from_iterable(rare[word] for word in new[place].words & rare.keys()))
        candidates += [(-count, i, place) for i, count in common.items()]
    scored = [
        (-alike, i, j)
        for _, i, j in sorted(candidates)[:MOST_COMPARED]
        if _may_be_alike(old[i], new[j], ALIKE_ANYWHERE) and (alike := likeness(old[i], new[j])) >= ALIKE_ANYWHERE
    ]
    _take_best(scored, pairs)


def _take_best(scored: list[tuple[float, int, int]], pairs: Pairs) -> None:
    """Greedy: the best pair first, each block once."""
    taken = set(pairs.values())
    for _, i, j in sorted(scored):
        if i not in pairs and j not in taken:
            pairs[i] = j
            taken.add(j)


def in_place(pairs: Sequence[tuple[int, int]]) -> set[int]:
    """Old numbers of the pairs that did not move: a longest increasing subsequence of new positions.

    >>> sorted(in_place([(0, 0), (1, 3), (2, 1), (3, 2)]))
    [0, 2, 3]
    """
    if all(one[1] < other[1] for one, other in pairwise(pairs)):
        return {i for i, _ in pairs}
    tails: list[int] = []  # new position that ends the best run of each length
    tail_at: list[int] = []
    previous = [-1] * len(pairs)
    for number, (_, position) in enumerate(pairs):
        length = bisect_left(tails, position)
        previous[number] = tail_at[length - 1] if length else -1
        if length == len(tails):
            tails.append(position)
            tail_at.append(number)
        else:
            tails[length], tail_at[length] = position, number
    kept: set[int] = set()
    number = tail_at[-1] if tail_at else -1
    while number >= 0:
        kept.add(pairs[number][0])
        number = previous[number]
    return kept
