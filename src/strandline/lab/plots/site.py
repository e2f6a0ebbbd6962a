"""Figures about sites: curves, points and bars of an experiment, and a directory tree coloured by change and rules.

The suffix of the file chooses the format (.png, .svg, .pdf). No window is ever opened.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from strandline.core.changes.directories import TreeShape
from strandline.core.history.delta_tree import ChangeWindow
from strandline.core.history.tree_kernels import preorder, subtree_sums

NARROWEST = 0.002
"""Directories with a smaller share of the site's pages are not drawn."""
LABELLED = 0.03
COLOURS = "YlOrRd"


class Curve(Protocol):
    """One series of a figure."""

    @property
    def label(self) -> str:
        """Name in the legend."""

    @property
    def x(self) -> Sequence[float | str]:
        """Places."""

    @property
    def y(self) -> Sequence[float]:
        """Values."""


class Drawable(Protocol):
    """A figure as data: `strandline.lab.experiments.report.Figure` is one."""

    @property
    def title(self) -> str:
        """Heading."""

    @property
    def series(self) -> Sequence[Curve]:
        """What is drawn."""

    @property
    def x_label(self) -> str:
        """Name of the horizontal axis."""

    @property
    def y_label(self) -> str:
        """Name of the vertical axis."""

    @property
    def kind(self) -> str:
        """`line`, `points` or `bars`."""

    @property
    def log_x(self) -> bool:
        """Whether the horizontal axis is logarithmic."""

    @property
    def log_y(self) -> bool:
        """Whether the vertical axis is logarithmic."""


def draw_figure(drawing: Drawable, file: Path) -> None:
    """Draw curves, points or bars to a file."""
    figure = Figure(figsize=(8.0, 5.0), layout="constrained")
    axes = figure.add_subplot()
    _fill(axes, drawing)
    axes.set_title(drawing.title)
    axes.set_xlabel(drawing.x_label)
    axes.set_ylabel(drawing.y_label)
    if drawing.series:
        axes.legend(fontsize="small")
    _save(figure, file)


def draw_together(drawings: Sequence[Drawable], file: Path, columns: int, line: float | None = None) -> None:
    """Figures with the same axes and curves as small panels of one picture; `line` is drawn across all of them."""
    count = -(-len(drawings) // columns)
    figure = Figure(figsize=(2.6 * columns, 1.8 * count + 0.4), layout="constrained")
    panels = figure.subplots(count, columns, sharex=True, sharey=True, squeeze=False).ravel()
    for axes, drawing in zip(panels, drawings, strict=False):
        _fill(axes, drawing, size=3)
        axes.set_title(drawing.title.partition(":")[0], fontsize="medium")
        if line is not None:
            axes.axhline(line, color="0.3", linestyle="--", linewidth=0.8)
    for axes in panels[len(drawings) :]:
        axes.set_axis_off()
    figure.supxlabel(drawings[0].x_label, fontsize="medium")
    figure.supylabel(drawings[0].y_label, fontsize="medium")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=len(labels), fontsize="small")
    _save(figure, file)


def _fill(axes: Axes, drawing: Drawable, size: float | None = None) -> None:
    if drawing.kind == "bars":
        _bars(axes, drawing.series)
    else:
        for one in drawing.series:
            marker, line = ("o", "") if drawing.kind == "points" else (".", "-")
            axes.plot(one.x, one.y, marker=marker, markersize=size, linestyle=line, label=one.label)
    if drawing.log_x:
        axes.set_xscale("log")
    if drawing.log_y:
        axes.set_yscale("log")
    axes.grid(alpha=0.3)


def _bars(axes: Axes, series: Sequence[Curve]) -> None:
    names = list(dict.fromkeys(str(x) for one in series for x in one.x))
    width = 0.8 / max(1, len(series))
    for number, one in enumerate(series):
        places = [names.index(str(x)) + (number - (len(series) - 1) / 2) * width for x in one.x]
        axes.bar(places, one.y, width, label=one.label)
    axes.set_xticks(range(len(names)), names, rotation=30 if len(names) > 4 else 0)


