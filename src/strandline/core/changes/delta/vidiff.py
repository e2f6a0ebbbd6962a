"""From two versions of a page, cut into blocks, to the delta between them (Vi-DIFF, paper 001, section 4).

Blocks are paired first (`matching`). Inside a pair, links, images and frames are compared as multisets of addresses
without queries: leftovers on both sides are updates. Texts are compared as multisets too, then leftovers are paired by
words. An element that the page as a whole neither lost nor gained, and that only turned up in another block, is moved.
"""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Final

from strandline.core.blocks.roles import AdRule, is_advertising
from strandline.core.blocks.tree import BlockTree, Item, PageBlock
from strandline.core.blocks.words import distance_of, masked, masked_texts, word_distance, word_set
from strandline.core.changes.delta.carried import shows_the_same
from strandline.core.changes.delta.delta import BlockChange, Delta, ElementKind, Operation, OperationKind, now_or_before
from strandline.core.changes.delta.matching import in_place, matched_between, same_beginning, same_ending
from strandline.core.struck import without_strokes

FARTHEST_UPDATE: Final = 0.8
"""Part of their words by which texts may differ: with less in common they are a deletion and an insertion.
Origin: a guess; tried as a whole on 10,498 versions of pages."""
MOST_COMPARED: Final = 2_500
"""Pairs of texts in a block. Origin: a bound on time."""
FEWEST_COMMON: Final = 1.0 - FARTHEST_UPDATE
"""Part they share at least. Origin: derived, from FARTHEST_UPDATE."""
ADVERTISING: Final = 0.1
"""What a change of an advertising link or image counts: alpha. Origin: paper 001, section 6.2."""
_ELEMENTS: Final[tuple[ElementKind, ...]] = ("link", "image", "frame")

Named = list[tuple[str, Item]]  # items, each with what makes it what it is (`PageBlock.identities`)
Numbered = list[tuple[int, frozenset[str]]]  # distinct words of texts, by the number of the text


def compare(
    old: BlockTree,
    new: BlockTree,
    advertising: AdRule = is_advertising,
    language: str = "",
    moments: tuple[float, float] | None = None,
) -> Delta:
    """The delta between two versions of a page; empty when a reader sees no difference.

    `language` is what the page calls itself; its sentences are read by the rules of that language. `moments` are when
    both versions were captured: what moves with the clock is told by them.
    """
    count = len(new.blocks)
    start = same_beginning(old.blocks, new.blocks)
    if count == len(old.blocks) == start:
        return Delta(old, new, tuple(zip(range(count), range(count), strict=True)), (), language, ())
    before, after = old.blocks, new.blocks
    ending = same_ending(before, after, start)
    pairs = matched_between(before, after, start, ending)  # those around them are the same, in the same place
    staying = in_place(pairs)
    touched: list[tuple[int, PageBlock | None, PageBlock]] = [
        (j, before[i], after[j]) for i, j in pairs if not shows_the_same(before[i], after[j])
    ]
    if len(pairs) < count - start - ending:
        matched_new = {j for _, j in pairs}
        touched += [(j, None, after[j]) for j in range(start, count - ending) if j not in matched_new]
    gone: list[PageBlock] = []
    if len(pairs) < len(before) - start - ending:
        matched_old = {i for i, _ in pairs}
        gone = [before[i] for i in range(start, len(before) - ending) if i not in matched_old]
    writer = _Writer(advertising, [(one, other) for _, one, other in touched] + [(block, None) for block in gone])
    moved: set[int] = set()
    if len(staying) < len(pairs):
        moved = {j for i, j in pairs if i not in staying}
        touched += [(j, before[i], after[j]) for i, j in pairs if j in moved and before[i].digest == after[j].digest]
    touched.sort(key=itemgetter(0))
    changes = [writer.change(one, other, moved=j in moved) for j, one, other in touched]
    changes = [change for change in changes if change.operations]
    changes += [writer.change(block, None, moved=False) for block in gone]
    ended = zip(range(len(before) - ending, len(before)), range(count - ending, count), strict=True)
    whole = (*zip(range(start), range(start), strict=True), *pairs, *ended)
    return Delta(old, new, whole, tuple(changes), language, tuple(pairs), moments=moments)


def _shown(items: Sequence[Item]) -> str:
    """Items as text: the runs of text, or the names of what is linked when there are none."""
    texts = [item.text for item in items if item.kind == "text"]
    return "\n".join(texts or [item.text or item.address for item in items])


