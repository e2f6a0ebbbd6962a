"""Which directories of a site to skip on the next crawl: WARM, and the dormant baseline it must be compared with.

Paper: NEAR-Miner and WARM (paper 000), algorithm 4.
    paper: P, Gamma          here: the chain in force at a directory; the mined rules
    paper: Depth_Archive     here: warm(), a walk over directory numbers (parents come first)
Walk the target top-down with P = <target>; skip a subdirectory y when P => not y is a rule; where some rule's left side
begins with P followed by y, that is P below y (asking for a left side that ends there, as the printed line can be
read, would leave rules with longer chains out of reach). Every parent is taken to have changed, as the paper does.

Rules are re-tested (see `core.plan.retests`): each crawl fetches a `sample` of what it skips, and `RuleWatch` retires
what fails.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from strandline.core.changes.directories import Ids, TreeShape
from strandline.core.history.delta_tree import ChangeWindow
from strandline.core.history.tree_kernels import topmost_listed
from strandline.core.mining.near import MinedRules, dormant_directories
from strandline.core.skip.retests import CONFIDENCE, DOUBT, Trust

Mask = NDArray[np.bool_]
Chain = tuple[int, ...]
SHARE = 0.05
"""Share of the skipped pages that each crawl fetches all the same. Origin: a guess."""
SMALL = 8
"""A skipped directory of more pages than this has at least two of them fetched in each crawl: one of up to sixteen
pages has been seen whole after eight crawls. Origin: a guess."""


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


def sample(
    shape: TreeShape, answer: SkipAnswer, pages: Ids, turns: NDArray[np.float64], share: float = SHARE, least: int = 1
) -> Ids:
    """Skipped pages to fetch all the same: a share of each skipped directory's pages, at least so many (twice
    that where it has more than `SMALL`).

    `pages` are the known pages; those whose turn is larger come first (random numbers, or how long ago they were
    seen: then every page has its turn within 1 / share crawls, in a small directory within `SMALL`).
    """
    reason = answer.because_of[shape.page_directories[pages]]
    skipped = np.flatnonzero(reason >= 0)
    order = skipped[np.lexsort((-turns[skipped], reason[skipped]))]
    _, first, count = np.unique(reason[order], return_index=True, return_counts=True)
    rank = np.arange(len(order)) - np.repeat(first, count)
    floor = np.where(count > SMALL, 2 * least, least)
    wanted = np.maximum(np.ceil(count * share) if least else np.rint(count * share), floor)
    chosen: Ids = pages[order[rank < np.repeat(wanted, count)]]
    return chosen


class RuleWatch:
    """Keeps count of the re-tests of one site's skipped directories, by number, and retires those that fail."""

    def __init__(self, confidence: float = CONFIDENCE, share: float = SHARE, doubt: float = DOUBT) -> None:
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
        """Skipped pages to fetch all the same, drawn anew for each crawl."""
        return sample(shape, answer, pages, rng.random(len(pages)), self.share)

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
