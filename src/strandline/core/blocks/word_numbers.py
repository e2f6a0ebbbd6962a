"""Sets of words as sorted arrays of numbers: what comparing whole pages works with (`word_kernels`).

Two words have the same number with a chance of 2^-63. A number is odd when its word holds a digit: prices, dates,
counters, identifiers. The compiled code is loaded when the first text is read, not when this module is imported.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

WordNumbers = NDArray[np.uint64]
FEW_PAIRS = 12  # so few are compared one by one
_NO_PAIR = "\n0\n"  # between texts: a number pairs with nothing


@cache
def _kernels() -> ModuleType:
    from strandline.core.blocks import word_kernels  # noqa: PLC0415 - loads machine code

    return word_kernels


@cache
def ready() -> None:
    """Load the compiled code; where none came with the package, compile it (some ten seconds, once)."""
    one, other = word_numbers("one"), word_numbers("other")
    words_among("one", one)
    exchanged(one, other, (one, other))
    new_pairs(["one"], ["other"], one)
    likeness(one, without(other, one))
    likenesses([one] * FEW_PAIRS, [one, other])
    WordCounts.of([one]).after([other], [one])


def word_numbers(text: str) -> WordNumbers:
    """The distinct words of a text.

    >>> bool((word_numbers("The rate, the RATE!") == word_numbers("rate the")).all())
    True
    """
    if not text:
        return _NOTHING[0]
    data = _folded(text)
    found = np.empty(data.size // 2 + 1, np.uint64)
    count: int = _kernels().distinct_words(data, found)
    return found[:count].copy()


def _folded(text: str) -> NDArray[np.uint8]:
    return np.frombuffer((text if text.isascii() else text.casefold()).encode("utf-8", "surrogatepass"), np.uint8)


def words_among(text: str, wanted: WordNumbers) -> set[str]:
    """Those words of a text, case folded, whose numbers are wanted.

    >>> sorted(words_among("Mayor resigns, mayor's office says", word_numbers("office mayor")))
    ['mayor', 'office']
    """
    data = _folded(text)
    places = np.empty((data.size // 2 + 1, 2), np.int64)
    count: int = _kernels().word_places(data, wanted, places)
    found = (data[start:end].tobytes().decode("utf-8", "replace") for start, end in places[:count].tolist())
    return {word.casefold() for word in found}


def without(words: WordNumbers, others: WordNumbers) -> WordNumbers:
    """Words that are not among others."""
    kept = np.empty(words.size, np.uint64)
    count: int = _kernels().without(words, others, kept)
    return kept[:count]


@dataclass(frozen=True, slots=True)
class Exchange:
    """Words that came and left between two texts of a page."""

    come: int
    gone: int
    novel: WordNumbers  # came, and the page did not show them before; no numbers
    lost: WordNumbers  # left, and the page shows them no longer; no numbers


def exchanged(old: WordNumbers, new: WordNumbers, pages: tuple[WordNumbers, WordNumbers]) -> Exchange:
    """What came and left between two texts; `pages` are all words of the page before and after."""
    novel, lost = np.empty(new.size, np.uint64), np.empty(old.size, np.uint64)
    come, gone, novels, losses = _kernels().exchanged((old, new), pages, novel, lost)
    return Exchange(come, gone, novel[:novels], lost[:losses])


def new_pairs(before: Sequence[str], after: Sequence[str], novel: WordNumbers) -> int:
    """Pairs of neighbouring words that texts show now and did not show before; none with a number or a novel word.

    >>> new_pairs(["the mayor met the council"], ["the council met the mayor"], word_numbers(""))  # council met
    1
    """
    kernels = _kernels()
    now = kernels.pairs_of(_folded(_NO_PAIR.join(after)), novel)
    if not now.size or not before:
        return int(now.size)
    return without(now, kernels.pairs_of(_folded(_NO_PAIR.join(before)), novel)).size


def likeness(words: WordNumbers, others: WordNumbers) -> float:
    """Share of distinct words two texts have in common; 0 when neither has any."""
    common: int = _kernels().in_common(words, others)
    union = words.size + others.size - common
    return common / union if union else 0.0


def likenesses(olds: Sequence[WordNumbers], news: Sequence[WordNumbers]) -> NDArray[np.float64]:
    """`likeness` of each of the old to each of the new ones."""
    if len(olds) * len(news) <= FEW_PAIRS:
        return np.array([[likeness(old, new) for new in news] for old in olds], np.float64)
    held = [*olds, *news]
    sizes = np.fromiter(map(len, held), np.int64, len(held))
    words = np.concatenate(held)
    order = words.argsort(kind="stable")
    common = np.zeros((len(olds), len(news)), np.int64)
    _kernels().count_common(words[order], np.repeat(np.arange(len(held)), sizes)[order], len(olds), common)
    union = sizes[: len(olds), None] + sizes[None, len(olds) :] - common
    shares: NDArray[np.float64] = common / np.maximum(union, 1)
    return shares


class WordCounts:
    """In how many blocks each word of a page occurs."""

    def __init__(self, words: WordNumbers, counts: NDArray[np.int64]) -> None:
        self.words = words
        self.counts = counts

    @classmethod
    def of(cls, blocks: Sequence[WordNumbers]) -> "WordCounts":
        """The counts of a page whose blocks hold these words."""
        return cls(*np.unique(np.concatenate(blocks), return_counts=True)) if blocks else cls(*_NOTHING)

    def after(self, come: Sequence[WordNumbers], gone: Sequence[WordNumbers]) -> "WordCounts":
        """The counts when some blocks gained and lost words."""
        changed = np.concatenate([*come, *gone]) if come or gone else _NOTHING[0]
        by = np.ones(changed.size, np.int64)
        by[changed.size - sum(map(len, gone)) :] = -1
        order = changed.argsort()
        room = self.words.size + changed.size
        words, counts = np.empty(room, np.uint64), np.empty(room, np.int64)
        size: int = _kernels().counted_on(self.words, self.counts, (changed[order], by[order]), (words, counts))
        return WordCounts(words[:size], counts[:size])


_NOTHING = np.empty(0, np.uint64), np.empty(0, np.int64)