class _Writer:
    """Writes operations; knows what the page as a whole gained and lost, from all blocks that differ."""

    def __init__(self, advertising: AdRule, differing: Sequence[tuple[PageBlock | None, PageBlock | None]]) -> None:
        """Take in the blocks that differ, are inserted or deleted. What both states hold cancels out for the page."""
        self._advertising = advertising
        self._left_over = {(id(old), id(new)): _left_over(old, new) for old, new in differing}
        left_over = self._left_over.values()
        gone = [identity for named, _ in left_over for identity, _ in named]
        come = [identity for _, named in left_over for identity, _ in named]
        self._moving = set(gone).intersection(come)  # left one block and came to another
        # How often each of them is met as gone, and as new.
        self._gone, self._come = (
            Counter([identity for identity in some if identity in self._moving]) if self._moving else Counter[str]()
            for some in (gone, come)
        )

    def change(self, old: PageBlock | None, new: PageBlock | None, *, moved: bool) -> BlockChange:
        """What happened to one block."""
        gone, come = self._left_over.get((id(old), id(new)), ([], []))
        if old and new:
            operations = [Operation("move", "block", new.path, 0.0, new.text, new.text)] if moved else []
            if gone or come:
                operations += self._inside(new.path, gone, come)
            elif not moved:
                operations += _reordered(old, new)
            return BlockChange(old, new, tuple(operations), moved)
        block = now_or_before(new, old)
        real, _ = self._real(come, self._come, self._gone) if new else self._real(gone, self._gone, self._come)
        share = len(real) / len(block.items) if block.items else 1.0
        kind: OperationKind = "move" if not real else "insert" if new else "delete"
        text = _shown(real or block.items)
        before, after = ("", text) if new else (text, "")
        operation = Operation(kind, "block", block.path, share, before, after)
        weights = tuple([self._weight(item[2]) if item[2] else 1.0 for item in real])
        return BlockChange(old, new, (operation,), moved, tuple(real), weights)

    def _weight(self, address: str) -> float:
        """What a change of something with this address, or of a text, which has none, counts."""
        return ADVERTISING if address and self._advertising(address) else 1.0

    def _real(self, named: Named, met: Counter[str], other: Counter[str]) -> tuple[list[Item], list[Item]]:
        """The items that the page as a whole gained or lost, each once for every time it did, and those that moved."""
        moving = self._moving
        if not moving:
            return [item for _, item in named], []
        real, moved = [], []
        for identity, item in named:
            if identity not in moving:
                real.append(item)
            elif met[identity] > other[identity]:
                met[identity] -= 1
                real.append(item)
            else:
                moved.append(item)
        return real, moved

    def _inside(self, path: str, old: Named, new: Named) -> list[Operation]:
        """Content operations between two states of a block."""
        gone, _ = self._real(old, self._gone, self._come)
        come, moved = self._real(new, self._come, self._gone)
        before = [text for kind, text, _ in gone if kind == "text"]
        after = [text for kind, text, _ in come if kind == "text"]
        operations = _texts(path, before, after)
        if len(before) + len(after) < len(gone) + len(come):
            for element in _ELEMENTS:
                operations += self._linked(path, element, gone, come)
        for kind, text, address in moved:
            operations.append(Operation("move", kind, path, 0.0, text or address, text or address))
        return operations

    def _linked(self, path: str, element: ElementKind, gone: Sequence[Item], come: Sequence[Item]) -> list[Operation]:
        before = [item.address for item in gone if item.kind == element]
        after = [item.address for item in come if item.kind == element]
        operations = []
        for place in range(max(len(before), len(after))):
            left = before[place] if place < len(before) else ""
            right = after[place] if place < len(after) else ""
            kind: OperationKind = "update" if left and right else "insert" if right else "delete"
            operations.append(Operation(kind, element, path, self._weight(right or left), left, right))
        return operations


def _texts(path: str, before: Sequence[str], after: Sequence[str]) -> list[Operation]:
    """Operations on the texts of a block."""
    pairs = _paired_texts(before, after)
    operations = []
    for j, text in enumerate(after):
        if j in pairs:
            i, distance = pairs[j]
            operations.append(Operation("update", "text", path, distance, before[i], text))
        else:
            operations.append(Operation("insert", "text", path, 1.0, "", text))
    if len(pairs) < len(before):
        used = {i for i, _ in pairs.values()}
        operations += [
            Operation("delete", "text", path, 1.0, text, "") for i, text in enumerate(before) if i not in used
        ]
    return operations


