"""How much of what a changed block says is new: the n(b) of `importance`.

    1     each word that came and was never seen on the page
    .1    each word that came but is known: from the page as it was, from earlier versions, or a number
    .5    each word that left the page
    .1    each word that left its text but not the page, was known to come and go, or is a number
    .1    each text that was touched, whatever its words
    .2    each link or picture, a tenth of it for advertising and for one seen before

Words are those of all touched texts of the block together: a word that went from one sentence to the next is no news.
Texts that were on the page earlier count a tenth; those whose changing part differs at every fetch count nothing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from heapq import nsmallest
from typing import Final

from strandline.core.blocks.roles import AdRule
from strandline.core.blocks.tree import plain_address
from strandline.core.blocks.words import is_number, word_set
from strandline.core.changes.delta import BlockChange, Delta
from strandline.core.changes.vidiff import ADVERTISING
from strandline.core.changes.volatility import NoiseState

NEW_WORD: Final = 1.0
KNOWN_WORD: Final = 0.1  # came, but was seen before or is a number; left its text, but not the page
LOST_WORD: Final = 0.5
TOUCHED: Final = 0.1
RETURNED: Final = 0.1
LINKED: Final = 0.2
_EXAMPLES: Final = 5

Texts = list[tuple[str, str]]  # before and after; one of them is empty when a text came or left


@dataclass(slots=True)
class Novelty:
    """What is new in one block, and how it adds up."""

    value: float = 0.0
    inserted: int = 0  # words that came
    new_words: int = 0
    lost_words: int = 0
    linked: int = 0
    masked: int = 0  # texts whose changing part differs at every fetch
    returned: int = 0  # texts that were on the page earlier
    examples: tuple[str, ...] = ()


class NoveltyCounter:
    """Counts what is new, block by block, knowing the words of both versions and the page's noise."""

    def __init__(self, delta: Delta, noise: NoiseState, advertising: AdRule) -> None:
        self._before, self._after = delta.word_counts
        self._noise = noise
        self._advertising = advertising

    def count(self, change: BlockChange) -> Novelty:
        """What is new in one block."""
        found = Novelty()
        texts, addresses = _touched(change)
        if self._noise.masked_texts:
            texts = self._unmasked(texts, change.block.path, found)
        back: Texts = []
        if self._noise.items:
            seen = self._noise.seen_item
            back = [text for text in texts if seen(text[1] or text[0])]
            if back:
                texts = [text for text in texts if not seen(text[1] or text[0])]
                found.returned = len(back)
                found.value += RETURNED * self._words(back, found)
        if texts:
            found.value += self._words(texts, found)
        for address in addresses:
            small = self._advertising(address) or self._noise.seen_item(plain_address(address))
            found.value += LINKED * ADVERTISING if small else LINKED
        found.linked = len(addresses)
        return found

    def _unmasked(self, texts: Texts, path: str, found: Novelty) -> Texts:
        kept = [
            (before, after)
            for before, after in texts
            if not (before and after and self._noise.is_masked_text(path, before, after))
        ]
        found.masked = len(texts) - len(kept)
        return kept

    def _words(self, texts: Texts, found: Novelty) -> float:
        """What the words of texts are worth that came, left or were altered."""
        old = _all_words(before for before, _ in texts if before)
        new = _all_words(after for _, after in texts if after)
        come, gone = new - old, old - new
        novel = self._unheard(come, self._before)
        lost = self._unheard(gone, self._after)
        found.inserted += len(come)
        found.new_words += len(novel)
        found.lost_words += len(lost)
        if novel:
            found.examples = tuple(nsmallest(_EXAMPLES, {*novel, *found.examples}))
        known = len(come) - len(novel) + len(gone) - len(lost)
        return TOUCHED * len(texts) + NEW_WORD * len(novel) + LOST_WORD * len(lost) + KNOWN_WORD * known

    def _unheard(self, words: frozenset[str], page: Mapping[str, int]) -> list[str]:
        """Those of the words that the other version of the page does not show, nor did an earlier one; no numbers."""
        found = [word for word in words.difference(page) if word.isalpha() or not is_number(word)]
        if not found or not self._noise.words:
            return found
        seen = self._noise.seen_word
        return [word for word in found if not seen(word)]


def _all_words(texts: Iterable[str]) -> frozenset[str]:
    return frozenset().union(*map(word_set, texts))


def _touched(change: BlockChange) -> tuple[Texts, list[str]]:
    """Texts before and after, and the addresses of links and pictures, that a change touched."""
    if change.old is None:
        return [("", item[1]) for item in change.items if item[0] == "text"], _addresses(change)
    if change.new is None:
        return [(item[1], "") for item in change.items if item[0] == "text"], _addresses(change)
    texts, addresses = [], []
    for operation in change.content:
        if operation.element == "text":
            texts.append((operation.before, operation.after))
        else:
            addresses.append(operation.after or operation.before)
    return texts, addresses


def _addresses(change: BlockChange) -> list[str]:
    return [item[2] for item in change.items if item[0] != "text"]
