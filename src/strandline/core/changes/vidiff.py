"""From two versions of a page, cut into blocks, to the delta between them (Vi-DIFF, paper 001, section 4).

Blocks are paired first (`matching`). Inside a pair, links, images and frames are compared as multisets of addresses
without queries: leftovers on both sides are updates. Texts are compared as multisets too, then leftovers are paired by
words. An element that the page as a whole neither lost nor gained, and that only turned up in another block, is moved.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from strandline.core.blocks.roles import AdRule, is_advertising
from strandline.core.blocks.tree import BlockTree, Item, PageBlock, plain_address
from strandline.core.blocks.words import masked, word_distance, word_set
from strandline.core.changes.delta import BlockChange, Delta, ElementKind, Operation, OperationKind
from strandline.core.changes.matching import MOST_COMPARED, in_place, matched

FARTHEST_UPDATE: Final = 0.8  # texts that share less are a deletion and an insertion
ADVERTISING: Final = 0.1  # the paper's alpha: what a change of an advertising link or image counts
_ELEMENTS: Final[tuple[ElementKind, ...]] = ("link", "image", "frame")

Identity = tuple[str, str]


def compare(old: BlockTree, new: BlockTree, advertising: AdRule = is_advertising) -> Delta:
    """The delta between two versions of a page; empty when a reader sees no difference."""
    if old.visible_digest == new.visible_digest and old.layout == new.layout:
        return Delta(old, new, tuple((place, place) for place in range(len(new.blocks))), ())
    pairs = matched(old.blocks, new.blocks)
    staying = in_place(pairs)
    old_of = {j: i for i, j in pairs}
    same = [(i, j) for i, j in pairs if old.blocks[i].digest == new.blocks[j].digest]
    same_old, same_new = {i for i, _ in same}, {j for _, j in same}
    writer = _Writer(
        [block for i, block in enumerate(old.blocks) if i not in same_old],
        [block for j, block in enumerate(new.blocks) if j not in same_new],
        advertising,
    )
    changes: list[BlockChange] = []
    for j, block in enumerate(new.blocks):
        i = old_of.get(j)
        moved = i is not None and i not in staying
        if j in same_new and not moved:
            continue
        change = writer.change(None if i is None else old.blocks[i], block, moved=moved)
        if change.operations:
            changes.append(change)
    kept = set(old_of.values())
    for i, block in enumerate(old.blocks):
        if i not in kept:
            changes.append(writer.change(block, None, moved=False))
    return Delta(old, new, tuple(pairs), tuple(changes))


def _identity(item: Item) -> Identity:
    return item[0], item[1] if item[0] == "text" else plain_address(item[2])


def _shown(items: Sequence[Item]) -> str:
    """Items as text: the runs of text, or the names of what is linked when there are none."""
    texts = [item.text for item in items if item.kind == "text"]
    return "\n".join(texts or [item.text or item.address for item in items])


class _Writer:
    """Writes operations; knows what the page as a whole gained and lost."""

    def __init__(self, old: Sequence[PageBlock], new: Sequence[PageBlock], advertising: AdRule) -> None:
        self._advertising = advertising
        before = Counter(_identity(item) for block in old for item in block.items)
        after = Counter(_identity(item) for block in new for item in block.items)
        self._gained, self._lost = after - before, before - after

    def change(self, old: PageBlock | None, new: PageBlock | None, *, moved: bool) -> BlockChange:
        """What happened to one block."""
        if old and new:
            operations = [*self._moved_block(new, moved)]
            if old.digest != new.digest:
                operations += self._inside(old, new)
            return BlockChange(old, new, tuple(operations), moved)
        block = new or old
        if block is None:
            raise ValueError("a change needs a block")
        surplus = self._gained if new else self._lost
        real = [item for item in block.items if self._spend(surplus, item)]
        share = len(real) / len(block.items) if block.items else 1.0
        kind: OperationKind = "move" if not real else "insert" if new else "delete"
        text = _shown(real or block.items)
        before, after = ("", text) if new else (text, "")
        operation = Operation(kind, "block", block.path, share, before, after)
        return BlockChange(old, new, (operation,), moved, tuple(real))

    def _moved_block(self, block: PageBlock, moved: bool) -> Iterator[Operation]:
        if moved:
            yield Operation("move", "block", block.path, 0.0, block.text, block.text)

    @staticmethod
    def _spend(surplus: Counter[Identity], item: Item) -> bool:
        """True when the page gained (or lost) this item, once for each time it did."""
        identity = _identity(item)
        if surplus[identity] <= 0:
            return False
        surplus[identity] -= 1
        return True

    def _inside(self, old: PageBlock, new: PageBlock) -> list[Operation]:
        """Content operations between two states of a block."""
        gone = [item for item in _surplus(old.items, new.items) if self._spend(self._lost, item)]
        come: list[Item] = []
        moved: list[Operation] = []
        for item in _surplus(new.items, old.items):
            if self._spend(self._gained, item):
                come.append(item)
            else:
                shown = item.text or item.address
                moved.append(Operation("move", item.kind, new.path, 0.0, shown, shown))
        operations = self._texts(new.path, gone, come)
        for element in _ELEMENTS:
            operations += self._linked(new.path, element, gone, come)
        return operations + moved

    def _texts(self, path: str, gone: Sequence[Item], come: Sequence[Item]) -> list[Operation]:
        before = [item.text for item in gone if item.kind == "text"]
        after = [item.text for item in come if item.kind == "text"]
        pairs = _paired_texts(before, after)
        used = set(pairs.values())
        operations = [
            Operation("update", "text", path, word_distance(before[pairs[j]], text), before[pairs[j]], text)
            if j in pairs
            else Operation("insert", "text", path, 1.0, "", text)
            for j, text in enumerate(after)
        ]
        return operations + [
            Operation("delete", "text", path, 1.0, text, "") for i, text in enumerate(before) if i not in used
        ]

    def _linked(self, path: str, element: ElementKind, gone: Sequence[Item], come: Sequence[Item]) -> list[Operation]:
        before = [item.address for item in gone if item.kind == element]
        after = [item.address for item in come if item.kind == element]
        operations = []
        for place in range(max(len(before), len(after))):
            left = before[place] if place < len(before) else ""
            right = after[place] if place < len(after) else ""
            kind: OperationKind = "update" if left and right else "insert" if right else "delete"
            weight = ADVERTISING if self._advertising(right or left) else 1.0
            operations.append(Operation(kind, element, path, weight, left, right))
        return operations


def _paired_texts(before: Sequence[str], after: Sequence[str]) -> dict[int, int]:
    """Texts that are an earlier and a later state of one another, as new number -> old number.

    Texts that differ in their numbers only are paired in order; the others by words, the closest first.
    """
    waiting: defaultdict[str, list[int]] = defaultdict(list)
    for i in range(len(before) - 1, -1, -1):
        waiting[masked(before[i])].append(i)
    pairs = {j: waiting[key].pop() for j, text in enumerate(after) if waiting.get(key := masked(text))}
    used = set(pairs.values())
    left = [(i, word_set(text)) for i, text in enumerate(before) if i not in used]
    right = [(j, word_set(text)) for j, text in enumerate(after) if j not in pairs]
    if len(left) * len(right) > MOST_COMPARED:
        return pairs
    scored = sorted(
        (word_distance(before[i], after[j]), i, j)
        for i, old in left
        for j, new in right
        if len(old & new) >= (1.0 - FARTHEST_UPDATE) * max(len(old), len(new))
    )
    for distance, i, j in scored:
        if distance <= FARTHEST_UPDATE and i not in used and j not in pairs:
            pairs[j] = i
            used.add(i)
    return pairs


def _surplus(items: Sequence[Item], other: Sequence[Item]) -> list[Item]:
    """Items that are not, or not as often, among the others."""
    left = Counter(_identity(item) for item in other)
    surplus = []
    for item in items:
        identity = _identity(item)
        if left[identity] > 0:
            left[identity] -= 1
        else:
            surplus.append(item)
    return surplus
