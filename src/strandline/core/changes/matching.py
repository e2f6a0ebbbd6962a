"""Which block of the old version is which block of the new one: a cascade from equality to likeness.

    1. same content at the same place          3. same path, most similar words
    2. same content, then same text, in order  4. anywhere, by rare words in common

Most blocks of most pages end at the first step, so the later ones, which compare word sets, see few blocks. Pairs that
cross are moves: those outside a longest increasing subsequence of new positions.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import chain, islice, pairwise
from typing import Final

from strandline.core.blocks.tree import PageBlock

ALIKE_ON_PATH: Final = 0.4
ALIKE_ALONE: Final = 0.1  # enough when a path has one block left on each side
ALIKE_ANYWHERE: Final = 0.5
RARE: Final = 8  # a word in at most so many blocks can lead from one to another
MOST_COMPARED: Final = 2_500

Pairs = dict[int, int]  # old number -> new number
Free = tuple[list[int], list[int]]  # numbers of the old and the new blocks that have no partner yet


def likeness(one: PageBlock, other: PageBlock) -> float:
    """Share of distinct words two blocks have in common."""
    common = len(one.words & other.words)
    union = len(one.words) + len(other.words) - common
    return common / union if union else float(one.digest == other.digest)


def same_beginning(old: Iterable[PageBlock], new: Iterable[PageBlock]) -> int:
    """How many blocks at the beginning of both versions have the same content at the same place."""
    count = 0
    for one, other in zip(old, new, strict=False):
        if one.digest != other.digest or one.nth != other.nth or one.path != other.path:
            break
        count += 1
    return count


def matched(old: Sequence[PageBlock], new: Sequence[PageBlock]) -> list[tuple[int, int]]:
    """Pairs (old number, new number) of blocks taken to be the same, in the order of the old version."""
    start = same_beginning(old, new)
    shorter = min(len(old), len(new)) - start
    ending = same_beginning(islice(reversed(old), shorter), reversed(new))
    pairs: Pairs = {place: place for place in range(start)}
    pairs.update(zip(range(len(old) - ending, len(old)), range(len(new) - ending, len(new)), strict=True))
    free = (list(range(start, len(old) - ending)), list(range(start, len(new) - ending)))
    for pair_up in (_same_content, _same_text):
        if free[0] and free[1]:
            pair_up(old, new, free, pairs)
            free = _still_free(free, pairs)
    if free[0] and free[1]:
        _same_path(old, new, free, pairs)
        free = _still_free(free, pairs)
    if free[0] and free[1]:
        _rare_words(old, new, free, pairs)
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
            olds = [i for i in olds if i not in staying]
            news = [j for j in news if j not in set(staying.values())]
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
    return block.text_digest if block.texts else ("place", block.key)


def _same_path(old: Sequence[PageBlock], new: Sequence[PageBlock], free: Free, pairs: Pairs) -> None:
    """Pair the blocks of each path that have most words in common."""
    on_path: dict[str, tuple[list[int], list[int]]] = {}
    for side, (blocks, places) in enumerate(zip((old, new), free, strict=True)):
        for place in places:
            on_path.setdefault(blocks[place].path, ([], []))[side].append(place)
    for olds, news in on_path.values():
        if not olds or not news or len(olds) * len(news) > MOST_COMPARED:
            continue
        if len(olds) == len(news) == 1:
            one, other = old[olds[0]], new[news[0]]
            if likeness(one, other) >= ALIKE_ALONE or one.masked_digest == other.masked_digest:
                pairs[olds[0]] = news[0]
            continue
        scored = []
        sized = [(j, new[j], len(new[j].words)) for j in news]
        for i in olds:
            one, size = old[i], len(old[i].words)
            for j, other, other_size in sized:
                same = one.masked_digest == other.masked_digest
                if not same and (size < ALIKE_ON_PATH * other_size or other_size < ALIKE_ON_PATH * size):
                    continue  # they differ too much in size to have this share of words in common
                alike = likeness(one, other)
                if same or alike >= ALIKE_ON_PATH:
                    scored.append((-(alike + 0.15 * (one.nth == other.nth) + same), i, j))
        _take_best(scored, pairs)


def _rare_words(old: Sequence[PageBlock], new: Sequence[PageBlock], free: Free, pairs: Pairs) -> None:
    """Pair what is left by words that occur in few blocks."""
    holders: dict[str, list[int]] = {}
    for place in free[0]:
        for word in old[place].words:
            holders.setdefault(word, []).append(place)
    candidates: list[tuple[int, int, int]] = []  # words in common, negated, and the pair
    for place in free[1]:
        found = (holders[word] for word in new[place].words if word in holders)
        common = Counter(chain.from_iterable(places for places in found if len(places) <= RARE))
        candidates += [(-count, i, place) for i, count in common.items()]
    scored = []
    for _, i, j in sorted(candidates)[:MOST_COMPARED]:
        size, other_size = len(old[i].words), len(new[j].words)
        if size >= ALIKE_ANYWHERE * other_size and other_size >= ALIKE_ANYWHERE * size:
            alike = likeness(old[i], new[j])
            if alike >= ALIKE_ANYWHERE:
                scored.append((-alike, i, j))
    _take_best(scored, pairs)


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
