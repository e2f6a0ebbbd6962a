"""Experiment `content` on made pages: its measure is right, its targets can fail, what is missing is said."""

import json

import pytest

from core.blocks.pages import paragraphs
from strandline.lab.experiments import content as experiment


def marked_file(folder, count=9):
    with (folder / "wcxb_made.jsonl").open("w") as out:
        for number in range(count):
            said = paragraphs(number, 8)
            html = f"<nav><a href='/'>Home</a></nav><main>{''.join(f'<p>{one}</p>' for one in said)}</main>"
            row = {
                "url": f"https://s{number}.example/",
                "type": "article",
                "html": html,
                "main_content": " ".join(said),
            }
            out.write(json.dumps(row) + "\n")
    return folder


def test_pages_whose_content_is_plain_are_taken_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(experiment, "_trafilatura", lambda: lambda _html: "nothing of it")
    report = experiment.run(marked_file(tmp_path), quick=True)
    (table,) = report.tables
    assert dict(zip(table.column("kind"), table.column("shipped trees"), strict=True))["article"] > 0.95
    assert dict(zip(table.column("kind"), table.column("trafilatura"), strict=True))["all"] < 0.05
    assert {target.name for target in report.targets} >= {"shipped trees, all pages", "CPU against trafilatura"}


def test_a_target_can_fail(tmp_path, monkeypatch):
    monkeypatch.setattr(experiment, "_trafilatura", lambda: None)
    monkeypatch.setattr(experiment, "_shipped", lambda _html: "something else")
    report = experiment.run(marked_file(tmp_path), quick=True)
    assert not report.ok
    assert "trafilatura is not installed" in " ".join(report.notes)


def test_no_data_is_told(tmp_path):
    with pytest.raises(ValueError, match="no marked pages"):
        experiment.run(tmp_path)
    with pytest.raises(ValueError, match="--data"):
        experiment.run(None)
