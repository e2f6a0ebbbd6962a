import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="needs the extra strandline[study]")

from strandline.core.history.calendar import Cycle, LocalCalendar
from strandline.core.history.series import day_series
from strandline.core.mining.classes import change_groups
from strandline.core.mining.patterns import page_pattern
from strandline.lab.experiments.pattern_data import made_traces
from strandline.lab.plots.classes import draw_class_sizes
from strandline.lab.plots.patterns import draw_series_and_pattern, draw_week


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_figures_are_written(tmp_path, suffix):
    trace = made_traces(np.random.default_rng(1), days=21)[0]
    days = day_series(LocalCalendar(trace.periods()), trace.times, trace.importances)
    start = {"png": b"\x89PNG", "svg": b"<?xml"}[suffix]
    draw_series_and_pattern(days, page_pattern(trace.series()), tmp_path / f"a.{suffix}", trace.url)
    draw_week(trace.series(168, Cycle.WEEK), tmp_path / f"b.{suffix}")
    draw_class_sizes(change_groups([0.0, 0.0, 0.1, 1.0]), tmp_path / f"c.{suffix}")
    for name in "abc":
        assert (tmp_path / f"{name}.{suffix}").read_bytes().startswith(start)


def test_a_heat_map_needs_a_week_of_hours(tmp_path):
    trace = made_traces(np.random.default_rng(1), days=7)[0]
    with pytest.raises(ValueError, match="168 periods"):
        draw_week(trace.series(), tmp_path / "x.png")
