"""The quick forms of the experiments run, meet the golden numbers, and say what was not reproduced."""

import pytest

from strandline.lab.experiments import quality
from strandline.lab.simulate.grid import Row


def test_quality_meets_the_golden_numbers_and_names_the_claim_not_reproduced():
    report = quality.run(None, quick=True)
    assert report.ok
    assert {target.name for target in report.targets} == {"example 5.11", "example 5.21"}
    assert any("NOT reproduced" in note for note in report.notes)
    assert [figure.title[:18] for figure in report.figures] == [
        "Paper 001 Figure 7", "Paper 001 Figure 8", "Paper 001 Figure 9", "Paper 004 Figure 7", "Paper 004 Figure 8",
    ]  # fmt: skip
    claims = {row[0]: row[1] for row in report.tables[1].rows}
    assert any("coherence" in claim for claim in claims)


def test_given_changes_are_what_is_simulated(tmp_path):
    start = 1_760_000_000
    rows = [
        f"http://a.example/{page}\t{start + 3600 * hour}\t0.5"
        for page in range(30)
        for hour in range(page, 200, 7 + page)
    ]
    (tmp_path / "mine.tsv").write_text("url\ttime\timportance\n" + "\n".join(rows))
    report = quality.run(tmp_path, quick=True)
    assert "mine (30 pages" in report.notes[0]
    assert report.tables[0].rows
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="no change traces"):
        quality.run(tmp_path / "empty", quick=True)


@pytest.mark.parametrize(
    ("own", "said"), [(0.9, "is reproduced:"), (0.5, "is NOT reproduced:"), ((0.9, 0.5, 0.5), "at 1 of 3 budgets only")]
)
def test_the_claim_is_judged_by_the_figures(own, said):
    own = own if isinstance(own, tuple) else (own,) * 3
    cells = {"importance-pattern": own, "relevance": (0.6,) * 3, "sharc": (0.7,) * 3, "coherence": (0.6,) * 3}
    rows = tuple(
        Row("made", name, budget, "pool", 0.0, 0.0, 0.0, value, 0.0, None, None, None, "truth", 10.0)
        for name, values in cells.items()
        for budget, value in zip(quality.LIMITED, values, strict=True)
    )
    assert said in quality._notes(quality.Means(rows), [], synthetic=True)[1]
