"""While an archive is being moved it goes on being written: which rows were touched is noted, by triggers.

Each table that is moved (store/postgres/moving.py) gets a list beside it, `moving_TABLE`, of the keys of rows that were
added, changed or removed. What a list had when a pass looked is struck from it once that pass has moved the rows and
compared them, never before: a pass that was cut short is done again. The lists are there from the first pass to the
last; the format of the database is the same with and without them, and no other command looks at them.

A move that was begun and left alone must not fill a disk: a list that is full takes in nothing more, and with it, or
when anything else about the lists is not as it was made, `token` is empty: all rows are compared then.
"""

import secrets
import sqlite3
from typing import Final, Protocol

from strandline.store.postgres.moving import TABLES, Table, keys_of, own
from strandline.store.postgres.session import Connection, Session
from strandline.store.sqlite import transaction

MOST: Final = 20_000_000
"""Lines of a list before it is full: some 400 MB. Origin: a bound on room."""
_AT_ONCE: Final = 20_000
"""Lines that are struck in one transaction: whoever writes the archive waits that long. Origin: a bound on time."""
_WAIT: Final = "2s"
"""How long a table is waited for: all who write it wait behind. Origin: a bound on time."""
_EVENTS: Final = ("INSERT", "UPDATE", "DELETE")
_STATE: Final = "moving_state"

Position = dict[str, int] | str
"""What was noted when a pass began: last lines of the lists in SQLite, a snapshot in PostgreSQL."""


class Touched(Protocol):
    """The lists of a database that is being moved."""

    def token(self) -> str:
        """Names these lists; empty when not everything that happened is on them."""

    def begin(self) -> str:
        """Make the lists anew, empty; everything that is written from now on is noted."""

    def strike(self, position: Position) -> None:
        """What was noted then has been moved."""

    def waiting(self) -> int:
        """Lines that were not struck yet."""

    def end(self) -> None:
        """Note nothing more, and leave nothing behind."""


def list_of(table: Table) -> str:
    """The name of the list of a table."""
    return f"moving_{table.name}"


def noted_keys(table: Table, piece: int) -> str:
    """The next lines of a list behind a number: number and key."""
    return f"SELECT n, {keys_of(table)} FROM {list_of(table)} WHERE n > ? AND {own(table)} ORDER BY n LIMIT {piece}"


def gone_keys(table: Table) -> str:
    """Keys that were noted, and of which there is no row any more."""
    same = " AND ".join(f'{table.name}."{name}" = noted."{name}"' for name in table.columns[: table.keys])
    return (
        f"SELECT DISTINCT {keys_of(table)} FROM {list_of(table)} AS noted "
        f"WHERE {own(table)} AND NOT EXISTS (SELECT 1 FROM {table.name} WHERE {same})"
    )


# -- SQLite ------------------------------------------------------------------------------------------------------------


