"""Experiment `blocks` on made versions: its counts are right, its files come back, agreement is what it says."""

import json

import pytest

from core.blocks.pages import block, page, paragraphs
from journeys.command import here
from strandline.lab.experiments import blocks as experiment
from strandline.lab.experiments.block_agreement import agreement


def versions_file(folder, count=6):
    texts = paragraphs(3, 30)
    with (folder / "made.jsonl").open("w") as out:
        for number in range(count):
            if number % 2 == 0:
                texts[number] = f"Version {'abcdefgh'[number]}{'abcdefgh'[number]} brought something else entirely."
            html = f"<!-- {number} --><main>{''.join(f'<p>{text}</p>' for text in texts)}</main>"
            out.write(json.dumps({"url": "https://made.example/", "time": number * 3600, "html": html}) + "\n")
    return folder


def test_counts_and_storage(tmp_path, monkeypatch):
    monkeypatch.setattr(experiment, "chromium_path", lambda: None)
    report = experiment.run(versions_file(tmp_path), quick=True)
    tables = {table.title: table for table in report.tables}
    changes = tables["Byte changes that show nothing"]
    assert changes.column("byte changes") == (5,)
    assert changes.column("no block changed") == (0.6,)  # three of five versions differ in a comment only
    assert changes.column("same visible hash") == (0.6,)
    targets = {target.name: target for target in report.targets}
    assert targets["identical rebuild"].got == "6 of 6"
    assert "Chromium was not found" in report.notes[0]
    assert json.loads(report.to_json())["tables"]


def test_without_playwright_the_report_is_not_lost(tmp_path, monkeypatch):
    monkeypatch.setattr(experiment, "find_spec", lambda _: None)
    report = experiment.run(versions_file(tmp_path), quick=True)
    assert "playwright is not installed" in report.notes[0]
    assert report.tables and report.targets


def test_the_command_prints_the_report(tmp_path, monkeypatch):
    monkeypatch.setattr(experiment, "chromium_path", lambda: None)
    report = json.loads(here("experiment", "blocks", "--data", versions_file(tmp_path), "--quick", "--json").stdout)
    assert {target["name"]: target["got"] for target in report["targets"]}["identical rebuild"] == "6 of 6"


def test_no_data_is_told(tmp_path):
    with pytest.raises(ValueError, match="no page versions"):
        experiment.run(tmp_path)
    with pytest.raises(ValueError, match="--data"):
        experiment.run(None)


def test_agreement_by_hand():
    one = page(block("a", "alpha beta"), block("b", "gamma delta"))
    whole = page(block("a", "alpha beta", "gamma delta"))
    assert agreement(one, one).f == 1.0
    found = agreement(one, whole)
    assert found.precision == 1.0
    assert found.recall == pytest.approx((9 * 9 / 19 + 10 * 10 / 19) / 19)
    assert agreement(one, page(block("a", "other"))).f == 0.0
