"""Figures about blocks."""

from core.blocks.pages import block, page
from strandline.core.changes.importance import importance
from strandline.core.changes.vidiff import compare
from strandline.core.changes.volatility import NoiseState
from strandline.plots.blocks import draw_scores, highlighted


def test_a_distribution_is_drawn(tmp_path):
    file = tmp_path / "scores.png"
    draw_scores({"importance": [0.0, 0.1, 0.5], "impch": [0.2]}, file)
    assert file.read_bytes().startswith(b"\x89PNG")


def test_changed_blocks_are_coloured_and_text_is_escaped():
    delta = compare(
        page(block("a", "same <b>"), block("b", "fee is four")), page(block("a", "same <b>"), block("b", "fee is five"))
    )
    html = highlighted(delta, importance(delta, NoiseState()))
    assert "same &lt;b&gt;" in html
    assert "altered" in html
    assert "fee is five" in html
