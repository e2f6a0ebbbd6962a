"""What is moved of a catalog between SQLite and PostgreSQL, row by row, with the numbers it has.

`TABLES` are moved. The others are not, each for a reason that its test tells: leases and places in queues
(pages rest, and are queued when they are due), and what study and learning find again in the WARC files. What people
said, whom they were told what, alarms, and what a watch did and spent, no WARC file holds: all that is moved. How rows
are brought over is the affair of store/postgres/levelling.py, whether both sides are the same that of
store/postgres/moved.py.
"""

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from psycopg import sql

from strandline.store import addresses
from strandline.store.postgres import addresses as postgres_addresses
from strandline.store.postgres.addresses import clean
from strandline.store.postgres.session import Connection, Session
from strandline.store.rows import LAST_TURNS
from strandline.store.sqlite import transaction

PIECE: Final = 5_000
"""Rows that are held at a time. Origin: a bound on memory."""
_LARGE: Final = {"robots": 50, "notes": 50}
"""Tables whose rows may have hundreds of kilobytes: so many times fewer are held. Origin: a bound on memory."""

Row = tuple[object, ...]
Progress = Callable[[str, int], None]
"""Hears the table, and how many of its rows were gone through."""


@dataclass(frozen=True, slots=True)
class Table:
    """What is moved of a table: key columns first."""

    name: str
    keys: int
    columns: tuple[str, ...]


_CAPTURE = (
    "seq page time status mime digest file offset length revisit truncated redirect record_id entity original_url "
    "original_time original_digest original_record rendered_digest rendered_at rendered_length"
)
_PAGE = (
    "page url host kind via hops priority due not_before attempts evidence since outcome detail visited seconds weight "
    "weight_given captures surt etag last_modified conditional origin"
)
_HOST = "host authority site turn not_before waiting failures seconds pages captures first last"
_TABLES = (
    ("hosts", 1, _HOST),
    ("robots", 2, "host scheme time status body"),
    ("pages", 1, _PAGE),
    ("files", 1, "file name"),
    ("captures", 1, _CAPTURE),
    ("links", 2, "source target via"),
    ("claims", 3, "page source time seen"),
    ("refusals", 1, "reason url count"),
    ("notes", 2, "kind key value"),
    ("passes", 1, "pass started ended"),
    ("ratings", 2, "url path rating time author"),
    ("labels", 2, "url path label time"),
    ("annotations", 1, "key kind url surt capture text author time"),
    ("people", 1, "name role password stamp time"),
    ("person_tokens", 1, "key name label digest time"),
    ("journal", 1, "number time person act target"),
    ("watch_time", 1, "start hour length"),
    (
        "watch_hours",
        1,
        "hour start allowed planned requests revisits firsts parts changed unchanged failed octets",
    ),
    ("skip_tests", 3, "site directory method tests failures recent pass failed retired why"),
    ("alerts", 1, "alert key time kind site url importance document"),
    ("deliveries", 2, "target alert state tries not_before time detail"),
    ("alarms", 1, "alarm kind subject opened closed explanation ending"),
    ("observations", 1, "observation site signal time value visits strange"),
    ("rule_history", 3, "site rule made retired"),
)
TABLES: Final = tuple(Table(name, keys, tuple(columns.split())) for name, keys, columns in _TABLES)
_IDENTITIES: Final = (
    ("hosts", "host"),
    ("pages", "page"),
    ("files", "file"),
    ("captures", "seq"),
    ("passes", "pass"),
    ("alerts", "alert"),
    ("journal", "number"),
    ("alarms", "alarm"),
    ("observations", "observation"),
)
SPAN: Final = 60.0
"""Seconds of a line of spending that was moved."""
ONLY_IN_FOLDERS: Final = ("disk",)
ONLY_IN_CLUSTERS: Final = ("worker", "workers", "desk", "hosts", "store")
"""Alarms nobody would close on the other side."""


def settle_in_postgres(source: sqlite3.Connection, session: Session) -> None:
    """When all rows are there: new numbers begin behind them, what was spent counts, nothing is told again."""
    spent = source.execute(
        f"SELECT cast(time / {SPAN} AS INTEGER) * {SPAN}, sum(abs(cost)), count(*) FROM watch_requests GROUP BY 1"
    ).fetchall()
    decided = source.execute(
        "SELECT coalesce((SELECT max(seq) FROM alert_progress), (SELECT max(seq) FROM captures), 0)"
    ).fetchone()[0]
    session.run(lambda connection: _settle(connection, spent, decided))


def settle_in_sqlite(session: Session, target: sqlite3.Connection) -> None:
    """When all rows are there: what was spent counts, nothing is told again."""
    spent, decided = session.run(_unsettled, at_once=True)
    with transaction(target):
        target.execute("DELETE FROM watch_requests")
        target.executemany("INSERT INTO watch_requests (time, cost) VALUES (?, ?)", spent)
        target.execute("DELETE FROM alert_progress")
        target.execute("INSERT INTO alert_progress VALUES (?)", (decided,))


def close_alarms(connection: Connection, now: float) -> None:
    """After a move to a cluster: alarms of folders are over."""
    connection.execute(
        """UPDATE alarms SET closed = %s, ending = 'the archive is a cluster now'
           WHERE closed IS NULL AND kind = ANY (%s)""",
        (now, list(ONLY_IN_FOLDERS)),
    )


