"""A figure about change classes: how many pages each holds.

The suffix of the file chooses the format (.png, .svg, .pdf). No window is ever opened.
"""

from pathlib import Path

from matplotlib.figure import Figure

from strandline.core.mining.classes import ChangeGroups


def draw_class_sizes(groups: ChangeGroups, file: Path, title: str = "Change classes") -> None:
    """Bars of pages per class, fastest first, with the interval in words."""
    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.subplots()
    sizes = groups.sizes.tolist()
    bars = axes.bar(range(groups.count), sizes, color="C0")
    axes.bar_label(bars, labels=[f"{size:,}" for size in sizes], fontsize=8)
    axes.set_xticks(range(groups.count), [name.replace(" ", "\n", 1) for name in groups.names()], fontsize=8)
    axes.set_ylabel("pages")
    axes.set_title(title)
    figure.savefig(file, dpi=120)
