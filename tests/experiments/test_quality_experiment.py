"""The quick forms of the experiments run, meet the golden numbers, and say what was not reproduced."""

from strandline.experiments import quality


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
