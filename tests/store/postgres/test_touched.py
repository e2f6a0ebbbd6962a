"""The lists of rows that were touched while a catalog is moved: nothing is missed, nothing struck too early."""

import contextlib
import io

import psycopg
import pytest

from faults import keeper
from servers import postgres
from strandline.archive.folder import create
from strandline.store import sqlite
from strandline.store.catalog import DATABASE
from strandline.store.postgres import touched
from strandline.store.postgres.catalog import PostgresCatalog
from strandline.store.postgres.session import Session
from strandline.store.postgres.touched import (
    PostgresTouched,
    SqliteTouched,
    position_in_sqlite,
    snapshot_of,
)

pytestmark = postgres.GROUP
NOTE = "INSERT INTO notes VALUES ('k', '{}', x'76')"
SHARED_NOTE = "INSERT INTO notes VALUES ('k', '{}', 'v')"


@pytest.fixture
def connection(tmp_path):
    create(tmp_path / "a", contact="https://a.example/bot")
    keeper.run(tmp_path / "a", groups=3, out=io.StringIO())
    with contextlib.closing(sqlite.open_writing(tmp_path / "a" / DATABASE)) as opened:
        yield opened


@pytest.fixture
def session():
    database = postgres.running().database()
    with contextlib.closing(PostgresCatalog(database)):
        pass
    with contextlib.closing(Session(database)) as opened:
        yield opened


def names_in(connection):
    return {name for (name,) in connection.execute("SELECT name FROM sqlite_master") if name.startswith("moving")}


def test_lists_are_made_named_and_removed(connection):
    lists = SqliteTouched(connection)
    assert lists.token() == "" and not names_in(connection)
    lists.end()  # there is nothing
    first = lists.begin()
    assert lists.token() == first and lists.begin() != first and lists.waiting() == 0
    lists.end()
    assert lists.token() == "" and not names_in(connection)


def test_lists_of_a_cluster_are_made_named_and_removed(session):
    lists = PostgresTouched(session)
    assert lists.token() == ""
    lists.end()
    first = lists.begin()
    assert lists.token() == first and lists.begin() != first and lists.waiting() == 0
    lists.end()
    assert lists.token() == ""
    left = """SELECT relname FROM pg_class WHERE relname LIKE 'moving%'
        UNION SELECT proname FROM pg_proc WHERE proname LIKE 'moving%'"""
    assert session.run(lambda connection: connection.execute(left).fetchall()) == []


def test_what_came_after_a_look_is_not_struck(connection):
    lists = SqliteTouched(connection)
    lists.begin()
    connection.execute(NOTE.format(1))
    position = position_in_sqlite(connection)
    connection.execute(NOTE.format(2))
    connection.execute("UPDATE notes SET value = x'77' WHERE kind = 'k' AND key = '1'")
    lists.strike(position)
    assert [key for (key,) in connection.execute("SELECT key FROM moving_notes ORDER BY n")] == ["2", "1"]
    lists.strike(position_in_sqlite(connection))
    assert lists.waiting() == 0


def test_what_was_committed_after_a_look_is_not_struck_however_early_it_began(session):
    lists = PostgresTouched(session)
    lists.begin()
    with psycopg.connect(session.url) as early, psycopg.connect(session.url, autocommit=True) as late:
        early.execute(SHARED_NOTE.format("early"))
        late.execute(SHARED_NOTE.format("late"))
        with session.transaction() as connection:
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            position = snapshot_of(connection)
            seen = connection.execute("SELECT key FROM moving_notes ORDER BY n").fetchall()
        early.commit()
        lists.strike(position)
        left = late.execute("SELECT key FROM moving_notes").fetchall()
    assert (seen, left) == ([("late",)], [("early",)])


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT OR IGNORE INTO notes VALUES ('k', 'a', x'76')",
        "REPLACE INTO notes VALUES ('k', 'a', x'76')",
        "INSERT INTO notes VALUES ('k', 'a', x'76') ON CONFLICT DO UPDATE SET value = x'77'",
    ],
)
def test_whatever_a_statement_does_about_conflicts_each_time_is_noted(connection, statement):
    SqliteTouched(connection).begin()
    for _ in range(2):
        connection.execute(statement)
    wanted = 1 if "IGNORE" in statement else 2
    assert connection.execute("SELECT count(*) FROM moving_notes").fetchone() == (wanted,)


def test_a_row_that_loses_its_place_to_another_is_noted(connection):
    SqliteTouched(connection).begin()
    (one, file, offset), (other, *_) = connection.execute("SELECT seq, file, offset FROM captures LIMIT 2").fetchall()
    connection.execute("UPDATE OR REPLACE captures SET file = ?, offset = ? WHERE seq = ?", (file, offset, other))
    assert connection.execute("SELECT 1 FROM captures WHERE seq = ?", (one,)).fetchone() is None
    assert {seq for (seq,) in connection.execute("SELECT seq FROM moving_captures")} == {one, other}


@pytest.mark.parametrize(
    "harm",
    [
        "DROP TRIGGER moving_links_delete",
        "DROP TABLE moving_state",
        "DELETE FROM moving_state",
        "UPDATE moving_state SET format = 1",
    ],
)
def test_lists_that_may_lack_something_have_no_name(connection, harm):
    lists = SqliteTouched(connection)
    lists.begin()
    connection.execute(harm)
    assert lists.token() == ""


@pytest.mark.parametrize(
    "harm",
    [
        "DROP TRIGGER moving_links_delete ON links",
        "ALTER TABLE links DISABLE TRIGGER moving_links_delete",
        "DROP TABLE moving_state CASCADE",
        "UPDATE moving_state SET format = 1",
        "UPDATE moving_state SET token = ''",
    ],
)
def test_lists_of_a_cluster_that_may_lack_something_have_no_name(session, harm):
    lists = PostgresTouched(session)
    lists.begin()
    session.run(lambda connection: connection.execute(harm))
    assert lists.token() == ""


def test_a_list_that_is_full_stays_as_large_as_it_is(connection, monkeypatch):
    monkeypatch.setattr(touched, "MOST", 3)
    lists = SqliteTouched(connection)
    lists.begin()
    for number in range(5):
        connection.execute(NOTE.format(number))
    assert lists.waiting() == 3 and lists.token() == "", "not everything is on it"


def test_a_list_of_a_cluster_that_is_full_stays_as_large_as_it_is(session, monkeypatch):
    monkeypatch.setattr(touched, "MOST", 3)
    lists = PostgresTouched(session)
    lists.begin()
    for number in range(5):
        session.run(lambda connection, number=number: connection.execute(SHARED_NOTE.format(number)))
    assert lists.waiting() == 3 and lists.token() == "", "not everything is on it"
    lists.begin()
    session.run(lambda connection: connection.execute(SHARED_NOTE.format("x")))
    with session.transaction() as connection:
        position = snapshot_of(connection)
    lists.strike(position)
    assert lists.waiting() == 0 and lists.token(), "what was struck makes room"
