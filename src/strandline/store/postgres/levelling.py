"""Brings the rows of one catalog level with those of another, in PostgreSQL or SQLite: all of them, or those touched.

`level_all` goes through both in the order of their keys, some thousand rows at a time; what is there already and the
same is left alone, so a move that was cut short goes on. `level_touched` does the same for the rows that were noted
since (store/postgres/touched.py): its length hangs on what was written, not on what is there.

Whatever is written is read again and compared: either both sides have the same rows at the end, or ArchiveDamaged says
where they differ. What is removed goes first, from the last table to the first, then rows change, then new ones come:
no row is ever in the way of another, or without the one it refers to.
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final, Protocol

from psycopg import errors

from strandline.errors import ArchiveDamaged, UsageError
from strandline.store.postgres import addresses as postgres_addresses
from strandline.store.postgres.addresses import clean
from strandline.store.postgres.moving import (
    TABLES,
    Progress,
    Row,
    Table,
    columns_of,
    into_postgres,
    into_sqlite,
    keys_of,
    next_rows,
    own,
    piece_of,
    rows_up_to,
)
from strandline.store.postgres.reading import spelled
from strandline.store.postgres.session import Connection, Session
from strandline.store.postgres.touched import gone_keys, noted_keys
from strandline.store.sqlite import transaction

_KINDS: Final = {int: "bigint", float: "double precision", str: "text"}


class Side(Protocol):
    """A catalog, to be read from or written to."""

    def ask(self, query: str, values: Sequence[object] = ()) -> list[Row]:
        """The answer to a query that is the same for both."""

    def rows_of(self, table: Table, keys: Sequence[Row]) -> list[Row]:
        """The rows that have these keys."""


class Target(Side, Protocol):
    """A catalog into which rows are brought."""

    def write(self, table: Table, changed: Sequence[Row], new: Sequence[Row]) -> None:
        """Change rows, then add some; durable together."""

    def remove(self, table: Table, keys: Sequence[Row]) -> None:
        """Remove rows."""


def level_all(source: Side, target: Target, progress: Progress) -> int:
    """Make all rows of the target those of the source; how many were written or removed."""
    count = 0
    for table in reversed(TABLES):
        count += _remove(target, table, _beyond(source, target, table))
    for table in TABLES:
        behind: Row | None = None
        seen = 0
        while piece := source.ask(next_rows(table, behind), behind or ()):
            last = piece[-1][: table.keys]
            between = (*_cleaned(behind or ()), *_cleaned(last))
            count += _level(target, table, piece, target.ask(rows_up_to(table, behind), between))
            behind, seen = last, seen + len(piece)
            progress(table.name, seen)
    return count


def level_touched(source: Side, target: Target, progress: Progress) -> int:
    """Make the rows that were noted at the source those of the source; how many were written or removed."""
    count = 0
    for table in reversed(TABLES):
        count += _remove(target, table, map(_cleaned, source.ask(gone_keys(table))))
    for table in TABLES:
        number, seen = 0, 0
        while lines := source.ask(noted_keys(table, piece_of(table)), (number,)):
            keys = list(dict.fromkeys(line[1:] for line in lines))
            rows = source.rows_of(table, keys)
            count += _level(target, table, rows, target.rows_of(table, [_cleaned(key) for key in keys]))
            number, seen = int(str(lines[-1][0])), seen + len(rows)
            progress(table.name, seen)
    return count


def _level(target: Target, table: Table, rows: Sequence[Row], there: Sequence[Row]) -> int:
    meant = {row[: table.keys]: row for row in map(_cleaned, rows)}
    found = {row[: table.keys]: row for row in there}
    changed = [row for key, row in meant.items() if key in found and found[key] != row]
    new = [row for key, row in meant.items() if key not in found]
    if not (changed or new):
        return 0
    try:
        target.write(table, changed, new)
    except (errors.UniqueViolation, errors.ForeignKeyViolation, sqlite3.IntegrityError) as problem:
        said = str(problem).strip().partition("\n")[0]
        raise UsageError(
            f"{table.name}: rows that are there already are in the way of those to be moved, because the source was "
            f"made anew (`reindex`) or the target written to; start again with an empty target ({said})"
        ) from problem
    written = [*changed, *new]
    arrived = set(target.rows_of(table, [row[: table.keys] for row in written]))
    lost = [row for row in written if row not in arrived]
    if lost:
        raise ArchiveDamaged(f"{table.name}: {len(lost)} of {len(written)} rows did not arrive as they were sent")
    return len(written)


def _remove(target: Target, table: Table, keys: Iterator[Row]) -> int:
    count = 0
    while some := list(islice(keys, piece_of(table))):
        there = [row[: table.keys] for row in target.rows_of(table, some)]
        if there:
            target.remove(table, there)
            if target.rows_of(table, there):
                raise ArchiveDamaged(f"{table.name}: rows that are gone from the source cannot be removed")
        count += len(there)
    return count


def _beyond(source: Side, target: Side, table: Table) -> Iterator[Row]:
    """Keys of rows that only the target has."""
    behind: Row | None = None
    while there := target.ask(next_rows(table, behind, keys_only=True), behind or ()):
        last = there[-1]
        here = set(map(_cleaned, source.ask(rows_up_to(table, behind, keys_only=True), (*(behind or ()), *last))))
        yield from (key for key in there if key not in here)
        behind = last


def _cleaned(row: Row) -> Row:
    """Values as PostgreSQL can keep them."""
    return tuple(clean(value) if isinstance(value, str) else value for value in row)


def _same_key(table: Table, other: str = "") -> str:
    """The condition that a row has a key, or that of a row of another table."""
    given = {name: f'{other}."{name}"' if other else "?" for name in table.columns[: table.keys]}
    return " AND ".join(f'{table.name}."{name}" = {value}' for name, value in given.items())


def _changes(table: Table) -> tuple[str, ...]:
    """The columns an update sets."""
    return table.columns[table.keys :]


# -- SQLite ------------------------------------------------------------------------------------------------------------


class SqliteSide:
    """A catalog in a folder. Who reads while others write opens a transaction first, and sees one state."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def ask(self, query: str, values: Sequence[object] = ()) -> list[Row]:
        """The answer to a query that is the same for both."""
        return self.connection.execute(query, tuple(values)).fetchall()

    def rows_of(self, table: Table, keys: Sequence[Row]) -> list[Row]:
        """The rows that have these keys."""
        query = f"SELECT {columns_of(table)} FROM {table.name} WHERE {own(table)} AND {_same_key(table)}"
        return [row for key in keys for row in self.connection.execute(query, key)]

    def write(self, table: Table, changed: Sequence[Row], new: Sequence[Row]) -> None:
        """Change rows, then add some; durable together."""
        names = ", ".join(f'"{name}" = ?' for name in _changes(table))
        with transaction(self.connection):
            self.connection.executemany(
                f"UPDATE {table.name} SET {names} WHERE {_same_key(table)}",
                [(*row[table.keys :], *row[: table.keys]) for row in changed],
            )
            if new:
                into_sqlite(self.connection, table, new)

    def remove(self, table: Table, keys: Sequence[Row]) -> None:
        """Remove rows; days count fewer captures."""
        with transaction(self.connection):
            if table.name == "captures":
                self.connection.executemany(
                    """UPDATE host_days SET captures = host_days.captures - 1,
                           unchanged = unchanged - (gone.revisit <> 0), errors = errors - (gone.status >= 400),
                           octets = octets - gone.length
                       FROM (SELECT host, time, revisit, status, length FROM captures JOIN pages USING (page)
                             WHERE seq = ?) AS gone
                       WHERE host_days.host = gone.host AND day = cast(gone.time / 86400.0 AS INTEGER)""",
                    keys,
                )
            self.connection.executemany(f"DELETE FROM {table.name} WHERE {_same_key(table)}", keys)


