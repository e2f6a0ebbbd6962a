"""Many simulations side by side: strategies x budgets x objectives, on all cores, resumable, one row each.

Each finished cell is appended to a results file (JSON Lines) and not run again; the same request always gives the
same numbers, whatever the number of processes.
"""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

from strandline.core.beliefs.censored import CensoredLearner
from strandline.core.plan.budget import Budget
from strandline.core.plan.heeding import Heeding
from strandline.core.plan.knowledge import KnownPatterns, LearnedPatterns
from strandline.core.plan.longest_gap import LongestGap
from strandline.core.plan.objective import Objective, Worth
from strandline.core.plan.priced_plan import PricedPlan, PricedPlanSettings
from strandline.core.plan.strategy import Strategy
from strandline.core.rivals.catalogue import READS_TABLE, STRATEGIES, StrategyOptions, make_strategy, priced_plan
from strandline.core.rivals.greedy_ncis import GreedyNcis
from strandline.core.rivals.informed import Informed
from strandline.lab.simulate.bounds import clairvoyant_bound, known_pattern_bound
from strandline.lab.simulate.run import QUERIES, measure, run
from strandline.lab.simulate.side_by_side import side_by_side
from strandline.lab.simulate.signals import SignalQuality, signals_of
from strandline.lab.simulate.world import World

KNOWN = "priced-plan-known"
CLOCKLESS = "priced-plan-clockless"
NAMES: tuple[str, ...] = (*STRATEGIES, KNOWN)
"""Of all strategies. One more can be asked for: CLOCKLESS, the priced plan that learns of each page by itself, without
the clock of its directory.
"""
BESIDE: tuple[str, ...] = (*STRATEGIES, *(f"{name}-learned" for name in STRATEGIES if name in READS_TABLE), KNOWN)
"""Those that read rates and patterns twice: as published, told the truth, and with the learner of the priced plan."""
NCIS = "greedy-ncis"
HEEDING = "-heeding"
SIGNALLED: tuple[str, ...] = (f"priced-plan{HEEDING}", f"importance-learned{HEEDING}", NCIS, f"{NCIS}-learned")
"""Strategies that hear signals: ours (core/plan/signals.py), another that goes where signals are good first, and
GREEDY-NCIS, told how good signals are and how fast pages change, or learning both from its fetches.
"""
UNTAUGHT = ("round-robin", "relevance", "relevance-top")
"""Strategies that need to know nothing of how pages change."""
BOUNDED = ("pool", "page", "count")


@dataclass(frozen=True)
class Request:
    """What to simulate. Budgets are percents of the pages per period."""

    strategies: tuple[str, ...] = NAMES
    budgets: tuple[float, ...] = (5.0, 10.0, 20.0, 40.0)
    objectives: tuple[Objective, ...] = ("pool", "page")
    coherence: float = 0.0
    known: bool = True
    bounds: bool = True
    queries: int = QUERIES
    others: tuple[tuple[str, Callable[[], Strategy]], ...] = ()
    """Strategies of other packages, and what makes each."""
    signals: SignalQuality | None = None
    """Changes are signalled, so well."""
    seed: int = 0
    """Of the signals."""

    def __post_init__(self) -> None:
        for budget in self.budgets:
            if not 0 < budget <= 100:
                raise ValueError(f"a budget is a percentage above 0 and at most 100, not {budget:g}")
        names = (*NAMES, CLOCKLESS, *(name for name, _ in self.others), *(SIGNALLED if self.signals else ()))
        for name in self.strategies:
            if name not in names and name.removesuffix("-learned") not in READS_TABLE:
                raise ValueError(f"no strategy {name!r}; there are {', '.join(names)}")


@dataclass(frozen=True)
class Row:
    """One simulated cell. `knows` says what the strategy goes by: "truth" (the true patterns, which no crawler has),
    "captures" (what its own captures teach) or "nothing".
    """

    world: str
    strategy: str
    budget: float
    objective: str
    pool: float | None
    page: float | None
    count: float | None
    coherence: float | None
    wasted: float | None
    items: float | None
    bound_known: float | None
    bound_clairvoyant: float | None
    knows: str
    requests_per_day: float


