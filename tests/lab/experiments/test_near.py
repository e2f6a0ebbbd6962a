import json
import os
from pathlib import Path

import numpy as np
import pytest

from strandline.lab.experiments import near
from strandline.lab.experiments.near_study import GRID, Means, Rivals, SiteStudy, bypass_keeping, mean_curve
from strandline.lab.simulate.site_generator import GeneratorSettings, generate_history
from strandline.lab.simulate.site_history import read_site_history, write_site_history

DATA = Path(os.environ.get("STRANDLINE_DATA", Path(__file__).parents[3] / ".." / "shared" / "data")) / "trees"
FIGURES = ["5 (a)", "5 (b)", "5 (c)", "5 (d)", "5 (e)", "5 (f)", "6 (a)", "6 (b)", "6 (c)"]


def weeks(count, seed):
    """A site with a busy, a growing and a quiet part."""
    rng = np.random.default_rng(seed)
    digests = {f"{d}/{e}/{n}.html": 0 for d in "abc" for e in "xyz" for n in range(6)}
    for week in range(count):
        for path in digests:
            if path.startswith("a/x") and rng.random() < 0.5:
                digests[path] = week
        if week % 3 == 0:
            digests[f"b/y/new{week}.html"] = week
        yield f"2026-week-{week}", {path: str(digest) for path, digest in digests.items()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trees")
    write_site_history(folder / "www.one.example.tsv.gz", weeks(48, 1))
    write_site_history(folder / "two.tsv", weeks(48, 2))
    (folder / "README.md").write_text("not a history")
    return folder


def test_every_table_and_figure_of_the_paper(folder):
    said = []
    report = near.run(folder, said.append, quick=True)
    titles = " ".join(figure.title for figure in report.figures)
    assert all(figure in titles for figure in FIGURES)
    table = report.tables[0]
    assert [row[0] for row in table.rows][-2:] == ["two", "www.one.example"]
    assert table.rows[0][:5] == ("paper: www.sec.gov", 0.62, 0.99, 0.99, 0.87)
    assert "example" in {name for one in report.figures if "5 (c)" in one.title for name in one.series[0].x}
    assert len(report.targets) == 12
    assert json.loads(report.to_json())["targets"][0]["name"].startswith("strict change recall")
    assert any("two" in message for message in said)
    curves = {one.label: one for one in report.figures[-1].series}
    assert {"recommended", "page rate"} < set(curves)
    assert len(curves) == 4


def test_the_root_of_all_data_is_taken_too(folder, tmp_path):
    (tmp_path / "trees").symlink_to(folder)
    said = []
    assert near._histories(tmp_path, said.append)[0][0] == near._histories(folder, said.append)[0][0]


def test_rules_that_skip_nothing_prove_nothing():
    curve = np.linspace(1.0, 0.9, len(GRID))[None, :]
    nothing = Rivals(near=np.array([[0.0, 1.0, 1.0, 1.0]]), dormant=np.array([[0.4, 0.8, 0.95, 0.9]]),
                     recommended=curve, page_rate=curve)  # fmt: skip
    found = {target.name: target for target in near._targets({"site": nothing}, {})}
    assert not found["missed changes at the BR of NEAR .01/.1/.95, ratio"].ok
    assert "cannot be told" in found["missed changes at the BR of NEAR .01/.1/.95, ratio"].got
    assert not found["sites worse than NEAR .01/.1/.95 at its BR"].ok
    assert found["missed changes at the BR of dormant(19), ratio"].ok
    assert found["sites worse than dormant(19) at its BR"].ok


def test_generated_sites_have_no_targets_but_to_lose_to_no_rival():
    report = near.run(None, quick=True)
    assert [target.name for target in report.targets] == ["behind the best rival on any site, on time"]
    assert "Generated" in report.notes[0]


def test_an_empty_folder_is_one_clear_line(tmp_path):
    with pytest.raises(ValueError, match="no site histories"):
        near.run(tmp_path, quick=True)


def test_a_single_file_that_is_too_short_to_test(tmp_path):
    write_site_history(tmp_path / "short.tsv", weeks(3, 1))
    report = near.run(tmp_path / "short.tsv", quick=True)
    assert not report.ok
    assert all(str(row[0]).startswith("paper") for row in report.tables[0].rows)


def test_measures_at_a_recall():
    assert bypass_keeping(np.ones(len(GRID)), 0.95) == 1.0
    assert bypass_keeping(np.zeros(len(GRID)), 0.95) == 0.0
    assert np.isnan(mean_curve([])).all()
    assert np.isnan(Means.of_sites([None]).bypass)


def test_windows_and_their_tests():
    study = SiteStudy("one", generate_history(GeneratorSettings(100, 5, 4, 25, 0.1), np.random.default_rng(1)))
    assert study.tests(20) == [(n, n + 19, n + 20) for n in range(5)]
    assert study.tests(20, step=2, distance=3) == [(0, 19, 22), (2, 21, 24)]


@pytest.mark.shared_data
@pytest.mark.parametrize("name", ["freebsd", "openbsd", "flink", "rubylang"])
def test_recommended_beats_rules_and_page_rate_on_real_sites(name):
    file = DATA / f"{name}.tsv.gz"
    if not file.exists():
        pytest.skip(f"no site history at {file}")
    rivals = SiteStudy(name, read_site_history(file)).rivals(20, 6)
    for rule in (rivals.near, rivals.dormant):
        _, strict, recommended, _ = rule.mean(axis=0)
        assert recommended >= strict
    assert rivals.recommended.mean() > rivals.page_rate.mean() - 0.005
