"""Which block of the old version is which block of the new one: a cascade from equality to likeness.

    1. same content at the same place          3. same path, most words in common
    2. same content, then same text, in order  4. anywhere, most words in common

Most blocks of most pages end at the first step, so the later ones, which compare word sets, see few blocks. Pairs that
cross are moves: those outside a longest increasing subsequence of new positions.
"""

from bisect import bisect_left
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import Final

from strandline.core.blocks.tree import PageBlock
from strandline.core.blocks.word_numbers import likeness, likenesses
from strandline.core.changes.delta.carried import shows_the_same

ALIKE_ON_PATH: Final = 0.4
"""Share of words that two blocks at the same path have in common.
Origin: a guess; tried as a whole on 10,498 versions of pages."""
ALIKE_ALONE: Final = 0.1
"""Share that is enough when a path has one block left on each side.
Origin: a guess; tried as a whole on 10,498 versions of pages."""
ALIKE_ANYWHERE: Final = 0.5
"""Share that two blocks anywhere on the page have in common.
Origin: a guess; tried as a whole on 10,498 versions of pages."""
SURE: Final = 0.2
"""Share of the words of two blocks that differ in their numbers only, from which no others are as much alike.
Origin: derived, more than the same place adds."""
MOST_PAIRS: Final = 250_000
"""Pairs of blocks beyond which words are not compared. Origin: a bound on time."""

Pairs = dict[int, int]  # old number -> new number
Free = tuple[list[int], list[int]]  # numbers of the old and the new blocks that have no partner yet


def same_beginning(old: Iterable[PageBlock], new: Iterable[PageBlock]) -> int:
    """How many blocks at the beginning of both versions have the same content at the same place."""
    count = 0
    for one, other in zip(old, new, strict=False):
        if one.nth != other.nth or one.path != other.path or not shows_the_same(one, other):
            break
        count += 1
    return count


def same_ending(old: Sequence[PageBlock], new: Sequence[PageBlock], start: int) -> int:
    """How many blocks at the end have, where so many at the beginning do."""
    shorter = min(len(old), len(new)) - start
    return same_beginning(islice(reversed(old), shorter), reversed(new))


def matched(old: Sequence[PageBlock], new: Sequence[PageBlock]) -> list[tuple[int, int]]:
    """Pairs (old number, new number) of blocks taken to be the same, in the order of the old version."""
    start = same_beginning(old, new)
    ending = same_ending(old, new, start)
    ended = zip(range(len(old) - ending, len(old)), range(len(new) - ending, len(new)), strict=True)
    return [*zip(range(start), range(start), strict=True), *matched_between(old, new, start, ending), *ended]


def matched_between(
    old: Sequence[PageBlock], new: Sequence[PageBlock], start: int, ending: int
) -> list[tuple[int, int]]:
    """`matched` of the blocks after as many at the beginning, and before as many at the end, that are the same."""
    pairs: Pairs = {}
    free = (list(range(start, len(old) - ending)), list(range(start, len(new) - ending)))
    for pair_up in (_same_content, _same_text, _same_path, _anywhere):
        if free[0] and free[1]:
            pair_up(old, new, free, pairs)
            free = _still_free(free, pairs)
    return sorted(pairs.items())


def _still_free(free: Free, pairs: Pairs) -> Free:
    taken = set(pairs.values())
    return [place for place in free[0] if place not in pairs], [place for place in free[1] if place not in taken]


def _same_content(old: Sequence[PageBlock], new: Sequence[PageBlock], free: Free, pairs: Pairs) -> None:
    """Pair blocks of equal content: those at the same place first, then in order."""
    holders: dict[int, list[int]] = {}
    for i in free[0]:
        holders.setdefault(old[i].digest, []).append(i)
    found: dict[int, list[int]] = {}
    for j in free[1]:
        digest = new[j].digest
        if digest in holders:
            found.setdefault(digest, []).append(j)
    for digest, news in found.items():
        olds = holders[digest]
        if len(olds) > 1 or len(news) > 1:
            at_place = {old[i].key: i for i in reversed(olds)}
            staying = {at_place[new[j].key]: j for j in reversed(news) if new[j].key in at_place}
            pairs.update(staying)
            placed = set(staying.values())
            olds = [i for i in olds if i not in staying]
            news = [j for j in news if j not in placed]
        pairs.update(zip(olds, news, strict=False))


