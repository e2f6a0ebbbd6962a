"""NEAR-Miner: directories that stay quiet when the directories above them change.

Paper: Chen, Bhowmick and Nejdl, NEAR-Miner and WARM (paper 000), definitions 2 to 10, algorithm 3.
    paper: FoC(X)                here: share of the transitions in which all of X changed significantly
    paper: CoC(X, Y)             here: correlation, phi coefficient of "all of X changed" and "y changed"
    paper: PEP <s1 .. sk>        here: chain, `NearRule.if_changed`
    paper: s1 .. sk => not s     here: NearRule(if_changed=(s1, .., sk), skip=s)
    paper: alpha beta gamma theta  here: Thresholds
The printed pseudocode hands a longer chain on to siblings and stops below a directory that neither joins the chain
nor is excluded; text and definitions want a chain that is local to its branch and a walk that goes on. It goes on below
a directory that is excluded, too: what changes together with the chain further down makes a longer chain, which jumps
over the excluded directory and has rules of its own. That is what is done here, and with it no rule is ever subsumed by
another rule or by a longer chain, without a filtering pass.

The correlation is 0/0 when the chain or the directory changed never or always, which is the common case on real sites.
By default it is taken as -1 when the two never changed together (the chain having changed at all), else 0;
`degenerate="none"` is the literal reading, 0 always.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from strandline.core.history.delta_tree import ChangeWindow, DeltaTree
from strandline.core.history.site_versions import SiteHistory
from strandline.core.history.tree_kernels import preorder
from strandline.core.mining.near_jumps import Jump, gamma_of, jumps
from strandline.core.mining.near_kernels import Limits, PreorderTree, RuleArrays, mine_places

Degenerate = Literal["never-together", "none"]
Variant = Literal["exact", "below-excluded", "single-directory"]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When a directory counts as changed, a chain as frequent, and an exclusion as a rule."""

    alpha: float = 0.01
    """Least degree of change that counts as significant."""
    beta: float = 0.1
    """Least frequency of change of a chain."""
    theta: float = 0.95
    """Least confidence of a rule."""
    gamma: float | None = None
    """Least negative correlation; None starts at 0.5 and goes down to 0.3 while a directory has no rule."""
    degenerate: Degenerate = "never-together"

    def __post_init__(self) -> None:
        """Refuse thresholds outside [0, 1]."""
        for name in ("alpha", "beta", "theta", "gamma"):
            value = getattr(self, name)
            if value is not None and not 0.0 <= value <= 1.0:
                raise ValueError(f"{name} must lie between 0 and 1, not {value}")
        if self.degenerate not in ("never-together", "none"):
            raise ValueError(f"degenerate must be 'never-together' or 'none', not {self.degenerate!r}")


@dataclass(frozen=True, slots=True)
class NearRule:
    """When all of `if_changed` change significantly, `skip` does not."""

    if_changed: tuple[str, ...]
    skip: str
    foc: float
    """Frequency of change of the left side."""
    coc: float
    """Correlation of change of the left side and the skipped directory."""
    confidence: float

    def as_text(self) -> str:
        """The rule as the history of rules keeps it."""
        return f"when {' and '.join(self.if_changed)} change, skip {self.skip}"

    def as_data(self) -> dict[str, object]:
        """The rule as the command line prints it."""
        return {
            "if": list(self.if_changed),
            "skip": self.skip,
            "foc": self.foc,
            "coc": self.coc,
            "confidence": self.confidence,
        }


@dataclass(frozen=True, slots=True)
class MinedRules:
    """Rules in directory numbers; the chain of rule i is `members[starts[i]:starts[i + 1]]`."""

    members: NDArray[np.int64]
    starts: NDArray[np.int64]
    tails: NDArray[np.int64]
    foc: NDArray[np.float64]
    coc: NDArray[np.float64]
    confidence: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.tails)

    def chain(self, rule: int) -> tuple[int, ...]:
        """Directories of the left side, outermost first."""
        return tuple(self.members[self.starts[rule] : self.starts[rule + 1]].tolist())

    def about(self, directories: NDArray[np.bool_]) -> "MinedRules":
        """The rules whose right side is one of these directories."""
        kept = directories[self.tails]
        if kept.all():
            return self
        lengths = np.diff(self.starts)
        return MinedRules(
            members=self.members[np.repeat(kept, lengths)],
            starts=np.append(0, np.cumsum(lengths[kept])),
            tails=self.tails[kept],
            foc=self.foc[kept],
            coc=self.coc[kept],
            confidence=self.confidence[kept],
        )


def mine(window: ChangeWindow, thresholds: Thresholds) -> list[NearRule]:
    """All rules of a window that are not subsumed, with directories as paths."""
    return named_rules(window, mine_numbers(window, thresholds))


def named_rules(window: ChangeWindow, mined: MinedRules) -> list[NearRule]:
    """Rules with directories as paths."""
    path = window.directory_path
    return [
        NearRule(
            if_changed=tuple(path(member) for member in mined.chain(rule)),
            skip=path(int(mined.tails[rule])),
            foc=float(mined.foc[rule]),
            coc=float(mined.coc[rule]),
            confidence=float(mined.confidence[rule]),
        )
        for rule in range(len(mined))
    ]


