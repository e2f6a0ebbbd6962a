"""Figures of simulations."""

import pytest

from strandline.lab.plots.scheduling import draw_costs, draw_simulation

ROWS = [
    {
        "strategy": name,
        "objective": "pool",
        "budget": budget,
        "pool": value,
        "bound_known": 0.9,
        "bound_clairvoyant": 1.0,
    }
    for name, value in (("priced-plan", 0.8), ("round-robin", 0.5))
    for budget in (5.0, 10.0)
]


def test_curves_are_drawn_with_their_bounds(tmp_path):
    file = tmp_path / "pool.svg"
    draw_simulation(ROWS, "pool", file)
    text = file.read_text()
    assert all(f"<!-- {label} -->" in text for label in ("priced-plan", "round-robin", "bound, known patterns"))


def test_nothing_to_draw_is_told(tmp_path):
    with pytest.raises(ValueError, match="no row with objective 'sum'"):
        draw_simulation(ROWS, "pool", tmp_path / "none.svg", objective="sum")


def test_costs_are_drawn(tmp_path):
    draw_costs([1e3, 1e4], {"wheel": [2.0, 2.1]}, tmp_path / "costs.png")
    assert (tmp_path / "costs.png").read_bytes().startswith(b"\x89PNG")