def _reordered(old: PageBlock, new: PageBlock) -> Iterator[Operation]:
    """Moves of the items that stand elsewhere in a block which holds the same ones as before."""
    waiting: dict[str, deque[int]] = {}
    for place, identity in enumerate(old.identities):
        waiting.setdefault(identity, deque()).append(place)
    places = sorted((waiting[identity].popleft(), place) for place, identity in enumerate(new.identities))
    staying = in_place(places)
    for before, after in places:
        if before not in staying:
            kind, text, address = new.items[after]
            yield Operation("move", kind, new.path, 0.0, text or address, text or address)


def _paired_texts(before: Sequence[str], after: Sequence[str]) -> dict[int, tuple[int, float]]:
    """Texts that are an earlier and a later state of one another: new number -> old number, and how much they differ.

    Texts that differ in their numbers only are paired in order; the others by words, the closest first.
    """
    if not before or not after:
        return {}
    if len(before) == len(after) == 1 and masked(before[0]) == masked(after[0]):
        return {0: (0, word_distance(before[0], after[0]))}
    forms, others = masked_texts(before), masked_texts(after)
    if forms == others:
        return {j: (j, word_distance(*pair)) for j, pair in enumerate(zip(before, after, strict=True))}
    waiting: dict[str, deque[int]] = {}
    for i, text in enumerate(forms):
        waiting.setdefault(text, deque()).append(i)
    pairs: dict[int, tuple[int, float]] = {}
    for j, text in enumerate(others):
        if waiting.get(text):
            i = waiting[text].popleft()
            pairs[j] = i, word_distance(before[i], after[j])
    used = {i for i, _ in pairs.values()}
    left = [(i, word_set(without_strokes(text))) for i, text in enumerate(before) if i not in used]
    right = [(j, word_set(without_strokes(text))) for j, text in enumerate(after) if j not in pairs]
    if len(left) * len(right) > MOST_COMPARED:
        return pairs
    for distance, i, j in sorted(_near(left, right)):
        if i not in used and j not in pairs and distance <= FARTHEST_UPDATE:
            pairs[j] = i, distance
            used.add(i)
    return pairs


def _near(left: Numbered, right: Numbered) -> list[tuple[float, int, int]]:
    """Distance and numbers of the pairs of texts that share enough words."""
    near = []
    sizes = [(j, new, len(new)) for j, new in right]
    for i, old in left:
        size = len(old)
        for j, new, count in sizes:
            if 6 * min(size, count) < size + count:  # too few, even if the longer text held all words of the other
                continue
            common = len(old & new)
            if common >= FEWEST_COMMON * (size + count - common):
                near.append((distance_of(common, size + count - common), i, j))
    return near


def _left_over(old: PageBlock | None, new: PageBlock | None) -> tuple[Named, Named]:
    """Items that are not, or not as often, among the others, for both sides."""
    if old is None or new is None:
        return _named(old), _named(new)
    before, after = old.identities, new.identities
    start = _same_beginning(before, after)  # most items are the same in the same order
    most = min(len(before), len(after)) - start
    ending = min(most, _same_beginning(reversed(before), reversed(after)))
    gone, come = before[start : len(before) - ending], after[start : len(after) - ending]
    return (
        _surplus(gone, old.items[start : len(before) - ending], come),
        _surplus(come, new.items[start : len(after) - ending], gone),
    )


def _same_beginning(old: Iterable[str], new: Iterable[str]) -> int:
    count = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        count += 1
    return count


def _named(block: PageBlock | None) -> Named:
    return list(zip(block.identities, block.items, strict=True)) if block else []


def _surplus(identities: Sequence[str], items: Sequence[Item], others: Sequence[str]) -> Named:
    named = zip(identities, items, strict=True)
    if not others or len(identities) == len(others) == 1:  # another one, or it would be no surplus
        return list(named)
    if len(set(identities)) == len(identities):  # none is there twice
        held = set(others)
        return [entry for entry in named if entry[0] not in held]
    counts = Counter(others)
    surplus = []
    for entry in named:
        if counts[entry[0]]:
            counts[entry[0]] -= 1
        else:
            surplus.append(entry)
    return surplus
