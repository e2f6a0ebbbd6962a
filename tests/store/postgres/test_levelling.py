"""Rows that were added, changed or removed while a catalog was being moved arrive, in every table and both ways."""

import contextlib
import io

import psycopg
import pytest

from faults import keeper
from servers import postgres
from strandline.archive.folder import create, open_archive
from strandline.errors import ArchiveDamaged, UsageError
from strandline.store import sqlite
from strandline.store.catalog import DATABASE
from strandline.store.postgres import moving
from strandline.store.postgres.levelling import (
    PostgresSide,
    PostgresTarget,
    SqliteSide,
    level_all,
    level_touched,
)
from strandline.store.postgres.moved import differences, digests_of_postgres, digests_of_sqlite
from strandline.store.postgres.moving import TABLES
from strandline.store.postgres.session import Session
from strandline.store.postgres.touched import PostgresTouched, SqliteTouched

pytestmark = postgres.GROUP

WRITES = {
    "hosts": (
        "(host, authority, site, turn) O VALUES (900, 'n.example', 'n.example', 5)",
        "failures = 3",
        "host = 900",
    ),
    "robots": (
        "(host, scheme, time, status, body) VALUES (900, 'http', 1.5, 200, BYTES)",
        "status = 404",
        "host = 900",
    ),
    "pages": (
        "(page, key, url, host, kind, via, hops, state, priority, due) O VALUES "
        "(900, KEY, 'http://n.example/', 900, 'page', 'seed', 0, 0, 1.0, 5.0)",
        "weight = 2.5",
        "page = 900",
    ),
    "files": ("(file, name) O VALUES (900, 'n.warc.gz')", "name = 'm.warc.gz'", "file = 900"),
    "captures": (
        '(seq, page, time, status, mime, digest, file, "offset", length, revisit, truncated, redirect, record_id, '
        "entity)"
        " O VALUES (900, 1, 86400.5, 404, 'text/html', 'sha1:A', 900, 0, 10, 1, '', '', 'r', '')",
        "rendered_digest = 'sha1:R'",
        "seq = 900",
    ),
    "links": ("VALUES (900, 901, 'a')", "via = 'b'", "source = 900"),
    "claims": ("VALUES (900, 'sitemap', 1.25, 2.5)", "seen = 3.5", "page = 900"),
    "refusals": ("VALUES ('n', 'http://n.example/', 1)", "count = 2", "reason = 'n'"),
    "notes": ("VALUES ('n', 'k', BYTES)", "value = MORE", "kind = 'n'"),
    "passes": ("(pass, started, ended) O VALUES (900, 1.5, 2.5)", "ended = 3.5", "pass = 900"),
    "ratings": ("VALUES ('http://n.example/', 'p', 'noise', 1.5, 'Anna')", "rating = 'matters'", "url LIKE '%n.ex%'"),
    "labels": ("VALUES ('http://n.example/', 'p', 'l', 1.5)", "label = 'm'", "url LIKE '%n.ex%'"),
    "annotations": ("VALUES ('k', 'tag', 'u', 's', NULL, 't', 'Anna', 1.5)", "text = 'z'", "key = 'k'"),
    "people": ("VALUES ('n', 'viewer', 'p', 's', 1.5)", "role = 'admin'", "name = 'n'"),
    "person_tokens": ("VALUES ('k', 'n', 'l', 'd', 1.5)", "label = 'm'", "key = 'k'"),
    "journal": ("(number, time, person, act, target) O VALUES (900, 1.5, 'n', 'a', 't')", "act = 'b'", "number = 900"),
    "watch_time": ("VALUES (1.25, 2.5, 60.0)", "length = 30.5", "start = 1.25"),
    "watch_hours": ("VALUES (900, 1.5, 2.5, 3, 4, 5, 6, 7, 8, 9, 10, 11)", "octets = 12", "hour = 900"),
    "skip_tests": ("VALUES ('n', '/d/', 'near', 1, 2, 3, 1.5, 0, 0.5, '')", "tests = 9", "site = 'n'"),
    "alerts": (
        "(alert, key, time, kind, site, url, importance, document) O VALUES "
        "(900, 'k', 1.5, 'change', 's', 'u', 0.5, '{}')",
        "document = '[]'",
        "alert = 900",
    ),
    "deliveries": ("VALUES ('t', 900, 0, 1, 0.5, 1.5, '')", "state = 1", "alert = 900"),
    "alarms": (
        "(alarm, kind, subject, opened, closed, explanation, ending) O VALUES (900, 'gone', 's', 1.5, NULL, 'e', '')",
        "closed = 2.5",
        "alarm = 900",
    ),
    "observations": (
        "(observation, site, signal, time, value, visits, strange) O VALUES (900, 's', 'gone', 1.5, 0.5, 3, 0)",
        "value = 0.25",
        "observation = 900",
    ),
    "rule_history": ("VALUES ('s', 'r', 1.5, NULL)", "retired = 2.5", "site = 's'"),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(moving, "PIECE", 3)
    create(tmp_path / "a", contact="https://a.example/bot")
    keeper.run(tmp_path / "a", groups=3, out=io.StringIO())
    return tmp_path / "a"


@pytest.fixture
def there():
    with contextlib.closing(Session(postgres.running().database())) as session:
        yield session


class FolderSource:
    """A catalog in a folder that is written to, and a database that is to be level with it."""

    def __init__(self, folder, session, stack):
        self.connection = stack.enter_context(contextlib.closing(sqlite.open_writing(folder / DATABASE)))
        self.source, self.target = SqliteSide(self.connection), PostgresTarget(session)
        self.touched = SqliteTouched(self.connection)
        level_all(self.source, self.target, lambda *_: None)
        self.differ = lambda: differences(digests_of_sqlite(self.connection), digests_of_postgres(session))
        self.days = lambda: {
            row for row in self.target.ask("SELECT host, day, captures, errors, octets FROM capture_days")
        }

    def do(self, statement):
        self.connection.execute(
            statement.replace(" O ", " ").replace("KEY", "12").replace("BYTES", "x'76'").replace("MORE", "x'77'")
        )


class ClusterSource:
    """The other way round."""

    def __init__(self, folder, session, stack):
        self.session = session
        given = stack.enter_context(contextlib.closing(sqlite.open_writing(folder / DATABASE)))
        level_all(SqliteSide(given), PostgresTarget(session), lambda *_: None)
        create(folder.parent / "b", contact="https://a.example/bot")
        self.connection = stack.enter_context(contextlib.closing(sqlite.open_writing(folder.parent / "b" / DATABASE)))
        self.connection.execute("PRAGMA foreign_keys = OFF")
        self.source = PostgresSide(lambda work: session.run(work, at_once=True))
        self.target, self.touched = SqliteSide(self.connection), PostgresTouched(session)
        level_all(self.source, self.target, lambda *_: None)
        self.differ = lambda: differences(digests_of_postgres(session), digests_of_sqlite(self.connection))
        self.days = lambda: {
            row for row in self.target.ask("SELECT host, day, captures, errors, octets FROM host_days")
        }

    def do(self, statement):
        statement = statement.replace(" O ", " OVERRIDING SYSTEM VALUE ").replace("KEY", "gen_random_uuid()")
        statement = statement.replace("BYTES", "'v'::bytea").replace("MORE", "'w'::bytea")
        self.session.run(lambda connection: connection.execute(statement))


@pytest.fixture(params=[FolderSource, ClusterSource])
def move(request, folder, there):
    with contextlib.ExitStack() as stack:
        made = request.param(folder, there, stack)
        assert made.differ() == []
        yield made


def writes():
    """In three steps: rows come, change and go."""
    assert list(WRITES) == [table.name for table in TABLES], "each table that is moved is written to"
    return (
        [f"INSERT INTO {table} {WRITES[table][0]}" for table in WRITES],
        [f"UPDATE {table} SET {change} WHERE {where}" for table, (_, change, where) in WRITES.items()],
        [f"DELETE FROM {table} WHERE {where}" for table, (_, _, where) in reversed(WRITES.items())],
    )


def test_what_comes_changes_and_goes_in_any_table_arrives(move):
    move.touched.begin()
    days = move.days()
    for number, step in enumerate(writes()):
        for statement in step:
            move.do(statement)
        assert [one.partition(" ")[0] for one in move.differ()] == list(WRITES), "it can be seen"
        assert level_touched(move.source, move.target, lambda *_: None) == len(TABLES)
        assert move.differ() == []
        assert ((1, 1, 1) in {day[1:4] for day in move.days()}) is (number < 2), "days count what is there"
        assert level_touched(move.source, move.target, lambda *_: None) == 0, "once more changes nothing"
    assert {day for day in move.days() if any(day[2:])} == days


def test_a_line_that_is_missing_leaves_a_difference(move):
    move.touched.begin()
    for statement in writes()[0]:
        move.do(statement)
    move.do("DELETE FROM moving_ratings")
    level_touched(move.source, move.target, lambda *_: None)
    assert [one.partition(" ")[0] for one in move.differ()] == ["ratings"]


def test_without_lists_all_rows_are_gone_through(move):
    for step in writes():
        for statement in step:
            move.do(statement)
        assert level_all(move.source, move.target, lambda *_: None) == len(TABLES)
        assert move.differ() == []


def test_notes_of_the_cluster_itself_are_left_alone(move):
    move.touched.begin()
    move.do("INSERT INTO notes VALUES ('cluster', 'store', BYTES)")
    move.do("DELETE FROM notes WHERE kind = 'cluster'")
    move.target.write(next(table for table in TABLES if table.name == "notes"), [], [("cluster", "store", b"there")])
    assert level_touched(move.source, move.target, lambda *_: None) == 0
    assert move.target.ask("SELECT value FROM notes WHERE kind = 'cluster'") == [(b"there",)]


def test_what_does_not_arrive_is_noticed(folder, there):
    class Forgetful(PostgresTarget):
        def write(self, table, changed, new):
            super().write(table, changed, new[1:])

    with (
        contextlib.closing(sqlite.open_writing(folder / DATABASE)) as connection,
        pytest.raises(ArchiveDamaged, match="1 of 3 rows did not arrive"),
    ):
        level_all(SqliteSide(connection), Forgetful(there), lambda *_: None)


def test_rows_of_another_archive_that_are_in_the_way_are_told_of(folder, there, tmp_path):
    create(tmp_path / "other", contact="https://a.example/bot")
    with psycopg.connect(there.url, autocommit=True) as connection:
        connection.execute(
            "INSERT INTO hosts (host, authority, site) OVERRIDING SYSTEM VALUE VALUES (99, 'n.example', '')"
        )
    with open_archive(folder).writing("test") as catalog:
        catalog.writer.execute("INSERT INTO hosts (host, authority, site, turn) VALUES (98, 'n.example', '', 1)")
        target = PostgresTarget(there)
        target.remove = lambda *_: None
        with pytest.raises(ArchiveDamaged, match="cannot be removed"):
            level_all(SqliteSide(catalog.writer), target, lambda *_: None)
        source = SqliteSide(catalog.writer)
        SqliteTouched(catalog.writer).begin()
        catalog.writer.execute("UPDATE hosts SET failures = 1 WHERE host = 98")
        with pytest.raises(UsageError, match="empty target"):
            level_touched(source, target, lambda *_: None)
