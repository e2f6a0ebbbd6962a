"""What a migration moves besides pages and captures: what people were told, alarms, what a watch did and spent.

Every table is moved or has a reason why it is not; what was decided on is not told again.
"""

import contextlib
import io
import sqlite3
import time

import psycopg
import pytest

from contracts.stores import capture, found, visited
from faults import keeper
from servers import postgres
from strandline.archive.folder import create, open_archive
from strandline.cluster import move_passes as cluster_moving
from strandline.cluster.migrating import to_cluster, to_folder
from strandline.errors import ArchiveDamaged
from strandline.ports import Batch
from strandline.store import sqlite
from strandline.store.catalog import DATABASE
from strandline.store.postgres.catalog import PostgresCatalog
from strandline.store.postgres.moved import differences, digests_of_postgres, digests_of_sqlite
from strandline.store.postgres.moving import TABLES
from strandline.store.postgres.session import Session

_STUDIED = "study finds it again in the WARC files"
_LEARNED = "`learn` finds it again in captures and changes"
_QUEUES = "pages rest, and are queued when they are due"
_COUNTED = "counted by triggers when pages, captures and changes come in"
_BOTH = {
    **dict.fromkeys(
        ("page_states", "changes", "segments", "history_counts", "block_words", "study_problems"),
        _STUDIED,
    ),
    **dict.fromkeys(
        ("learned_from", "learned_sites", "page_series", "page_rates", "first_sights", "heads_read", "trust"), _LEARNED
    ),
    **dict.fromkeys(("site_rules", "site_rates"), _LEARNED),
    "frontier": _QUEUES,
    "restudied": "for readers of changes, which are found again",
    "alert_progress": "reckoned: which changes were decided on (see `settle`)",
}
LEFT = {
    "sqlite": _BOTH
    | {
        "leases": _QUEUES,
        "study_progress": _STUDIED,
        "host_days": _COUNTED,
        "present_pages": _COUNTED,
        "watch_requests": "moved as spans of time in `spending`",
        "watch_state": "how a process stood that has ended",
    },
    "postgres": _BOTH
    | {
        "unstudied": _STUDIED,
        "undecided": "becomes `alert_progress`",
        "new_pages": "becomes `alert_progress`",
        "capture_days": _COUNTED,
        "present_pages": _COUNTED,
        "change_days": _COUNTED,
        "spending": "moved as `watch_requests`",
        "workers": "processes that have ended",
        "site_desks": "who plans and studies, made anew; what desks tell one another is an hour old at most",
        "plan_hours": "the price of an hour, found anew each hour",
        "strandline_format": "of this database",
        "takedowns": "a file of the folder, moved as a whole",
    },
}
"""Tables that are not moved, and why."""

pytestmark = postgres.GROUP
TOLD = 1_790_000_000.0

ROWS = {
    "alerts": [
        (7, "k7", TOLD, "change", "a.example", "http://a.example/1", 0.5, '{"é": 1}'),
        (9, "k9", TOLD + 1, "alarm", "", "", 1.0, "{}"),
    ],
    "deliveries": [
        ("https://hook/$X", 7, 1, 2, 0.0, TOLD, "200"),
        ("https://hook/$X", 9, 0, 1, TOLD + 60, TOLD, "503"),
        ("a@b.example", 9, 2, 5, 0.0, TOLD, "gone"),
    ],
    "alarms": [
        (3, "gone", "a.example", TOLD, TOLD + 5, "many", "back to normal"),
        (4, "disk", "", TOLD, None, "full", ""),
        (5, "fixity", "x.warc.gz", TOLD, None, "flipped", ""),
    ],
    "observations": [(11, "a.example", "gone", TOLD, 0.25, 12, 1)],
    "rule_history": [("a.example", "when /a change, skip /b", TOLD, None), ("a.example", "old", TOLD - 9, TOLD)],
    "skip_tests": [("a.example", "/b/", "near", 4, 1, 5, TOLD, 0, 0.0, "")],
    "watch_hours": [(500_000, TOLD, 40.0, 30, 35, 20, 10, 5, 8, 12, 1, 123_456)],
    "watch_time": [(TOLD, 12.5, 60.0)],
}


@pytest.fixture
def folder(tmp_path):
    """An archive with a WARC file, and something in every table that is moved."""
    create(tmp_path / "a", contact="https://a.example/bot")
    keeper.run(tmp_path / "a", groups=2, out=io.StringIO())
    with open_archive(tmp_path / "a").writing("test"):
        pass
    with contextlib.closing(sqlite.open_writing(tmp_path / "a" / DATABASE)) as connection:
        for table, rows in ROWS.items():
            connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
        spent = [(1, TOLD + 3, 1.0), (2, TOLD + 7, -0.5), (3, TOLD + 70, 2.0)]
        connection.executemany("INSERT INTO watch_requests VALUES (?, ?, ?)", spent)
        connection.execute("INSERT INTO alert_progress VALUES (2)")
    return tmp_path / "a"


def rows_of(connection, table):
    return sorted(connection.execute(f"SELECT * FROM {table}").fetchall(), key=repr)


def test_every_table_is_moved_or_has_a_reason_why_not(tmp_path):
    create(tmp_path / "a", contact="https://a.example/bot")
    moved = {table.name for table in TABLES}
    with contextlib.closing(sqlite3.connect(tmp_path / "a" / DATABASE)) as connection:
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        here = {name for (name,) in names if not name.startswith(("sqlite_", "block_words_"))}
        columns = {table: {row[1] for row in connection.execute(f"PRAGMA table_info({table})")} for table in moved}
    database = postgres.running().database()
    with contextlib.closing(PostgresCatalog(database)), psycopg.connect(database) as connection:
        names = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        there = {name for (name,) in names}
    for kind, tables in (("sqlite", here), ("postgres", there)):
        assert moved <= tables and tables == moved | set(LEFT[kind]), tables ^ (moved | set(LEFT[kind]))
        assert not moved & set(LEFT[kind]) and all(LEFT[kind].values())
    # Columns: all that a folder has, but for those that say where in a queue a page stands.
    left = {"pages": {"key", "state"}, "hosts": {"queued", "backed_off", "leased"}}
    for table in TABLES:
        assert columns[table.name] - set(table.columns) <= left.get(table.name, set()), table.name


