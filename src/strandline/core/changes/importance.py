"""How much a change matters, as two numbers side by side, each with its reasons.

`impch` is the formula of paper 001, section 6.2 (SPEC section 2):

    ImpCh = sum over blocks Imp(B) * 1/N_op * sum over operations Imp(op) * PerCh(B, op)

Its text leaves open what N_op counts. The default is the monotone reading: another edit never lowers the score, and a
block that is replaced as a whole counts as a whole. The others are kept for comparison:

    monotone  sum_b Imp(b) * min(1, sum over operation types of mean Imp(op) * PerCh(b, op))
    A         N_op = operations in the block, PerCh = share of the elements hit by this operation on this kind of one
    B         N_op = 3 operation types
    C         N_op = all operations of the delta
    D         N_op = 9 pairs of operation and kind of element

Imp(B) sums to 1 over the blocks of the new version and the deleted ones; elements are counted in the larger version.

`Importance.value` is what visits are planned by: new words, discounted by what was learned of the page's own noise
(`volatility`): 1 - exp(-x / 30) with x = sum over changed blocks f(b) * v(b) * n(b), where f is the block's factor
(`roles`), v its steadiness, and n(b) counts 1 for each inserted word never seen on the page, .1 for one seen before or
for a number, .5 for a word that left the page, .1 for one that only left its text, .2 for each link or picture.

A page whose number of blocks halves or doubles is more often an error page, a bot wall or half a page than news (106 of
117 cases): such a change is *held*. Until a second fetch shows the same, it counts at its expected worth.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal

from strandline.core.blocks.roles import AdRule, block_factor, block_importances, is_advertising
from strandline.core.blocks.topic import topic, topic_of
from strandline.core.blocks.tree import PageBlock, plain_address
from strandline.core.blocks.words import is_number, word_set
from strandline.core.changes.delta import BlockChange, Delta, Operation
from strandline.core.changes.vidiff import ADVERTISING
from strandline.core.changes.volatility import NoiseState, Rating

Reading = Literal["monotone", "A", "B", "C", "D"]
ChangeKind = Literal["inserted", "deleted", "updated"]

NOVELTY_SCALE: Final = 30.0
NEW_WORD: Final = 1.0
OLD_WORD: Final = 0.1  # inserted, but seen on this page before
NUMBER: Final = 0.1
LOST_WORD: Final = 0.5  # left the page
SHIFTED_WORD: Final = 0.1  # left its text, not the page
LEAST_EDIT: Final = 0.1  # a text that differs in order or punctuation only
LINKED: Final = 0.2
BELIEF: Final = 0.09  # share of collapses that turned out to be real: what a held change is expected to be worth
COLLAPSE: Final = 2.0
FEW: Final = 4  # so few blocks more or less are never a collapse
FRESH: Final = 0.3  # steadiness left to new words in a block that a double fetch did not find noisy
MATTERS: Final = 1.0
NOTABLE: Final = 0.2  # a block whose changes count less than this share is told why


@dataclass(frozen=True, slots=True)
class BlockReason:
    """Why one changed block adds what it adds."""

    path: str
    nth: int
    kind: ChangeKind
    topic: str
    role: str
    factor: float
    steadiness: float
    novelty: float
    contribution: float
    why: str
    noise: str = ""  # why it counts less than it looks; empty when it counts in full

    def as_data(self) -> dict[str, Any]:
        """As `changes --json` shows it."""
        return {
            "path": self.path,
            "nth": self.nth,
            "kind": self.kind,
            "topic": self.topic,
            "role": self.role,
            "factor": round(self.factor, 4),
            "steadiness": round(self.steadiness, 4),
            "novelty": round(self.novelty, 3),
            "contribution": round(self.contribution, 4),
            "why": self.why,
            "noise": self.noise,
        }


@dataclass(frozen=True, slots=True)
class Importance:
    """Both scores of a change, in [0, 1], and what they are made of, the weightiest block first."""

    value: float
    impch: float
    reasons: tuple[BlockReason, ...] = ()
    held: bool = False
    believed: float = 0.0  # what `value` is once a held change is believed; the same when it is not held


def importance(delta: Delta, noise: NoiseState, advertising: AdRule = is_advertising) -> Importance:
    """How much a change matters. Reads the noise state and does not change it: see `study`."""
    reasons = sorted(
        (_reason(change, delta, noise, advertising) for change in delta.changes if change.content),
        key=lambda reason: -reason.contribution,
    )
    believed = 1.0 - math.exp(-sum(reason.contribution for reason in reasons) / NOVELTY_SCALE)
    blocks = len(delta.new.blocks)
    held = is_collapse(delta) and not _confirms(noise.held, blocks)
    value = believed
    if held:  # seen again, but still not believed: it was counted the first time
        value = 0.0 if noise.held == blocks + 1 else BELIEF * believed
    return Importance(value, impch(delta), tuple(reasons), held, believed)


def study(delta: Delta, noise: NoiseState, advertising: AdRule = is_advertising) -> Importance:
    """Score a change, then learn from it.

    A held change teaches nothing: the caller fetches again and compares with the same old version.
    """
    scored = importance(delta, noise, advertising)
    if scored.held:
        noise.held = len(delta.new.blocks) + 1
    else:
        noise.held = 0
        noise.learn(delta)
    return scored


def is_collapse(delta: Delta) -> bool:
    """True when the page has less than half, or more than twice, as many blocks as before."""
    before, after = len(delta.old.blocks), len(delta.new.blocks)
    return before > 0 and abs(before - after) >= FEW and (after * COLLAPSE < before or before * COLLAPSE < after)


def _confirms(held: int, blocks: int) -> bool:
    """True when a page of so many blocks is the collapse that was held before, seen again; an empty page never is."""
    return held > 0 and blocks > 0 and held <= COLLAPSE * (blocks + 1) and blocks + 1 <= COLLAPSE * held


def _reason(change: BlockChange, delta: Delta, noise: NoiseState, advertising: AdRule) -> BlockReason:
    block = change.block
    tally = _Tally(delta, noise, advertising)
    for operation in change.content:
        tally.add(operation, change)
    factor, steadiness = block_factor(block), noise.steadiness(block.path)
    if noise.double_fetches:
        steadiness = max(steadiness, FRESH * tally.new_words / max(1, tally.inserted))
    rating = noise.rating(block.path)
    if rating == "noise" or noise.is_masked(block):
        steadiness = 0.0
    elif rating == "matters":
        factor, steadiness = MATTERS, 1.0
    contribution = factor * steadiness * tally.novelty
    discount = _discount(tally, change, noise, rating) if factor * steadiness < NOTABLE or tally.returned else ""
    return BlockReason(
        block.path,
        block.nth,
        "inserted" if change.old is None else "deleted" if change.new is None else "updated",
        _topic(block),
        block.role,
        factor,
        steadiness,
        tally.novelty,
        contribution,
        tally.sentence(change, noise, rating),
        discount,
    )


def _discount(tally: "_Tally", change: BlockChange, noise: NoiseState, rating: Rating | None) -> str:
    """The strongest reason why a change counts less than it looks; empty when there is none."""
    block = change.block
    known, times = noise.paths.get(noise.settled(block.path), (0.0, 0.0))
    reasons = (
        (rating == "noise", "rated noise"),
        (rating == "matters", ""),
        (noise.is_masked(block), "differs at every fetch"),
        (4 * times > known >= 2.0, f"changed in {times:.0f} of {known:.0f} comparisons"),
        (tally.returned > 0 and not tally.new_words, "was shown before"),
        (bool(block.hint), f"part of the page: {block.hint}"),
        (block.role not in ("", "main"), f"part of the page: {block.role}"),
        (2 * block.link_density > 1, "mostly links"),
    )
    return next((said for applies, said in reasons if applies), "")


def _topic(block: PageBlock) -> str:
    return _topic_of(block.lead) if block.lead else topic(block)


_topic_of = lru_cache(maxsize=1 << 12)(topic_of)  # restless blocks keep their headings


class _Tally:
    """Counts what is new in one block."""

    def __init__(self, delta: Delta, noise: NoiseState, advertising: AdRule) -> None:
        self._before, self._after = delta.word_counts()
        self._noise = noise
        self._advertising = advertising
        self.novelty = 0.0
        self.inserted = self.new_words = self.lost_words = self.linked = self.masked = self.returned = 0
        self.examples: list[str] = []

    def add(self, operation: Operation, change: BlockChange) -> None:
        """Count one operation."""
        path = change.block.path
        if operation.element == "block":
            for item in change.items:
                if item.kind != "text":
                    self._address(item.address)
                elif operation.kind == "insert":
                    self._text("", item.text, path)
                else:
                    self._text(item.text, "", path)
        elif operation.element == "text":
            self._text(operation.before, operation.after, path)
        else:
            self._address(operation.after or operation.before)

    def _address(self, address: str) -> None:
        self.linked += 1
        small = self._advertising(address) or self._noise.seen_item(plain_address(address))
        self.novelty += LINKED * (ADVERTISING if small else 1.0)

    def _text(self, before: str, after: str, path: str) -> None:
        if before and after and self._noise.is_masked_text(path, before, after):
            self.masked += 1
            return
        old, new = word_set(before), word_set(after)
        come, gone = new - old, old - new
        novel, departed = come.difference(self._before), gone.difference(self._after)
        value = OLD_WORD * (len(come) - len(novel)) + SHIFTED_WORD * (len(gone) - len(departed))
        if novel:
            value += self._inserted(sorted(novel))
        if departed:
            value += self._deleted(sorted(departed))
        self.inserted += len(come)
        if self._noise.seen_item(after or before):  # it comes and goes
            value *= OLD_WORD
            self.returned += 1
        self.novelty += max(value, LEAST_EDIT)

    def _inserted(self, come: Iterable[str]) -> float:
        """What words are worth that the page did not show before."""
        value, seen = 0.0, self._noise.seen_word
        for word in come:
            if seen(word):
                value += OLD_WORD
            elif is_number(word):
                value += NUMBER
            else:
                value += NEW_WORD
                self.new_words += 1
                if len(self.examples) < 5 and word not in self.examples:
                    self.examples.append(word)
        return value

    def _deleted(self, gone: Iterable[str]) -> float:
        """What words are worth that the page no longer shows."""
        value, seen = 0.0, self._noise.seen_word
        for word in gone:
            if is_number(word) or seen(word):
                value += SHIFTED_WORD
            else:
                value += LOST_WORD
                self.lost_words += 1
        return value

    def sentence(self, change: BlockChange, noise: NoiseState, rating: Rating | None) -> str:
        """The reason in words."""
        what = "appeared" if change.old is None else "vanished" if change.new is None else "changed"
        parts = []
        if self.new_words:
            parts.append(f"{self.new_words} new words ({', '.join(sorted(self.examples))})")
        if self.lost_words:
            parts.append(f"{self.lost_words} words gone")
        if self.linked:
            parts.append(f"{self.linked} links or pictures")
        if self.masked:
            parts.append(f"{self.masked} texts that differ at every fetch")
        said = f"{what}: {', '.join(parts) or 'no new words'}"
        known, times = noise.paths.get(noise.settled(change.block.path), (0.0, 0.0))
        if rating:
            said += f"; rated {rating!r}"
        elif noise.is_masked(change.block):
            said += "; differs at every fetch"
        elif known >= 1.0:
            said += f"; changed in {times:.0f} of {known:.0f} comparisons"
        return said


def impch(delta: Delta, reading: Reading = "monotone", blocks: str = "auto") -> float:
    """The paper's importance of a change, in [0, 1]; `blocks` says how blocks are weighed: auto, area or uniform."""
    changed = [(change, _counted(change)) for change in delta.changes if change.content]
    if not changed:
        return 0.0
    weighed = [*delta.new.blocks, *(change.block for change in delta.changes if change.new is None)]
    importances = dict(zip(map(id, weighed), _importances(weighed, blocks), strict=True))
    total = sum(len(counted) for _, counted in changed)
    score = sum(
        importances[id(change.block)] * block_score(counted, _elements(change), reading, total)
        for change, counted in changed
    )
    return min(1.0, max(0.0, score))


