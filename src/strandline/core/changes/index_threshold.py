"""Which versions enter the search index (paper 001, section 7, algorithm 4). All versions stay in the WARC files.

    delta(P) = mean of the page's pattern: the index threshold of the page
    a version is indexed when its importance, or the sum of those skipped since the last indexed one, reaches delta

The printed algorithm tests the sum before adding the current importance, so the version that fills it up is missed and
the next one, however small, is indexed. SPEC section 3 counts the current one in; so does this.
"""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(slots=True)
class IndexGate:
    """Decides version by version; `skipped` is the importance that waits to be indexed."""

    threshold: float
    skipped: float = 0.0
    indexed: int = 0
    passed_over: int = 0

    def admits(self, importance: float) -> bool:
        """Whether a version with this importance is indexed.

        >>> gate = IndexGate(0.3)
        >>> [gate.admits(importance) for importance in (0.1, 0.1, 0.1, 0.05, 0.4, 0.0)]
        [False, False, True, False, True, False]
        """
        self.skipped += importance
        if self.skipped >= self.threshold - 1e-12:
            self.skipped = 0.0
            self.indexed += 1
            return True
        self.passed_over += 1
        return False

    @property
    def saving(self) -> float:
        """Share of the versions that were not indexed."""
        total = self.indexed + self.passed_over
        return self.passed_over / total if total else 0.0


def indexed(importances: Iterable[float], threshold: float) -> list[bool]:
    """Which of a page's versions are indexed, in time order."""
    gate = IndexGate(threshold)
    return [gate.admits(importance) for importance in importances]