def close_alarms_in_folder(connection: sqlite3.Connection, now: float) -> None:
    """After a move to a folder: alarms of clusters are over."""
    marks = ", ".join("?" * len(ONLY_IN_CLUSTERS))
    with transaction(connection):
        connection.execute(
            f"""UPDATE alarms SET closed = ?, ending = 'the archive is a folder now'
                WHERE closed IS NULL AND kind IN ({marks})""",
            (now, *ONLY_IN_CLUSTERS),
        )


# -- queries of both ---------------------------------------------------------------------------------------------------


def piece_of(table: Table) -> int:
    """How many rows of a table are held at a time."""
    return max(PIECE // _LARGE.get(table.name, 1), 1)


def keys_of(table: Table) -> str:
    """The columns of a table's key."""
    return ", ".join(f'"{name}"' for name in table.columns[: table.keys])


def columns_of(table: Table) -> str:
    """The columns that are moved."""
    return ", ".join(f'"{name}"' for name in table.columns)


def next_rows(table: Table, behind: Row | None, keys_only: bool = False) -> str:
    """The next rows in the order of their keys."""
    names, keys = keys_of(table) if keys_only else columns_of(table), keys_of(table)
    where = f"{own(table)}{_behind(table, behind)}"
    return f"SELECT {names} FROM {table.name} WHERE {where} ORDER BY {keys} LIMIT {piece_of(table)}"


def rows_up_to(table: Table, behind: Row | None, keys_only: bool = False) -> str:
    """Rows from behind a key up to another one."""
    names, marks = keys_of(table) if keys_only else columns_of(table), ", ".join("?" * table.keys)
    upto = f" AND ({keys_of(table)}) <= ({marks})"
    return f"SELECT {names} FROM {table.name} WHERE {own(table)}{_behind(table, behind)}{upto}"


def _behind(table: Table, behind: Row | None) -> str:
    return f" AND ({keys_of(table)}) > ({', '.join('?' * table.keys)})" if behind is not None else ""


def own(table: Table) -> str:
    """Notes of the cluster itself are no part of the catalog, nor are those of a watch of another time."""
    return "kind NOT IN ('cluster', 'watch')" if table.name == "notes" else "true"


# -- PostgreSQL --------------------------------------------------------------------------------------------------------


def into_postgres(connection: Connection, table: Table, piece: Sequence[Row]) -> None:
    """Add rows."""
    columns, values = list(table.columns), piece
    if table.name == "pages":
        columns += ["key", "state"]
        values = [(*row, postgres_addresses.key(str(row[1])), 0) for row in piece]
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(table.name), sql.SQL(", ").join(map(sql.Identifier, columns))
    )
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in values:
            copy.write_row([clean(value) if isinstance(value, str) else value for value in row])


def _settle(connection: Connection, spent: Sequence[Row], decided: int) -> None:
    """New numbers begin behind those that were moved; what was spent counts; what was decided on is not told again.

    `spent` has first second, cost and requests of spans of time; `decided` is the last capture whose change was decided
    on. A folder that never told anybody has only history.
    """
    for table, column in _IDENTITIES:
        connection.execute(
            f"SELECT setval(pg_get_serial_sequence('{table}', '{column}'), coalesce(max({column}), 0) + 1, false) "
            f"FROM {table}".encode()
        )
    connection.execute(f"SELECT setval('turns', coalesce(max(mod(turn, {LAST_TURNS})), 0) + 1, false) FROM hosts")
    connection.execute("DELETE FROM spending")
    with connection.cursor() as cursor:
        cursor.executemany("INSERT INTO spending (start, spent, requests) VALUES (%s, %s, %s)", spent)
    connection.execute("DELETE FROM alert_progress")
    connection.execute("INSERT INTO alert_progress VALUES (%s)", (decided,))


def _unsettled(connection: Connection) -> tuple[list[Row], int]:
    """What was spent, by spans of time, and the last capture up to which changes were decided on."""
    spent = connection.execute(
        "SELECT start, greatest(spent, 0) FROM spending WHERE place = '' AND spent > 0 ORDER BY start"
    ).fetchall()
    row = connection.execute(
        """SELECT greatest((SELECT max(seq) FROM alert_progress), least(
               (SELECT min(seq) FROM unstudied),
               (SELECT min(by_seq) FROM changes JOIN undecided USING (change)),
               (SELECT coalesce(max(seq), 0) + 1 FROM captures)) - 1)"""
    ).fetchone()
    assert row is not None
    return spent, int(str(row[0]))


# -- SQLite ------------------------------------------------------------------------------------------------------------


def into_sqlite(connection: sqlite3.Connection, table: Table, piece: Sequence[Row]) -> None:
    """Add rows."""
    names, values = columns_of(table), list(piece)
    if table.name == "pages":
        names += ', "key", "state"'
        values = [(*row, addresses.key(str(row[1])), 0) for row in values]
    marks = ", ".join("?" * len(values[0]))
    connection.executemany(f"INSERT INTO {table.name} ({names}) VALUES ({marks})", values)