def _same_text(old: Sequence[PageBlock], new: Sequence[PageBlock], free: Free, pairs: Pairs) -> None:
    """Pair blocks of equal text in order; blocks without text by their place."""
    waiting: dict[Hashable, list[int]] = {}
    for i in reversed(free[0]):
        waiting.setdefault(_text_signature(old[i]), []).append(i)
    for j in free[1]:
        candidates = waiting.get(_text_signature(new[j]))
        if candidates:
            pairs[candidates.pop()] = j


def _text_signature(block: PageBlock) -> Hashable:
    return block.texts or ("place", block.key)


def _same_path(old: Sequence[PageBlock], new: Sequence[PageBlock], free: Free, pairs: Pairs) -> None:
    """Pair the blocks of each path that have most words in common."""
    on_path: dict[str, tuple[list[int], list[int]]] = {}
    for side, (blocks, places) in enumerate(zip((old, new), free, strict=True)):
        for place in places:
            on_path.setdefault(blocks[place].path, ([], []))[side].append(place)
    for olds, news in on_path.values():
        if not olds or not news:
            continue
        if len(olds) * len(news) > MOST_PAIRS:
            _same_but_numbers(old, new, (olds, news), pairs)
            continue
        if len(olds) == len(news) == 1:
            one, other = old[olds[0]], new[news[0]]
            if likeness(one.words, other.words) >= ALIKE_ALONE or one.masked_digest == other.masked_digest:
                pairs[olds[0]] = news[0]
            continue
        olds, news = _surely_the_same(old, new, (olds, news), pairs)
        if not olds or not news:
            continue
        masks: dict[int, list[int]] = {}
        for j in news:
            masks.setdefault(new[j].masked_digest, []).append(j)
        found = {(i, j): alike for i, j, alike in _alike(old, new, (olds, news), ALIKE_ON_PATH)}
        scored = [(-(alike + 0.15 * (old[i].nth == new[j].nth)), i, j) for (i, j), alike in found.items()]
        for i in olds:
            for j in masks.get(old[i].masked_digest, ()):  # they differ in their numbers only
                alike = found.get((i, j)) or likeness(old[i].words, new[j].words)
                scored.append((-(alike + 0.15 * (old[i].nth == new[j].nth) + 1.0), i, j))
        _take_best(scored, pairs)


def _surely_the_same(old: Sequence[PageBlock], new: Sequence[PageBlock], free: Free, pairs: Pairs) -> Free:
    """Pair each block with the only one of its path that differs from it in its numbers only: whatever the others have
    in common, this pair would come first. What is left is returned.
    """
    holders: dict[int, list[int]] = {}
    for i in free[0]:
        holders.setdefault(old[i].masked_digest, []).append(i)
    comers: dict[int, list[int]] = {}
    for j in free[1]:
        comers.setdefault(new[j].masked_digest, []).append(j)
    for digest, olds in holders.items():
        news = comers.get(digest, ())
        if len(olds) == len(news) == 1 and likeness(old[olds[0]].words, new[news[0]].words) >= SURE:
            pairs[olds[0]] = news[0]
    return _still_free(free, pairs)


def _same_but_numbers(old: Sequence[PageBlock], new: Sequence[PageBlock], free: Free, pairs: Pairs) -> None:
    """Pair blocks that differ in their numbers only, in order: what can be done with any number of them."""
    waiting: dict[int, list[int]] = {}
    for i in reversed(free[0]):
        waiting.setdefault(old[i].masked_digest, []).append(i)
    for j in free[1]:
        if candidates := waiting.get(new[j].masked_digest):
            pairs[candidates.pop()] = j


def _anywhere(old: Sequence[PageBlock], new: Sequence[PageBlock], free: Free, pairs: Pairs) -> None:
    """Pair what is left by the words in common, wherever it lies."""
    if len(free[0]) * len(free[1]) <= MOST_PAIRS:
        _take_best([(-alike, i, j) for i, j, alike in _alike(old, new, free, ALIKE_ANYWHERE)], pairs)


def _alike(
    old: Sequence[PageBlock], new: Sequence[PageBlock], free: Free, least: float
) -> Iterator[tuple[int, int, float]]:
    """The pairs (old number, new number) of these blocks that are at least so much alike, and how much."""
    olds, news = free
    shares = likenesses([old[i].words for i in olds], [new[j].words for j in news])
    rows, columns = (shares >= least).nonzero()
    for i, j, share in zip(rows.tolist(), columns.tolist(), shares[rows, columns].tolist(), strict=True):
        yield olds[i], news[j], share


def _take_best(scored: list[tuple[float, int, int]], pairs: Pairs) -> None:
    """Greedy: the best pair first, each block once; the blocks had no partner before."""
    taken: set[int] = set()
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