def _importances(weighed: Sequence[PageBlock], how: str) -> list[float]:
    """Imp(B) as `block_importances` gives it; blocks of successive versions mostly weigh what they did before."""
    if how != "auto":
        return block_importances(weighed, how)
    raw = [_share(block.role, block.hint, block.weight, block.link_weight) for block in weighed]
    total = sum(raw)
    return [value / total for value in raw] if total else raw


@lru_cache(maxsize=1 << 14)
def _share(role: str, hint: str, weight: int, link_weight: int) -> float:
    return block_factor(PageBlock("", 0, role, hint, (), weight, link_weight)) * max(weight, 1)


def block_score(operations: Sequence[tuple[str, str, float]], elements: int, reading: Reading, total: int) -> float:
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
    elements = max(elements, 1)
    if reading in ("A", "C"):
        shares = _shares(((kind, element) for kind, element, _ in operations), elements)
        summed = sum(weight * shares[kind, element] for kind, element, weight in operations)
        return summed / (len(operations) if reading == "A" else max(total, 1))
    if reading == "monotone":  # mean Imp(op) * PerCh, summed over the types, is the sum of all Imp(op) by elements
        return min(1.0, sum(weight for _, _, weight in operations) / elements)
    groups: defaultdict[object, list[float]] = defaultdict(list)
    for kind, element, weight in operations:
        groups[(kind, element) if reading == "D" else kind].append(weight)
    summed = sum(sum(weights) / len(weights) * min(1.0, len(weights) / elements) for weights in groups.values())
    return summed / (3 if reading == "B" else 9)


def _shares(keys: Iterable[tuple[str, str]], elements: int) -> dict[tuple[str, str], float]:
    counts: defaultdict[tuple[str, str], int] = defaultdict(int)
    for key in keys:
        counts[key] += 1
    return {key: min(1.0, count / elements) for key, count in counts.items()}


def _counted(change: BlockChange) -> list[tuple[str, str, float]]:
    """Operations of a change as the formula counts them: a whole block counts as each of its elements."""
    counted: list[tuple[str, str, float]] = []
    for operation in change.content:
        if operation.element == "block":
            counted += [(operation.kind, item.kind, 1.0) for item in change.items]
        else:
            counted.append((operation.kind, operation.element, operation.weight))
    return counted


def _elements(change: BlockChange) -> int:
    return max(len(block.items) for block in (change.old, change.new) if block is not None)