# -- PostgreSQL --------------------------------------------------------------------------------------------------------


class PostgresSide:
    """A shared catalog."""

    def __init__(self, run: Callable[[Callable[[Connection], list[Row]]], list[Row]]) -> None:
        """`run` asks over a connection."""
        self._run = run

    def ask(self, query: str, values: Sequence[object] = ()) -> list[Row]:
        """The answer to a query that is the same for both."""
        return self._run(lambda connection: connection.execute(spelled(query).encode(), values).fetchall())

    def rows_of(self, table: Table, keys: Sequence[Row]) -> list[Row]:
        """The rows that have these keys."""
        if not keys:
            return []
        names = ", ".join(f'{table.name}."{name}"' for name in table.columns)
        wanted, values = _wanted(table, keys)
        query = f"SELECT {names} FROM {table.name} JOIN {wanted} ON {_same_key(table, 'wanted')}"
        return self._run(lambda connection: connection.execute(query.encode(), values).fetchall())


class PostgresTarget(PostgresSide):
    """A shared catalog into which rows are brought."""

    def __init__(self, session: Session) -> None:
        super().__init__(lambda work: session.run(work, at_once=True))
        self._session = session

    def write(self, table: Table, changed: Sequence[Row], new: Sequence[Row]) -> None:
        """Change rows, then add some; durable together."""
        names = [f'"{name}" = %s' for name in _changes(table)]
        values = [(*row[table.keys :], *row[: table.keys]) for row in changed]
        if table.name == "pages":
            names.append("key = %s")
            values = [(*row[table.keys :], postgres_addresses.key(str(row[1])), *row[: table.keys]) for row in changed]
        update = f"UPDATE {table.name} SET {', '.join(names)} WHERE {_same_key(table).replace('?', '%s')}"

        def write(connection: Connection) -> None:
            with connection.cursor() as cursor:
                cursor.executemany(update.encode(), values)
            if new:
                into_postgres(connection, table, new)

        self._session.run(write)

    def remove(self, table: Table, keys: Sequence[Row]) -> None:
        """Remove rows; days count fewer captures, and what is gone is not waited for."""
        wanted, values = _wanted(table, keys)

        def remove(connection: Connection) -> None:
            if table.name == "captures":
                connection.execute(
                    f"""UPDATE capture_days SET captures = capture_days.captures - gone.captures,
                            unchanged = capture_days.unchanged - gone.unchanged,
                            errors = capture_days.errors - gone.errors, octets = capture_days.octets - gone.octets
                        FROM (SELECT host, trunc(time / 86400.0)::bigint AS day, count(*) AS captures,
                                count(*) FILTER (WHERE revisit <> 0) AS unchanged,
                                count(*) FILTER (WHERE status >= 400) AS errors, sum(length) AS octets
                            FROM captures JOIN {wanted} USING (seq) JOIN pages USING (page) GROUP BY 1, 2) AS gone
                        WHERE capture_days.host = gone.host AND capture_days.day = gone.day""".encode(),
                    values,
                )
                connection.execute(
                    f"DELETE FROM unstudied USING {wanted} WHERE unstudied.seq = wanted.seq".encode(), values
                )
            connection.execute(
                f"DELETE FROM {table.name} USING {wanted} WHERE {_same_key(table, 'wanted')}".encode(), values
            )

        self._session.run(remove)


def _wanted(table: Table, keys: Sequence[Row]) -> tuple[str, list[list[object]]]:
    """Keys as a table of PostgreSQL, and its values."""
    columns = [list(column) for column in zip(*keys, strict=True)]
    kinds = ", ".join(f"%s::{_KINDS[type(column[0])]}[]" for column in columns)
    return f"unnest({kinds}) AS wanted({keys_of(table)})", columns
