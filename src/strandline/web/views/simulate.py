"""Strategies and budgets tried on the archive's own history, and the setting that follows from them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from strandline.checks import registered_strategies
from strandline.core.plan.catalogue import STRATEGIES
from strandline.errors import UsageError
from strandline.web.desk import Desk
from strandline.web.jobs import Job
from strandline.web.texts import say
from strandline.web.views.values import Moment

COUNTED = ("pool", "page", "count")
"""What a simulation can measure of what was caught."""


@dataclass(frozen=True, slots=True)
class SimulationAsked:
    """What is tried. Budgets are percents of the pages per period."""

    strategies: tuple[str, ...]
    budgets: tuple[float, ...]
    objective: str = "pool"


@dataclass(frozen=True, slots=True)
class Cell:
    """One strategy at one budget."""

    strategy: str
    budget: float
    pool: float | None
    page: float | None
    count: float | None
    coherence: float | None
    wasted: float | None
    bound_known: float | None
    bound_clairvoyant: float | None


@dataclass(frozen=True, slots=True)
class Simulation:
    """A simulation, finished or under way."""

    number: int
    state: str
    objective: str
    strategies: list[str]
    budgets: list[float]
    started: Moment
    ended: Moment | None
    problem: str
    cells: list[Cell]
    best: str
    """The strategy that caught most at the middle budget; empty until finished."""


def strategy_names() -> list[str]:
    """Names of all there are, those of other packages among them."""
    return sorted({*STRATEGIES, *registered_strategies()})


def asked_for(strategies: Sequence[str], budgets: str, objective: str) -> SimulationAsked:
    """What a form or a program asks for, checked; UsageError says what is wrong."""
    chosen = tuple(dict.fromkeys(name for name in strategies if name))
    unknown = [name for name in chosen if name not in strategy_names()]
    if unknown:
        raise UsageError(say("no_strategy", name=unknown[0][:40]))
    if not chosen:
        raise UsageError(say("choose_strategy"))
    try:
        shares = tuple(sorted({float(part) for part in budgets.split(",") if part.strip()}))
    except ValueError:
        raise UsageError(say("budgets_wrong")) from None
    if not 0 < len(shares) <= 8 or not all(0 < share <= 100 for share in shares):
        raise UsageError(say("budgets_range"))
    if objective not in COUNTED:
        raise UsageError(say("no_objective", name=objective[:40], known=", ".join(COUNTED)))
    return SimulationAsked(chosen, shares, objective)


async def start_simulation(desk: Desk, asked: SimulationAsked) -> Simulation:
    """Run it beside the server."""
    budgets = ",".join(f"{share:g}" for share in asked.budgets)
    arguments = ("--strategies", ",".join(asked.strategies), "--budgets", budgets, "--objectives", asked.objective)
    job = await desk.jobs.start("simulate", arguments)
    return simulation(job)


def simulations(desk: Desk) -> list[Simulation]:
    """Simulations this server ran, newest first."""
    return [simulation(job) for job in desk.jobs.all() if job.kind == "simulate"]


def simulation(job: Job) -> Simulation:
    """A simulation from its job."""
    told = dict(zip(job.arguments[::2], job.arguments[1::2], strict=True))
    rows: list[dict[str, Any]] = job.result if isinstance(job.result, list) else []
    cells = [_cell(row) for row in rows]
    objective = told.get("--objectives", "pool")
    return Simulation(
        number=job.number,
        state=job.state,
        objective=objective,
        strategies=told.get("--strategies", "").split(","),
        budgets=[float(share) for share in told.get("--budgets", "").split(",") if share],
        started=job.started,
        ended=job.ended,
        problem=job.problem,
        cells=cells,
        best=_best(cells, objective),
    )


def _cell(row: dict[str, Any]) -> Cell:
    measures = {name: row.get(name) for name in Cell.__dataclass_fields__ if name not in ("strategy", "budget")}
    return Cell(str(row["strategy"]), float(row["budget"]), **measures)


def _best(cells: list[Cell], objective: str) -> str:
    budgets = sorted({cell.budget for cell in cells})
    if not budgets:
        return ""
    middle = budgets[len(budgets) // 2]
    scored = [(getattr(cell, objective) or 0.0, cell.strategy) for cell in cells if cell.budget == middle]
    return max(scored)[1]
