"""The Parquet dataset: every capture and change once, also after crashes, re-studies and a rebuilt catalog."""

import os
import random
import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from made.studied import START, captures, made_up, study
from strandline.archive.folder import open_archive
from strandline.cli.main import app
from strandline.core.changes.observation import Observed, PageState, PageStudy
from strandline.engines.mining_dataset import LIST, Dataset, Writing
from strandline.errors import ArchiveBusy, ArchiveDamaged, SettingError, UsageError
from strandline.exchange.parquet import SCHEMAS, export_archive, export_dataset, month_of
from strandline.store.catalog import DATABASE, open_catalog
from strandline.store.exporting import ExportReading

duckdb = pytest.importorskip("duckdb")

COMMON_CRAWL = {
    "url_surtkey",
    "url",
    "url_host_name",
    "url_host_registered_domain",
    "fetch_time",
    "fetch_status",
    "content_digest",
    "content_mime_type",
    "warc_filename",
    "warc_record_offset",
    "warc_record_length",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return made_up(tmp_path_factory.mktemp("made") / "archive")


@pytest.fixture
def archive(made, tmp_path):
    return shutil.copytree(made, tmp_path / "archive")


def ask(folder, query):
    """What plain DuckDB, which knows nothing of our list, reads."""
    tables = {table: f"read_parquet('{folder}/{table}/**/*.parquet', hive_partitioning = true)" for table in SCHEMAS}
    return duckdb.connect().execute(query.format(**tables)).fetchall()


def expected(archive):
    """Captures and changes as the catalog has them."""
    with closing(sqlite3.connect(archive / DATABASE)) as connection:
        kept = connection.execute(
            "SELECT seq, captures.page, time, site FROM captures JOIN pages USING (page) JOIN hosts USING (host)"
        ).fetchall()
        changes = connection.execute(
            "SELECT by_seq, importance FROM changes WHERE by_seq <= (SELECT seq FROM study_progress)"
        ).fetchall()
    return sorted(kept), sorted(changes)


def exported(folder):
    return (
        sorted(ask(folder, "SELECT capture, page, fetch_seconds, site FROM {captures}")),
        sorted(ask(folder, "SELECT capture, importance FROM {changes}")),
    )


def test_plain_duckdb_reads_common_crawl_names_by_site_and_month(archive, tmp_path):
    done = export_archive(open_archive(archive), tmp_path / "out")
    assert done.captures == 405 and done.changes > 100 and not done.anew
    names = {row[0] for row in ask(tmp_path / "out", "DESCRIBE SELECT * FROM {captures}")}
    assert {*COMMON_CRAWL, "capture", "page", "site", "month"} <= names
    row = ask(
        tmp_path / "out",
        "SELECT url, url_surtkey, url_host_name, fetch_status, content_digest, warc_record_length, "
        "epoch_ms(fetch_time), round(fetch_seconds * 1000), site, month FROM {captures} "
        "WHERE site = 'gamma.test:8080' AND month = '2026-10' ORDER BY capture LIMIT 1",
    )[0]
    assert row[0].startswith("http://gamma.test:8080/") and row[1].startswith("test,gamma:8080)/")
    assert row[2] == "gamma.test" and row[4] in "ABC" and row[5] == 90 and row[6] == row[7]
    assert exported(tmp_path / "out") == expected(archive)
    assert ask(tmp_path / "out", "SELECT count(*), count(problem) FROM {problems}")[0][0] > 0
    assert ask(tmp_path / "out", "SELECT DISTINCT change_kinds FROM {changes}") == [("update",)]
    assert ask(tmp_path / "out", "SELECT count(*) FROM {pages} WHERE language = 'de' AND text_bytes > 0")[0][0] > 5
    assert ask(tmp_path / "out", "SELECT count(*) FROM {captures} WHERE month <> strftime(fetch_time, '%Y-%m')") == [
        (sum(not 0 <= row[2] < 7.2e9 for row in expected(archive)[0]),)
    ]


def test_a_second_run_writes_only_what_is_new(archive, tmp_path):
    export_archive(open_archive(archive), tmp_path / "out")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*.parquet")}
    again = export_archive(open_archive(archive), tmp_path / "out")
    assert (again.captures, again.changes, again.rewritten, again.anew) == (0, 0, 0, False)
    assert before == {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*.parquet")}
    rng = random.Random(1)
    with closing(open_catalog(archive)) as catalog:
        catalog.bring(captures(rng, 6, 30, START + 61 * 86_400.0, "later.warc.gz"))
        study(rng, catalog, 10**6)
    third = export_archive(open_archive(archive), tmp_path / "out")
    assert third.captures == 30 and third.changes > 5 and third.rewritten == 0
    assert {path for path in before if "captures" in path.parts} <= set((tmp_path / "out").rglob("*.parquet"))
    assert exported(tmp_path / "out") == expected(archive)


def test_months_of_pages_that_were_studied_anew_are_written_again(archive, tmp_path):
    export_archive(open_archive(archive), tmp_path / "out")
    with closing(open_catalog(archive)) as catalog:
        row = catalog._connection.execute("SELECT page, seq, time FROM captures WHERE seq = 7").fetchone()
        found = Observed(6, row[1], row[2] - 1.0, row[2], importance=0.123, visible=True)
        catalog.studies.record([PageStudy(row[0], PageState(), (found,), anew=True)], 0)
    again = export_archive(open_archive(archive), tmp_path / "out")
    assert again.rewritten > 0 and (again.captures, again.changes) == (0, 0)
    assert exported(tmp_path / "out") == expected(archive)
    assert (7, 0.123) in exported(tmp_path / "out")[1]
    assert export_archive(open_archive(archive), tmp_path / "out").rewritten == 0


def test_a_rebuilt_catalog_is_noticed(archive, tmp_path):
    export_archive(open_archive(archive), tmp_path / "out")
    with closing(sqlite3.connect(archive / DATABASE)) as connection, connection:
        connection.execute("UPDATE captures SET offset = offset + 1 WHERE seq > 300")
    told = []
    again = export_archive(open_archive(archive), tmp_path / "out", told.append)
    assert again.anew and again.captures == 405 and "another catalog" in told[0]
    assert exported(tmp_path / "out") == expected(archive)


class Died(BaseException):
    """The process is gone: nothing more happens on disk."""


def dying(monkeypatch, steps):
    """Let so many changes of names and syncs happen, then none."""
    left = [steps]

    def limited(function):
        def run(*values, **named):
            left[0] -= 1
            if left[0] < 0:
                raise Died
            return function(*values, **named)

        return run

    for owner, name in ((os, "fsync"), (Path, "rename"), (Path, "replace"), (Path, "unlink")):
        monkeypatch.setattr(owner, name, limited(getattr(owner, name)))
    return left


def killed_everywhere(archive, folder, monkeypatch):
    """Export in small windows, killed ever later and begun again; what plain DuckDB sees each time."""
    steps = 0
    with closing(ExportReading.open(archive / DATABASE)) as reading:
        while True:
            reading.window = 60 + 17 * (steps % 5)  # whoever goes on need not cut as the one before did
            with monkeypatch.context() as patch:
                left = dying(patch, steps)
                try:
                    export_dataset(reading, folder, "")
                    return
                except Died:
                    assert left[0] < 0
            if any(folder.glob("captures/**/*.parquet")):
                yield ask(folder, "SELECT count(*), count(DISTINCT capture) FROM {captures}")[0]
            steps += 1


def test_a_crash_at_any_step_leaves_nothing_twice_and_loses_nothing(archive, tmp_path, monkeypatch):
    seen = list(killed_everywhere(archive, tmp_path / "out", monkeypatch))
    assert len(seen) >= 8
    assert all(rows == different for rows, different in seen)
    assert exported(tmp_path / "out") == expected(archive)
    Dataset(tmp_path / "out").whole()
    assert not list((tmp_path / "out").rglob("*.new"))


def test_files_named_before_the_list_would_be_there_twice(archive, tmp_path, monkeypatch):
    """The control: the same crashes, with the order of the commit turned around."""

    def careless(self):
        self._place.publish([part.file for part in self._added])
        self.contents.parts += self._added
        self._write_list()
        self._added = []

    monkeypatch.setattr(Writing, "commit", careless)
    seen = killed_everywhere(archive, tmp_path / "out", monkeypatch)
    assert any(rows != different for rows, different in seen)


def test_what_is_wrong_is_told_in_one_line(archive, tmp_path, monkeypatch):
    with pytest.raises(UsageError, match="not empty and holds no Parquet dataset"):
        export_archive(open_archive(archive), archive)
    with Writing(tmp_path / "out", SCHEMAS), pytest.raises(ArchiveBusy, match="another export"):
        export_archive(open_archive(archive), tmp_path / "out")
    export_archive(open_archive(archive), tmp_path / "out")
    next((tmp_path / "out").rglob("*.parquet")).unlink()
    with pytest.raises(ArchiveDamaged, match="cut short"):
        Dataset(tmp_path / "out").whole()
    listed = tmp_path / "out" / LIST
    for text, kind, problem in (
        ("{", ArchiveDamaged, "cannot be read"),
        (listed.read_text().replace('"format": 1', '"format": 2'), SettingError, "written by a newer strandline"),
    ):
        listed.write_text(text)
        for action in (lambda: export_archive(open_archive(archive), tmp_path / "out"), lambda: Dataset(listed.parent)):
            with pytest.raises(kind, match=problem):
                action()
    with pytest.raises(UsageError, match="holds no Parquet dataset"):
        Dataset(tmp_path)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(SettingError, match=r"pip install 'strandline\[cluster\]'"):
        export_archive(open_archive(archive), tmp_path / "other")


def test_a_lost_file_makes_it_all_anew(archive, tmp_path):
    export_archive(open_archive(archive), tmp_path / "out")
    next((tmp_path / "out" / "captures").rglob("*.parquet")).unlink()
    told = []
    done = export_archive(open_archive(archive), tmp_path / "out", told.append)
    assert done.anew and "has lost captures/site=" in told[0]
    assert exported(tmp_path / "out") == expected(archive)
    Dataset(tmp_path / "out").whole()


def test_the_command(archive, tmp_path):
    def run(*words):
        return CliRunner().invoke(app, ["export", *map(str, words)])

    done = run(archive, "--dataset", tmp_path / "out", "--json")
    assert done.exit_code == 0 and '"captures": 405' in done.stdout
    assert "0 captures" in run(archive, "--dataset", tmp_path / "out").stdout
    for words, problem in (
        ((archive,), "one target"),
        ((archive, "--to", "a.cdxj", "--dataset", "b"), "one target"),
        ((archive, "--dataset", "b", "--site", "alpha.example"), "holds everything"),
    ):
        refused = run(*words)
        assert isinstance(refused.exception, UsageError) and problem in str(refused.exception)


def test_odd_dates_go_to_the_first_and_the_last_month():
    assert (month_of(-5.0), month_of(9e9), month_of(START)) == ("1970-01", "2198-02", "2026-09")
