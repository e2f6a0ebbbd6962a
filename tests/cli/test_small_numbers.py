"""What commands say of an archive of one page that was captured once, or twice: in words that are right for one."""

import json
import re
import time

import pytest
from typer.testing import CliRunner

from strandline.cli.main import app

URL = "https://www.library.org/rules"
PAGE = "<html><body><main><h1>Rules</h1><p>A card costs {} euro a month.</p></main></body></html>"
MANY = re.compile(
    r"(?<![\d.,:/-])1 (captures|pages|files|sites|problems|addresses|hosts|changes|visits|rules|directories|groups|"
    r"versions|alerts|bytes|rates|answers|seeds|requests|hours|days|blocks)\b"
)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Archives of one page: `once` and `twice` captured."""
    folder = tmp_path_factory.mktemp("small")
    for name, prices in (("once", ["four"]), ("twice", ["four", "five"])):
        versions = [
            {"url": URL, "time": f"2026-03-0{day}T12:00:00Z", "html": PAGE.format(price)}
            for day, price in enumerate(prices, 1)
        ]
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(version) + "\n" for version in versions))
        done = said("import", folder / name, folder / f"{name}.jsonl")
        assert f"{len(prices)} capture" in done
    return folder


def said(*words):
    """Everything a command told."""
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == 0, (done.output, done.exception)
    assert not MANY.search(done.output), done.output
    return done.output


@pytest.mark.parametrize("name", ["once", "twice"])
def test_one_of_something(place, name):
    archive = place / name
    assert f"{URL}: {'1 capture' if name == 'once' else '2 captures'}, present since" in said("versions", archive, URL)
    said("changes", archive)
    said("learn", archive)
    said("classes", archive)
    said("patterns", archive)
    said("rules", archive)
    assert "page        known from WARC files (import, reindex), present since" in said("why", archive, URL)
    assert "of 1 address on 1 site, the latest" in " ".join(said("status", archive).split())
    said("report", archive, "--from", "2026-02-01", "--to", "2026-04-01")
    said("verify", archive)
    assert "in 1 file\n" in said("reindex", archive)
    said("compact", archive)
    said("export", archive, "--to", place / "x.cdxj")


def test_a_page_that_is_not_there(place):
    assert said("versions", place / "once", "https://elsewhere.example/") == (
        "https://elsewhere.example/: no captures in this archive\n"
    )


def test_one_capture_cannot_be_compared(place):
    same = f"{URL}: 2026-03-01T12:00:00.000Z the same capture at both times: nothing to compare\n"
    assert same in said("compare", place / "once", URL)


def test_quality_says_what_was_intended_only_where_a_watch_may_have_made_it(place):
    assert re.search(
        r"last day: 0 visits made, 0 pages failed \(a watch of 500/day intends \d+\)", said("quality", place / "twice")
    )
    fresh = [{"url": f"{URL}/{number}", "time": time.time() - 60, "html": PAGE.format(number)} for number in range(9)]
    (place / "fresh.jsonl").write_text("".join(json.dumps(version) + "\n" for version in fresh))
    said("import", place / "fresh", place / "fresh.jsonl")
    assert re.search(
        r"last day: 9 visits made, 0 pages failed \(a watch of 500/day intends \d\)",
        said("quality", place / "fresh"),
    )


def test_urgencies_are_not_below_zero(place):
    lines = [line for line in said("next", place / "once").splitlines() if not line.startswith("note: ")]
    assert lines
    for line in lines:
        assert re.fullmatch(r"\S+Z +\d[\d.e-]* +https://\S+", line), line
