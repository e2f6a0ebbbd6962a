"""Opening the database: formats, damage, a full disk, readers beside the writer."""

import contextlib
import shutil
import sqlite3

import pytest

from strandline.core.capture import Kind
from strandline.errors import ArchiveDamaged, OutOfSpace, SettingError
from strandline.ports import Found
from strandline.store import sqlite
from strandline.store.catalog import DATABASE, open_catalog
from strandline.store.reading import Reading


def seed(n, due=1.0):
    return Found(f"http://a.example/{n}", Kind.PAGE, "seed", 0, 0, 0.0, due)


def test_a_new_database_has_the_newest_format_and_is_private(tmp_path):
    open_catalog(tmp_path).close()
    path = tmp_path / DATABASE
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA user_version").fetchone() == (sqlite.newest_format(),)
    assert connection.execute("PRAGMA application_id").fetchone() == (sqlite.APPLICATION,)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()
    assert path.stat().st_mode & 0o777 == 0o600


def test_the_writer_is_durable(tmp_path):
    catalog = open_catalog(tmp_path)
    catalog.add([seed(1)])
    one = catalog._connection.execute
    assert one("PRAGMA synchronous").fetchone() == (2,) and one("PRAGMA foreign_keys").fetchone() == (1,)
    catalog.close()


def test_migrations_are_numbered_without_gaps():
    assert [number for number, _ in sqlite.steps()] == list(range(1, sqlite.newest_format() + 1))


def test_an_older_format_is_brought_up_to_date_and_a_crash_leaves_the_old_one(tmp_path, monkeypatch):
    catalog = open_catalog(tmp_path)
    catalog.add([seed(1)])
    catalog.close()
    first = sqlite.steps()
    broken = (*first, (len(first) + 1, "CREATE TABLE later (x INTEGER) STRICT; SELECT * FROM missing;"))
    monkeypatch.setattr(sqlite, "steps", lambda: broken)
    with pytest.raises(ArchiveDamaged, match="missing"):
        open_catalog(tmp_path)
    with pytest.raises(SettingError, match="older format"):
        Reading.open(tmp_path / DATABASE)
    whole = (*first, (len(first) + 1, "CREATE TABLE later (x INTEGER) STRICT;"))
    monkeypatch.setattr(sqlite, "steps", lambda: whole)
    catalog = open_catalog(tmp_path)
    assert catalog.page("http://a.example/1") is not None
    assert catalog._connection.execute("SELECT count(*) FROM later").fetchone() == (0,)
    catalog.close()


def test_rules_that_were_known_of_a_host_hold_for_both_schemes_until_they_are_asked_for(tmp_path, monkeypatch):
    every = sqlite.steps()
    monkeypatch.setattr(sqlite, "steps", lambda: every[:13])
    sqlite.open_writing(tmp_path / DATABASE).close()
    with contextlib.closing(sqlite3.connect(tmp_path / DATABASE)) as connection, connection:
        connection.execute("INSERT INTO hosts (host, authority, site, turn) VALUES (1, 'a.example', 'a.example', 1)")
        connection.execute("INSERT INTO hosts (host, authority, site, turn) VALUES (2, 'b.example', 'b.example', 2)")
        connection.execute("INSERT INTO robots VALUES (1, 7.0, 200, x'41'), (2, 0.0, 0, x'')")
    monkeypatch.setattr(sqlite, "steps", lambda: every)
    with contextlib.closing(open_catalog(tmp_path)) as catalog:
        found = [catalog.host("a.example", scheme) for scheme in ("https", "http")]
        assert [(one.robots_time, one.robots_status, one.robots_body) for one in found] == [(7.0, 200, b"A")] * 2
        assert catalog.host("b.example", "http").robots_time == 0.0


def test_a_newer_format_is_refused_and_nothing_is_touched(tmp_path):
    open_catalog(tmp_path).close()
    path = tmp_path / DATABASE
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 999")
    connection.close()
    for left in tmp_path.glob(DATABASE + "-*"):
        left.unlink()
    before = path.read_bytes()
    with pytest.raises(SettingError, match="999"):
        open_catalog(tmp_path)
    with pytest.raises(SettingError, match="999"):
        Reading.open(path)
    assert path.read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir()) == [DATABASE, "strandline.lock"]


def test_a_foreign_database_is_refused(tmp_path):
    connection = sqlite3.connect(tmp_path / DATABASE)
    connection.executescript("PRAGMA user_version = 3; CREATE TABLE theirs (x)")
    connection.close()
    with pytest.raises(SettingError, match="another program"):
        open_catalog(tmp_path)


@pytest.mark.parametrize("damage", ["garbage", "middle"])
def test_a_damaged_database_is_named(tmp_path, damage):
    catalog = open_catalog(tmp_path)
    catalog.add(seed(n) for n in range(5_000))
    catalog.close()
    path = tmp_path / DATABASE
    data = bytearray(path.read_bytes())
    data[slice(0, 100) if damage == "garbage" else slice(4096, len(data))] = b"\xa5" * (
        100 if damage == "garbage" else len(data) - 4096
    )
    path.write_bytes(data)
    with pytest.raises(ArchiveDamaged, match="reindex"):
        open_catalog(tmp_path).add(seed(n) for n in range(10_000))


def test_a_full_disk_loses_nothing_and_the_same_batch_fits_later(tmp_path):
    catalog = open_catalog(tmp_path)
    catalog.add(seed(n) for n in range(100))
    pages = catalog._connection.execute("PRAGMA page_count").fetchone()[0]
    catalog._connection.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(OutOfSpace, match="room"):
        catalog.add(seed(n) for n in range(10_000))
    assert catalog.waiting(10.0)[0] == 100
    catalog._connection.execute("PRAGMA max_page_count = 1000000")
    assert catalog.add(seed(n) for n in range(10_000)) == 9_900
    assert catalog.waiting(10.0)[0] == 10_000
    catalog.close()


def test_readers_see_the_last_commit_while_the_writer_works(tmp_path):
    catalog = open_catalog(tmp_path)
    catalog.add([seed(1)])
    reading = Reading.open(tmp_path / DATABASE)
    assert reading.page("http://a.example/1") is not None
    catalog._connection.execute("BEGIN IMMEDIATE")
    catalog._connection.execute("UPDATE pages SET due = 2")
    assert reading.page("http://a.example/1").due == 1.0
    catalog._connection.execute("COMMIT")
    assert reading.page("http://a.example/1").due == 2.0
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        reading._connection.execute("DELETE FROM pages")
    reading.close()
    catalog.close()


def test_reading_needs_a_database_and_writing_a_folder(tmp_path):
    with pytest.raises(SettingError, match="does not exist"):
        Reading.open(tmp_path / DATABASE)
    with pytest.raises(SettingError, match="cannot be written"):
        open_catalog(tmp_path / "missing")


def test_a_copy_of_the_database_alone_can_be_read(tmp_path):
    catalog = open_catalog(tmp_path)
    catalog.add([seed(1)])
    catalog.close()
    copy = tmp_path / "copy"
    copy.mkdir()
    shutil.copy(tmp_path / DATABASE, copy)
    copy.chmod(0o500)
    reading = Reading.open(copy / DATABASE)
    assert reading.page("http://a.example/1") is not None
    reading.close()
    copy.chmod(0o700)