class SqliteTouched:
    """The lists of a catalog in a folder. Also while another process writes it: transactions are short."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def token(self) -> str:
        """Names these lists; empty when not everything that happened is on them."""
        ask = self._connection.execute
        if not ask("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (_STATE,)).fetchone():
            return ""
        row = ask(f"SELECT token, format FROM {_STATE}").fetchone()
        made = ask("SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'moving\\_%' ESCAPE '\\'")
        if row is None or row[1] != self._format() or made.fetchone()[0] != len(_sqlite_triggers()):
            return ""
        lists = (ask(f"SELECT coalesce(max(n), 0) FROM {list_of(table)}").fetchone()[0] for table in TABLES)
        return "" if any(last >= MOST for last in lists) else str(row[0])

    def begin(self) -> str:
        """Make the lists anew, empty; everything that is written from now on is noted."""
        token = secrets.token_hex(8)
        with transaction(self._connection):
            self._drop()
            for table in TABLES:
                self._connection.execute(f"CREATE TABLE {list_of(table)} (n INTEGER PRIMARY KEY, {keys_of(table)})")
            for trigger in _sqlite_triggers():
                self._connection.execute(trigger)
            self._connection.execute(f"CREATE TABLE {_STATE} (token, format)")
            self._connection.execute(f"INSERT INTO {_STATE} VALUES (?, ?)", (token, self._format()))
        return token

    def strike(self, position: Position) -> None:
        """What was noted then has been moved."""
        assert isinstance(position, dict)
        for name, last in position.items():
            first = self._connection.execute(f"SELECT min(n) FROM {name}").fetchone()[0]
            while first is not None and first <= last:
                first += _AT_ONCE
                with transaction(self._connection, durable=False):
                    self._connection.execute(f"DELETE FROM {name} WHERE n <= ?", (min(first, last),))

    def waiting(self) -> int:
        """Lines that were not struck yet."""
        return sum(
            int(self._connection.execute(f"SELECT count(*) FROM {list_of(table)}").fetchone()[0]) for table in TABLES
        )

    def end(self) -> None:
        """Note nothing more, and leave nothing behind."""
        with transaction(self._connection):
            self._drop()

    def drop(self) -> None:
        """As `end`, in a transaction of the caller."""
        self._drop()

    def _drop(self) -> None:
        found = self._connection.execute(
            """SELECT type, name FROM sqlite_master
               WHERE type IN ('table', 'trigger') AND name LIKE 'moving\\_%' ESCAPE '\\' ORDER BY type DESC"""
        ).fetchall()
        for kind, name in found:
            self._connection.execute(f"DROP {kind} {name}")

    def _format(self) -> int:
        return int(self._connection.execute("PRAGMA user_version").fetchone()[0])


def position_in_sqlite(connection: sqlite3.Connection) -> dict[str, int]:
    """The last line of each list, as a reader sees it."""
    names = map(list_of, TABLES)
    return {name: connection.execute(f"SELECT coalesce(max(n), 0) FROM {name}").fetchone()[0] for name in names}


def _sqlite_triggers() -> list[str]:
    """Lists only ever grow at their end: whatever a statement does about conflicts, there is none."""
    made = []
    for table in TABLES:
        name, columns = list_of(table), table.columns[: table.keys]
        room = f"WHEN (SELECT coalesce(max(n), 0) FROM {name}) < {MOST}"
        for event in _EVENTS:
            row = "OLD" if event == "DELETE" else "NEW"
            values = ", ".join(f'{row}."{column}"' for column in columns)
            moved = ", ".join(f'"{column}"' for column in table.columns)
            on = f"UPDATE OF {moved}" if event == "UPDATE" else event
            made.append(
                f"CREATE TRIGGER {name}_{event.lower()} AFTER {on} ON {table.name} {room} "
                f"BEGIN INSERT INTO {name} ({keys_of(table)}) VALUES ({values}); END"
            )
    # UPDATE OR REPLACE (store/erasing.py) removes the row whose place is taken, and no trigger hears of that.
    made.append(
        """CREATE TRIGGER moving_captures_replaced BEFORE UPDATE OF file, offset ON captures
           BEGIN INSERT INTO moving_captures (seq) SELECT seq FROM captures
               WHERE file = NEW.file AND offset = NEW.offset AND seq <> NEW.seq; END"""
    )
    return made


# -- PostgreSQL --------------------------------------------------------------------------------------------------------


class PostgresTouched:
    """The lists of a shared catalog. Workers commit in any order: a line also has the transaction that wrote it."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def token(self) -> str:
        """Names these lists; empty when not everything that happened is on them."""
        return self._session.run(_token, at_once=True)

    def begin(self) -> str:
        """Make the lists anew, empty; everything that is written from now on is noted."""
        self.end()
        self._session.run(_make_state)
        for table in TABLES:
            self._session.run(lambda connection, table=table: _note(connection, table))  # type: ignore[misc]
        token = secrets.token_hex(8)
        self._session.run(lambda connection: connection.execute(f"UPDATE {_STATE} SET token = %s".encode(), (token,)))
        return token

    def strike(self, position: Position) -> None:
        """What was noted then has been moved."""

        def strike(connection: Connection) -> None:
            for table in TABLES:
                connection.execute(
                    f"DELETE FROM {list_of(table)} WHERE pg_visible_in_snapshot(xid, %s::pg_snapshot)".encode(),
                    (position,),
                )
            connection.execute(f"UPDATE {_STATE} SET most = %s + {_LAST}".encode(), (MOST,))

        self._session.run(strike)

    def waiting(self) -> int:
        """Lines that were not struck yet."""
        lists = " + ".join(f"(SELECT count(*) FROM {list_of(table)})" for table in TABLES)

        def ask(connection: Connection) -> int:
            row = connection.execute(f"SELECT {lists}".encode()).fetchone()
            return int(str(row[0])) if row else 0

        return self._session.run(ask, at_once=True)

    def end(self) -> None:
        """Note nothing more, and leave nothing behind."""
        for table in TABLES:
            self._session.run(lambda connection, table=table: _drop(connection, table))  # type: ignore[misc]
        self._session.run(lambda connection: connection.execute(f"DROP TABLE IF EXISTS {_STATE}".encode()))


