"""Which changes of a page are real, where nobody said so: a stand-in for people who mark the text of a document.

Those who track documents name the element that holds the document, and call a change of its text real. Here that
element is guessed, from whole histories and without looking at any score: the innermost one that holds most of the text
that lasts. A change is *real* when a sentence comes to it that the page never showed before and stays for at least
eight versions, or when one that stood so long leaves the page for good. What happened too close to the end to tell is
left out. It is a proxy: an edit that was soon taken back is missed, and a counter that rests for long is taken for one.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from strandline.core.blocks.tree import BlockTree, PageBlock
from strandline.core.blocks.words import words

STAYS = 8  # versions
SENTENCE = 5  # words
MOST = 0.7  # of the lasting text is in the element that holds the document
WARM = 10  # earlier comparisons of the page


def real_changes(versions: Sequence[BlockTree]) -> list[bool | None]:
    """For each version whether its change is real; None where the history ends too soon to tell."""
    shown = [{text for block in page.blocks for text in block.texts} for page in versions]
    seen: defaultdict[str, list[int]] = defaultdict(list)
    for number, texts in enumerate(shown):
        for text in texts:
            seen[text].append(number)
    least = min(STAYS, len(versions) // 2)
    lasting = {text for text, numbers in seen.items() if len(numbers) >= least}
    inside: defaultdict[str, list[int]] = defaultdict(list)
    for number, page in enumerate(versions):
        for text in _document(page, lasting):
            inside[text].append(number)
    end = len(versions)
    real: list[bool | None] = [False] * end
    for text, numbers in inside.items():
        everywhere = seen[text]
        if 0 < numbers[0] == everywhere[0]:
            _mark(real, numbers[0], _run(numbers), numbers[0] + _run(numbers) == end)
        if everywhere[-1] == numbers[-1] < end - 1 and _run([-number for number in reversed(numbers)]) >= STAYS:
            after = end - 1 - numbers[-1]
            _mark(real, numbers[-1] + 1, after, after < STAYS)
    return real


def _mark(real: list[bool | None], number: int, stays: int, open_end: bool) -> None:
    if stays >= STAYS:
        real[number] = True
    elif open_end and not real[number]:
        real[number] = None


def _run(numbers: Sequence[int]) -> int:
    """How many of the first numbers follow one another."""
    return next((k for k in range(1, len(numbers)) if numbers[k] != numbers[k - 1] + 1), len(numbers))


def _document(page: BlockTree, lasting: set[str]) -> set[str]:
    """The sentences in the innermost element that holds most of the page's lasting text."""
    sentences = [(block.path, _sentences(block)) for block in page.blocks]
    held: Counter[str] = Counter()
    total = 0
    for path, texts in sentences:
        size = sum(len(text) for text in texts if text in lasting)
        total += size
        steps = path.split("/") if size else []
        held.update({"/".join(steps[:depth]): size for depth in range(1, len(steps) + 1)})
    holding = [path for path, size in held.items() if size >= MOST * total]
    if not holding:
        return set()
    innermost = max(holding, key=lambda path: (path.count("/"), path))
    return {text for path, texts in sentences if f"{path}/".startswith(f"{innermost}/") for text in texts}


def _sentences(block: PageBlock) -> list[str]:
    """Texts that are longer than a label, and no link as a whole."""
    links = {item.text for item in block.items if item.kind == "link"}
    return [text for text in block.texts if text not in links and len(words(text)) >= SENTENCE]


@dataclass(slots=True)
class Judged:
    """Scores of changes beside what the proxy says of them."""

    real: list[float] = field(default_factory=list)
    other: list[float] = field(default_factory=list)
    seen: int = 0  # real changes that any block shows

    def take(self, versions: Sequence[BlockTree], scores: Sequence[float], visible: Iterable[bool]) -> None:
        """Take in a page: the score of each change after the first version, and whether a reader sees it."""
        marks = real_changes(versions)[1:]
        for mark, score, shows in list(zip(marks, scores, visible, strict=True))[WARM:]:
            if mark is not None:
                (self.real if mark else self.other).append(score)
                self.seen += bool(mark and shows)

    def area(self) -> float | None:
        """Chance that a real change scores higher than another one (AUC)."""
        if not self.real or not self.other:
            return None
        other = np.sort(self.other)
        below, up_to = (np.searchsorted(other, self.real, side) for side in ("left", "right"))
        return float((below + up_to).mean() / 2 / len(other))

    def alarms(self, recall: float = 0.8) -> float | None:
        """Share of the other changes that score as high as the upper part of the real ones."""
        if not self.real or not self.other:
            return None
        threshold = sorted(self.real, reverse=True)[max(0, int(np.ceil(recall * len(self.real))) - 1)]
        return float(np.mean(np.asarray(self.other) >= threshold))
