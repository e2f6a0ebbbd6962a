"""How much of what a changed block says is new: the n(b) of `importance`.

    1     each word that came and was never seen on the page
    .1    each word that came but is known: from the page as it was, from earlier versions, or a number
    .3    each pair of known words that came to stand side by side, in a text the page did not show
    .5    each word that left the page
    .1    each word that left its text but not the page, was known to come and go, or is a number
    1     each figure that is another now, 2 for a price (`figures`); all of a block together 10 at most
    .1    each text that was touched, whatever its words
    .2    each link or picture, a tenth of it for advertising and for one seen before

News need no new words: a results page, or a site of few words, says new things in the words it has. Words are those of
all touched texts of the block together: a word that went from one sentence to the next is no news.
Texts that were on the page earlier count a tenth; those whose changing part differs at every fetch count nothing.
"""

from dataclasses import dataclass, field
from functools import cached_property
from heapq import nsmallest
from typing import Final

from strandline.core.blocks.roles import AdRule
from strandline.core.blocks.tree import PageBlock, plain_address
from strandline.core.blocks.word_numbers import WordNumbers, exchanged, new_pairs, word_numbers, words_among
from strandline.core.blocks.words import masked, masked_texts
from strandline.core.changes.delta import BlockChange, Delta
from strandline.core.changes.figures import changed_figures, holds_number, is_numeric, is_table, stands_alone
from strandline.core.changes.vidiff import ADVERTISING
from strandline.core.changes.volatility import NoiseState

NEW_WORD: Final = 1.0
KNOWN_WORD: Final = 0.1  # came, but was seen before or is a number; left its text, but not the page
NEW_PAIR: Final = 0.3
LOST_WORD: Final = 0.5
NEW_FIGURE: Final = 1.0
NEW_PRICE: Final = 2.0
MOST_FIGURES: Final = 10.0  # that figures of a block count together
TOUCHED: Final = 0.1
RETURNED: Final = 0.1
LINKED: Final = 0.2
_EXAMPLES: Final = 5

Texts = list[tuple[str, str]]  # before and after; one of them is empty when a text came or left


@dataclass(slots=True)
class Novelty:
    """What is new in one block, and how it adds up."""

    value: float = 0.0
    shown: int = 0  # words of the touched texts
    new_words: int = 0
    new_pairs: int = 0  # of known words
    lost_words: int = 0
    linked: int = 0
    figures: int = 0  # that are others now
    content: bool = False  # whether figures are what the page is about
    masked: int = 0  # texts whose changing part differs at every fetch
    returned: int = 0  # texts that were on the page earlier
    novel: list[tuple[str, WordNumbers]] = field(default_factory=list)  # texts, and which of their words are new

    @property
    def fresh(self) -> float:
        """0 when half of the touched texts or more is a frame that stays, 1 when all they say was never said before."""
        said = self.new_words + self.new_pairs
        return max(0.0, 2.0 * min(1.0, said / max(1, self.shown)) - 1.0)

    @property
    def examples(self) -> list[str]:
        """A few of the new words."""
        return nsmallest(_EXAMPLES, set().union(*(words_among(text, words) for text, words in self.novel)))


