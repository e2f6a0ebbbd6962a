"""Moves a catalog between SQLite and PostgreSQL, row by row, with the numbers it has: nothing is worked out anew.

Rows go in the order of their keys, some thousand in a transaction. What is there already is behind the highest key, so
a move that was cut short goes on where it stopped. Leases and places in queues are not moved: pages rest, and are
queued when they are due. What was learned by study is not moved either; it is found again in the WARC files. Ratings,
which people gave, are.
"""

import hashlib
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from psycopg import sql

from strandline.store import addresses, rows
from strandline.store.postgres import addresses as postgres_addresses
from strandline.store.postgres.addresses import clean
from strandline.store.postgres.reading import spelled
from strandline.store.postgres.session import Connection, Session
from strandline.store.sqlite import transaction

PIECE: Final = 5_000

Row = tuple[object, ...]
Progress = Callable[[str, int], None]


@dataclass(frozen=True, slots=True)
class Table:
    """What is moved of a table: key columns first."""

    name: str
    keys: int
    columns: tuple[str, ...]


_CAPTURE = (
    "seq page time status mime digest file offset length revisit truncated redirect record_id entity original_url "
    "original_time original_digest original_record"
)
_PAGE = (
    "page url host kind via hops priority due not_before attempts evidence since outcome detail visited seconds weight "
    "weight_given captures surt etag last_modified conditional origin"
)
_HOST = "host authority site turn not_before waiting failures seconds pages captures first last"
_TABLES = (
    ("hosts", 1, _HOST),
    ("robots", 1, "host time status body"),
    ("pages", 1, _PAGE),
    ("files", 1, "file name"),
    ("captures", 1, _CAPTURE),
    ("links", 2, "source target via"),
    ("claims", 3, "page source time seen"),
    ("refusals", 1, "reason url count"),
    ("notes", 2, "kind key value"),
    ("passes", 1, "pass started ended"),
    ("ratings", 2, "url path rating time"),
    ("watch_time", 1, "start hour length"),
)
TABLES: Final = tuple(Table(name, keys, tuple(columns.split())) for name, keys, columns in _TABLES)
_IDENTITIES: Final = (("hosts", "host"), ("pages", "page"), ("files", "file"), ("captures", "seq"), ("passes", "pass"))


def to_postgres(source: sqlite3.Connection, session: Session, progress: Progress) -> None:
    """Copy everything that is not there yet."""
    for table in TABLES:
        moved = 0
        while True:
            behind = session.run(lambda connection, table=table: _last_in_postgres(connection, table), at_once=True)  # type: ignore[misc]
            piece = _from_sqlite(source, table, behind)
            if not piece:
                break
            session.run(lambda connection, table=table, piece=piece: _into_postgres(connection, table, piece))  # type: ignore[misc]
            moved += len(piece)
            progress(table.name, moved)
    session.run(_settle)


def to_sqlite(session: Session, target: sqlite3.Connection, progress: Progress) -> None:
    """Copy everything that is not there yet."""
    for table in TABLES:
        moved = 0
        while True:
            behind = _last_in_sqlite(target, table)
            piece = session.run(
                lambda connection, table=table, behind=behind: _from_postgres(connection, table, behind),  # type: ignore[misc]
                at_once=True,
            )
            if not piece:
                break
            with transaction(target):
                _into_sqlite(target, table, piece)
            moved += len(piece)
            progress(table.name, moved)


# -- PostgreSQL --------------------------------------------------------------------------------------------------------


def _last(table: Table) -> str:
    """The highest key that was moved."""
    order = ", ".join(f'"{name}" DESC' for name in table.columns[: table.keys])
    keys = ", ".join(f'"{name}"' for name in table.columns[: table.keys])
    return f"SELECT {keys} FROM {table.name} WHERE {_own(table)} ORDER BY {order} LIMIT 1"


