"""How many words each old block has in common with each new one, counted for all pairs in one pass."""

import numpy as np
from numpy.typing import NDArray

from strandline.core.compiled import compiled


@compiled
def count_common(words: NDArray[np.int64], holders: NDArray[np.int64], olds: int, common: NDArray[np.int64]) -> None:
    """Add 1 to common[i, j] for each word that old block i and new block j both hold.

    `words` is sorted and says each word once for each block that holds it; holders below `olds` are old blocks, the
    others new ones. The sort is stable, so the old holders of a word come before the new ones.
    """
    start = 0
    while start < words.size:
        end = start + 1
        while end < words.size and words[end] == words[start]:
            end += 1
        split = start
        while split < end and holders[split] < olds:
            split += 1
        for a in range(start, split):
            for b in range(split, end):
                common[holders[a], holders[b] - olds] += 1
        start = end