def knows(name: str, known: bool) -> str:
    """What a strategy goes by.

    >>> knows("importance", True), knows("importance-learned", True), knows("round-robin", True)
    ('truth', 'captures', 'nothing')
    """
    if name in UNTAUGHT:
        return "nothing"
    return "truth" if name in (KNOWN, NCIS) or (known and name in READS_TABLE) else "captures"


def visits_of(world: World, percent: float) -> int:
    """Visits per period of a budget in percent of the pages."""
    return max(1, round(len(world) * percent / 100.0))


def contender(name: str, world: World, objective: Objective, request: Request) -> Strategy:
    """A strategy made ready for a world."""
    window = world.periods - world.scored_from
    options = StrategyOptions(
        objective=objective,
        coherence=request.coherence,
        window=window,
        lasting=window,
        period_hours=world.period_hours,
        accumulates=world.accumulates,
        cycle=world.patterns.cycle,
        aims=world.aims,
    )
    if name == KNOWN:
        settings = options.priced
        priced = PricedPlanSettings(
            worth=Worth(objective, window, once_per_period=world.accumulates, lasting=window),
            coherence=request.coherence,
            price_step=settings.price_step,
            slow_below=settings.slow_below,
            periods_per_day=settings.periods_per_day,
            fast_first=world.accumulates,
            aims=world.aims,
            gap=LongestGap(part=0.0),  # whoever knows the truth needs no looks at what is thought to be still
        )
        patterns = world.patterns
        return PricedPlan(KnownPatterns(patterns.rate, patterns.importance, patterns.cycle), priced, KNOWN)
    if name == CLOCKLESS:
        return priced_plan(replace(options, clock=False), CLOCKLESS)
    if name.endswith(HEEDING):
        inner = contender(name.removesuffix(HEEDING), world, objective, request)
        return inner.heed() if isinstance(inner, PricedPlan) else Heeding(inner)
    if name.startswith(NCIS):
        return _ncis(name, world, options, request)
    others = dict(request.others)
    return others[name]() if name in others else make_strategy(name, options, learned=not request.known)


def _ncis(name: str, world: World, options: StrategyOptions, request: Request) -> Strategy:
    """GREEDY-NCIS, told the truth or with the learner of the priced plan."""
    if name == NCIS and request.signals is not None:
        return GreedyNcis(request.signals.recall, request.signals.false_rate(world))
    per_day = 1 if options.period_hours >= 24.0 else 24
    return Informed(GreedyNcis(), LearnedPatterns(CensoredLearner(options.learner)), per_day)


def depends_on_objective(name: str) -> bool:
    """Only the priced plan aims at an objective; the others are run once for all of them."""
    return name.startswith("priced-plan")


def run_cell(world: World, request: Request, cell: tuple[str, float, Objective]) -> dict[str, float]:
    """Measures of one strategy at one budget."""
    name, percent, objective = cell
    budget = Budget(visits_of(world, percent))
    if name == "bound_known":
        return {"bound": known_pattern_bound(world, budget.visits, objective).completeness}
    if name == "bound_clairvoyant":
        return {"bound": clairvoyant_bound(world, budget.visits, objective).completeness}
    strategy = contender(name, world, objective, request)
    signals = signals_of(world, request.signals, request.seed) if request.signals else None
    archive = run(world, strategy, budget, known=request.known or name == NCIS, signals=signals)
    return {key: float(value) for key, value in asdict(measure(world, archive, request.queries)).items()}