@dataclass(frozen=True, slots=True)
class TreeView:
    """Directories in preorder with what to draw: share of pages, frequency of change, and whether they are skipped."""

    names: tuple[str, ...]
    depths: NDArray[np.int64]
    left: NDArray[np.float64]
    width: NDArray[np.float64]
    change: NDArray[np.float64]
    skipped: NDArray[np.bool_]


def view_tree(window: ChangeWindow, shape: TreeShape, live: NDArray[np.bool_], skipped: NDArray[np.bool_]) -> TreeView:
    """Lay out the directories of a window; `live` are the pages that exist now, `skipped` is per directory."""
    order, ends, depths = preorder(window.parents, window.present)
    own = np.bincount(shape.page_directories[live], minlength=shape.directories).astype(np.float64)
    pages = subtree_sums(shape.parents, own)[order]
    total = max(1.0, float(pages[0]) if len(pages) else 1.0)
    left = np.zeros(len(order))
    for place in range(len(order)):
        cursor, child = left[place], place + 1
        while child < ends[place]:
            left[child] = cursor
            cursor += pages[child] / total
            child = int(ends[child])
    names = tuple(window.directory_path(int(directory)).rpartition("/")[2] for directory in order)
    frequency = window.change_counts[order] / max(1, window.transitions)
    return TreeView(names, depths, left, pages / total, frequency, skipped[order])


def draw_directory_tree(view: TreeView, file: Path, title: str = "Directories") -> int:
    """Draw the site as layers of directories, as wide as their pages; returns how many were large enough to draw.

    Colour is how often the directory changed, from yellow (never) to red (in every transition); hatched directories are
    skipped by a rule.
    """
    figure = Figure(figsize=(11.0, 6.0), layout="constrained")
    axes = figure.add_subplot()
    colours = colormaps[COLOURS]
    shown = np.flatnonzero(view.width >= NARROWEST)
    for place in shown.tolist():
        top = -float(view.depths[place])
        colour = colours(float(view.change[place]))
        box = Rectangle(
            (float(view.left[place]), top - 0.95),
            float(view.width[place]),
            0.95,
            facecolor=colour,
            edgecolor="grey",
            linewidth=0.4,
            hatch="///" if view.skipped[place] else None,
        )
        axes.add_patch(box)
        if view.width[place] >= LABELLED:
            name = view.names[place] or "/"
            fits = max(3, int(view.width[place] * 110))
            axes.text(
                float(view.left[place]) + 0.003, top - 0.5, name if len(name) <= fits else name[: fits - 1] + "…",
                fontsize=7, va="center", parse_math=False, clip_on=True, color=label_colour(colour),
            )  # fmt: skip
    axes.set_xlim(0.0, 1.0)
    axes.set_ylim(-float(view.depths[shown].max() if len(shown) else 0) - 1.0, 0.0)
    axes.set_yticks([])
    axes.set_xlabel("share of the site's pages")
    axes.set_title(f"{title}: red changes often, hatched is skipped")
    _save(figure, file)
    return len(shown)


def label_colour(background: tuple[float, ...]) -> str:
    """Black or white, whichever stands out more: by the contrast ratio of WCAG 2, over red, green and blue in 0..1.

    >>> label_colour((1.0, 1.0, 0.8)), label_colour((0.5, 0.0, 0.15)), label_colour((0.89, 0.1, 0.11))
    ('black', 'white', 'white')
    """
    linear = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in background[:3])
    luminance = sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    return "black" if (luminance + 0.05) / 0.05 >= 1.05 / (luminance + 0.05) else "white"


def _save(figure: Figure, file: Path) -> None:
    with warnings.catch_warnings():
        # Names in a script that the default font lacks are drawn as boxes; that is no reason to print warnings.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure.savefig(file)
