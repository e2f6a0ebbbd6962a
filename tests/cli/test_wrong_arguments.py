"""What was asked for makes no sense: one line says so, and nothing is answered in its place."""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.two_versions import PAGE, URL, import_two_versions
from strandline.cli.main import app
from strandline.errors import StrandlineError
from strandline.plan.planning import Planning


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with an archive of one page in two versions, and files beside it."""
    folder = tmp_path_factory.mktemp("wrong")
    import_two_versions(folder, "archive")
    (folder / "a.html").write_text(PAGE.format("four"))
    (folder / "seeds.txt").write_bytes(b"\xef\xbb\xbf# ours\r\nhttps://a.example/ # one\r\n\r\n; no comment\r\n")
    (folder / "odd.toml").write_text('pages = "many"\n')
    odd = [{"url": URL, "time": 5, "html": ""}, {"url": "library.org", "time": 5, "html": ""}]
    (folder / "where.jsonl").write_text("".join(json.dumps(version) + "\n" for version in odd))
    (folder / "when.jsonl").write_text(json.dumps({"url": URL, "time": 1e30, "html": ""}))
    (folder / "broken.cdxj.gz").write_bytes(b"no gzip")
    (folder / "broken.parquet").write_bytes(b"PAR1 and then nothing")
    (folder / "when.tsv").write_text("https://a.example/\tsoon\t0.5\n")
    (folder / "folder.warc.gz").mkdir()
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
        (["crawl", "{archive}", "--seeds", ""], "seed: there is nothing in it"),
        (["crawl", "{archive}", "--seeds", "library.org"], "did you mean https://library.org?"),
        (["crawl", "{archive}", "--seeds", "{in}/seeds.txt"], "seeds.txt, line 4: not a web address: '; no comment'"),
        (["crawl", "{in}/no archive"], "/no archive'"),
        (["search", "{archive}", "euro", "--site", "elsewhere"], "no site"),
        (["rate", "{archive}", URL, "noise", "--block", "html/nowhere"], "no block 'html/nowhere'"),
        (["report", "{archive}", "--site", "other.example"], "no site"),
        (["feed", "{archive}", "--min-importance", "7"], "min-importance"),
        (["export", "{archive}", "--to", "{in}/x.cdxj", "--site", "other.example"], "no site"),
        (["export", "{archive}", "--to", "{in}/x.cdxj", "--from", "2027", "--to-time", "2026"], "nothing lies between"),
        (["export", "{archive}", "--to", "{in}/nowhere/x.cdxj"], "no such folder"),
        (["compare", "{in}/a.html", "{in}/a.html", "--html", "{in}/nowhere/x.html"], "no such folder"),
        (["learn", "{archive}", "--memory", "2GB"], "--engine"),
        (["patterns", "{archive}", "--periods", "99999999"], "--periods must lie between 1 and 10080"),
        (["rules", "{archive}", "--period", "soon"], "--period: 'soon' is not a duration"),
        (["feed", "{archive}", "--site", "other.example"], "no site 'other.example' in this archive; there are"),
        (["changes", "{archive}", "--min-importance", "nan"], "a finite number is wanted"),
        (["next", "{archive}", "--visits", f"{10**20}"], "at least one visit and at most 10000000"),
        (["alerts", "{archive}", "--limit", f"{10**20}"], "'--limit'"),
        (["search", "{archive}", "euro", "--limit", f"{10**20}"], "'--limit'"),
        (
            ["watch", "{archive}", "--allow-address", "127.0.0.1", "--seeds", URL, "--hour-seconds", "inf"],
            "not inf",
        ),
        (["watch", "{archive}", "--allow-address", "127.0.0.1", "--seeds", URL, "--hour-seconds", "nan"], "not nan"),
        (["watch", "{archive}", "--allow-address", "127.0.0.1", "--seeds", URL, "--hour-seconds", "9000"], "not 9000"),
        (["watch", "--database", "postgresql://db/web", "--hour-seconds", "inf"], "at most 3600 seconds, not inf"),
        (["simulate", "--pages", f"{10**14}"], "'--pages'"),
        (["simulate", "--seed", "-1"], "'--seed'"),
        (["patterns", "{archive}", "--format", "gif"], "svg or png"),
        (["patterns", "{archive}", "--directories", "--cycle", "week"], "--directories goes with no address"),
        (["classes", "{archive}", "--format", "gif"], "svg or png"),
        (["demo", "--archive", "{archive}", "--days", "1"], "not of an earlier demonstration"),
        (["demo", "--archive", "{in}", "--days", "1"], "not of an earlier demonstration"),
        (["simulate", "--budgets", "ten"], "percentages"),
        (["simulate", "--coherence", "nan"], "--coherence is a number from 0 on"),
        (["simulate", "--world", "{in}/missing.toml"], "missing.toml: No such file"),
        (["compare", "{in}/nowhere", URL], "nowhere is no archive"),
        (["compare", "nowhere.html", "{in}/a.html"], "nowhere.html: no such file"),
        (["import", "{archive}", "{in}/where.jsonl"], "where.jsonl, line 2: not a web address: 'library.org'"),
        (["import", "{archive}", "{in}/when.jsonl"], "when.jsonl, line 1: 1e+30 is no time"),
        (["simulate", "--trace", "{in}"], "a folder, not a file"),
        (["simulate", "--trace", "{in}/missing.tsv"], "missing.tsv: no such file"),
        (["simulate", "--trace", "{in}/broken.parquet"], "broken.parquet: Could not open Parquet"),
        (["simulate", "--trace", "{in}/when.tsv"], "when.tsv, line 1: 'soon' is no time"),
        (["import", "{archive}", "{in}/folder.warc.gz"], "folder.warc.gz: nothing that is known is in this folder"),
        (["compare", "{in}/a.html", "{in}/folder.warc.gz"], "folder.warc.gz: a folder, not a file"),
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


def test_without_a_rating_or_a_visit_one_line_says_so(place, tmp_path, monkeypatch):
    archive = str(shutil.copytree(place / "archive", tmp_path / "archive"))
    assert "nothing was said to be noise" in CliRunner().invoke(app, ["rate", archive]).stderr
    monkeypatch.setattr(Planning, "next", lambda planning, visits: [])
    done = CliRunner().invoke(app, ["next", archive])
    assert done.stdout == "" and "nothing is left to visit in this hour" in done.stderr


def test_reindex_keeps_a_catalog_whose_files_are_not_there(place, tmp_path):
    folder = Path(shutil.copytree(place / "archive", tmp_path / "archive"))
    before = (folder / "strandline.db").read_bytes()
    for file in (folder / "archive").iterdir():
        file.unlink()  # what an unmounted disk looks like
    for _ in range(2):
        code, line = wrong(folder, ["reindex", str(folder)])
        assert code == 6
        assert "is its disk there" in line
        assert (folder / "strandline.db").read_bytes() == before
        shutil.rmtree(folder / "archive", ignore_errors=True)


def test_reindex_names_a_file_that_is_missing(place, tmp_path):
    folder = Path(shutil.copytree(place / "archive", tmp_path / "archive"))
    (folder / "fixity" / "lost.warc.gz.sums").write_text("# xxh3-128 of each record: offset length checksum\n")
    done = CliRunner().invoke(app, ["reindex", str(folder), "--json"])
    found = json.loads(done.stdout)
    assert found["captures"] == 2
    assert ["lost.warc.gz" in line for line in found["findings"]] == [True]


def test_what_is_not_packed_has_no_lines(place):
    code, line = wrong(place, ["import", "{archive}", "{in}/broken.cdxj.gz"])
    assert code == 6
    assert line.startswith("broken.cdxj.gz: Not a gzipped file")


def test_doctor_names_a_damaged_catalog(place, tmp_path):
    folder = Path(shutil.copytree(place / "archive", tmp_path / "archive"))
    assert "ok    catalog: 2 captures" in CliRunner().invoke(app, ["doctor", str(folder)]).stdout
    (folder / "strandline.db").write_bytes(b"no database" * 100)
    done = CliRunner().invoke(app, ["doctor", str(folder)])
    assert done.exit_code == 4
    assert "MISS  catalog: damaged (file is not a database)" in done.stdout
    assert f"strandline reindex {folder}" in done.stdout


@pytest.mark.parametrize("words", [["--operator", "two\nlines"], ["--operator", "\x1b[31m"], ["--contact", "me"]])
def test_an_archive_that_could_not_be_opened_is_not_made(tmp_path, words):
    code, line = wrong(tmp_path, ["init", str(tmp_path / "new"), *words])
    assert code == 4
    assert line.startswith("archive.")
    assert not (tmp_path / "new").exists()
