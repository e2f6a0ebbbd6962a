"""Reaching PostgreSQL: what is wrong is told in one line, without secrets; what passes is waited for."""

import re
import threading
from contextlib import closing

import psycopg
import pytest

from contracts.stores import found
from servers import postgres
from strandline.errors import SettingError, Unreachable
from strandline.store.postgres import session
from strandline.store.postgres.catalog import PostgresCatalog
from strandline.store.postgres.desks import learned_until, mark_learned
from strandline.store.postgres.status import standing
from strandline.store.postgres.troubles import troubles

pytestmark = postgres.GROUP


@pytest.fixture
def database():
    return postgres.running().database()


def test_wrong_addresses_are_refused_in_one_line_without_the_password(database):
    server = postgres.running()
    for url, words in (
        (server.url(password="wrong secret"), "the user or the password is wrong"),
        (server.url("nowhere"), "there is no such database"),
        ("postgresql://[broken", "not a PostgreSQL address"),
        ("postgresql://u:secret@h:notaport/x", "a port is a number"),
        ("postgresql://u:secret%zz@h/x", "invalid percent-encoded token: ..."),
        ("postgresql://u:a secret@h/x", "unexpected spaces"),
        ("postgresql://u:secret@[::1/x", "not a PostgreSQL address"),
        ("postgresql://u:a@secret@h/x", "@ is written %40"),
        ("postgresql://u:secret/more@h/x", "/ %2F"),
        ("postgresql://h/x?sslpassword=secret%zz", "invalid percent-encoded token: ..."),
        ("postgresql://u:secret@h/x?sslmood=require", 'parameter: "sslmood"'),
    ):
        with pytest.raises(SettingError, match=re.escape(words)) as told:
            PostgresCatalog(url, patience=0.2)
        assert not {"secret", "more"} & set(re.findall(r"\w+", f"{told.value} {session.shown(url)}")), url
        assert "\n" not in str(told.value)
    assert not session.is_database("/some/folder") and session.is_database(database)


def test_a_database_without_an_encoding_is_refused_before_anything_is_in_it():
    """As made by a server that was set up without a locale; texts would come back as bytes."""
    server = postgres.running()
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute("CREATE DATABASE plain ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0")
    with pytest.raises(SettingError, match=r"/plain is in SQL_ASCII: .* --encoding=UTF8$"):
        PostgresCatalog(server.url("plain"), patience=0.2)
    with psycopg.connect(server.url("plain")) as connection:
        assert connection.execute("SELECT to_regclass('strandline_format')").fetchone() == (None,)


def test_a_server_that_takes_nothing_in_is_waited_for(database):
    """As after a fail-over, when the old server is started again to stand by for the new one."""
    catalog = PostgresCatalog(database, patience=0.3)
    name = psycopg.conninfo.conninfo_to_dict(database)["dbname"]
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
        catalog._session.drop()
        with pytest.raises(Unreachable, match="takes nothing in"):
            catalog.add([found("http://a.example/")])
        connection.execute("SET default_transaction_read_only = off")
        connection.execute(f'ALTER DATABASE "{name}" RESET default_transaction_read_only')
    assert catalog.add([found("http://a.example/")]) == 1
    catalog.close()


def test_two_that_are_in_one_anothers_way_are_told_in_one_line(database):
    one, other = session.Session(database), session.Session(database, patience=0.2)
    with one.transaction() as connection:
        connection.execute("LOCK TABLE notes")
        for ask in (lambda work: other.run(work), lambda work: _once(other, work)):
            with pytest.raises(Unreachable, match="lock"):
                ask(lambda connection: connection.execute("LOCK TABLE notes NOWAIT"))
    assert other.run(lambda connection: connection.execute("SELECT 1").fetchone()) == (1,)
    one.close()
    other.close()


def _once(asked, work):
    with asked.transaction() as connection:
        work(connection)


def test_what_only_reads_may_be_asked_by_threads_that_share_a_connection(database):
    PostgresCatalog(database).close()
    shared, problems = session.Session(database), []

    def ask(what):
        try:
            for _ in range(10):
                what(shared)
        except Exception as problem:  # noqa: BLE001 - told below
            problems.append(problem)

    threads = [threading.Thread(target=ask, args=(what,)) for what in (standing, troubles) * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    shared.close()
    assert problems == []


def test_a_defect_of_ours_is_not_blamed_on_the_address(database):
    with closing(session.Session(database)) as asked, pytest.raises(psycopg.ProgrammingError):
        asked.run(lambda connection: connection.execute("SELECT %s, %s", (1,)))


def test_a_newer_release_is_noticed_when_the_connection_is_made_again(database):
    with closing(session.Session(database)) as asked:
        asked.run(lambda connection: connection.execute("UPDATE strandline_format SET format = format + 1"))
        assert asked.run(lambda connection: connection.execute("SELECT 1").fetchone()) == (1,)
        asked.drop()
        for _ in range(2):
            with pytest.raises(SettingError, match="use a newer strandline"):
                asked.run(lambda connection: connection.execute("DELETE FROM notes"))


@pytest.mark.parametrize(("kept", "used"), [("off", "on"), ("remote_apply", "remote_apply")])
def test_commits_are_durable_and_see_what_others_did_whatever_the_database_prefers(kept, used):
    database = postgres.running().database()
    with psycopg.connect(database, autocommit=True) as connection:
        name = connection.info.dbname
        connection.execute(f"ALTER DATABASE {name} SET synchronous_commit = {kept}")
        connection.execute(f"ALTER DATABASE {name} SET default_transaction_isolation = 'serializable'")
    with closing(session.Session(database)) as opened:
        for setting, wanted in (("synchronous_commit", used), ("transaction_isolation", "read committed")):
            shown = opened.run(lambda connection, setting=setting: connection.execute(f"SHOW {setting}").fetchone())
            assert shown == (wanted,)


def test_what_was_learned_while_clocks_counted_as_changes_is_learned_anew_at_once(database, monkeypatch):
    with monkeypatch.context() as before:
        older = session.steps()[:9]
        before.setattr(session, "steps", lambda: older)
        session.Session(database).close()
        with psycopg.connect(database, autocommit=True) as connection:
            for part in ("patterns", "classes", "rules"):
                connection.execute("INSERT INTO learned_from VALUES (%s, 1, 1, 1, 1, 0, 1, 2, '{}')", (part,))
        with closing(session.Session(database)) as opened:
            mark_learned(opened, 4e9)
    with closing(session.Session(database)) as opened:
        assert 0.0 < learned_until(opened) < 4e9
    with psycopg.connect(database) as connection:
        assert connection.execute("SELECT part FROM learned_from").fetchall() == [("rules",)]
