"""Figures about blocks: the distribution of scores.

The suffix of a figure's file chooses the format (.png, .svg, .pdf). No window is ever opened.
"""

from pathlib import Path

from matplotlib.figure import Figure


def draw_scores(scores: dict[str, list[float]], file: Path, title: str = "Scores of visible changes") -> None:
    """Cumulative distribution of named scores, on a logarithmic axis."""
    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.subplots()
    for name, values in scores.items():
        ordered = sorted(max(value, 1e-6) for value in values)
        axes.step(ordered, [(place + 1) / len(ordered) for place in range(len(ordered))], where="post", label=name)
    axes.set_xscale("log")
    axes.set_xlabel("score")
    axes.set_ylabel("share of visible changes at most this")
    axes.set_title(title)
    axes.legend(fontsize=8)
    figure.savefig(file, dpi=120)
