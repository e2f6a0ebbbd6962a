"""Figures about blocks: the distribution of scores, and a page with its changed blocks coloured (as HTML).

The suffix of a figure's file chooses the format (.png, .svg, .pdf). No window is ever opened.
"""

from html import escape
from pathlib import Path

from matplotlib.figure import Figure

from strandline.core.changes.delta import Delta, side_by_side
from strandline.core.changes.importance import Importance

_COLOURS = {"+": "#d8f5d8", "-": "#fadadd", "~": "#fff3c4", ">": "#dbe9ff", " ": "#ffffff"}
_WORDS = {"+": "new", "-": "gone", "~": "altered", ">": "moved", " ": ""}


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


def highlighted(delta: Delta, scored: Importance) -> str:
    """Two versions side by side as an HTML page, changed blocks coloured, the score above."""
    rows = "".join(
        f"<tr style='background:{_COLOURS[mark]}'><td class=m>{_WORDS[mark]}</td>"
        f"<td>{_paragraphs(before)}</td><td>{_paragraphs(after)}</td></tr>"
        for mark, before, after in side_by_side(delta)
    )
    return (
        "<!doctype html><meta charset=utf-8><style>body{font:14px/1.4 sans-serif;margin:16px}"
        "table{border-collapse:collapse;width:100%;table-layout:fixed}td{border:1px solid #ccc;padding:6px 8px;"
        "vertical-align:top}td.m{width:52px;color:#555;font-size:12px}p{margin:0 0 4px}</style>"
        f"<p><b>importance {scored.value:.2f}</b> &nbsp; impch {scored.impch:.3f}</p>"
        f"<table><tr><td class=m></td><td><b>before</b></td><td><b>after</b></td></tr>{rows}</table>"
    )


def _paragraphs(text: str) -> str:
    return "".join(f"<p>{escape(line)}</p>" for line in text.split("\n") if line)
