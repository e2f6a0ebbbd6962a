"""What was asked for makes no sense: one line says so, and nothing is answered in its place."""

import json

import pytest
from typer.testing import CliRunner

from strandline.cli.main import app
from strandline.errors import StrandlineError

URL = "https://www.library.org/rules"
PAGE = "<html><body><main><h1>Rules</h1><p>A card costs {} euro a month.</p></main></body></html>"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with an archive of one page in two versions, and files beside it."""
    folder = tmp_path_factory.mktemp("wrong")
    versions = [
        {"url": URL, "time": f"2026-03-0{day}T12:00:00Z", "html": PAGE.format(price)}
        for day, price in enumerate(("four", "five"), 1)
    ]
    (folder / "pages.jsonl").write_text("".join(json.dumps(version) + "\n" for version in versions))
    done = CliRunner().invoke(app, ["import", str(folder / "archive"), str(folder / "pages.jsonl")])
    assert done.exit_code == 0, done.output
    (folder / "a.html").write_text(PAGE.format("four"))
    (folder / "odd.toml").write_text('pages = "many"\n')
    (folder / "kind.toml").write_text("similar = 3\n")
    return folder


def wrong(place, words):
    """Exit code and the line a person reads."""
    filled = [word.replace("{in}", str(place)).replace("{archive}", str(place / "archive")) for word in words]
    done = CliRunner().invoke(app, filled)
    assert done.stdout == "", words
    if isinstance(done.exception, StrandlineError):
        return done.exception.exit_code, str(done.exception)
    assert isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["changes", "{archive}", "--site", "other.example"], "no site 'other.example' in this archive; there are"),
        (["changes", "{archive}", "--level", "2"], "--relearn"),
        (["search", "{archive}", ""], "name words"),
        (["search", "{archive}", "euro", "--site", "elsewhere"], "no site"),
        (["rate", "{archive}", URL, "noise", "--block", "html/nowhere"], "no block 'html/nowhere'"),
        (["report", "{archive}", "--site", "other.example"], "no site"),
        (["feed", "{archive}", "--min-importance", "7"], "min-importance"),
        (["export", "{archive}", "--to", "{in}/x.cdxj", "--site", "other.example"], "no site"),
        (["export", "{archive}", "--to", "{in}/x.cdxj", "--from", "2027", "--to-time", "2026"], "nothing lies between"),
        (["export", "{archive}", "--to", "{in}/nowhere/x.cdxj"], "no such folder"),
        (["compare", "{in}/a.html", "{in}/a.html", "--html", "{in}/nowhere/x.html"], "no such folder"),
        (["learn", "{archive}", "--memory", "2GB"], "--engine"),
        (["patterns", "{archive}", "--format", "gif"], "svg or png"),
        (["classes", "{archive}", "--format", "gif"], "svg or png"),
        (["simulate", "--budgets", "ten"], "percentages"),
        (["simulate", "--world", "{in}/missing.toml"], "missing.toml: No such file"),
        (["simulate", "--world", "{in}/odd.toml"], "pages must be like 1000"),
        (["simulate", "--world", "{in}/kind.toml"], "similar must be like False"),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, list) else None,
)
def test_one_line_says_what_is_wrong(place, words, message):
    code, line = wrong(place, words)
    assert code == 2, line
    assert message in line


@pytest.mark.parametrize("site", ["library.org", "www.library.org"])
def test_a_site_is_a_registered_domain_or_a_host(place, tmp_path, site):
    done = CliRunner().invoke(
        app, ["export", str(place / "archive"), "--to", str(tmp_path / "x.cdxj"), "--site", site, "--json"]
    )
    assert json.loads(done.stdout)["captures"] == 2, done.output


def test_a_search_without_results_says_so(place):
    done = CliRunner().invoke(app, ["search", str(place / "archive"), "zeppelin"])
    assert (done.exit_code, done.stdout) == (0, "Nothing found.\n")
