"""Figures about patterns: a page's days with their pattern, and a heat map of weekday by hour.

The suffix of the file chooses the format (.png, .svg, .pdf). No window is ever opened.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from strandline.core.history.series import DaySeries, PageSeries
from strandline.core.mining.patterns import PagePattern

Floats = NDArray[np.float64]

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
COLOURS = "YlOrRd"


def draw_series_and_pattern(
    days: Sequence[DaySeries], pattern: PagePattern, file: Path, title: str = "", kind: str = "workday"
) -> None:
    """The days of a kind as thin lines, their pattern as a thick one, and the index threshold."""
    figure = Figure(figsize=(8.0, 4.0), layout="constrained")
    axes = figure.subplots()
    for day in days:
        if day.kind == kind:
            shown = np.where(day.observed > 0, day.importance / np.maximum(day.observed, 1e-9), np.nan)
            axes.plot(_hours(shown.size), shown, color="0.75", linewidth=0.8)
    values = np.array(pattern.kinds.get(kind, ()), dtype=np.float64)  # None, never watched, leaves a gap
    if values.size:
        axes.step(_hours(values.size), values, where="mid", color="C3", linewidth=2.2, label=f"pattern, {kind}")
    axes.axhline(pattern.threshold, color="C0", linestyle="--", label="index threshold")
    axes.set_xlabel(f"hour of the day, {pattern.zone}")
    axes.set_ylabel("importance of change")
    axes.set_xlim(0, 24)
    axes.set_title(title)
    axes.legend(fontsize=8)
    figure.savefig(file, dpi=120)


def draw_week(week: PageSeries, file: Path, title: str = "") -> None:
    """Mean importance of change by weekday and hour; needs a weekly series of 168 periods."""
    if week.importance.shape != (1, 168):
        raise ValueError("a heat map needs a series with a cycle of a week and 168 periods")
    seen = week.observed[0] > 0
    means = np.where(seen, week.importance[0] / np.where(seen, week.observed[0], 1.0), np.nan).reshape(7, 24)
    figure = Figure(figsize=(8.0, 3.2), layout="constrained")
    axes = figure.subplots()
    image = axes.imshow(means, aspect="auto", cmap=COLOURS, vmin=0.0, interpolation="nearest")
    axes.set_yticks(range(7), WEEKDAYS)
    axes.set_xticks(range(0, 24, 3))
    axes.set_xlabel(f"hour of the day, {week.periods.zone}")
    axes.set_title(title)
    figure.colorbar(image, label="mean importance of change")
    figure.savefig(file, dpi=120)


def _hours(periods: int) -> Floats:
    """The middle of each period, in hours."""
    middles: Floats = (np.arange(periods, dtype=np.float64) + 0.5) * 24.0 / periods
    return middles