class NoveltyCounter:
    """Counts what is new, block by block, knowing the words of both versions and the page's noise."""

    def __init__(self, delta: Delta, noise: NoiseState, advertising: AdRule) -> None:
        self._delta = delta
        self._pages = delta.page_words
        self._noise = noise
        self._advertising = advertising

    def count(self, change: BlockChange) -> Novelty:
        """What is new in one block."""
        found = Novelty()
        noise = self._noise
        texts, addresses = _touched(change)
        if noise.masked_texts:
            texts = self._unmasked(texts, change.block.path, found)
        self._figures(texts, change.block, found)
        if noise.items:
            back = [noise.seen_item(after or before) for before, after in texts]
            found.returned = sum(back)
            if found.returned:
                returned = [text for text, seen in zip(texts, back, strict=True) if seen]
                found.value += RETURNED * self._words(returned, found)
                texts = [text for text, seen in zip(texts, back, strict=True) if not seen]
        if texts:
            found.value += self._words(texts, found, change)
        remembers = bool(noise.items)
        for address in addresses:
            small = self._advertising(address) or (remembers and noise.seen_item(plain_address(address)))
            found.value += LINKED * ADVERTISING if small else LINKED
        found.linked = len(addresses)
        return found

    def _figures(self, texts: Texts, block: PageBlock, found: Novelty) -> None:
        """Count the figures among the numbers that changed in texts which otherwise stayed."""
        main = block.role == "main"
        table = (main or self._numeric) and is_table(block)
        worth = 0.0
        for earlier, after in texts:
            if worth >= MOST_FIGURES:
                break
            before = earlier or (self._departed.take(after) if holds_number(after) else "")
            plain, signed = changed_figures(before, after, counters=table) if before and after else (0, 0)
            content = table or (main and signed > 0 and stands_alone(after))
            if plain + signed and (content or not self._noise.seen_item(after)):
                worth += NEW_FIGURE * plain + NEW_PRICE * signed
                found.figures += plain + signed
                found.content |= content
        found.value += min(MOST_FIGURES, worth)

    @cached_property
    def _departed(self) -> "_Departed":
        return _Departed(self._delta)

    @cached_property
    def _numeric(self) -> bool:
        return is_numeric(self._pages[1])

    def _unmasked(self, texts: Texts, path: str, found: Novelty) -> Texts:
        kept = [
            (before, after)
            for before, after in texts
            if not (before and after and self._noise.is_masked_text(path, before, after))
        ]
        found.masked = len(texts) - len(kept)
        return kept

    def _words(self, texts: Texts, found: Novelty, whole: BlockChange | None = None) -> float:
        """What the words of texts are worth that came, left or were altered; `whole` is the change they may all be."""
        before = "\n".join([before for before, _ in texts if before])
        after = "\n".join([after for _, after in texts if after])
        if whole and whole.old is None and len(texts) == len(whole.block.texts):
            old, new = word_numbers(""), whole.block.words
        elif whole and whole.new is None and len(texts) == len(whole.block.texts):
            old, new = whole.block.words, word_numbers("")
        else:
            old, new = word_numbers(before), word_numbers(after)
        words = exchanged(old, new, self._pages)
        novel, lost = self._noise.unseen_words(words.novel), self._noise.unseen_words(words.lost)
        found.shown += new.size
        found.new_words += len(novel)
        found.lost_words += len(lost)
        found.novel.append((after, novel))
        pairs = self._pairs(texts, novel) if whole else 0
        found.new_pairs += pairs
        known = words.come + words.gone - len(novel) - len(lost)
        said = NEW_WORD * len(novel) + NEW_PAIR * pairs + KNOWN_WORD * known
        return TOUCHED * len(texts) + said + LOST_WORD * len(lost)

    def _pairs(self, texts: Texts, novel: WordNumbers) -> int:
        """New pairs of known words; a text that was elsewhere on the page has none."""
        come = [after for _, after in texts if after]
        if come and not all(before for before, _ in texts):
            come = [text for text in come if text not in self._shown]
        return new_pairs([before for before, _ in texts if before], come, novel) if come else 0

    @cached_property
    def _shown(self) -> set[str]:
        return {text for block in self._delta.old.blocks for text in block.texts}


class _Departed:
    """Texts with numbers that left without a partner: what is altered when a page is cut otherwise because of it."""

    def __init__(self, delta: Delta) -> None:
        self._waiting: dict[str, list[str]] = {}
        gone = [text for change in delta.changes for text in _gone(change) if holds_number(text)]
        for kept, text in zip(masked_texts(gone), gone, strict=True):
            self._waiting.setdefault(kept, []).append(text)

    def take(self, text: str) -> str:
        """A text that left and differs from this one in its numbers only, each once; empty when there is none."""
        waiting = self._waiting.get(masked(text)) if self._waiting else None
        return waiting.pop() if waiting else ""


def _gone(change: BlockChange) -> list[str]:
    if change.new is None:
        return [item.text for item in change.items if item.kind == "text"]
    return [one.before for one in change.content if one.kind == "delete" and one.element == "text"]


def _touched(change: BlockChange) -> tuple[Texts, list[str]]:
    """Texts before and after, and the addresses of links and pictures, that a change touched."""
    if change.old is None:
        return [("", item[1]) for item in change.items if item[0] == "text"], _addresses(change)
    if change.new is None:
        return [(item[1], "") for item in change.items if item[0] == "text"], _addresses(change)
    texts, addresses = [], []
    for operation in change.content:
        _, element, _, _, before, after = operation
        if element == "text":
            texts.append((before, after))
        else:
            addresses.append(after or before)
    return texts, addresses


def _addresses(change: BlockChange) -> list[str]:
    return [item[2] for item in change.items if item[0] != "text"]
