"""The static classifiers of paper 002: which change class does a page have at first sight?

Paper: Barbosa et al., WIDM 2005, section 3.3 (there in WEKA).
    paper: J48 without pruning / with post-pruning    here: entropy tree / with cost-complexity pruning
    paper: NaiveBayes                                 here: Gaussian naive Bayes
    paper: IBk, k = 1 and 2                           here: nearest neighbours on standardised features
    paper: wrapper feature selection (Kohavi & John)  here: wrapper_selection, backward from all features

Needs scikit-learn (the extra `strandline[study]`): import this module only where a classifier is run. The trees are not
C4.5; the pruning strength is chosen by cross-validation on the training pages alone.
"""

from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, export_text

from strandline.core.mining.classes import ClassTree

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_PRUNINGS = tuple(float(alpha) for alpha in np.geomspace(2e-4, 2e-2, 9))
"""Strengths of pruning to choose from. Origin: a guess."""
_PRUNING_SAMPLE = 4000
"""Pages of a class, at most, on which the strength is chosen. Origin: a bound on time."""
_SHOWN_DEPTH = 4
"""Levels of the tree that are printed. Origin: a guess."""


class Classifier(Protocol):
    """What scikit-learn's classifiers have in common, as far as it is used here."""

    classes_: Ints

    def fit(self, features: Floats, group: Ints) -> object:
        """Learn."""
        ...

    def predict(self, features: Floats) -> Ints:
        """Group of each page."""
        ...

    def predict_proba(self, features: Floats) -> Floats:
        """Chance of each of `classes_`."""
        ...


def unpruned_tree() -> Classifier:
    """A decision tree grown until its leaves are pure."""
    return cast("Classifier", DecisionTreeClassifier(criterion="entropy", random_state=0))


def pruned_tree(features: Floats, group: Ints) -> Classifier:
    """A decision tree pruned as hard as cross-validation on these pages likes best (not fitted yet)."""
    return _tree(best_pruning(features, group))


def naive_bayes() -> Classifier:
    """Gaussian naive Bayes."""
    return cast("Classifier", GaussianNB())


def nearest_neighbours(k: int) -> Classifier:
    """The k nearest training pages vote; features are standardised first."""
    return cast("Classifier", make_pipeline(StandardScaler(), KNeighborsClassifier(n_neighbors=k)))


def best_pruning(features: Floats, group: Ints, folds: int = 3) -> float:
    """The cost-complexity parameter of least cross-validated error; judged on an even sample of many pages."""
    step = -(-group.size // _PRUNING_SAMPLE)
    if np.unique(group[::step], return_counts=True)[1].min() > 1:
        features, group = features[::step], group[::step]
    return min(_PRUNINGS, key=lambda alpha: cross_error(_tree(alpha), features, group, folds))


def cross_error(classifier: Classifier, features: Floats, group: Ints, folds: int = 3) -> float:
    """Share of pages misplaced when each fold is predicted from the others."""
    smallest = int(np.unique(group, return_counts=True)[1].min())
    if smallest < 2:
        raise ValueError("cross-validation needs at least two pages of every class")
    wrong = 0
    for train, test in StratifiedKFold(min(folds, smallest), shuffle=True, random_state=0).split(features, group):
        classifier.fit(features[train], group[train])
        wrong += int((classifier.predict(features[test]) != group[test]).sum())
    return wrong / group.size


def class_chances(classifier: Classifier, features: Floats, groups: int) -> Floats:
    """Chances of all `groups`; those the training pages did not have get none."""
    chances = np.zeros((features.shape[0], groups))
    chances[:, classifier.classes_] = classifier.predict_proba(features)
    return chances


def wrapper_selection(features: Floats, group: Ints, names: tuple[str, ...]) -> tuple[tuple[str, ...], float]:
    """Drop features one by one as long as the tree's cross-validated error does not grow.

    Returns the names that stay and the error with them.
    """
    kept = list(range(len(names)))
    alpha = best_pruning(features, group)
    error = cross_error(_tree(alpha), features, group)
    while len(kept) > 1:
        trials = [(cross_error(_tree(alpha), features[:, rest], group), i) for i, rest in _without_each(kept)]
        least, dropped = min(trials)
        if least > error:
            break
        error = least
        kept.remove(dropped)
    return tuple(names[i] for i in kept), error


def class_tree(features: Floats, group: Ints, names: tuple[str, ...], links: int) -> ClassTree:
    """The tree of some pages; the last `links` features are also left out, to see what they are worth."""
    tree = DecisionTreeClassifier(criterion="entropy", random_state=0, ccp_alpha=best_pruning(features, group))
    error = cross_error(cast("Classifier", tree), features, group)
    less = features[:, : features.shape[1] - links]
    without = cross_error(pruned_tree(less, group), less, group)
    tree.fit(features, group)
    return ClassTree(
        text=export_text(tree, feature_names=list(names), max_depth=_SHOWN_DEPTH),
        importance=dict(zip(names, tree.feature_importances_.tolist(), strict=True)),
        error=error,
        error_without=without,
        error_by_majority=1.0 - float(np.unique(group, return_counts=True)[1].max()) / group.size,
        pages=int(group.size),
    )


def _without_each(kept: list[int]) -> list[tuple[int, list[int]]]:
    return [(i, [j for j in kept if j != i]) for i in kept]


def _tree(alpha: float) -> Classifier:
    return cast("Classifier", DecisionTreeClassifier(criterion="entropy", random_state=0, ccp_alpha=alpha))


def balanced(group: Ints, rng: np.random.Generator) -> Ints:
    """Rows in which every class is as frequent as the rarest one."""
    size = int(np.unique(group, return_counts=True)[1].min())
    picks = [rng.permutation(np.flatnonzero(group == one))[:size] for one in np.unique(group)]
    return np.sort(np.concatenate(picks))
