"""Marked pages made ready for learning what content is: a row of numbers, words and a label for each run of text.

A run is labelled by aligning the words of the page with those of the marked text. Rows weigh what their words weigh in
the F1 of their page, so that a long page counts no more than a short one.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from strandline.core.blocks.content import chosen
from strandline.core.blocks.content_features import NAMES, features
from strandline.core.blocks.page_told import page_told
from strandline.dom.html import layout as layout_of
from strandline.lab.experiments.marked_pages import MarkedPage, word_f1, words_of


@dataclass(frozen=True, slots=True)
class Example:
    """A page as the learner sees it: a row of numbers, words and a label for each run of text."""

    site: str
    rows: NDArray[np.float32]
    words: tuple[tuple[str, ...], ...]
    labels: NDArray[np.float64]  # share of the words of each run that are content
    weights: NDArray[np.float64]
    marked: Counter[str]

    @property
    def counts(self) -> NDArray[np.float64]:
        """Words of each run."""
        return np.array([len(run) for run in self.words], np.float64)

    def f1(self, scores: NDArray[np.float64]) -> float:
        """Agreement of what these scores take with the marked text."""
        taken = chosen(scores, self.counts, self.words).tolist()
        return word_f1(
            Counter(w for run, take in zip(self.words, taken, strict=True) if take for w in run), self.marked
        )


def example(page: MarkedPage) -> Example:
    """A marked page made ready for learning."""
    html = page.html.encode("utf-8", "replace")
    layout = layout_of(html, charset="utf-8", described=True)
    rows = np.flatnonzero(layout.item_kinds == 0)
    words = tuple(tuple(words_of(layout.items[k].text)) for k in rows.tolist())
    numbers = features(layout, rows, page_told(html)) if rows.size else np.zeros((0, len(NAMES)), np.float32)
    counts = np.array([len(run) for run in words], np.int64)
    ends = np.cumsum(counts)
    hits = np.zeros(int(counts.sum()) + 1)
    matcher = SequenceMatcher(None, [word for run in words for word in run], words_of(page.text))
    for start, _, size in matcher.get_matching_blocks():
        hits[start + 1 : start + size + 1] = 1.0
    summed = np.cumsum(hits)
    labels = (summed[ends] - summed[ends - counts]) / np.maximum(counts, 1)
    weights = counts / max(page.words.total(), 0.3 * float(counts.sum()), 1.0)
    return Example(_site(page.url), numbers, words, labels, weights, page.words)


def examples_of(pages: Sequence[MarkedPage], progress: Callable[[str], None]) -> list[Example]:
    """All pages made ready for learning."""
    progress(f"aligning {len(pages)} pages with their marked text")
    return [example(page) for page in pages]


def _site(url: str) -> str:
    """The site of an address, roughly: hosts of one organisation fall into one fold."""
    parts = (urlsplit(url).hostname or url).split(".")
    return ".".join(parts[-2:] if len(parts) < 3 or len(parts[-2]) > 3 else parts[-3:])
