"""What an experiment hands back: tables, figures as data, and targets that were met or missed.

Nothing here prints or draws. A terminal prints `render()`, a program reads `to_json()`, and the modules of
`strandline.lab.plots` draw a `Figure` from its series.
"""

import json
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Cell = str | int | float | bool | None
Kind = Literal["line", "points", "bars"]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under named columns; numbers stay numbers, so that a reader of the JSON can compute with them."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    def __post_init__(self) -> None:
        """Refuse ragged rows where they are made, not where they are printed."""
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"table {self.title!r}: {len(row)} cells in a row of {len(self.columns)} columns")

    def column(self, name: str) -> tuple[Cell, ...]:
        """All cells under one column name."""
        place = self.columns.index(name)
        return tuple(row[place] for row in self.rows)


@dataclass(frozen=True, slots=True)
class Series:
    """One curve, point cloud or group of bars of a figure; x may be names (bars)."""

    label: str
    x: tuple[float | str, ...]
    y: tuple[float, ...]

    def __post_init__(self) -> None:
        """Both coordinates of every point must be there."""
        if len(self.x) != len(self.y):
            raise ValueError(f"series {self.label!r}: {len(self.x)} x values, {len(self.y)} y values")


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure as data: what to draw, not how."""

    title: str
    series: tuple[Series, ...]
    x_label: str = ""
    y_label: str = ""
    kind: Kind = "line"
    log_x: bool = False
    log_y: bool = False
    note: str = ""

    @property
    def slug(self) -> str:
        """A file name made of the title.

        >>> Figure("Figure 5 (a): distance", ()).slug
        'figure-5-a-distance'
        """
        return re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-")


@dataclass(frozen=True, slots=True)
class Target:
    """A promise with its measured value; `wanted` and `got` are for people, `ok` for programs."""

    name: str
    wanted: str
    got: str
    ok: bool


def at_least(name: str, got: float, least: float) -> Target:
    """The promise that a number is not below another."""
    return Target(name, f">= {least:.3f}", f"{got:.3f}", bool(got >= least))


@dataclass(frozen=True, slots=True)
class Report:
    """Everything one experiment found."""

    title: str
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    targets: tuple[Target, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every target was met."""
        return all(target.ok for target in self.targets)

    def as_data(self) -> dict[str, Any]:
        """The report as plain lists and dictionaries; not-a-number and infinities become None."""
        return {
            "title": self.title,
            "notes": list(self.notes),
            "tables": [
                {
                    "title": table.title,
                    "columns": list(table.columns),
                    "rows": [[_plain(cell) for cell in row] for row in table.rows],
                    "note": table.note,
                }
                for table in self.tables
            ],
            "figures": [_figure_data(figure) for figure in self.figures],
            "targets": [
                {"name": target.name, "wanted": target.wanted, "got": target.got, "ok": target.ok}
                for target in self.targets
            ],
        }

    def to_json(self, indent: int | None = 2) -> str:
        """The report as JSON text."""
        return json.dumps(self.as_data(), indent=indent, ensure_ascii=False, allow_nan=False)

    def render(self) -> str:
        """The report as plain text: tables, the curves as numbers, then the targets."""
        parts = [self.title, "=" * len(self.title), *self.notes]
        for table in self.tables:
            parts += [
                "",
                table.title,
                *_grid(table.columns, table.rows),
                *([table.note] if table.note else []),
            ]
        for figure in self.figures:
            parts += ["", f"{figure.title}  ({figure.x_label} against {figure.y_label})", *_curves(figure)]
            parts += [figure.note] if figure.note else []
        if self.targets:
            rows = [("pass" if t.ok else "FAIL", t.name, t.wanted, t.got) for t in self.targets]
            parts += ["", "Targets", *_grid(("", "target", "wanted", "got"), rows)]
        return "\n".join(parts) + "\n"


def _plain(cell: Cell) -> Cell:
    if isinstance(cell, bool) or cell is None or isinstance(cell, str):
        return cell
    if isinstance(cell, int):
        return int(cell)
    return float(cell) if math.isfinite(cell) else None


def _figure_data(figure: Figure) -> dict[str, Any]:
    return {
        "title": figure.title,
        "x": figure.x_label,
        "y": figure.y_label,
        "kind": figure.kind,
        "log_x": figure.log_x,
        "log_y": figure.log_y,
        "note": figure.note,
        "series": [
            {"label": one.label, "x": [_plain(x) for x in one.x], "y": [_plain(y) for y in one.y]}
            for one in figure.series
        ],
    }


def cell_text(cell: Cell) -> str:
    """One cell as people read it: three digits after the point, a dash where there is no value.

    >>> cell_text(0.98765), cell_text(None), cell_text(True), cell_text(0.00012), cell_text(12)
    ('0.988', '-', 'yes', '0.00012', '12')
    """
    if cell is None:
        return "-"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, str | int):
        return str(cell)
    if not math.isfinite(cell):
        return "-"
    if cell and abs(cell) < 0.001:
        return f"{cell:.2g}"
    return f"{cell:.3f}" if abs(cell) < 1000 else f"{cell:.0f}"


def _grid(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> list[str]:
    texts = [tuple(columns), *(tuple(cell_text(cell) for cell in row) for row in rows)]
    widths = [max(len(row[place]) for row in texts) for place in range(len(columns))]
    lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in texts]
    return [lines[0], "  ".join("-" * width for width in widths), *lines[1:]]


def _curves(figure: Figure) -> list[str]:
    lines = []
    for one in figure.series:
        points = "  ".join(f"{_tick(x)}:{cell_text(y)}" for x, y in zip(one.x, one.y, strict=True))
        lines.append(f"  {one.label}: {points}")
    return lines


def _tick(x: float | str) -> str:
    return x if isinstance(x, str) else f"{x:g}"
