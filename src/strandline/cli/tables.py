"""Tables for the terminal."""

from collections.abc import Sequence

from strandline.simulate.grid import Row


def simulation_table(rows: Sequence[Row]) -> str:
    """One block per objective: strategies down, budgets across, with the bounds below."""
    parts: list[str] = []
    budgets = list(dict.fromkeys(row.budget for row in rows))
    for objective in dict.fromkeys(row.objective for row in rows):
        measure = objective if objective in ("pool", "page", "count") else "items"
        parts += [f"Completeness ({objective}), captures per period in % of the pages", _header(budgets)]
        chosen = [row for row in rows if row.objective == objective]
        for name in dict.fromkeys(row.strategy for row in chosen):
            values = {row.budget: getattr(row, measure) for row in chosen if row.strategy == name}
            parts.append(_line(name, [values.get(budget) for budget in budgets]))
        for bound in ("bound_known", "bound_clairvoyant"):
            values = {row.budget: getattr(row, bound) for row in chosen}
            if any(value is not None for value in values.values()):
                parts.append(_line(bound.replace("_", ": "), [values.get(budget) for budget in budgets]))
        parts.append("")
    parts += ["Coherence and wasted captures", _header(budgets)]
    for row_name in dict.fromkeys(row.strategy for row in rows):
        first = rows[0].objective
        chosen = [row for row in rows if row.strategy == row_name and row.objective == first]
        cells = {row.budget: (row.coherence, row.wasted) for row in chosen}
        shown = [" ".join(_cell(value) for value in cells.get(budget, (None, None))) for budget in budgets]
        parts.append(f"{row_name:28}" + "".join(f"{text:>12}" for text in shown))
    return "\n".join(parts)


def _header(budgets: Sequence[float]) -> str:
    return " " * 28 + "".join(f"{budget:>11g}%" for budget in budgets)


def _line(name: str, values: Sequence[float | None]) -> str:
    return f"{name:28}" + "".join(f"{_cell(value):>12}" for value in values)


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