def mine_history(history: SiteHistory, thresholds: Thresholds) -> list[NearRule]:
    """All rules of a whole site history; none when it has fewer than two versions."""
    return mine(DeltaTree.of(history, (thresholds.alpha,)).window(), thresholds)


def mine_numbers(
    window: ChangeWindow, thresholds: Thresholds, start: int | None = None, variant: Variant = "exact"
) -> MinedRules:
    """The same rules in directory numbers, from every start directory or from one.

    The variants are the subsumed rules which the paper compares with: `below-excluded` gives only rules below a
    directory that the same chain already excludes, `single-directory` never lengthens the chain.
    """
    if window.alpha != thresholds.alpha:
        raise ValueError(f"this window was made with alpha {window.alpha}, not {thresholds.alpha}")
    top = window.root
    if top < 0 or window.transitions == 0:
        return _unpacked(_room(0, 0), np.zeros(2, dtype=np.int64), np.empty(0, dtype=np.int64), 1)
    order, ends, depths = preorder(window.parents, window.present)
    tree = PreorderTree(window.bits[order], window.change_counts[order], ends, depths)
    every = np.arange(0 if top == 0 else 1, len(order))
    starts = every if start is None else np.flatnonzero(order == start)
    limits = Limits(
        transitions=window.transitions,
        beta=thresholds.beta,
        gamma=math.nan if thresholds.gamma is None else thresholds.gamma,
        theta=thresholds.theta,
        never_together=-1.0 if thresholds.degenerate == "never-together" else 0.0,
        extend=variant != "single-directory",
        below=variant == "below-excluded",
    )
    rules = _room(256 + len(order) // 2, 1024 + 2 * len(order))  # mined again in the rare case that it is not enough
    used = mine_places(tree, starts, limits, rules)
    if used[0] > len(rules.tails) or used[1] > len(rules.members):
        rules = _room(int(used[0]), int(used[1]))
        used = mine_places(tree, starts, limits, rules)
    if variant == "exact":
        rules, used = _with_jumps(tree, limits, rules, used)
    return _unpacked(rules, used, order, window.transitions)


def _with_jumps(
    tree: PreorderTree, limits: Limits, rules: RuleArrays, used: NDArray[np.int64]
) -> tuple[RuleArrays, NDArray[np.int64]]:
    """The rules, and those of chains that jump over a directory which one of them excludes."""
    count, held = int(used[0]), int(used[1])
    strongest = np.zeros(len(tree.ends))
    np.minimum.at(strongest, rules.members[rules.starts[:count]], rules.correlations[:count])
    inner = tree.ends[rules.tails[:count]] > rules.tails[:count] + 1
    found: list[Jump] = []
    for rule in np.flatnonzero(inner).tolist():
        chain = tuple(rules.members[rules.starts[rule] : rules.starts[rule + 1]].tolist())
        gamma = gamma_of(float(strongest[chain[0]])) if math.isnan(limits.gamma) else limits.gamma
        found += jumps(tree, limits, chain, int(rules.tails[rule]), gamma)
    if not found:
        return rules, used
    lengths = [len(one.chain) for one in found]
    more = RuleArrays(
        members=np.append(rules.members[:held], [place for one in found for place in one.chain]),
        starts=np.append(rules.starts[: count + 1], held + np.cumsum(lengths)),
        tails=np.append(rules.tails[:count], [one.tail for one in found]),
        together=np.append(rules.together[:count], [one.together for one in found]),
        correlations=np.append(rules.correlations[:count], [one.correlation for one in found]),
        confidences=np.append(rules.confidences[:count], [one.confidence for one in found]),
    )
    return more, np.array([count + len(found), held + sum(lengths)])


def dormant_directories(window: ChangeWindow) -> NDArray[np.bool_]:
    """Directories of the window without a single significant change in it; none when it holds no transition."""
    if window.transitions == 0:
        return np.zeros(len(window.parents), dtype=np.bool_)
    quiet: NDArray[np.bool_] = window.present & (window.change_counts == 0)
    return quiet


def dormant_paths(window: ChangeWindow, watched: NDArray[np.bool_] | None = None) -> list[str]:
    """The dormant directories that do not lie in another one, as paths; only `watched` ones, when these are given."""
    dormant = dormant_directories(window)
    if watched is not None:
        dormant &= watched
    topmost = dormant & ~np.where(window.parents >= 0, dormant[window.parents], False)
    return [window.directory_path(int(directory)) for directory in np.flatnonzero(topmost)]


def _room(rules: int, members: int) -> RuleArrays:
    return RuleArrays(
        members=np.zeros(members, dtype=np.int64),
        starts=np.zeros(rules + 1, dtype=np.int64),
        tails=np.zeros(rules, dtype=np.int64),
        together=np.zeros(rules, dtype=np.int64),
        correlations=np.zeros(rules, dtype=np.float64),
        confidences=np.zeros(rules, dtype=np.float64),
    )


def _unpacked(rules: RuleArrays, used: NDArray[np.int64], order: NDArray[np.int64], transitions: int) -> MinedRules:
    count, members = int(used[0]), int(used[1])
    return MinedRules(
        members=order[rules.members[:members]],
        starts=rules.starts[: count + 1],
        tails=order[rules.tails[:count]],
        foc=rules.together[:count] / transitions,
        coc=rules.correlations[:count],
        confidence=rules.confidences[:count],
    )
