"""`strandline retain` and `strandline storage` as a keeper uses them."""

import json

import pytest

from journeys.command import here, strandline
from made.secrets import secretive
from strandline.cli.retain import _until_full
from strandline.python_archive import create_folder as create


@pytest.fixture
def folder(tmp_path):
    secretive(tmp_path / "archive")
    return tmp_path / "archive"


def test_from_the_command_line(folder):
    assert strandline("retain", folder).code == 2
    rule = "*: older 1d, keep monthly, importance 0.99"
    would = json.loads(here("retain", folder, "--rule", rule, "--json").stdout)
    assert would["applied"] is False
    assert "would drop" in here("retain", folder, "--rule", rule).stdout
    done = json.loads(here("retain", folder, "--rule", rule, "--apply", "--json").stdout)
    assert {name: done[name] for name in ("captures", "dropped", "bytes", "sites")} == {
        name: would[name] for name in ("captures", "dropped", "bytes", "sites")
    }
    assert strandline("verify", folder).code == 0
    found = json.loads(here("storage", folder, "--json").stdout)
    assert sum(one["captures"] for one in found["sites"]) == done["captures"] - done["dropped"]
    assert found["files"]["warc"] > 0
    assert "free" in here("storage", folder).stdout


def test_what_takes_no_room_is_told_without_empty_lines(tmp_path):
    create(tmp_path / "empty")
    lines = here("storage", tmp_path / "empty").stdout.splitlines()
    assert lines[0].startswith("in all") and lines[1] == "" and len(lines) == 3


@pytest.mark.parametrize(
    ("days", "far", "words"),
    [(None, False, "no end in sight"), (1.2, False, "full in 1 day"), (178_541.0, True, "not full within ten years")],
)
def test_when_it_is_full_in_words(days, far, words):
    assert _until_full(days, far) == words
