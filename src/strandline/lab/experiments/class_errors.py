"""Paper 002's own experiment on real histories: groups, first-sight classifiers, and what follows them.

Paper: Barbosa et al., WIDM 2005, Figure 2 and Tables 1, 3 and 5. Where the paper is silent: k-means runs on the square
root of the estimated rate; the interval of a group is 1 / its mean rate, at most 91 days; the true class is the group
of the estimate over the whole window; an error is a page whose class differs from the true one, counted after the last
day and as a mean over all days. Two splits: by page (the paper's; pages of one site on both sides) and by site.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from strandline.core.history.rates import change_rate
from strandline.core.mining.classes import (
    TABLE_4_WINDOWS,
    BayesianClassifier,
    ChangeGroups,
    HistoricClassifier,
    HistoricRules,
    change_groups,
    sure_beliefs,
)
from strandline.core.mining.static_classifiers import (
    Classifier,
    balanced,
    class_chances,
    naive_bayes,
    nearest_neighbours,
    pruned_tree,
    unpruned_tree,
)
from strandline.lab.simulate.histories import Histories

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

GROUPS = 4
PAPER_COLUMNS = ("links", "emails", "text_bytes", "images", "depth")
MORE_COLUMNS = (*PAPER_COLUMNS, "links_out", "bytes", "headings", "scripts", "forms", "tables", "digits_in_name")


class Follower(Protocol):
    """A classifier that goes on learning from visits."""

    group: Ints

    def visit(self, pages: Ints, changed: NDArray[np.bool_], waited: Floats) -> None:
        """One visit to each of `pages`."""
        ...


@dataclass(frozen=True)
class Split:
    """Training and test pages, and the groups that the training pages make."""

    histories: Histories
    train: Ints
    test: Ints
    groups: ChangeGroups
    true: Ints
    """True class of every page of the table."""
    rng: np.random.Generator

    def features(self, columns: tuple[str, ...] = PAPER_COLUMNS) -> Floats:
        """Feature table of all pages."""
        return np.column_stack([self.histories.column(name) for name in columns])


def rate_of(histories: Histories) -> Floats:
    """The paper's estimate over the whole window, one visit a day."""
    return change_rate(histories.last_day, np.minimum(histories.seen[:, -1], histories.last_day))


def splits_by_page(histories: Histories, seeds: int) -> Iterator[Split]:
    """Two thirds of all pages against the rest."""
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        order = rng.permutation(histories.pages)
        cut = 2 * histories.pages // 3
        yield _split(histories, np.sort(order[:cut]), np.sort(order[cut:]), rng)


def splits_by_site(histories: Histories) -> Iterator[Split]:
    """All other sites against one."""
    for number in range(len(histories.sites)):
        mine = histories.site == number
        yield _split(histories, np.flatnonzero(~mine), np.flatnonzero(mine), np.random.default_rng(number))


def _split(histories: Histories, train: Ints, test: Ints, rng: np.random.Generator) -> Split:
    rates = rate_of(histories)
    groups = change_groups(rates[train], GROUPS)
    return Split(histories, train, test, groups, groups.assign(rates), rng)


def learners(split: Split, columns: tuple[str, ...]) -> dict[str, tuple[float, float]]:
    """Error and classification time of the paper's five learners, on balanced training and test pages."""
    features = split.features(columns)
    train = split.train[balanced(split.true[split.train], split.rng)]
    test = split.test[balanced(split.true[split.test], split.rng)]
    known, group = features[train], split.true[train]
    found = {}
    for name, classifier in (
        ("tree, unpruned", unpruned_tree()),
        ("tree, pruned", pruned_tree(known, group)),
        ("naive Bayes", naive_bayes()),
        ("nearest neighbour, k = 1", nearest_neighbours(1)),
        ("nearest neighbours, k = 2", nearest_neighbours(2)),
    ):
        classifier.fit(known, group)
        began = time.process_time()
        predicted = classifier.predict(features[test])
        found[name] = float((predicted != split.true[test]).mean()), time.process_time() - began
    return found


@dataclass(frozen=True)
class Starts:
    """Start classes of the test pages, and what the errors must be read against."""

    tree: Ints
    random: Ints
    chances: Floats
    errors: dict[str, float]


def first_sight(split: Split) -> Starts:
    """Classes of all test pages, in their natural proportions, by the pruned tree and by lot."""
    true = split.true[split.test]
    few, many = split.features(), split.features(MORE_COLUMNS)
    even = split.train[balanced(split.true[split.train], split.rng)]
    tree = _fitted(few, even, split.true)
    natural = _fitted(few, split.train, split.true)
    rich = _fitted(many, split.train, split.true)
    start = tree.predict(few[split.test]).astype(np.int64)
    lot = split.rng.integers(0, split.groups.count, split.test.size)
    usual = int(np.bincount(split.true[split.train], minlength=split.groups.count).argmax())
    sites = split.histories.site
    by_site = np.zeros(split.test.size, dtype=np.int64)
    for site in np.unique(sites[split.test]):
        # Known to nobody when the site is new: then it is the site's own majority, a bound and not a method.
        seen = split.train if (sites[split.train] == site).any() else split.test
        members = split.true[seen[sites[seen] == site]]
        by_site[sites[split.test] == site] = np.bincount(members).argmax()
    guesses = {
        "static tree, balanced training": start,
        "static tree, natural training": natural.predict(few[split.test]),
        "static tree, natural training, 12 features": rich.predict(many[split.test]),
        "random": lot,
        "majority class": np.full(split.test.size, usual),
        "majority class of the page's site": by_site,
    }
    errors = {name: float((guess != true).mean()) for name, guess in guesses.items()}
    chances = class_chances(rich, many[split.test], split.groups.count)
    return Starts(start, lot, chances, errors)


