import json
import math

import pytest

from strandline.lab.experiments.report import Figure, Report, Series, Table, Target


def sample() -> Report:
    return Report(
        "A study",
        tables=(Table("Sites", ("site", "BR", "paper"), (("sec", 0.61803, 0.62), ("né", math.nan, None)), "ours"),),
        figures=(Figure("Figure 1: x", (Series("a", (0.1, 0.2), (1.0, math.inf)),), "BR", "CR"),),
        targets=(Target("CR at .5", ">= .9", "0.95", True), Target("BR", ">= .4", "0.3", False)),
    )


def test_text_shows_every_table_curve_and_target():
    text = sample().render()
    for expected in ("A study", "né", "0.618", "0.620", "ours", "a: 0.1:1.000", "pass", "FAIL"):
        assert expected in text


def test_json_is_strict_and_keeps_numbers():
    data = json.loads(sample().to_json())
    assert data["tables"][0]["rows"] == [["sec", 0.61803, 0.62], ["né", None, None]]
    assert data["figures"][0]["series"][0]["y"] == [1.0, None]
    assert [target["ok"] for target in data["targets"]] == [True, False]


def test_a_report_is_ok_when_all_targets_are_met():
    assert not sample().ok
    assert Report("none").ok


def test_ragged_rows_and_curves_are_refused():
    with pytest.raises(ValueError, match="1 cells in a row of 2 columns"):
        Table("t", ("a", "b"), (("only one",),))
    with pytest.raises(ValueError, match="2 x values, 1 y values"):
        Series("s", (1.0, 2.0), (1.0,))


def test_column_by_name():
    assert sample().tables[0].column("BR")[0] == 0.61803
