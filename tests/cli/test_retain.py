"""`strandline retain` and `strandline storage` as a keeper uses them."""

import json

import pytest

from journeys.command import here, strandline
from made.secrets import secretive


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
