"""Tables for the terminal."""

from collections.abc import Iterator, Mapping, Sequence

from strandline.lab.simulate.grid import Row, depends_on_objective

_TITLES = {"coherence": "Coherence", "wasted": "Captures that found nothing new, share of all"}


def simulation_table(rows: Sequence[Row]) -> str:
    """One block per objective: strategies down, budgets across, with the bounds below; then coherence and waste."""
    budgets = list(dict.fromkeys(row.budget for row in rows))
    blocks = [_completeness(rows, budgets, objective) for objective in dict.fromkeys(row.objective for row in rows)]
    blocks += [_beside(rows, budgets, measure) for measure in _TITLES]
    return "\n\n".join("\n".join(block) for block in blocks)


def _completeness(rows: Sequence[Row], budgets: Sequence[float], objective: str) -> Iterator[str]:
    measure = objective if objective in ("pool", "page", "count") else "items"
    yield f"Completeness ({objective}), captures per period in % of the pages"
    yield _header(budgets)
    chosen = [row for row in rows if row.objective == objective]
    yield _line("requests a day", budgets, {row.budget: row.requests_per_day for row in chosen}, "{:.0f}")
    for told in (False, True):
        some = [row for row in chosen if (row.knows == "truth") is told]
        if some and told:
            yield "told the true patterns, as no crawler is:"
        for name in dict.fromkeys(row.strategy for row in some):
            yield _line(name, budgets, {row.budget: getattr(row, measure) for row in some if row.strategy == name})
    for bound in ("bound_known", "bound_clairvoyant"):
        values = {row.budget: getattr(row, bound) for row in chosen}
        if any(value is not None for value in values.values()):
            yield _line(bound.replace("_", ": "), budgets, values)


def _beside(rows: Sequence[Row], budgets: Sequence[float], measure: str) -> Iterator[str]:
    """What is not aimed at: a plan that aims at an objective has a line for each."""
    yield _TITLES[measure]
    yield _header(budgets)
    for name in dict.fromkeys(row.strategy for row in rows):
        chosen = [row for row in rows if row.strategy == name]
        if not depends_on_objective(name):
            yield _line(name, budgets, {row.budget: getattr(row, measure) for row in chosen})
            continue
        for objective in dict.fromkeys(row.objective for row in chosen):
            values = {row.budget: getattr(row, measure) for row in chosen if row.objective == objective}
            yield _line(f"{name} ({objective})", budgets, values)


def _header(budgets: Sequence[float]) -> str:
    return " " * 28 + "".join(f"{budget:>11g}%" for budget in budgets)


def _line(name: str, budgets: Sequence[float], values: Mapping[float, float | None], form: str = "{:.3f}") -> str:
    return f"{name:28}" + "".join(f"{_cell(values.get(budget), form):>12}" for budget in budgets)


def _cell(value: float | None, form: str) -> str:
    return "-" if value is None else form.format(value)
