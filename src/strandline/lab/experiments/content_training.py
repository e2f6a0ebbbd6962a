"""Learning which runs of text are a page's own content, from pages whose content somebody marked.

Gradient boosting (scikit-learn, extra `study`) learns two sets of trees from two samples of the runs of marked pages
(`content_examples`), and descent down the slope of the measure itself four networks (`content_networks`); they are
shipped as tables of numbers, evaluated without it.
`scripts/train-content` writes those; `cross_validated` says what to expect of it on sites it has not seen.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from strandline.core.blocks.content_nets import Judges
from strandline.core.blocks.content_trees import Trees
from strandline.lab.experiments.content_examples import Example, examples_of
from strandline.lab.experiments.content_networks import networks
from strandline.lab.experiments.marked_pages import MarkedPage

FOLDS: Final = 5
SEEDS: Final = (1, 2)
SAMPLED: Final = 30.0  # a run whose words make a thirtieth of its page's content is always learned from
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


def learned(examples: Sequence[Example]) -> Judges:
    """Trees and networks learned from marked pages."""
    return Judges(
        trees=_together([_boosted(_sampled(examples, seed), seed) for seed in SEEDS]),
        nets=networks(examples),
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
