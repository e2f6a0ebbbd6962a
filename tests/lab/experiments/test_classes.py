from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="needs the extra strandline[study]")

from strandline.lab.experiments import class_errors, class_schedules, classes
from strandline.lab.simulate.histories import made_histories


def test_the_whole_experiment_on_made_histories():
    said = []
    report = classes.run(None, said.append, quick=True)
    assert report.ok
    assert any("Table 5" in table.title for table in report.tables)
    assert len(said) > 3
    assert '"title"' in report.to_json()
    single = next(table for table in report.tables if table.title == "Single sites, N/28 fetches a day")
    caught = dict(zip(single.column("policy"), single.column("26 weeks"), strict=True))
    assert caught[class_schedules.DEFAULT] > caught[class_schedules.UNIFORM]


def test_one_short_history_of_one_site(tmp_path):
    """No other sites, a window shorter than 26 weeks: every table that can be made is made."""
    made = made_histories(np.random.default_rng(3), sites=1, pages=300, days=70)
    lines = ["site\tpath\ttext_bytes\tlinks\theadings\temails\timages\tdepth\tlast_day\tchange_days"]
    for i, path in enumerate(made.paths):
        days = ",".join(str(d) for d in range(1, 71) if made.seen[i, d] > made.seen[i, d - 1])
        numbers = [made.column(name)[i] for name in ("text_bytes", "links", "headings", "emails", "images", "depth")]
        lines.append("\t".join(["one", path, *(f"{n:.0f}" for n in numbers), str(made.last_day[i]), days]))
    (tmp_path / "h.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    report = classes.run(tmp_path, quick=True)
    assert len(report.tables) > 2
    assert not any("archive" in table.title for table in report.tables)
    assert all(len(table.rows) > 0 for table in report.tables)


def test_a_folder_without_histories(tmp_path):
    with pytest.raises(ValueError, match="no table of change histories"):
        classes.run(tmp_path)
    with pytest.raises(ValueError, match="no table of change histories"):
        classes.run(Path("/nowhere/at/all"))


def slow_auc(score, positive):
    pairs = [
        (a, b) for a, p in zip(score, positive, strict=True) if p for b, q in zip(score, positive, strict=True) if not q
    ]
    return sum(1.0 if a > b else 0.5 if a == b else 0.0 for a, b in pairs) / len(pairs)


def test_area_under_the_curve():
    rng = np.random.default_rng(0)
    score, positive = rng.integers(0, 5, 60).astype(float), rng.random(60) < 0.4
    assert class_schedules.area_under_curve(score, positive) == pytest.approx(slow_auc(score, positive))
    assert np.isnan(class_schedules.area_under_curve(score, np.ones(60, dtype=bool)))


def test_splits_share_no_page_and_no_site():
    histories = made_histories(np.random.default_rng(1), sites=3, pages=60)
    for split in class_errors.splits_by_page(histories, 2):
        assert set(split.train).isdisjoint(split.test)
        assert len(split.train) + len(split.test) == histories.pages
    for split in class_errors.splits_by_site(histories):
        assert set(histories.site[split.train]).isdisjoint(histories.site[split.test])


def test_no_site_is_judged_by_a_table_it_helped_to_write():
    made = made_histories(np.random.default_rng(1), sites=3, pages=80)
    assert class_schedules.is_held_out(made)
    assert all(table is class_schedules.COEFFICIENTS for table in class_schedules.fair_tables(made).values())
    known = replace(made, sites=("flink", "mdn", "unseen"))
    assert not class_schedules.is_held_out(known)
    tables = class_schedules.fair_tables(known)
    assert tables["unseen"] is class_schedules.COEFFICIENTS
    assert not np.allclose(tables["flink"], class_schedules.COEFFICIENTS)
