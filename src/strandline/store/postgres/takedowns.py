"""Take-downs of a cluster: the journal in the database, and sessions of readers that leave out what is hidden.

Readers ask at most once a second whether something was taken down since. When it was, the connection is made anew
with other views before the tables (store/hidden.py): plans that a server keeps for a connection would not notice.
"""

import secrets
import time
from dataclasses import replace
from typing import Final

from strandline.core.keeping.journal import FIRST, digest, read_journal, sealed
from strandline.core.keeping.takedowns import NOTHING, Act, Hidden, act_of
from strandline.errors import ArchiveDamaged
from strandline.store.hidden import OF_MOMENT, hidden_hosts, views
from strandline.store.postgres.session import Connection, Session

_LOCK: Final = 0x54414B45
"""Key of the lock under which lines are added."""
_LOOK: Final = 1.0
"""Seconds between two looks at the journal."""


class SharedJournal:
    """The journal of a cluster."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def add(self, act: Act) -> Act:
        """Keep an act, durably; its number and time are given here."""

        def write(connection: Connection) -> Act:
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            lines = _lines(connection)
            key = _key(connection, make=not lines)
            acts = _checked(lines, key)
            kept = replace(act, number=len(acts) + 1, time=act.time or time.time())
            line = sealed(kept.as_json(), digest(lines[-1]) if lines else FIRST, key)
            connection.execute("INSERT INTO takedowns (number, line) VALUES (%s, %s)", (kept.number, line))
            return kept

        with self._session.transaction() as connection:  # not repeated: an act is kept once
            return write(connection)

    def acts(self) -> list[Act]:
        """All acts; ArchiveDamaged when the journal was tampered with."""

        def read(connection: Connection) -> list[Act]:
            lines = _lines(connection)
            return _checked(lines, _key(connection)) if lines else []

        return self._session.run(read, at_once=True)

    def known_acts(self) -> list[Act]:
        """All acts that can be read, whatever is wrong with the journal: what it hides stays hidden."""
        return [act_of(entry) for entry in read_journal(self._session.run(_lines, at_once=True), b"")[0]]

    def problem(self) -> str:
        """What is wrong with the journal; empty when it is as it was written."""
        try:
            self.acts()
        except ArchiveDamaged as damage:
            return str(damage)
        return ""

    def last_seal(self) -> str:
        """The digest of the last line, to be kept elsewhere."""
        lines = self._session.run(_lines, at_once=True)
        return digest(lines[-1]) if lines else ""

    def raw(self) -> tuple[bytes, list[str]]:
        """The key and the lines, to be moved; nothing when nothing was ever taken down."""

        def read(connection: Connection) -> tuple[bytes, list[str]]:
            lines = _lines(connection)
            return (_key(connection), lines) if lines else (b"", [])

        return self._session.run(read, at_once=True)

    def take_over(self, key: bytes, lines: list[str]) -> None:
        """Become a journal that was moved here."""

        def write(connection: Connection) -> None:
            connection.execute("DELETE FROM takedowns")
            rows = [(0, key.hex()), *enumerate(lines, 1)] if lines else []
            with connection.cursor() as cursor:
                cursor.executemany("INSERT INTO takedowns (number, line) VALUES (%s, %s)", rows)

        self._session.run(write)


def _lines(connection: Connection) -> list[str]:
    return [
        str(line)
        for (line,) in connection.execute("SELECT line FROM takedowns WHERE number > 0 ORDER BY number").fetchall()
    ]


def _key(connection: Connection, make: bool = False) -> bytes:
    row = connection.execute("SELECT line FROM takedowns WHERE number = 0").fetchone()
    if row is not None:
        return bytes.fromhex(str(row[0]))
    if not make:
        raise ArchiveDamaged("the key by which the journal of take-downs is checked is missing")
    key = secrets.token_bytes(32)
    connection.execute("INSERT INTO takedowns (number, line) VALUES (0, %s)", (key.hex(),))
    return key


def _checked(lines: list[str], key: bytes) -> list[Act]:
    entries, problem = read_journal(lines, key)
    if problem:
        raise ArchiveDamaged(f"the journal of take-downs was tampered with: {problem}")
    return [act_of(entry) for entry in entries]


class ReaderSession(Session):
    """A session that cannot see what is taken down."""

    hidden: Hidden = NOTHING
    _looked = 0.0
    _number = -1
    """Acts that were in the journal at the last look."""

    def _connected(self) -> Connection:
        connection = super()._connected()
        if not self._known:  # the format is being looked at: there may be no journal yet
            return connection
        fresh = connection.info.backend_pid != getattr(self, "_pid", None)
        now = time.monotonic()
        if not fresh and now - self._looked < _LOOK:
            return connection
        self._looked = now
        row = connection.execute("SELECT coalesce(max(number), 0) FROM takedowns").fetchone()
        number = int(str(row[0])) if row else 0
        changed = number != self._number or time.time() >= self.hidden.ends
        if changed:
            self._number = number
            entries, _ = read_journal(_lines(connection), b"")
            self.hidden = Hidden(map(act_of, entries), time.time())
            if not fresh:
                self.drop()
                connection = super()._connected()
                fresh = True
        if fresh:
            _hide(connection, self.hidden)
            self._pid = connection.info.backend_pid
        return connection


def _hide(connection: Connection, hidden: Hidden) -> None:
    """Put the views before the tables of a new connection."""
    if not hidden:
        return
    row = connection.execute("SELECT quote_ident(current_schema())").fetchone()
    schema = str(row[0]) if row else "public"
    connection.execute(
        """CREATE TEMP TABLE hidden_keys (low text COLLATE "C" PRIMARY KEY, high text COLLATE "C" NOT NULL);
        CREATE TEMP TABLE hidden_captures (seq bigint PRIMARY KEY, page bigint NOT NULL);
        CREATE INDEX ON hidden_captures (page);
        CREATE TEMP TABLE hidden_hosts (host bigint PRIMARY KEY)"""
    )
    with connection.cursor() as cursor:
        keys = [(_clean(low), _clean(high)) for low, high in hidden.keys]
        cursor.executemany("INSERT INTO hidden_keys VALUES (%s, %s)", keys)
        of_moment = OF_MOMENT.format(schema=schema).replace("?", "%s").encode()
        for target in hidden.moments:
            for low, high in target.keys:
                cursor.execute(of_moment, (_clean(low), _clean(high), target.since, target.until))
                cursor.executemany(
                    "INSERT INTO hidden_captures VALUES (%s, %s) ON CONFLICT DO NOTHING", cursor.fetchall()
                )
        hosts = cursor.execute(f"SELECT host, authority FROM {schema}.hosts".encode()).fetchall()
        gone = hidden_hosts(hidden, [(int(str(host)), str(authority)) for host, authority in hosts])
        cursor.executemany("INSERT INTO hidden_hosts VALUES (%s)", [(host,) for host in gone])
        for name, query in views(schema, "true"):
            cursor.execute(f"CREATE TEMP VIEW {name} AS {query}".encode())


def _clean(key: str) -> str:
    """PostgreSQL knows no NUL; keys hold no control characters."""
    return key.replace("\0", "\1")
