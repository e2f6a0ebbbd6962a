import pytest
from matplotlib import colormaps

pytest.importorskip("matplotlib")

from strandline.core.history.delta_tree import DeltaTree
from strandline.core.history.site_versions import SiteHistory
from strandline.core.mining.near import Thresholds, mine_numbers
from strandline.core.skip.quiet_directories import warm
from strandline.lab.experiments.report import Figure, Series
from strandline.lab.plots.site import COLOURS, draw_directory_tree, draw_figure, draw_together, label_colour, view_tree


@pytest.mark.parametrize("kind", ["line", "points", "bars"])
@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_figures_are_written(tmp_path, kind, suffix):
    x = ("one", "two") if kind == "bars" else (1.0, 2.0)
    figure = Figure(
        "A $ title", (Series("a", x, (1.0, 2.0)), Series("頁", x, (2.0, float("nan")))), "x", "y", kind=kind
    )
    draw_figure(figure, tmp_path / f"figure{suffix}")
    assert (tmp_path / f"figure{suffix}").stat().st_size > 1000


def test_logarithmic_axes(tmp_path):
    figure = Figure("t", (Series("a", (1.0, 10.0), (1.0, 100.0)),), log_x=True, log_y=True)
    draw_figure(figure, tmp_path / "figure.svg")
    assert "<svg" in (tmp_path / "figure.svg").read_text()


def test_figures_are_drawn_together_with_a_title_each(tmp_path):
    series = (Series("new", (1.0, 2.0), (0.1, 0.2)), Series("old", (), ()))
    figures = [Figure(f"page {number}: scores", series, "capture", "importance", "points") for number in range(3)]
    draw_together(figures, tmp_path / "all.svg", columns=2, line=0.015)
    drawn = (tmp_path / "all.svg").read_text()
    assert all(f"<!-- page {number} -->" in drawn for number in range(3))
    assert "<!-- new -->" in drawn and "<!-- capture -->" in drawn


def test_a_tree_is_laid_out_by_pages_and_drawn(tmp_path):
    weeks = [{"busy/x": str(n), "busy/é/y": "1", "quiet/z": "1", "quiet/$w$": "1"} for n in range(4)]
    history = SiteHistory.from_versions((str(number), version) for number, version in enumerate(weeks))
    window = DeltaTree.of(history, (0.1,)).window()
    skipped = warm(history.shape, mine_numbers(window, Thresholds(0.1)), window.root).directories
    view = view_tree(window, history.shape, history.live_at(3), skipped)
    assert sorted(zip(view.names, view.width.tolist(), view.skipped.tolist(), strict=True)) == [
        ("", 1.0, False),
        ("busy", 0.5, False),
        ("quiet", 0.5, True),
        ("é", 0.25, True),
    ]
    assert draw_directory_tree(view, tmp_path / "tree.svg") == 4
    assert (tmp_path / "tree.svg").stat().st_size > 1000


def test_an_empty_site_can_be_drawn(tmp_path):
    history = SiteHistory()
    window = DeltaTree.of(history, (0.1,)).window()
    view = view_tree(window, history.shape, history.live_at(-1), window.present)
    assert draw_directory_tree(view, tmp_path / "tree.png") == 0


def test_labels_can_be_read_on_every_colour_of_the_map():
    for step in range(11):
        colour = colormaps[COLOURS](step / 10)
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour[:3]]
        luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        ratio = (luminance + 0.05) / 0.05 if label_colour(colour) == "black" else 1.05 / (luminance + 0.05)
        assert ratio >= 4.5, f"{step / 10} is hard to read"