_LAST: Final = "(SELECT max(last_value) FROM pg_sequences WHERE sequencename LIKE 'moving\\_%%\\_n\\_seq')"
"""The last number that any list gave, as psycopg has it written."""


def snapshot_of(connection: Connection) -> str:
    """What a transaction that reads one state sees."""
    row = connection.execute("SELECT pg_current_snapshot()::text").fetchone()
    assert row is not None
    return str(row[0])


def _token(connection: Connection) -> str:
    row = connection.execute(f"SELECT to_regclass('{_STATE}')".encode()).fetchone()
    if row is None or row[0] is None:
        return ""
    row = connection.execute(
        f"""SELECT token FROM {_STATE} JOIN strandline_format USING (format)
            WHERE most > coalesce({_LAST}, 0)
              AND (SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'moving\\_%%' AND tgenabled <> 'D') = %s
              AND token <> ''""".encode(),
        (len(TABLES) * len(_EVENTS),),
    ).fetchone()
    return str(row[0]) if row else ""


def _note(connection: Connection, table: Table) -> None:
    """Make the list of one table; whoever writes it is waited for, for a moment."""
    name, keys = list_of(table), keys_of(table)
    connection.execute(f"SET LOCAL lock_timeout = '{_WAIT}'".encode())
    connection.execute(f"CREATE TABLE {name} AS SELECT {keys} FROM {table.name} WITH NO DATA".encode())
    connection.execute(
        f"""ALTER TABLE {name} ADD COLUMN n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            ADD COLUMN xid xid8 NOT NULL DEFAULT pg_current_xact_id()""".encode()
    )
    room = f"(SELECT last_value FROM {name}_n_seq) < (SELECT most FROM {_STATE})"
    into = f"INSERT INTO {name} ({keys})"
    connection.execute(
        f"""CREATE FUNCTION {name}_note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF TG_OP = 'INSERT' THEN {into} SELECT {keys} FROM added WHERE {room};
                ELSIF TG_OP = 'DELETE' THEN {into} SELECT {keys} FROM gone WHERE {room};
                ELSE {into} SELECT {keys} FROM (SELECT {keys} FROM added UNION SELECT {keys} FROM gone) AS both_of_them
                    WHERE {room};
                END IF;
                RETURN NULL;
            END $$""".encode()
    )
    seen = {"INSERT": "NEW TABLE AS added", "DELETE": "OLD TABLE AS gone"}
    seen["UPDATE"] = f"{seen['DELETE']} {seen['INSERT']}"
    for event in _EVENTS:
        connection.execute(
            f"""CREATE TRIGGER {name}_{event.lower()} AFTER {event} ON {table.name} REFERENCING {seen[event]}
                FOR EACH STATEMENT EXECUTE FUNCTION {name}_note()""".encode()
        )


def _make_state(connection: Connection) -> None:
    """There before the first list, which looks at it; without a token until all are there."""
    connection.execute(f"CREATE TABLE {_STATE} (token text, format integer, most bigint)".encode())
    connection.execute(f"INSERT INTO {_STATE} SELECT '', format, {MOST} FROM strandline_format".encode())


def _drop(connection: Connection, table: Table) -> None:
    name = list_of(table)
    row = connection.execute("SELECT to_regclass(%s)", (name,)).fetchone()
    if row is None or row[0] is None:
        return
    connection.execute(f"SET LOCAL lock_timeout = '{_WAIT}'".encode())
    connection.execute(f"DROP FUNCTION IF EXISTS {name}_note() CASCADE".encode())
    connection.execute(f"DROP TABLE {name}".encode())
