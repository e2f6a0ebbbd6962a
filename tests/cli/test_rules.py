"""`rules` on a history file: the golden example gives exactly its two rules."""

import json

import pytest
from typer.testing import CliRunner

from strandline.cli.main import app

VERSIONS = [
    {"a/c": 1, "a/p": 1, "a/r": 1, "a/b/e": 1, "a/b/f/i": 1, "a/b/g/j": 1, "a/b/g/k": 1},
    {"a/c": 2, "a/p": 1, "a/b/e": 2, "a/b/f/i": 1, "a/b/g/k": 2, "a/b/g/l": 1},
    {"a/p": 1, "a/b/n": 1, "a/b/o": 1, "a/b/f/i": 1, "a/b/g/k": 3, "a/b/g/l": 2},
    {"a/p": 1, "a/b/n": 1, "a/b/o": 1, "a/b/f/i": 2, "a/b/g/k": 4, "a/b/g/q": 1},
]


@pytest.fixture
def history(tmp_path):
    rows, before = [], {}
    for number, after in enumerate(VERSIONS):
        time = f"2026-01-0{number + 1}T00:00:00Z"
        for path in sorted(before.keys() | after.keys()):
            if before.get(path) != after.get(path):
                op = "A" if path not in before else "M" if path in after else "D"
                rows.append(f"{number}\t{time}\t{op}\t{path}\t{after.get(path, '')}")
        before = after
    file = tmp_path / "golden.tsv"
    file.write_text("\n".join(rows) + "\n")
    return file


def run(*words):
    done = CliRunner().invoke(app, ["rules", *map(str, words)])
    assert done.exit_code == 0, done.output
    return done


def test_the_golden_example_gives_exactly_two_rules(history):
    thresholds = ("--alpha", "0.5", "--beta", "0.6", "--gamma", "0.5", "--theta", "0.6")
    rules = json.loads(run(history, *thresholds, "--json").stdout)
    assert [(rule["if"], rule["skip"]) for rule in rules] == [(["a", "a/b"], "a/b/f"), (["a/b"], "a/b/f")]
    assert rules[0]["foc"] == pytest.approx(2 / 3)
    assert rules[0]["coc"] == pytest.approx(-1.0)
    text = run(history, *thresholds).stdout
    assert text.count("skip a/b/f") == 2
    assert "2 rules; 0 directories never changed at all" in text


def test_a_single_version_is_too_little(tmp_path):
    file = tmp_path / "one.tsv"
    file.write_text("0\t2026-01-01T00:00:00Z\tA\ta/b\t1\n")
    assert "too little" in run(file).stdout
    assert json.loads(run(file, "--json").stdout) == []


def written(file, versions):
    rows, before = [], {}
    for number, after in enumerate(versions):
        for path in sorted(before.keys() | after.keys()):
            if before.get(path) != after.get(path):
                op = "A" if path not in before else "M" if path in after else "D"
                rows.append(f"{number}\t2026-01-0{number + 1}T00:00:00Z\t{op}\t{path}\t{after.get(path, '')}\n")
        before = after
    file.write_text("".join(rows))
    return file


def test_an_empty_history_says_so_in_one_line(tmp_path):
    shown = run(written(tmp_path / "empty.tsv", [])).stdout
    assert "an empty history: nothing was seen" in shown
    assert json.loads(run(tmp_path / "empty.tsv", "--json").stdout) == []


def test_a_site_whose_pages_are_all_new_each_week_has_no_rules(tmp_path):
    weeks = [{f"h/week{week}/{n}": 1 for n in range(4)} for week in range(8)]
    assert "0 rules; 0 directories never changed at all" in run(written(tmp_path / "new.tsv", weeks)).stdout


def test_paths_with_dots_blanks_empty_segments_and_other_scripts_are_names_like_any_other(tmp_path):
    quiet = ("hö/ü/日本", "h//a//b", "h/./x", "h/../y", "h/a b/")
    weeks = [dict.fromkeys(quiet, 1) | {"h/busy/news": week} for week in range(8)]
    shown = run(written(tmp_path / "odd.tsv", weeks)).stdout
    for directory in ("hö", "h/", "h/.", "h/..", "h/a b"):
        assert f"\n  {directory}\n" in shown


def test_a_figure_of_a_history_file_is_drawn(history, tmp_path):
    run(history, "--plot", tmp_path / "figures")
    (figure,) = (tmp_path / "figures").iterdir()
    assert figure.name == "site-directories.svg"
    assert figure.stat().st_size > 1000