def _cells(world: World, request: Request) -> list[tuple[str, float, Objective]]:
    cells: list[tuple[str, float, Objective]] = []
    for percent in request.budgets:
        for objective in request.objectives:
            # Patterns of a trace are fitted to it, and its changes come in batches or by the clock: no bound there.
            if request.bounds and objective in BOUNDED:
                cells.append(("bound_clairvoyant", percent, objective))
                if not world.accumulates:
                    cells.append(("bound_known", percent, objective))
        for name in request.strategies:
            wanted = request.objectives if depends_on_objective(name) else request.objectives[:1]
            cells.extend((name, percent, objective) for objective in wanted)
    return cells


def _key(world: World, request: Request, cell: tuple[str, float, Objective]) -> str:
    signals = [] if request.signals is None else [*asdict(request.signals).values(), request.seed]
    return json.dumps(
        [world.name, len(world), *cell, *world.aims, request.coherence, request.known, request.queries, *signals]
    )


def _finished(results: Path | None) -> dict[str, dict[str, float]]:
    if results is None or not results.exists():
        return {}
    found: dict[str, dict[str, float]] = {}
    for line in results.read_text(encoding="utf-8").splitlines():
        try:
            record = json.loads(line)
            found[record["key"]] = record["measures"]
        except (ValueError, KeyError):
            continue  # a line cut short by a kill: the cell is simply run again
    return found


Progress = Callable[[int, int], None]


def simulate(
    world: World, request: Request, results: Path | None = None, processes: int | None = None,
    progress: Progress | None = None,
) -> list[Row]:  # fmt: skip
    """Run all cells of a request that are not yet in the results file; return all rows in order."""
    cells = _cells(world, request)
    done = _finished(results)
    missing = [cell for cell in cells if _key(world, request, cell) not in done]
    cores = processes or os.cpu_count() or 1
    found = side_by_side(partial(run_cell, world, request), missing, cores)
    for count, (cell, measures) in enumerate(found, start=1):
        done[_key(world, request, cell)] = measures
        if results is not None:
            with results.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": _key(world, request, cell), "measures": measures}) + "\n")
        if progress is not None:
            progress(count + len(cells) - len(missing), len(cells))
    return list(_rows(world, request, done))


def _rows(world: World, request: Request, done: dict[str, dict[str, float]]) -> Iterator[Row]:
    def found(cell: tuple[str, float, Objective]) -> dict[str, float]:
        return done.get(_key(world, request, cell), {})

    for percent in request.budgets:
        for objective in request.objectives:
            known = _unbeaten(found, request, percent, objective)
            clairvoyant = found(("bound_clairvoyant", percent, objective)).get("bound")
            for name in request.strategies:
                source = objective if depends_on_objective(name) else request.objectives[0]
                measures = found((name, percent, source))
                numbers = {key: _number(measures.get(key)) for key in ("pool", "page", "count", "coherence")}
                rest = {key: _number(measures.get(key)) for key in ("wasted", "items")}
                yield Row(
                    world=world.name, strategy=name, budget=percent, objective=objective, **numbers, **rest,
                    bound_known=known, bound_clairvoyant=clairvoyant, knows=knows(name, request.known),
                    requests_per_day=visits_of(world, percent) * 24.0 / world.period_hours,
                )  # fmt: skip


def _unbeaten(
    found: Callable[[tuple[str, float, Objective]], dict[str, float]], request: Request, percent: float,
    objective: Objective,
) -> float | None:  # fmt: skip
    """The bound for known patterns. It bounds what captures in mid-period may expect: by luck, or by minutes of its own
    a strategy may pass it in a world that was drawn once; then it is no bound there, and none is told.
    """
    bound = found(("bound_known", percent, objective)).get("bound")
    reached = [
        found((name, percent, objective if depends_on_objective(name) else request.objectives[0])).get(objective, 0.0)
        for name in request.strategies
    ]
    return None if bound is None or max(reached, default=0.0) > bound else bound


def _number(value: float | None) -> float | None:
    return None if value is None or value != value else value


def to_json(rows: Sequence[Row]) -> str:
    """The rows as one JSON document."""
    return json.dumps([asdict(row) for row in rows], allow_nan=False)
