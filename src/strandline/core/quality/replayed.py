"""How much of a page is shown again: each block that was seen live, looked for in what the replay shows.

A block whose text stands in the replay is there. Of any other block the share of its runs of three words that stand in
the replay counts, so that a ticking number costs a little and not the block. Blocks count by their importance; the
figure of a page is the weight that is there, times the share of its parts (style sheets, scripts, fonts, images)
that the archive could answer. What requests for data bring is seen in the blocks.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

_RUN: Final = 3
"""Words of a run: long enough that common words do not stand for a block. Origin: a guess."""
WHOLE: Final = 0.95
"""Share of a block from which on it is not listed as missing: a word among many may differ. Origin: a guess."""


@dataclass(frozen=True, slots=True)
class LiveBlock:
    """A block as it was seen live."""

    text: str
    weight: float


@dataclass(frozen=True, slots=True)
class MissingBlock:
    """A block that is not shown again, or not all of it."""

    text: str
    weight: float
    share: float
    """Of it that is shown."""


@dataclass(frozen=True, slots=True)
class ShownAgain:
    """What of a page is shown again."""

    share: float
    """Of the weight of its blocks."""
    missing: tuple[MissingBlock, ...]
    """The heaviest first."""


def shown_again(live: Sequence[LiveBlock], replayed: Iterable[str]) -> ShownAgain:
    """Look for the blocks of a page in the texts of its replay.

    >>> shown_again([LiveBlock("high tide at nine", 3.0), LiveBlock("low tide at three", 1.0)], ["High tide at nine"])
    ShownAgain(share=0.75, missing=(MissingBlock(text='low tide at three', weight=0.25, share=0.0),))
    """
    words = [_words(text) for text in replayed]
    whole = f" {' '.join(word for text in words for word in text)} "
    runs = {run for text in words for run in _runs(text)}
    said = [block for block in live if block.weight > 0 and _words(block.text)]
    total = sum(block.weight for block in said)
    if not total:
        return ShownAgain(1.0, ())
    shown, missing = 0.0, []
    for block in said:
        share = _share(_words(block.text), whole, runs)
        shown += share * block.weight
        if share < WHOLE:
            missing.append(MissingBlock(block.text, block.weight / total, share))
    missing.sort(key=lambda block: -block.weight * (1.0 - block.share))
    return ShownAgain(min(1.0, shown / total), tuple(missing))


def _words(text: str) -> list[str]:
    return text.casefold().split()


def _runs(words: list[str]) -> list[tuple[str, ...]]:
    return [tuple(words[at : at + _RUN]) for at in range(max(1, len(words) - _RUN + 1))]


def _share(words: list[str], whole: str, runs: set[tuple[str, ...]]) -> float:
    if f" {' '.join(words)} " in whole:
        return 1.0
    own = _runs(words)
    return sum(run in runs for run in own) / len(own)
