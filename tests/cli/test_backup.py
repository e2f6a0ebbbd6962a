"""`strandline backup` and `restore` as a keeper uses them."""

import json

import pytest

from journeys.command import here, strandline
from made.secrets import secretive


@pytest.fixture
def made(tmp_path):
    secretive(tmp_path / "archive", studied=False)
    return tmp_path / "archive"


def test_from_the_command_line(made, tmp_path):
    done = json.loads(here("backup", made, tmp_path / "b", "--json").stdout)
    assert done["sent"] == done["files"]
    assert "0 problems" in here("backup", made, tmp_path / "b", "--check").stdout
    assert json.loads(here("restore", tmp_path / "b", tmp_path / "again", "--json").stdout)["captures"] == 120
    assert strandline("verify", tmp_path / "again").code == 0
    (tmp_path / "b" / "strandline.db").write_bytes(b"")
    assert strandline("backup", made, tmp_path / "b", "--check").code == 6
    assert strandline("restore", tmp_path / "b", tmp_path / "third").code == 6