def _fitted(features: Floats, rows: Ints, true: Ints) -> Classifier:
    tree = pruned_tree(features[rows], true[rows])
    tree.fit(features[rows], true[rows])
    return tree


def follow(histories: Histories, rows: Ints, follower: Follower, every: Floats, true: Ints) -> tuple[float, float]:
    """Visit pages as often as their class says; error after the last day, and as a mean over days."""
    pause = np.maximum(np.rint(every), 1).astype(np.int64)
    last = np.zeros(rows.size, dtype=np.int64)
    seen, last_day = histories.seen[rows], histories.last_day[rows]
    everyone = np.arange(rows.size)
    wrong = lived = 0
    misplaced = follower.group != true
    for day in range(1, histories.days + 1):
        exists = last_day >= day
        due = everyone[exists & (day - last >= pause[follower.group])]
        if due.size:
            changed = seen[due, day] > seen[due, last[due]]
            follower.visit(due, changed, (day - last[due]).astype(np.float64))
            last[due] = day
        misplaced = follower.group != true
        wrong += int((misplaced & exists).sum())
        lived += int(exists.sum())
    return float(misplaced.mean()), wrong / max(lived, 1)


def tuned_rules(split: Split, start: Callable[[Ints], Ints], sample: int = 1500) -> HistoricRules:
    """Windows and thresholds of least error on training pages (the paper chose its windows in this way)."""
    rows = split.rng.permutation(split.train)[:sample]
    group, true, every = start(rows), split.true[rows], split.groups.intervals()
    best: tuple[float, HistoricRules] | None = None
    windows = [1] * split.groups.count
    for minimum, maximum in ((0.2, 0.8), (0.34, 0.67)):
        for place in (*range(len(windows)), *range(len(windows))):
            for size in (1, 2, 3):
                trial = (*windows[:place], size, *windows[place + 1 :])
                rules = HistoricRules.alike(trial, minimum, maximum)
                error = sum(follow(split.histories, rows, HistoricClassifier(group, rules), every, true))
                if best is None or error < best[0]:
                    best = error, rules
                    windows = list(trial)
    if best is None:
        raise ValueError("no training pages to tune the historic classifier on")
    return best[1]


def compositions(split: Split, starts: Starts) -> dict[str, tuple[float, float]]:
    """Table 5: every start with every way of going on; (error after the last day, mean over days)."""
    every, groups = split.groups.intervals(), split.groups.count
    # Visits are capped at 91 days, or the slowest class would never be visited; beliefs use what the class stands for.
    between = split.groups.intervals(cap=np.inf)
    few = split.features()
    even = split.train[balanced(split.true[split.train], split.rng)]
    tree = _fitted(few, even, split.true)
    lot = np.random.default_rng(99)
    tuned_tree = tuned_rules(split, lambda rows: tree.predict(few[rows]).astype(np.int64))
    tuned_lot = tuned_rules(split, lambda rows: lot.integers(0, groups, rows.size))
    table_4 = HistoricRules.alike(TABLE_4_WINDOWS[:groups])
    shares = np.bincount(split.true[split.train], minlength=groups) / split.train.size
    pages = split.test.size
    followers: dict[str, Follower] = {
        "tree + historic, tuned": HistoricClassifier(starts.tree, tuned_tree),
        "tree + historic, Table 4": HistoricClassifier(starts.tree, table_4),
        "tree + Bayes (0.9)": BayesianClassifier(sure_beliefs(starts.tree, groups), between),
        "tree + Bayes as in the paper's example": BayesianClassifier(
            sure_beliefs(starts.tree, groups), between, per_day=True
        ),
        "random + historic, tuned": HistoricClassifier(starts.random, tuned_lot),
        "random + historic, Table 4": HistoricClassifier(starts.random, table_4),
        "random + Bayes (0.9)": BayesianClassifier(sure_beliefs(starts.random, groups), between),
        "flat beliefs + Bayes": BayesianClassifier(np.full((pages, groups), 1 / groups), between),
        "class frequencies + Bayes": BayesianClassifier(np.tile(shares, (pages, 1)), between),
        "tree chances (natural, 12 features) + Bayes": BayesianClassifier(starts.chances, between),
    }
    true = split.true[split.test]
    return {name: follow(split.histories, split.test, follower, every, true) for name, follower in followers.items()}
