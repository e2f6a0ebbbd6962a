"""What `compare` and `blocks` say about files a person can read."""

import json
import sys
import xml.etree.ElementTree as ET

import pytest
from typer.testing import CliRunner

import strandline
from strandline.cli.change_texts import short, span_start
from strandline.cli.main import app
from strandline.errors import UsageError

OLD = """<html><head><title>Reading room</title></head><body>
<nav><a href="/">Home</a> <a href="/terms?session=81">Terms</a></nav>
<main><h1>Rules of the reading room</h1>
<h2>Fees</h2><p>A library card costs four euro a month. Children under fourteen pay nothing.</p>
<h2>Silence</h2><p>Readers keep their voices down, leave coats at the door and return every book to its
shelf.</p></main>
<footer><p>Visitors today: 211</p></footer></body></html>"""
NEW = (
    OLD.replace("four euro", "five euro")
    .replace("session=81", "session=99")
    .replace("211", "87")
    .replace("</main>", "<h2>Complaints</h2><p>Complaints about a decision are heard by an arbitrator.</p></main>")
)


@pytest.fixture
def files(tmp_path):
    old, new = tmp_path / "old.html", tmp_path / "new.html"
    old.write_text(OLD)
    new.write_text(NEW)
    return str(old), str(new)


def run(*words):
    done = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_compare_says_what_a_reader_would(files):
    told = run("compare", *files)
    assert told.startswith("The price rose from four to five EUR; 1 more change\n")
    assert "1 inserted, 2 updated" in told
    assert "- A library card costs four euro a month." in told
    assert "+ A library card costs five euro a month." in told
    assert "+ Complaints" in told
    assert "session" not in told, "a token in a link is no change"
    reasons = told.partition("Why it matters")[2].splitlines()
    assert "Rules of the reading room" in reasons[1], "the fee matters most"
    assert any("Complaints" in line for line in reasons[2:])
    assert reasons[-1].strip() == "ticking: Visitors today: 87 (a counter)"


def test_the_same_page_has_not_changed(files):
    assert run("compare", files[0], files[0]) == "No visible change.\n"
    found = json.loads(run("compare", files[0], files[0], "--json"))
    assert (found["importance"], found["impch"], found["operations"]) == (0.0, 0.0, [])


def test_compare_for_programs(files, tmp_path):
    found = json.loads(run("compare", *files, "--json"))
    assert 0 < found["importance"] < 1
    assert {one["kind"] for one in found["operations"]} == {"insert", "update"}
    tree = ET.fromstring(run("compare", *files, "--xml"))
    assert tree.tag == "delta"
    assert len(tree.findall("block")) == 3


def test_both_versions_are_shown_without_a_plotting_library(files, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    side = tmp_path / "side.html"
    run("compare", *files, "--html", str(side))
    assert "costs <ins>five </ins>euro" in side.read_text()
    found = strandline.compare(OLD, NEW)
    assert "costs <del>four </del><ins>five </ins>euro" in found.as_one_page()
    view = found.as_view()
    assert [block["kind"] for block in view["blocks"]].count("unchanged") >= 2
    assert {block["noise"] for block in view["blocks"]} == {"", "a counter"}


def test_blocks_with_topics(files):
    found = json.loads(run("blocks", files[1], "--json"))
    assert found["level"] == 2
    assert {"path", "role", "importance", "topic", "text"} <= set(found["blocks"][0])
    assert sum(block["importance"] for block in found["blocks"]) == pytest.approx(1.0, abs=1e-4)
    assert "Complaints" in [block["topic"] for block in found["blocks"]]
    fewer = json.loads(run("blocks", files[1], "--json", "--level", "1"))
    assert len(fewer["blocks"]) <= len(found["blocks"])
    assert "Complaints" in run("blocks", files[1])


def test_a_text_file_is_a_page_too(tmp_path):
    note = tmp_path / "note.txt"
    note.write_text("First paragraph about <tides>.\n\nSecond paragraph about ships.")
    texts = [block["text"] for block in json.loads(run("blocks", str(note), "--json"))["blocks"]]
    assert "First paragraph about <tides>." in "\n".join(texts)


@pytest.mark.parametrize(
    "words",
    [
        ("compare", "nowhere.html", "nothing.html"),
        ("blocks", "nowhere.html"),
        ("blocks", "ftp://example.org/"),
        ("compare", "nowhere.html", "nothing.html", "--from", "2026"),
    ],
)
def test_what_is_not_there_is_said(words):
    with pytest.raises(UsageError):
        run(*words)


def test_from_python(files):
    change = strandline.compare(OLD, NEW)
    assert round(change.importance, 2) > 0
    assert {operation.kind for operation in change.delta.operations} == {"insert", "update"}
    assert strandline.compare(OLD.encode(), change.delta.old).delta.empty
    assert change.reasons[0].topic == "Rules of the reading room"


def test_points_in_time_as_people_write_them():
    assert span_start("2026-03-01") == 1772323200.0
    assert span_start("2d") < span_start("1d")
    with pytest.raises(UsageError):
        span_start("yesterday")
    assert short("a  word\nand more", 10) == "a word..."
