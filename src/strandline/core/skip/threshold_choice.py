"""Thresholds for directory rules, chosen per site from the site's own history.

Paper 000 finds that good thresholds depend on the site and leaves their choice to the user. Here the window is cut in
half: rules mined from the first half are tried on every version of the second, and the thresholds which skip most
while catching the wanted share of the changes win. Nothing after the window is looked at.
"""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from strandline.core.history.delta_tree import DeltaTree
from strandline.core.history.site_versions import SiteHistory
from strandline.core.history.tree_kernels import topmost_listed
from strandline.core.mining.near import Thresholds, mine_numbers

ALPHAS = (0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""Shares of a directory's pages that must change, to choose from. Origin: a guess, around those of paper 000."""
BETAS = (0.05, 0.1, 0.2, 0.3, 0.45, 0.6)
"""Shares of the versions in which a left side must change, to choose from.
Origin: a guess, around those of paper 000."""
THETAS = (0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
"""Confidences of a rule to choose from. Origin: a guess, around those of paper 000."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Thresholds with what they did in the second half of the window."""

    thresholds: Thresholds
    bypass_ratio: float
    change_recall_strict: float


@dataclass(frozen=True, slots=True)
class _Test:
    live: NDArray[np.float64]
    changed: NDArray[np.float64]


def threshold_grid(
    alphas: Iterable[float] = ALPHAS, betas: Iterable[float] = BETAS, thetas: Iterable[float] = THETAS
) -> list[Thresholds]:
    """All combinations, gamma automatic."""
    return [Thresholds(a, b, t) for a, b, t in itertools.product(alphas, betas, thetas)]


def choose_thresholds(
    history: SiteHistory, tree: DeltaTree, window: tuple[int, int], grid: Sequence[Thresholds], floor: float = 0.95
) -> Choice | None:
    """The thresholds that skip most in the second half of the window (first, last version) at this change recall.

    `tree` holds every alpha of the grid. None when no thresholds reach the floor, or the second half shows no change:
    then nothing should be skipped.
    """
    return best_choice(measure_thresholds(history, tree, window, grid), floor)


def choose_for_site(history: SiteHistory, versions: int = 40, floor: float = 0.95) -> Choice | None:
    """Thresholds for the next crawl of a site, from at most this many of its last versions."""
    last = history.versions - 1
    if last < 2:
        return None
    tree = DeltaTree.of(history, ALPHAS)
    return choose_thresholds(history, tree, (max(0, last + 1 - versions), last), threshold_grid(), floor)


def best_choice(choices: Iterable[Choice], floor: float) -> Choice | None:
    """The choice that skips most among those with this change recall; the first of equals."""
    good = [one for one in choices if one.change_recall_strict >= floor]
    return max(good, key=lambda one: (one.bypass_ratio, one.change_recall_strict), default=None)


def measure_thresholds(
    history: SiteHistory, tree: DeltaTree, window: tuple[int, int], grid: Sequence[Thresholds]
) -> list[Choice]:
    """What each set of thresholds, applied to the first half of the window, does in the second."""
    first, last = window
    middle = (first + last) // 2
    tests = _tests(history, middle, last)
    if not tests or middle == first:
        return []
    halves = {alpha: tree.window(alpha, first, middle) for alpha in {one.alpha for one in grid}}
    measured: dict[bytes, tuple[float, float]] = {}
    choices = []
    for thresholds in grid:
        half = halves[thresholds.alpha]
        # WARM skips just the right sides of the rules that start at its target.
        tails = mine_numbers(half, thresholds, start=half.root).tails
        key = tails.tobytes()
        if key not in measured:
            listed = np.zeros(history.shape.directories, dtype=np.bool_)
            listed[tails] = True
            measured[key] = _measure(topmost_listed(history.shape.parents, listed) >= 0, tests)
        choices.append(Choice(thresholds, *measured[key]))
    return choices


def _tests(history: SiteHistory, middle: int, last: int) -> list[_Test]:
    shape = history.shape
    live = history.live_at(middle)
    known = np.ones_like(live) if history.watched is None else history.watched
    tests = []
    for version in range(middle + 1, last + 1):
        changes = history.changes[version]
        live[changes.inserted] = True
        live[changes.deleted] = False
        if len(changes):
            touched = np.concatenate([changes.inserted, changes.deleted, changes.updated])
            directories = shape.page_directories
            tests.append(
                _Test(
                    live=np.bincount(directories[live & known], minlength=shape.directories).astype(np.float64),
                    changed=np.bincount(directories[touched], minlength=shape.directories).astype(np.float64),
                )
            )
    return tests


def _measure(skipped: NDArray[np.bool_], tests: list[_Test]) -> tuple[float, float]:
    bypass = [test.live[skipped].sum() / max(1.0, test.live.sum()) for test in tests]
    recall = [1.0 - test.changed[skipped].sum() / test.changed.sum() for test in tests]
    return float(np.mean(bypass)), float(np.mean(recall))
