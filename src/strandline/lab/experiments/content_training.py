"""Learning which runs of text are a page's own content, from pages whose content somebody marked.

A run is labelled by aligning the words of the page with those of the marked text. Rows weigh what their words weigh in
the F1 of their page, so that a long page counts no more than a short one. Gradient boosting (scikit-learn, extra
`study`) learns two sets of trees from two samples, and back-propagation small networks from as many as there are of
them; they are shipped as tables of numbers, evaluated without it.
`scripts/train-content` writes those; `cross_validated` says what to expect of it on sites it has not seen.
"""

import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from strandline.core.blocks.content import chosen
from strandline.core.blocks.content_features import NAMES, features
from strandline.core.blocks.content_nets import Judges, Nets, drawn_together
from strandline.core.blocks.content_trees import Trees
from strandline.core.blocks.page_told import page_told
from strandline.dom.html import layout as layout_of
from strandline.lab.experiments.marked_pages import MarkedPage, word_f1, words_of

FOLDS: Final = 5
SEEDS: Final = (1, 2)
SAMPLED: Final = 30.0  # a run whose words make a thirtieth of its page's content is always learned from
NET_SEEDS: Final = (1, 2, 3, 4)
_AT_ONCE: Final = 256  # rows after which a network is put right
LEAST_SPREAD: Final = 1e-3  # of a number that hardly ever differs
_NETWORK: Final[dict[str, Any]] = {
    "hidden_layer_sizes": (64,),
    "alpha": 3.0,
    "learning_rate_init": 2e-3,
    "max_iter": 12,
}
_BOOSTING: Final[dict[str, Any]] = {
    "max_iter": 130,
    "learning_rate": 0.05,
    "max_leaf_nodes": 14,
    "min_samples_leaf": 50,
    "l2_regularization": 10.0,
    "max_features": 0.25,
    "max_bins": 32,
    "early_stopping": False,
}


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


def _site(url: str) -> str:
    """The site of an address, roughly: hosts of one organisation fall into one fold."""
    parts = (urlsplit(url).hostname or url).split(".")
    return ".".join(parts[-2:] if len(parts) < 3 or len(parts[-2]) > 3 else parts[-3:])


def learned(examples: Sequence[Example]) -> Judges:
    """Trees and networks learned from marked pages."""
    return Judges(
        trees=_together([_boosted(_sampled(examples, seed), seed) for seed in SEEDS]),
        nets=_networks(examples),
    )


class _Sample(NamedTuple):
    """Rows that are learned from, whether each is content, and what it weighs."""

    rows: NDArray[np.float32]
    labels: NDArray[np.bool_]
    weights: NDArray[np.float64]


def _sampled(examples: Sequence[Example], seed: int) -> _Sample:
    rng = np.random.default_rng(seed)
    chances = [np.minimum(1.0, SAMPLED * one.weights + 0.02) for one in examples]
    kept = [
        (rng.random(chance.size) < chance) & (one.weights > 0) for one, chance in zip(examples, chances, strict=True)
    ]
    rows = np.concatenate([one.rows[keep] for one, keep in zip(examples, kept, strict=True)])
    labels = np.concatenate([one.labels[keep] >= 0.5 for one, keep in zip(examples, kept, strict=True)])
    weights = np.concatenate([(o.weights / c)[k] for o, c, k in zip(examples, chances, kept, strict=True)])
    return _Sample(rows, labels, weights * weights.size / weights.sum())


def _boosted(sample: _Sample, seed: int) -> Any:  # noqa: ANN401 - scikit-learn has no types
    from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: PLC0415 - extra `study`

    learner = HistGradientBoostingClassifier(random_state=seed, **_BOOSTING)
    return learner.fit(sample.rows, sample.labels, sample_weight=sample.weights)


def _networks(examples: Sequence[Example]) -> Nets:
    """Networks that were begun and fed differently, side by side in one layer."""
    from sklearn.exceptions import ConvergenceWarning  # noqa: PLC0415 - extra `study`
    from sklearn.neural_network import MLPClassifier  # noqa: PLC0415 - extra `study`

    samples = [_sampled(examples, seed) for seed in NET_SEEDS]
    drawn = drawn_together(samples[0].rows)
    none = np.zeros(0, np.float32)
    blank = Nets(drawn.mean(axis=0), drawn.std(axis=0) + np.float32(LEAST_SPREAD), none, none, none)
    learners = []
    for seed, sample in zip(NET_SEEDS, samples, strict=True):
        learner = MLPClassifier(random_state=seed, batch_size=min(_AT_ONCE, len(sample.rows)), **_NETWORK)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # it is stopped early on purpose
            learners.append(learner.fit(blank.prepared(sample.rows), sample.labels, sample_weight=sample.weights))
    hidden = np.concatenate([learner.coefs_[0] for learner in learners], axis=1)
    return replace(
        blank,
        hidden=hidden.astype(np.float16).astype(np.float32),  # as they are shipped
        bias=np.concatenate([learner.intercepts_[0] for learner in learners]).astype(np.float32),
        out=(np.concatenate([learner.coefs_[1][:, 0] for learner in learners]) / len(learners)).astype(np.float32),
        start=float(np.mean([learner.intercepts_[1][0] for learner in learners])),
    )


def _together(learners: Sequence[Any]) -> Trees:
    """All trees of several learners in one table; their mean is the sum with every leaf divided."""
    tables = [trees[0].nodes for learner in learners for trees in learner._predictors]
    sizes = [len(table) for table in tables]
    offsets = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    nodes = np.concatenate(tables)
    shift = np.repeat(offsets, sizes)
    leaf = nodes["is_leaf"].astype(bool)
    start = float(np.mean([np.ravel(learner._baseline_prediction)[0] for learner in learners]))
    return Trees(
        roots=offsets.astype(np.int64),
        feature=np.where(leaf, -1, nodes["feature_idx"]).astype(np.int64),
        limit=np.where(leaf, 0.0, nodes["num_threshold"]).astype(np.float32),
        left=np.where(leaf, 0, nodes["left"] + shift).astype(np.int64),
        right=np.where(leaf, 0, nodes["right"] + shift).astype(np.int64),
        value=np.where(leaf, nodes["value"] / len(learners), 0.0).astype(np.float32),
        start=start,
    )


def examples_of(pages: Sequence[MarkedPage], progress: Callable[[str], None]) -> list[Example]:
    """All pages made ready for learning."""
    progress(f"aligning {len(pages)} pages with their marked text")
    return [example(page) for page in pages]


def cross_validated(pages: Sequence[MarkedPage], progress: Callable[[str], None]) -> list[float]:
    """F1 of each page by trees and networks that were learned from other sites only."""
    examples = examples_of(pages, progress)
    fold = np.array([crc32(one.site.encode()) % FOLDS for one in examples])
    found = [0.0] * len(examples)
    for held in range(FOLDS):
        progress(f"learning without fold {held + 1} of {FOLDS}")
        others = [one for one, number in zip(examples, fold, strict=True) if number != held]
        if not others:
            continue
        judges = learned(others)
        for place in np.flatnonzero(fold == held).tolist():
            found[place] = examples[place].f1(judges.scores(examples[place].rows))
    return found
