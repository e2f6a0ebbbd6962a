"""Figures about blocks."""

from strandline.lab.plots.blocks import draw_scores


def test_a_distribution_is_drawn(tmp_path):
    file = tmp_path / "scores.png"
    draw_scores({"importance": [0.0, 0.1, 0.5], "impch": [0.2]}, file)
    assert file.read_bytes().startswith(b"\x89PNG")
