"""How much of what a changed block says is new: the n(b) of `importance`.

    1     each word that came and was never seen on the page
    .1    each word that came but is known: from the page as it was, from earlier versions, or a number
    .3    each pair of known words that came to stand side by side, in a text the page did not show
    .5    each word that left the page
    .1    each word that left its text but not the page, was known to come and go, or is a number
    1     each figure that is another now, 2 for a price (`figures`); all of a block together 10 at most
    .1    each text that was touched, whatever its words
    .2    each link or picture, a tenth of it for advertising and for one seen before, next to nothing for a picture
          whose file was only given another name (`renamed_files`)

News need no new words: a results page, or a site of few words, says new things in the words it has. Words are those of
all touched texts of the block together: a word that went from one sentence to the next is no news.
Texts that were on the page earlier count a tenth; those whose changing part differs at every fetch count nothing.
"""

from collections.abc import Iterator
from dataclasses import field
from heapq import nsmallest
from math import log
from typing import Final

from strandline.core.blocks.roles import AdRule
from strandline.core.blocks.tree import PageBlock, plain_address
from strandline.core.blocks.word_numbers import WordNumbers, exchanged, new_pairs, word_numbers, words_among
from strandline.core.blocks.words import word_set
from strandline.core.changes.delta.carried import noise_place
from strandline.core.changes.delta.delta import BlockChange, Delta
from strandline.core.changes.delta.renamed_files import renamed_pictures
from strandline.core.changes.delta.touched import touched_texts
from strandline.core.changes.delta.vidiff import ADVERTISING
from strandline.core.changes.noise.spots import Spots, spots_of
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.page.page_kind import PageKind
from strandline.core.changes.score.item_change import ItemChange
from strandline.core.changes.score.item_changes import EDITED, TOLD
from strandline.core.changes.score.line_changes import LineJudge
from strandline.core.changes.words.figures import changed_figures, holds_only_numbers, is_numeric, is_table
from strandline.core.changes.words.link_lists import Texts
from strandline.core.changes.words.same_text import is_same_text
from strandline.core.kept_property import kept_property
from strandline.core.quick_dataclass import dataclass

NEW_WORD: Final = 1.0
"""What a word counts that came and was never seen on the page; all others are measured by it. Origin: a definition."""
KNOWN_WORD: Final = 0.1
"""A word that came, but was seen before or is a number; or left its text, but not the page.
Origin: a guess; tried as a whole on policy pages, docs/changes.md."""
NEW_PAIR: Final = 0.3
"""Two known words that came to stand side by side. Origin: a guess."""
LOST_WORD: Final = 0.5
"""A word that left the page. Origin: a guess; tried as a whole on policy pages, docs/changes.md."""
NEW_FIGURE: Final = 1.0
"""A figure that is another now. Origin: a guess."""
NEW_PRICE: Final = 2.0
"""A price that is another now. Origin: a guess."""
MOST_FIGURES: Final = 10.0
"""What figures of a block count together, at most. Origin: a guess."""
TOUCHED: Final = 0.1
"""A text that was touched, whatever its words. Origin: a guess."""
TICKED: Final = 0.002
"""A clock or counter: it can be seen, and says nothing. Origin: a guess."""
RETURNED: Final = 0.1
"""Part that a text counts which was on the page before. Origin: a guess."""
LINKED: Final = 0.2
"""A link or picture that came or left. Origin: a guess."""
NOVELTY_SCALE: Final = 30.0
"""New words that make an importance of 1 - 1/e. Origin: a guess."""
HEAVIEST: Final = 0.95
"""Most that one edit can weigh: certainty would be endless words. Origin: a guess."""
MOST_DECISIVE: Final = 90.0
"""Words that edits of a block add together by what they say, at most. Origin: a guess."""
ENOUGH: Final = 6.0 * NOVELTY_SCALE
"""Words after which nothing makes a change more important: it is at 1 - exp(-6). Origin: a bound on time."""
ALL_BELIEVED: Final = 0.8
"""Belief in what comes to a place from which on a returned text counts nothing: hardly any was there before.
Origin: a guess."""
HALF: Final = 0.5
"""A page is a list, and what comes is believed, above this. Origin: a guess."""
_EXAMPLES: Final = 5
"""New words that are kept to be shown. Origin: a bound on memory."""


