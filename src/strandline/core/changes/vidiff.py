"""From two versions of a page, cut into blocks, to the delta between them (Vi-DIFF, paper 001, section 4).

Blocks are paired first (`matching`). Inside a pair, links, images and frames are compared as multisets of addresses
without queries: leftovers on both sides are updates. Texts are compared as multisets too, then leftovers are paired by
words. An element that the page as a whole neither lost nor gained, and that only turned up in another block, is moved.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import chain
from operator import itemgetter
from typing import Final

from strandline.core.blocks.roles import AdRule, is_advertising
from strandline.core.blocks.tree import BlockTree, Item, PageBlock
from strandline.core.blocks.words import masked, set_distance, word_distance, word_set
from strandline.core.changes.delta import BlockChange, Delta, ElementKind, Operation, OperationKind, now_or_before
from strandline.core.changes.matching import in_place, matched, same_beginning

FARTHEST_UPDATE: Final = 0.8  # texts that share less are a deletion and an insertion
MOST_COMPARED: Final = 2_500  # pairs of texts in a block
FEWEST_COMMON: Final = 1.0 - FARTHEST_UPDATE
ADVERTISING: Final = 0.1  # the paper's alpha: what a change of an advertising link or image counts
_ELEMENTS: Final[tuple[ElementKind, ...]] = ("link", "image", "frame")

Named = list[tuple[str, Item]]  # items, each with what makes it what it is (`PageBlock.identities`)


def compare(old: BlockTree, new: BlockTree, advertising: AdRule = is_advertising) -> Delta:
    """The delta between two versions of a page; empty when a reader sees no difference."""
    count = len(new.blocks)
    if count == len(old.blocks) == same_beginning(old.blocks, new.blocks):
        return Delta(old, new, tuple(zip(range(count), range(count), strict=True)), ())
    pairs = matched(old.blocks, new.blocks)
    staying = in_place(pairs)
    before, after = old.blocks, new.blocks
    touched: list[tuple[int, PageBlock | None, PageBlock]] = [
        (j, before[i], after[j]) for i, j in pairs if before[i].digest != after[j].digest
    ]
    if len(pairs) < count:
        matched_new = {j for _, j in pairs}
        touched += [(j, None, block) for j, block in enumerate(after) if j not in matched_new]
    gone: list[PageBlock] = []
    if len(pairs) < len(before):
        matched_old = {i for i, _ in pairs}
        gone = [block for i, block in enumerate(before) if i not in matched_old]
    writer = _Writer(advertising)
    for _, one, other in touched:
        writer.meet(one, other)
    for block in gone:
        writer.meet(block, None)
    moved: set[int] = set()
    if len(staying) < len(pairs):
        moved = {j for i, j in pairs if i not in staying}
        touched += [(j, before[i], after[j]) for i, j in pairs if j in moved and before[i].digest == after[j].digest]
    touched.sort(key=itemgetter(0))
    changes = [writer.change(one, other, moved=j in moved) for j, one, other in touched]
    changes = [change for change in changes if change.operations]
    changes += [writer.change(block, None, moved=False) for block in gone]
    return Delta(old, new, tuple(pairs), tuple(changes))


def _shown(items: Sequence[Item]) -> str:
    """Items as text: the runs of text, or the names of what is linked when there are none."""
    texts = [item.text for item in items if item.kind == "text"]
    return "\n".join(texts or [item.text or item.address for item in items])


class _Writer:
    """Writes operations; knows what the page as a whole gained and lost, once it has met every block that differs."""

    def __init__(self, advertising: AdRule) -> None:
        self._advertising = advertising
        self._come: Counter[str] = Counter()  # how often each item is met as new, and as gone
        self._gone: Counter[str] = Counter()
        self._left_over: dict[tuple[int, int], tuple[Named, Named]] = {}

    def meet(self, old: PageBlock | None, new: PageBlock | None) -> None:
        """Take in a block that differs, or is inserted or deleted. What both states hold cancels out for the page."""
        gone, come = _left_over(old, new)
        self._come.update([identity for identity, _ in come])
        self._gone.update([identity for identity, _ in gone])
        self._left_over[id(old), id(new)] = gone, come

    def change(self, old: PageBlock | None, new: PageBlock | None, *, moved: bool) -> BlockChange:
        """What happened to one block."""
        gone, come = self._left_over.get((id(old), id(new)), ([], []))
        if old and new:
            operations = [Operation("move", "block", new.path, 0.0, new.text, new.text)] if moved else []
            if gone or come:
                operations += self._inside(new.path, gone, come)
            return BlockChange(old, new, tuple(operations), moved)
        block = now_or_before(new, old)
        real = self._real(come, self._come, self._gone) if new else self._real(gone, self._gone, self._come)
        share = len(real) / len(block.items) if block.items else 1.0
        kind: OperationKind = "move" if not real else "insert" if new else "delete"
        text = _shown(real or block.items)
        before, after = ("", text) if new else (text, "")
        operation = Operation(kind, "block", block.path, share, before, after)
        return BlockChange(old, new, (operation,), moved, tuple(real))

    @cached_property
    def _some_moved(self) -> bool:
        """Whether anything left one block and came to another."""
        return not self._come.keys().isdisjoint(self._gone)

    def _real(self, named: Named, met: Counter[str], other: Counter[str]) -> list[Item]:
        """The items that the page as a whole gained or lost, each once for every time it did."""
        if not self._some_moved:
            return [item for _, item in named]
        real = []
        for identity, item in named:
            count = met[identity]
            if count > other.get(identity, 0):
                met[identity] = count - 1
                real.append(item)
        return real

    def _inside(self, path: str, old: Named, new: Named) -> list[Operation]:
        """Content operations between two states of a block."""
        gone = self._real(old, self._gone, self._come)
        come = self._real(new, self._come, self._gone)
        moved: list[Operation] = []
        if len(come) < len(new):
            left = Counter(come)
            for item in (item for _, item in new):
                if left[item] > 0:
                    left[item] -= 1
                else:
                    shown = item.text or item.address
                    moved.append(Operation("move", item.kind, path, 0.0, shown, shown))
        operations = self._texts(path, gone, come)
        if any(item.kind != "text" for item in chain(gone, come)):
            for element in _ELEMENTS:
                operations += self._linked(path, element, gone, come)
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
    if not before or not after:
        return {}
    waiting: defaultdict[str, list[int]] = defaultdict(list)
    for i in range(len(before) - 1, -1, -1):
        waiting[masked(before[i])].append(i)
    pairs = {j: waiting[key].pop() for j, text in enumerate(after) if waiting.get(key := masked(text))}
    used = set(pairs.values())
    left = [(i, word_set(text)) for i, text in enumerate(before) if i not in used]
    right = [(j, word_set(text)) for j, text in enumerate(after) if j not in pairs]
    if len(left) * len(right) > MOST_COMPARED:
        return pairs
    scored = []
    for i, old in left:
        size = len(old)
        for j, new in right:
            common = len(old & new)
            if common >= FEWEST_COMMON * (size + len(new) - common):
                scored.append((set_distance(old, new), i, j))
    for distance, i, j in sorted(scored):
        if i not in used and j not in pairs and distance <= FARTHEST_UPDATE:
            pairs[j] = i
            used.add(i)
    return pairs


def _left_over(old: PageBlock | None, new: PageBlock | None) -> tuple[Named, Named]:
    """Items that are not, or not as often, among the others, for both sides."""
    if old is None or new is None:
        return _named(old, 0, 0), _named(new, 0, 0)
    before, after = old.identities, new.identities
    start = _same_beginning(before, after)  # most items are the same in the same order
    most = min(len(before), len(after)) - start
    ending = min(most, _same_beginning(reversed(before), reversed(after)))
    gone, come = _named(old, start, ending), _named(new, start, ending)
    if gone and come:
        return _surplus(gone, come), _surplus(come, gone)
    return gone, come


def _same_beginning(old: Iterable[str], new: Iterable[str]) -> int:
    count = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        count += 1
    return count


def _named(block: PageBlock | None, start: int, ending: int) -> Named:
    if block is None:
        return []
    end = len(block.items) - ending
    return list(zip(block.identities[start:end], block.items[start:end], strict=True))


def _surplus(named: Named, others: Named) -> Named:
    names = [name for name, _ in named]
    held = Counter([name for name, _ in others])
    if len(set(names)) == len(names):  # none is there twice
        return [entry for entry in named if entry[0] not in held]
    surplus = []
    for entry in named:
        left = held.get(entry[0], 0)
        if left:
            held[entry[0]] = left - 1
        else:
            surplus.append(entry)
    return surplus
