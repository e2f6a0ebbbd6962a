"""An archive that an earlier release made: whatever is asked first brings its catalog up to date, and answers."""

import shutil

import pytest
from typer.testing import CliRunner

from cli.two_versions import URL, import_two_versions
from strandline.cli.main import app
from strandline.store import sqlite


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("older")
    return import_two_versions(folder, "a")


@pytest.fixture
def later(monkeypatch):
    """A release whose catalogs have one table more."""
    steps = sqlite.steps()
    monkeypatch.setattr(sqlite, "steps", lambda: (*steps, (len(steps) + 1, "CREATE TABLE later (x INTEGER) STRICT;")))


@pytest.mark.parametrize(
    "words",
    ["versions DIR URL", "compare DIR URL", "changes DIR", "search DIR euro", "patterns DIR", "rules DIR",
     "classes DIR", "next DIR", "why DIR URL", "quality DIR", "status DIR", "alerts DIR", "alarms DIR", "report DIR",
     "feed DIR", "verify DIR"],
)  # fmt: skip
def test_any_command_may_come_first(tmp_path, made, later, words):
    folder = shutil.copytree(made, tmp_path / "a")
    given = [{"DIR": str(folder), "URL": URL}.get(word, word) for word in words.split()]
    done = CliRunner().invoke(app, given)
    assert done.exit_code == 0, (done.output, done.exception)
    assert not sqlite.outdated(folder / "strandline.db")
