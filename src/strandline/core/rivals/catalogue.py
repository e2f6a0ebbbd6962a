"""Strategies by name."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from strandline.core.beliefs.censored import HOURS_OF_WEEK, CensoredLearner, LearnerSettings
from strandline.core.plan.knowledge import LearnedPatterns
from strandline.core.plan.longest_gap import LongestGap
from strandline.core.plan.objective import Objective, Worth
from strandline.core.plan.priced_plan import PricedPlan, PricedPlanSettings
from strandline.core.plan.strategy import Strategy
from strandline.core.rivals.baselines import (
    COHERENCE,
    RELEVANCE,
    ROUND_ROBIN,
    SHARC,
    NutchAdaptive,
    RelevanceTop,
)
from strandline.core.rivals.change_classes import ChangeClasses
from strandline.core.rivals.freshness import Frequency
from strandline.core.rivals.informed import Informed
from strandline.core.rivals.urgency import IMPORTANCE, IMPORTANCE_PATTERN, PATTERN, OnlinePatterns


@dataclass(frozen=True)
class StrategyOptions:
    """What the makers of strategies may need. `window` is the span (in periods) quality is judged over,
    `lasting` the one the archive will be asked about (core/plan/objective.py);
    `accumulates` says that a capture shows the difference to the last capture, as a real crawler's does.
    `longest_gap` (hours) and `gap_share` bound how long a page may be unseen (longest_gap.py); `aims` are the
    objectives of groups of pages that have their own.
    """

    objective: Objective = "page"
    coherence: float = 0.0
    window: float = 504.0
    lasting: float = 8760.0
    period_hours: float = 1.0
    accumulates: bool = True
    clock: bool = True
    longest_gap: float = 336.0
    gap_share: float = 0.05
    aims: tuple[Objective, ...] = ()
    cycle: NDArray[np.int64] = field(default_factory=lambda: HOURS_OF_WEEK.copy())

    @property
    def learner(self) -> LearnerSettings:
        """Settings of a learner for this length of period."""
        if self.period_hours >= 24.0:
            daily = LearnerSettings.daily()
            return LearnerSettings(
                cycle=daily.cycle, slowest=daily.slowest, fastest=daily.fastest, start_rate=daily.start_rate,
                periods_per_day=1, accumulates=self.accumulates, clock=self.clock,
            )  # fmt: skip
        return LearnerSettings(cycle=self.cycle, accumulates=self.accumulates, clock=self.clock)

    @property
    def priced(self) -> PricedPlanSettings:
        """Settings of a priced plan for this length of period."""
        worth = Worth(self.objective, self.window, lasting=self.lasting)
        gap = LongestGap(self.longest_gap / self.period_hours, self.gap_share)
        usual = PricedPlanSettings(
            worth=worth, coherence=self.coherence, fast_first=self.accumulates, gap=gap, aims=self.aims
        )
        if self.period_hours >= 24.0:
            return replace(usual, price_step=0.1, slow_below=2.0 / 7.0, periods_per_day=1)
        return usual


def priced_plan(options: StrategyOptions, name: str = "") -> PricedPlan:
    """The priced plan, learning from its own captures."""
    return PricedPlan(LearnedPatterns(CensoredLearner(options.learner)), options.priced, name)


def _nutch(options: StrategyOptions) -> Strategy:
    day = 24.0 / options.period_hours
    return NutchAdaptive(shortest=min(1.0, day), longest=365.0 * day)


def _per_day(options: StrategyOptions) -> float:
    return 24.0 / options.period_hours


STRATEGIES: dict[str, Callable[[StrategyOptions], Strategy]] = {
    "round-robin": lambda _: ROUND_ROBIN,
    "relevance": lambda _: RELEVANCE,
    "relevance-top": lambda _: RelevanceTop(),
    "sharc": lambda _: SHARC,
    "coherence": lambda _: COHERENCE,
    "frequency": lambda _: Frequency(),
    "freshness": lambda _: Frequency(weighted=True),
    "lambda-crawl": lambda _: Frequency(harmonic=True),
    "nutch": _nutch,
    "change-class": lambda options: ChangeClasses(_per_day(options)),
    "change-class-bayesian": lambda options: ChangeClasses(_per_day(options), "bayesian"),
    "importance": lambda _: IMPORTANCE,
    "pattern": lambda _: PATTERN,
    "importance-pattern": lambda _: IMPORTANCE_PATTERN,
    "importance-pattern-online": lambda options: OnlinePatterns(options.cycle),
    "priced-plan": priced_plan,
}
"""Makers by name. Those of the papers read rates and patterns from the page table; see `make_strategy`."""

READS_TABLE = frozenset(
    ("sharc", "coherence", "frequency", "freshness", "lambda-crawl", "importance", "pattern", "importance-pattern")
)


def make_strategy(name: str, options: StrategyOptions | None = None, *, learned: bool = False) -> Strategy:
    """A strategy by name. With `learned`, one that reads rates or patterns gets them from its own captures.

    >>> make_strategy("sharc").name, make_strategy("freshness", learned=True).name
    ('sharc', 'freshness-learned')
    """
    options = options or StrategyOptions()
    if name.endswith("-learned") and name.removesuffix("-learned") in READS_TABLE:
        return make_strategy(name.removesuffix("-learned"), options, learned=True)
    if name not in STRATEGIES:
        raise ValueError(f"no strategy {name!r}; there are {', '.join(sorted(STRATEGIES))}")
    strategy = STRATEGIES[name](options)
    if learned and name in READS_TABLE:
        per_day = 1 if options.period_hours >= 24.0 else 24
        return Informed(strategy, LearnedPatterns(CensoredLearner(options.learner)), per_day)
    return strategy
