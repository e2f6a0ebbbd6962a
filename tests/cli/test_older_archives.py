"""An archive that an earlier release made: whatever is asked first brings its catalog up to date, and answers."""

import json
import shutil

import pytest
from typer.testing import CliRunner

from strandline.cli.main import app
from strandline.store import sqlite

URL = "https://www.library.org/rules"
PAGE = "<html><body><main><h1>Rules</h1><p>A card costs {} euro a month.</p></main></body></html>"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("older")
    versions = [
        {"url": URL, "time": f"2026-03-0{day}T12:00:00Z", "html": PAGE.format(price)}
        for day, price in enumerate(("four", "five"), 1)
    ]
    (folder / "pages.jsonl").write_text("".join(json.dumps(version) + "\n" for version in versions))
    assert CliRunner().invoke(app, ["import", str(folder / "a"), str(folder / "pages.jsonl")]).exit_code == 0
    return folder / "a"


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
