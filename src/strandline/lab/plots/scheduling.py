"""Curves of simulations: quality against budget, and the cost of deciding against the number of pages."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure as Canvas

Row = Mapping[str, Any]
"""A row of `simulate --json`."""


def draw_simulation(rows: Sequence[Row], measure: str, file: Path, objective: str = "pool") -> None:
    """One line per strategy, the bounds as dashed lines; the suffix of the file chooses the format."""
    picked = [row for row in rows if row["objective"] == objective and row[measure] is not None]
    if not picked:
        raise ValueError(f"no row with objective {objective!r} has a value for {measure!r}")
    canvas = Canvas(figsize=(8.0, 5.0), layout="constrained")
    axes = canvas.subplots()
    for name in dict.fromkeys(row["strategy"] for row in picked):
        points = sorted((row["budget"], row[measure]) for row in picked if row["strategy"] == name)
        width = 2.4 if name.startswith("priced-plan") else 1.2
        axes.plot([x for x, _ in points], [y for _, y in points], marker="o", markersize=3, linewidth=width, label=name)
    if measure == objective:
        for bound, label in (("bound_known", "bound, known patterns"), ("bound_clairvoyant", "bound, clairvoyant")):
            points = sorted({(row["budget"], row[bound]) for row in picked if row[bound] is not None})
            axes.plot([x for x, _ in points], [y for _, y in points], linestyle="--", color="0.4", label=label)
    axes.set_xscale("log")
    axes.set_xlabel("captures per period, % of pages")
    axes.set_ylabel(measure)
    axes.legend(fontsize=7, ncols=2)
    canvas.savefig(file, dpi=120)


def draw_costs(pages: Sequence[float], microseconds: dict[str, Sequence[float]], file: Path) -> None:
    """Cost of a decision per captured page against the number of pages (logarithmic): flat is what is wanted."""
    canvas = Canvas(figsize=(7.0, 4.5), layout="constrained")
    axes = canvas.subplots()
    for name, values in microseconds.items():
        axes.plot(list(pages), list(values), marker="o", label=name)
    axes.set_xscale("log")
    axes.set_ylim(bottom=0.0)
    axes.set_xlabel("pages")
    axes.set_ylabel("microseconds per capture")
    axes.legend()
    canvas.savefig(file, dpi=120)
