"""Do two ways of cutting a page agree? B-cubed over characters, as Kiesel et al. (CIKM 2020) compare segmentations.

For a character, precision is the share of its block, in the first partition, that lies in its block of the second;
recall is the same the other way round. Both are averaged over the characters the two partitions have in common.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass

from strandline.core.blocks.tree import BlockTree
from strandline.core.blocks.words import words


@dataclass(frozen=True, slots=True)
class Agreement:
    """Precision and recall of one partition against another; `covered` is the share of characters both show."""

    precision: float
    recall: float
    covered: float

    @property
    def f(self) -> float:
        """The harmonic mean of both."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def agreement(one: BlockTree, other: BlockTree) -> Agreement:
    """B-cubed over the words both show, weighed by their letters; the n-th occurrence of a word stands for itself."""
    left, right = _placed(one), _placed(other)
    common = left.keys() & right.keys()
    together: Counter[tuple[int, int]] = Counter()
    for key in common:
        together[left[key], right[key]] += len(key[0])
    total = sum(together.values())
    if not total:
        return Agreement(0.0, 0.0, 0.0)
    in_left: defaultdict[int, int] = defaultdict(int)
    in_right: defaultdict[int, int] = defaultdict(int)
    for (i, j), letters in together.items():
        in_left[i] += letters
        in_right[j] += letters
    precision = sum(letters * letters / in_left[i] for (i, _), letters in together.items()) / total
    recall = sum(letters * letters / in_right[j] for (_, j), letters in together.items()) / total
    shown = max(sum(len(key[0]) for key in left), sum(len(key[0]) for key in right))
    return Agreement(precision, recall, total / shown)


def _placed(page: BlockTree) -> dict[tuple[str, int], int]:
    """Block of each word occurrence; parts hidden until asked for are not shown."""
    seen: Counter[str] = Counter()
    placed: dict[tuple[str, int], int] = {}
    for number, block in enumerate(page.blocks):
        if block.hint == "hidden":
            continue
        for text in block.texts:
            for word in words(text):
                placed[word, seen[word]] = number
                seen[word] += 1
    return placed
