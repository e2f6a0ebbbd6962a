"""Strategies and budgets tried on the archive's own history, and the setting that follows from them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from strandline.checks import registered_strategies
from strandline.core.rivals.catalogue import READS_TABLE, STRATEGIES
from strandline.errors import UsageError
from strandline.settings.units import rate
from strandline.web.desk import Desk
from strandline.web.jobs import Job
from strandline.web.texts import say, texts
from strandline.web.views.values import Moment

COUNTED = ("pool", "page", "count")
"""What a simulation can measure of what was caught."""
MAIN = ("priced-plan", "importance-pattern", "frequency", "nutch", "round-robin")
"""Strategies that are offered first."""
_UNLEARNED = ("round-robin", "relevance", "relevance-top")
_A_DAY = "/day"
_ALIKE = "--cold"
_USUAL = 500.0
_MOST_A_DAY = 10_000_000.0


@dataclass(frozen=True, slots=True)
class SimulationAsked:
    """What is tried. Budgets are requests a day or, with `percent`, percents of the pages per period."""

    strategies: tuple[str, ...]
    budgets: tuple[float, ...]
    objective: str = "pool"
    percent: bool = False


@dataclass(frozen=True, slots=True)
class Rival:
    """A strategy in words."""

    name: str
    title: str
    does: str
    """What it does, in a sentence."""
    learns: str
    """Where it has what it knows from."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One strategy at one budget, in the unit the budgets were given in."""

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
    percent: bool
    """Whether budgets are percents of the pages per period; they are requests a day otherwise."""
    rivals: list[Rival]
    """The strategies in words. All learn from their own visits; none is told the truth."""
    started: Moment
    ended: Moment | None
    problem: str
    cells: list[Cell]
    best: str
    """The strategy that caught most at the middle budget; empty until finished."""


def strategy_names() -> list[str]:
    """Names of all there are, those of other packages among them."""
    return sorted({*STRATEGIES, *registered_strategies()})


def rival(name: str) -> Rival:
    """A strategy in words; one of another package has none but its name."""
    own = name not in READS_TABLE and name != "priced-plan"
    learns = "learns_nothing" if name in _UNLEARNED else "learns_its_way" if own else "learns_alike"
    known = texts()
    return Rival(name, known.get(f"short_{name}", name), known.get(f"strategy_{name}", ""), say(learns))


def usual_budgets(budget: str) -> str:
    """Half, all and twice the requests a day of a budget, as a form has them."""
    wanted = rate(budget)
    a_day = _USUAL if wanted.in_bytes else wanted.amount * 86_400.0 / wanted.span
    return ", ".join(f"{max(1, round(part * a_day))}" for part in (0.5, 1.0, 2.0))


def asked_for(strategies: Sequence[str], budgets: str, objective: str, percent: bool = False) -> SimulationAsked:
    """What a form or a program asks for, checked; UsageError says what is wrong."""
    chosen = tuple(dict.fromkeys(name for name in strategies if name))
    unknown = [name for name in chosen if name not in strategy_names()]
    if unknown:
        raise UsageError(say("no_strategy", name=unknown[0][:40]))
    if not chosen:
        raise UsageError(say("choose_strategy"))
    try:
        amounts = tuple(sorted({float(part) for part in budgets.split(",") if part.strip()}))
    except ValueError:
        raise UsageError(say("budgets_wrong")) from None
    most = 100.0 if percent else _MOST_A_DAY
    if not 0 < len(amounts) <= 8 or not all(0 < amount <= most for amount in amounts):
        raise UsageError(say("budgets_range", most=f"{most:,.0f}"))
    if objective not in COUNTED:
        raise UsageError(say("no_objective", name=objective[:40], known=", ".join(COUNTED)))
    return SimulationAsked(chosen, amounts, objective, percent)


async def start_simulation(desk: Desk, asked: SimulationAsked) -> Simulation:
    """Run it beside the server. No strategy is told how pages really change: the same learner serves all."""
    budgets = ",".join(f"{amount:.12g}{'' if asked.percent else _A_DAY}" for amount in asked.budgets)
    arguments = ("--strategies", ",".join(asked.strategies), "--budgets", budgets, "--objectives", asked.objective)
    job = await desk.jobs.start("simulate", (*arguments, _ALIKE))
    return simulation(job)


def simulations(desk: Desk) -> list[Simulation]:
    """Simulations this server ran, newest first."""
    return [simulation(job) for job in desk.jobs.all() if job.kind == "simulate"]


def simulation(job: Job) -> Simulation:
    """A simulation from its job."""
    named = [word for word in job.arguments if word != _ALIKE]
    told = dict(zip(named[::2], named[1::2], strict=True))
    rows: list[dict[str, Any]] = job.result if isinstance(job.result, list) else []
    budgets = [text for text in told.get("--budgets", "").split(",") if text]
    amounts = sorted(float(text.removesuffix(_A_DAY)) for text in budgets)
    # A simulation tells its budgets in percent, the smallest first.
    shares = sorted({float(row["budget"]) for row in rows})
    cells = [_cell(row, dict(zip(shares, amounts, strict=False))) for row in rows]
    strategies = told.get("--strategies", "").split(",")
    objective = told.get("--objectives", "pool")
    return Simulation(
        number=job.number,
        state=job.state,
        objective=objective,
        strategies=strategies,
        budgets=amounts,
        percent=not any(text.endswith(_A_DAY) for text in budgets),
        rivals=[rival(name) for name in strategies],
        started=job.started,
        ended=job.ended,
        problem=job.problem,
        cells=cells,
        best=_best(cells, objective),
    )


def _cell(row: dict[str, Any], amounts: dict[float, float]) -> Cell:
    measures = {name: row.get(name) for name in Cell.__dataclass_fields__ if name not in ("strategy", "budget")}
    share = float(row["budget"])
    return Cell(str(row["strategy"]), amounts.get(share, share), **measures)


def _best(cells: list[Cell], objective: str) -> str:
    budgets = sorted({cell.budget for cell in cells})
    if not budgets:
        return ""
    middle = budgets[len(budgets) // 2]
    scored = [(getattr(cell, objective) or 0.0, cell.strategy) for cell in cells if cell.budget == middle]
    return max(scored)[1]