def _next(table: Table, behind: Row | None) -> str:
    """The next rows in the order of their keys."""
    keys = ", ".join(f'"{name}"' for name in table.columns[: table.keys])
    names = ", ".join(f'"{name}"' for name in table.columns)
    where = _own(table) + (f" AND ({keys}) > ({', '.join('?' * table.keys)})" if behind is not None else "")
    return f"SELECT {names} FROM {table.name} WHERE {where} ORDER BY {keys} LIMIT {PIECE}"


def _own(table: Table) -> str:
    """Notes of the cluster itself are no part of the catalog, nor are those of a watch of another time."""
    return "kind NOT IN ('cluster', 'watch')" if table.name == "notes" else "true"


def _last_in_postgres(connection: Connection, table: Table) -> Row | None:
    return connection.execute(spelled(_last(table)).encode()).fetchone()


def _from_postgres(connection: Connection, table: Table, behind: Row | None) -> list[Row]:
    return connection.execute(spelled(_next(table, behind)).encode(), behind).fetchall()


def _into_postgres(connection: Connection, table: Table, piece: Sequence[Row]) -> None:
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


def _settle(connection: Connection) -> None:
    """New numbers begin behind those that were moved."""
    for table, column in _IDENTITIES:
        connection.execute(
            f"SELECT setval(pg_get_serial_sequence('{table}', '{column}'), coalesce(max({column}), 0) + 1, false) "
            f"FROM {table}".encode()
        )
    connection.execute("SELECT setval('turns', coalesce(max(turn), 0) + 1, false) FROM hosts")


# -- SQLite ------------------------------------------------------------------------------------------------------------


def _last_in_sqlite(connection: sqlite3.Connection, table: Table) -> Row | None:
    row: Row | None = connection.execute(_last(table)).fetchone()
    return row


def _from_sqlite(connection: sqlite3.Connection, table: Table, behind: Row | None) -> list[Row]:
    return connection.execute(_next(table, behind), behind or ()).fetchall()


def _into_sqlite(connection: sqlite3.Connection, table: Table, piece: Sequence[Row]) -> None:
    names = ", ".join(f'"{name}"' for name in table.columns)
    values: list[Row] = [tuple(bytes(v) if isinstance(v, memoryview) else v for v in row) for row in piece]
    if table.name == "pages":
        names += ', "key", "state"'
        values = [(*row, addresses.key(str(row[1])), 0) for row in values]
    marks = ", ".join("?" * len(values[0]))
    connection.executemany(f"INSERT INTO {table.name} ({names}) VALUES ({marks})", values)


# -- are they the same? ------------------------------------------------------------------------------------------------

_COMPARED: Final = (
    f"SELECT seq, {rows.CAPTURE} FROM {rows.CAPTURES} WHERE seq > ? ORDER BY seq LIMIT {PIECE}",
    f"""SELECT page, url, authority, kind, via, hops, priority, due, pages.not_before, attempts, evidence, since,
        visited, weight, weight_given, surt, etag, pages.last_modified, conditional, origin
        FROM pages JOIN hosts USING (host) WHERE page > ? ORDER BY page LIMIT {PIECE}""",
)


def digest_of_sqlite(connection: sqlite3.Connection) -> tuple[int, str]:
    """Captures counted, and a digest over all of them and all pages, in order."""
    return _digest(lambda query, after: connection.execute(query, (after,)).fetchall())


def digest_of_postgres(session: Session) -> tuple[int, str]:
    """The same of a database in PostgreSQL."""

    def ask(query: str, after: int) -> list[Row]:
        return session.run(
            lambda connection: connection.execute(spelled(query).encode(), (after,)).fetchall(), at_once=True
        )

    return _digest(ask)


def _digest(ask: Callable[[str, int], list[Row]]) -> tuple[int, str]:
    running, counts = hashlib.sha256(), []
    for query in _COMPARED:
        counts.append(0)
        for row in _all(ask, query):
            counts[-1] += 1
            running.update(repr(tuple(clean(v) if isinstance(v, str) else v for v in row)).encode())
    return counts[0], running.hexdigest()


def _all(ask: Callable[[str, int], list[Row]], query: str) -> Iterator[Row]:
    after = 0
    while piece := ask(query, after):
        yield from piece
        after = int(str(piece[-1][0]))
