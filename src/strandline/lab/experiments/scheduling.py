"""How good is the priced plan? Against the papers' strategies, against the bounds, and on real traces.

Synthetic worlds: known patterns against the bound, cold start against Algorithm 1 of paper 004, the coherence dial.
With a folder of data (news, histories): the three reference traces, where changes come in batches.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from strandline.core.plan.objective import Objective
from strandline.lab.experiments.report import Figure, Report, Series, Table, Target, at_least
from strandline.lab.experiments.scheduling_reference import BUDGETS, compared
from strandline.lab.experiments.scheduling_traces import COLD, KNOWN, KNOWN_IP, ONLINE, studies
from strandline.lab.experiments.scheduling_traces import targets as trace_targets
from strandline.lab.simulate.grid import NAMES, Request, Row, simulate
from strandline.lab.simulate.world import Recipe, World, synthetic_world

Progress = Callable[[str], None]

SYNTHETIC = tuple(name for name in NAMES if not name.startswith("change-class"))


@dataclass
class Found:
    """Rows of all simulations, by world."""

    rows: dict[str, list[Row]] = field(default_factory=dict)

    def value(self, world: str, cell: tuple[str, float, str], what: str) -> float:
        """One number: cell = strategy, budget, objective."""
        for row in self.rows[world]:
            if (row.strategy, row.budget, row.objective) == cell:
                number = getattr(row, what)
                return float("nan") if number is None else float(number)
        raise KeyError(cell)

    def measured(self, world: str) -> Callable[[str, float, str], float]:
        """Numbers of a world by name, budget and measure; a plan with an objective is asked about that objective."""

        def value(name: str, budget: float, what: str) -> float:
            objective = "page" if what == "coherence" else what
            if name.startswith("bound_"):
                return self.value(world, (KNOWN, budget, objective), name)
            return self.value(world, (name, budget, objective), what)

        return value

    def tables(self) -> tuple[Table, ...]:
        """Every row, world by world."""
        columns = ("strategy", "budget %", "objective", "pool", "page", "count", "coherence", "wasted", "items")
        bounds = ("bound, known", "bound, clairvoyant")
        return tuple(
            Table(
                world,
                columns + bounds,
                tuple(
                    (r.strategy, r.budget, r.objective, r.pool, r.page, r.count, r.coherence, r.wasted, r.items,
                     r.bound_known, r.bound_clairvoyant)
                    for r in rows
                ),
            )
            for world, rows in self.rows.items()
        )  # fmt: skip


def run(data: Path | None, progress: Progress = lambda _: None, quick: bool = False) -> Report:
    """Simulate and report; without `data` the traces are left out."""
    found, targets = Found(), []
    pages, days = (200, 7) if quick else (1000, 21)
    budgets = (5.0, 20.0) if quick else BUDGETS
    objectives: tuple[Objective, ...] = ("pool", "page") if quick else ("pool", "page", "count")
    for seed in (0,) if quick else (0, 1):
        world = synthetic_world(Recipe(pages=pages, days=days, seed=seed))
        progress(world.name)
        found.rows[world.name] = simulate(world, Request(strategies=SYNTHETIC, budgets=budgets, objectives=objectives))
        if not quick:
            targets += list(_synthetic_targets(found, world.name))
            targets += list(compared(world.name, found.measured(world.name), seed))
    many = synthetic_world(Recipe(pages=pages, days=days, sites=20))
    progress("coherence dial, twenty sites")
    targets += _dial(found, many, quick)
    if data is not None:
        traces = []
        for study in studies(data, quick):
            progress(study.world.name)
            found.rows[study.world.name] = study.rows()
            traces.append(study)
        targets += list(trace_targets(traces, found.value))
    return Report(
        title="Scheduling: the priced plan against the papers' strategies and the bounds",
        tables=found.tables(),
        figures=tuple(_figure(world, rows) for world, rows in found.rows.items()),
        targets=tuple(targets),
        notes=(
            "Budgets are captures per period in percent of the pages. Paper strategies are given the true patterns.",
            "Frequency at 20 % gives up all pages that change more than 29 times a day. Whether the heaviest page "
            "is one of them (6 % of all weight) is chance: its pool spreads from .16 to .26 over six seeds.",
            "The clairvoyant bound knows all changes; no strategy can come near it without change signals.",
        ),
    )


def _figure(world: str, rows: list[Row]) -> Figure:
    first: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row.objective in ("pool", "page"):
            first.setdefault((row.strategy, row.objective), []).append(row)
    series = tuple(
        Series(
            f"{name} ({objective})", tuple(r.budget for r in group), tuple(getattr(r, objective) or 0.0 for r in group)
        )
        for (name, objective), group in first.items()
    )
    return Figure(f"Completeness, {world}", series, "captures per period, % of pages", "completeness", log_x=True)


def _synthetic_targets(found: Found, world: str) -> Iterable[Target]:
    for objective in ("pool", "page"):
        for budget in BUDGETS:
            cell = (KNOWN, budget, objective)
            share = found.value(world, cell, objective) / found.value(world, cell, "bound_known")
            yield at_least(f"{world}: known patterns / bound, {objective} {budget:g} %", share, 0.96)
    for objective, gains in (("pool", (0.05, 0.05, 0.035)), ("page", (0.005, 0.02, 0.025))):
        for budget, gain in zip((5.0, 10.0, 20.0), gains, strict=True):
            online = found.value(world, (ONLINE, budget, objective), objective)
            cold = found.value(world, (COLD, budget, objective), objective)
            yield at_least(f"{world}: cold start, {objective} {budget:g} %", cold, online + gain)
    for objective, budget, share in (
        *(("pool", budget, 0.88) for budget in BUDGETS),
        ("page", 5.0, 0.82),
        ("page", 20.0, 0.92),
    ):
        cell = (COLD, budget, objective)
        reached = found.value(world, cell, objective) / found.value(world, cell, "bound_known")
        yield at_least(f"{world}: cold start / bound, {objective} {budget:g} %", reached, share)
    for budget in (5.0, 10.0, 20.0):
        known = found.value(world, (KNOWN_IP, budget, "pool"), "pool")
        cold = found.value(world, (COLD, budget, "pool"), "pool")
        yield at_least(f"{world}: cold start against importance-pattern known, {budget:g} %", cold, known - 0.015)


def _dial(found: Found, world: World, quick: bool) -> list[Target]:
    rivals = ("sharc", "coherence", "relevance", KNOWN_IP)
    plain = Request(strategies=(*rivals, COLD), budgets=(5.0,), objectives=("page",), bounds=False)
    found.rows[world.name] = simulate(world, plain)
    dialled = Request(strategies=(COLD,), budgets=(5.0,), objectives=("page",), bounds=False, coherence=1.0)
    name = f"{world.name}, beta 1"
    found.rows[name] = simulate(world, dialled)
    targets = []
    for what in ("page", "coherence"):
        best = max(found.value(world.name, (rival, 5.0, "page"), what) for rival in rivals)
        targets.append(at_least(f"beta = 1, 5 %: {what}", found.value(name, (COLD, 5.0, "page"), what), best))
    return [] if quick else targets