@dataclass(slots=True)
class Novelty:
    """What is new in one block, and how it adds up."""

    value: float = 0.0
    decisive: float = 0.0  # what edits add by what they say, on the scale of new words
    anywhere: float = 0.0  # what alarms and another headline add, wherever they stand
    shown: int = 0  # words of the touched texts
    new_words: int = 0
    new_pairs: int = 0  # of known words
    lost_words: int = 0
    linked: int = 0
    figures: int = 0  # that are others now
    content: bool = False  # whether figures are what the page is about
    masked: int = 0  # texts whose changing part differs at every fetch
    items: list[ItemChange] = field(default_factory=list)
    novel: list[tuple[str, WordNumbers]] = field(default_factory=list)  # texts, and which of their words are new

    @property
    def returned(self) -> int:
        """Texts that were on the page earlier."""
        return sum([item.kind == "rotating" for item in self.items])

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

    def __init__(self, delta: Delta, noise: NoiseState, advertising: AdRule, kind: PageKind) -> None:
        self._delta = delta
        self._pages = delta.page_words
        self._noise = noise
        self._advertising = advertising
        self._kind = kind
        self._judge = LineJudge(delta, noise, kind)
        self.left = ENOUGH  # what blocks may add until it makes no difference: whoever weighs them takes it off

    def novelties(self) -> Iterator[tuple[BlockChange, Novelty]]:
        """What is new in each block with other content."""
        for change, texts, addresses in touched_texts(self._delta):
            yield change, self._count(change, texts, addresses)

    def _count(self, change: BlockChange, texts: Texts, addresses: list[str]) -> Novelty:
        found, noise, block = Novelty(), self._noise, change.block
        if noise.masked_texts:
            texts = self._unmasked(texts, block, found)
        numbers = bool(texts) and self._kind.listing < HALF and self._kind.owns(block) and self._numeric
        table = numbers or ((block.role == "main" or self._numeric) and is_table(block))
        believed = (1.0 - noise.rotation(noise_place(block))) ** 2
        edited: Texts = []
        apart: Texts = []  # what came where nothing rotates, although something of the block does
        others: Texts = []
        back: Texts = []
        for before, after in texts:
            weigh = self.left > 0.0 and (found.decisive < MOST_DECISIVE or len(found.items) < TOLD)
            item = self._judge.judge(block, before, after, table, weigh)
            found.items.append(item)
            if item.kind == "rotating":
                back.append((before, after))
            elif item.counts:
                after = item.said or after
                same = bool(before and after) and is_same_text(before, after)
                alone = not same and believed < 1.0 and self._is_apart(change.new, after)
                (edited if same else apart if alone else others).append((before, after))
                trusted = 1.0 if alone else believed
                if item.weight > EDITED or (item.weight and trusted > HALF):
                    _add(item, trusted, found)
            elif item.kind != "moved":  # it ticks, or is of a box beside what the page says
                found.value += TICKED
        found.decisive = min(found.decisive, MOST_DECISIVE)
        if edited and self.left > 0.0:
            self._figures(edited, table, found)
        if back:
            found.value += RETURNED * believed * self._words(back, found)
        sure = edited + apart
        if believed > ALL_BELIEVED and (sure or others):
            found.value += self._words(sure + others, found, change)
        else:
            found.value += self._words(sure, found, change) if sure else 0.0
            found.value += believed * self._words(others, found, change) if others else 0.0
        if addresses:
            follow = not sure and not others  # links of texts that say nothing new
            follow = follow and (bool(found.items) or self._kind.listing > HALF)
            found.value += sum([self._address(address, follow) for address in addresses])
            found.linked = len(addresses)
        return found

    def _address(self, address: str, follow: bool) -> float:
        """What a link or picture counts that came or left; `follow` for one of texts that say nothing new."""
        if address in self._renamed:
            return TICKED
        noise = self._noise
        small = follow or self._advertising(address) or (bool(noise.items) and noise.seen_item(plain_address(address)))
        return LINKED * ADVERTISING if small else LINKED

    def _is_apart(self, block: PageBlock | None, text: str) -> bool:
        """Whether a text of the page's own came where nothing ever came back, behind one that never left."""
        if block is None or not text:
            return False
        return self._kind.owns(block) and not self._noise.rotates_at(block.path, self._spots.before(block, text))

    @kept_property
    def _spots(self) -> Spots:
        return spots_of(self._delta)

    def _figures(self, edited: Texts, table: bool, found: Novelty) -> None:
        """Count the figures among the numbers that changed in texts which otherwise stayed."""
        worth = 0.0
        for before, after in edited:
            if worth >= MOST_FIGURES:
                break
            plain, signed = changed_figures(before, after, True) if table else changed_figures(before, after)
            worth += NEW_FIGURE * plain + NEW_PRICE * signed
            found.figures += plain + signed
        found.content = table and found.figures > 0
        found.value += min(MOST_FIGURES, worth)

    @kept_property
    def _numeric(self) -> bool:
        return is_numeric(self._pages[1])

    @kept_property
    def _renamed(self) -> set[str]:
        changed = [(change.old, change.new) for change in self._delta.changes if change.content]
        return renamed_pictures(*([block for block in blocks if block] for blocks in zip(*changed, strict=True)))

    def _unmasked(self, texts: Texts, block: PageBlock, found: Novelty) -> Texts:
        masks, stands = self._noise.is_masked_text, self._spots.before
        kept = [
            (before, after)
            for before, after in texts
            if not (before and after and masks(block.path, before, after, stands(block, after)))
        ]
        found.masked = len(texts) - len(kept)
        return kept

    def _words(self, texts: Texts, found: Novelty, whole: BlockChange | None = None) -> float:
        """What the words of texts are worth that came, left or were altered; `whole` is the change they may all be."""
        before = "\n".join([before for before, _ in texts if before])
        after = "\n".join([after for _, after in texts if after])
        if holds_only_numbers(before) and holds_only_numbers(after):
            return self._numbers(before, after, len(texts), found)
        if whole and whole.old is None and not before and len(texts) == len(whole.block.texts):
            old, new = word_numbers(""), whole.block.words
        elif whole and whole.new is None and not after and len(texts) == len(whole.block.texts):
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

    @staticmethod
    def _numbers(before: str, after: str, texts: int, found: Novelty) -> float:
        """The same of texts without a letter: numbers are never new."""
        old, new = word_set(before), word_set(after)
        found.shown += len(new)
        found.novel.append((after, word_numbers("")))
        return TOUCHED * texts + KNOWN_WORD * len(old ^ new)

    def _pairs(self, texts: Texts, novel: WordNumbers) -> int:
        """New pairs of known words; a text that was elsewhere on the page has none."""
        come = [after for _, after in texts if after]
        if come and not all(before for before, _ in texts):
            come = [text for text in come if text not in self._delta.shown_before]
        return new_pairs([before for before, _ in texts if before], come, novel) if come else 0


def _add(item: ItemChange, believed: float, found: Novelty) -> None:
    """Add what a text weighs by what it says; an entry as far as what comes to its list is new."""
    worth = worth_of(item.weight)
    if item.stands_as in ("alarm", "title"):
        found.anywhere = max(found.anywhere, worth)
    else:
        found.decisive += worth * believed if item.stands_as == "entry" else worth


def worth_of(weight: float) -> float:
    """What an edit of a weight adds so that alone, in the page's own text, it makes the importance that weight.

    >>> worth_of(0.0), round(worth_of(0.8), 1)
    (-0.0, 48.3)
    """
    return -NOVELTY_SCALE * log(1.0 - min(weight, HEAVIEST))