def test_what_was_told_goes_to_a_cluster_and_back(folder, tmp_path):
    database = postgres.running().database()
    to_cluster(folder, database, (tmp_path / "store").as_uri(), lambda _: None)
    closed = "the archive is a cluster now"
    with psycopg.connect(database, autocommit=True) as connection:
        for table, rows in ROWS.items():
            if table != "alarms":
                assert rows_of(connection, table) == sorted(rows, key=repr), table
        alarms = {row[0]: row for row in rows_of(connection, "alarms")}
        assert alarms[3] == ROWS["alarms"][0] and alarms[5] == ROWS["alarms"][2]
        assert alarms[4][4] is not None and alarms[4][6] == closed
        assert rows_of(connection, "spending") == [(TOLD // 60 * 60, 1.5, "", 2), (TOLD // 60 * 60 + 60, 2.0, "", 1)]
        assert rows_of(connection, "alert_progress") == [(2,)]
        (number,) = connection.execute(
            "INSERT INTO alerts (key, time, kind, site, url, importance, document) VALUES ('n', 0, '', '', '', 0, '{}')"
            " RETURNING alert"
        ).fetchone()
        assert number == 10, "numbers of alerts are what receivers see, and grow"
        connection.execute(
            "INSERT INTO alarms (kind, subject, opened, explanation, ending) VALUES ('worker', 'w', 1, '', '')"
        )
    to_folder(database, tmp_path / "back", lambda _: None)
    with contextlib.closing(sqlite3.connect(tmp_path / "back" / DATABASE)) as connection:
        for table, rows in ROWS.items():
            if table not in ("alarms", "alerts"):
                assert rows_of(connection, table) == sorted(rows, key=repr), table
        assert set(ROWS["alerts"]) < set(rows_of(connection, "alerts"))
        alarms = {row[1]: row for row in rows_of(connection, "alarms")}
        assert alarms["worker"][4] is not None and alarms["worker"][6] == "the archive is a folder now"
        assert alarms["fixity"][4] is None and alarms["disk"][6] == closed
        spent = connection.execute("SELECT time, cost FROM watch_requests ORDER BY time").fetchall()
        assert spent == [(TOLD // 60 * 60, 1.5), (TOLD // 60 * 60 + 60, 2.0)]
        (decided,) = connection.execute("SELECT seq FROM alert_progress").fetchone()
        (newest,) = connection.execute("SELECT max(seq) FROM captures").fetchone()
        assert 2 <= decided <= newest


def test_a_difference_in_any_table_is_found(folder, tmp_path, monkeypatch):
    database, real = postgres.running().database(), cluster_moving.level_all
    changes = {
        "links": "INSERT INTO links VALUES (1, 2, 'a')",
        "notes": "INSERT INTO notes VALUES ('x', 'y', 'z')",
        "skip_tests": "UPDATE skip_tests SET failures = 2",
        "deliveries": "UPDATE deliveries SET state = 1 WHERE alert = 9",
        "alarms": "DELETE FROM alarms WHERE alarm = 3",
    }

    def flawed(source, target, progress):
        count = real(source, target, progress)
        with psycopg.connect(database, autocommit=True) as connection:
            for change in changes.values():
                connection.execute(change)
        return count

    monkeypatch.setattr(cluster_moving, "level_all", flawed)
    with pytest.raises(ArchiveDamaged, match="differ") as refused:
        to_cluster(folder, database, (tmp_path / "store").as_uri(), lambda _: None)
    named = str(refused.value).partition("differ: ")[2].partition(";")[0]
    assert [one.partition(" ")[0] for one in named.split(", ")] == list(changes)


def test_digests_do_not_depend_on_the_order_of_rows(folder):
    with contextlib.closing(sqlite3.connect(folder / DATABASE)) as connection:
        before = digests_of_sqlite(connection)
        connection.execute("UPDATE rule_history SET retired = 5.0 WHERE rule = 'old'")
        assert differences(before, digests_of_sqlite(connection)) == ["rule_history (2 and 2 rows)"]


def test_history_is_not_told_again_when_study_finds_it_anew(tmp_path):
    """Captures up to the last one that was decided on lead to changes nobody has to decide on."""
    database = postgres.running().database()
    with contextlib.closing(PostgresCatalog(database)) as catalog, contextlib.closing(Session(database)) as session:
        urls = [f"http://a.example/{n}" for n in range(3)]
        catalog.add([found(url, due=0.0) for url in urls])
        now = time.time()
        batch = [visited(catalog.page(url).page, capture(url, now, n), time=now) for n, url in enumerate(urls)]
        catalog.commit(Batch(batch))
        session.run(lambda connection: connection.execute("INSERT INTO alert_progress VALUES (2)"))
        session.run(
            lambda connection: connection.execute(
                """INSERT INTO changes (page, after_seq, by_seq, after, by, importance, impch, visible, held,
                       operations, blocks) SELECT page, seq, seq, 0, time, 0.9, 0.9, 1, 0, 1, '' FROM captures"""
            )
        )
        listed = session.run(
            lambda connection: connection.execute("SELECT by_seq FROM changes JOIN undecided USING (change)").fetchall()
        )
        assert listed == [(3,)]
        assert "alert_progress" not in digests_of_postgres(session)
