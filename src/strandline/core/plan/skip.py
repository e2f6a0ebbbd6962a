"""Which directories of a site to skip on the next crawl: WARM, and the dormant baseline it must be compared with.

Paper: NEAR-Miner and WARM (paper 000), algorithm 4.
    paper: P, Gamma          here: the chain in force at a directory; the mined rules
    paper: Depth_Archive     here: warm(), a walk over directory numbers (parents come first)
Walk the target top-down with P = <target>; skip a subdirectory y when P => not y is a rule; where some rule's left side
begins with P followed by y, that is P below y (asking for a left side that ends there, as the printed line can be
read, would leave rules with longer chains out of reach). Every parent is taken to have changed, as the paper does.

A skipped directory looks unchanged for as long as it is skipped, so a rule that became wrong would stay for ever.
Rules are therefore re-tested: each crawl fetches a few pages of skipped directories, and `RuleWatch` retires
what fails.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from strandline.core.changes.directories import Ids, TreeShape
from strandline.core.history.delta_tree import ChangeWindow
from strandline.core.history.tree_kernels import topmost_listed
from strandline.core.learn.near import MinedRules, dormant_directories

Mask = NDArray[np.bool_]
Chain = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SkipAnswer:
    """Directories to skip, and for each of them the topmost skipped directory it lies in (-1: not skipped)."""

    because_of: NDArray[np.int64]

    @property
    def directories(self) -> Mask:
        """Which directories are skipped."""
        return self.because_of >= 0

    def pages(self, shape: TreeShape) -> Mask:
        """Which pages are skipped."""
        return self.directories[shape.page_directories]

    def reasons(self) -> NDArray[np.int64]:
        """The topmost skipped directories: one rule or one dormant directory each."""
        places = np.arange(len(self.because_of))
        return np.flatnonzero(self.because_of == places)


def warm(shape: TreeShape, rules: MinedRules, target: int = 0) -> SkipAnswer:
    """What WARM skips below a target directory; directories the rules do not know are entered."""
    excluded: dict[Chain, set[int]] = {}
    for rule in range(len(rules)):
        chain = rules.chain(rule)
        if chain[0] == target:
            for length in range(1, len(chain) + 1):
                excluded.setdefault(chain[:length], set())
            excluded[chain].add(int(rules.tails[rule]))
    listed = np.zeros(shape.directories, dtype=np.bool_)
    parents = shape.parents.tolist()
    chains: dict[int, Chain] = {target: (target,)}
    for directory in _paths_to(parents, target, set().union(*excluded.values())):
        chain = chains[parents[directory]]
        listed[directory] = directory in excluded[chain]
        longer = (*chain, directory)
        chains[directory] = longer if longer in excluded else chain
    return SkipAnswer(topmost_listed(shape.parents, listed))


def _paths_to(parents: list[int], target: int, wanted: set[int]) -> list[int]:
    """The wanted directories below the target and all directories in between, parents first."""
    met: set[int] = set()
    for directory in wanted:
        one = directory
        while one != target and one not in met:
            met.add(one)
            one = parents[one]
    return sorted(met)


def skip_dormant(shape: TreeShape, window: ChangeWindow) -> SkipAnswer:
    """Skip what never changed in the window; directories that were not there yet follow the one they lie in."""
    return skip_listed(shape, dormant_directories(window))


def skip_listed(shape: TreeShape, listed: Mask) -> SkipAnswer:
    """Skip the listed directories with all that lies below them."""
    known = np.zeros(shape.directories, dtype=np.bool_)
    known[: len(listed)] = listed
    return SkipAnswer(topmost_listed(shape.parents, known))


@dataclass(frozen=True, slots=True)
class Trust:
    """Re-tests of one skipped directory: in how many crawls it was sampled, and in how many a change turned up."""

    tests: int = 0
    failures: int = 0

    def still_holds(self, confidence: float, doubt: float = 0.05) -> bool:
        """Whether so many failures can be chance, if the directory stays quiet with this confidence."""
        return binomial_tail(self.tests, self.failures, 1.0 - confidence) > doubt


class RuleWatch:
    """Keeps count of re-tests and retires the skipped directories that fail them.

    A directory is retired when as many failures as were seen would have a chance of at most `doubt` if it stayed quiet
    with the promised confidence. Samples see only part of a directory, so failures are under-counted: the test
    errs towards keeping a rule that is nearly right, never towards keeping one that fails each time.
    """

    def __init__(self, confidence: float = 0.95, share: float = 0.05, doubt: float = 0.05) -> None:
        self.confidence = confidence
        self.share = share
        self.doubt = doubt
        self.trust: dict[int, Trust] = {}
        self.retired: set[int] = set()

    def apply(self, answer: SkipAnswer) -> SkipAnswer:
        """The answer without the retired directories; what lies in them is fetched again."""
        if not self.retired:
            return answer
        kept = ~np.isin(answer.because_of, list(self.retired))
        return SkipAnswer(np.where(kept, answer.because_of, -1))

    def sample(self, shape: TreeShape, answer: SkipAnswer, pages: Ids, rng: np.random.Generator) -> Ids:
        """Skipped pages to fetch all the same: a share of them, and at least one of each skipped directory's pages.

        `pages` are the known pages; the sample is drawn anew for each crawl.
        """
        reason = answer.because_of[shape.page_directories[pages]]
        shuffled = rng.permutation(np.flatnonzero(reason >= 0))
        order = shuffled[np.argsort(reason[shuffled], kind="stable")]
        _, first, count = np.unique(reason[order], return_index=True, return_counts=True)
        rank = np.arange(len(order)) - np.repeat(first, count)
        chosen: Ids = pages[order[rank < np.repeat(np.ceil(count * self.share), count)]]
        return chosen

    def record(self, answer: SkipAnswer, shape: TreeShape, fetched: Ids, changed: Mask) -> list[int]:
        """Book a crawl's samples; returns the directories retired by it."""
        reason = answer.because_of[shape.page_directories[fetched]]
        retired = []
        for directory in np.unique(reason[reason >= 0]).tolist():
            before = self.trust.get(directory, Trust())
            failed = bool(changed[reason == directory].any())
            after = self.trust[directory] = Trust(before.tests + 1, before.failures + failed)
            if failed and directory not in self.retired and not after.still_holds(self.confidence, self.doubt):
                self.retired.add(directory)
                retired.append(directory)
        return retired

    def reinstate(self, directories: Iterable[int]) -> None:
        """Forget what was retired, after rules were mined anew from full crawls."""
        for directory in directories:
            self.retired.discard(directory)
            self.trust.pop(directory, None)


def binomial_tail(trials: int, at_least: int, chance: float) -> float:
    """Probability of at least so many successes.

    >>> binomial_tail(2, 1, 0.5), binomial_tail(3, 0, 0.1), binomial_tail(1, 1, 0.0)
    (0.75, 1.0, 0.0)
    """
    terms = (
        math.comb(trials, hits) * chance**hits * (1.0 - chance) ** (trials - hits)
        for hits in range(at_least, trials + 1)
    )
    return min(1.0, sum(terms))


def explain(answer: SkipAnswer, shape: TreeShape, names: Mapping[int, str], page: int) -> str:
    """One line an archivist can read: why a page is skipped, or that it is not."""
    reason = int(answer.because_of[shape.page_directories[page]])
    if reason < 0:
        return "fetched: no rule covers its directory"
    return f"skipped: directory {names.get(reason, f'#{reason}')!r} is expected to be unchanged"
