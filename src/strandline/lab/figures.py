"""Figures of reports and simulations as files; needs the extra `study`."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from types import ModuleType

from strandline.errors import SettingError, UsageError
from strandline.lab.experiments.report import Report
from strandline.lab.simulate.grid import Row


def _drawing(name: str) -> ModuleType:
    try:
        return import_module(f"strandline.lab.plots.{name}")
    except ImportError:
        raise SettingError("figures need matplotlib: pip install 'strandline[study]'") from None


def draw_report(report: Report, folder: Path, form: str) -> Iterator[Path]:
    """Each figure of a report as a file of its own."""
    if form not in ("svg", "png"):
        raise UsageError(f"--format is svg or png, not {form!r}")
    folder.mkdir(parents=True, exist_ok=True)
    for figure in report.figures:
        file = folder / f"{figure.slug}.{form}"
        _drawing("site").draw_figure(figure, file)
        yield file


def draw_rows(rows: Sequence[Row], folder: Path) -> Iterator[Path]:
    """Completeness and coherence against the budget, a figure per objective."""
    folder.mkdir(parents=True, exist_ok=True)
    data = [asdict(row) for row in rows]
    for objective in dict.fromkeys(row.objective for row in rows):
        for measure in (objective, "coherence"):
            if any(row["objective"] == objective and row.get(measure) is not None for row in data):
                file = folder / f"{measure}-for-{objective}.svg"
                _drawing("scheduling").draw_simulation(data, measure, file, objective)
                yield file
