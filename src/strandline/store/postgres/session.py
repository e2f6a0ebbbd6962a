"""Reaching PostgreSQL: one session that outlives restarts, formats that are brought up to date, faults in our words.

A session repeats a transaction when the connection breaks, when two workers block one another, or while the server
starts. Work that must not be done twice guards itself: see `PostgresCatalog.commit`.

Migrations are the numbered steps of `migrations/`, each in a transaction of its own, under an advisory lock:
of many workers started together one brings the database up to date while the others wait. A database of a later
release is refused, at every connect, before anything is read or written. Steps that were released are never edited.
"""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from typing import Final, TypeVar
from urllib.parse import quote, urlencode

import psycopg
from psycopg import errors as pg
from psycopg.conninfo import conninfo_to_dict

from strandline.errors import OutOfSpace, SettingError, StrandlineError, Unreachable
from strandline.store.histories_packed import pack_histories

Connection = psycopg.Connection[tuple[object, ...]]
T = TypeVar("T")

_ADVISORY: Final = 0x57524B4C
"""Key of the lock under which the format is changed."""
_FIRST_WAIT: Final = 0.05
_LONGEST_WAIT: Final = 2.0
_ASLEEP_MS: Final = 30_000
_AGAIN = (pg.DeadlockDetected, pg.SerializationFailure, pg.LockNotAvailable)
_WRONG = {
    "28000": "the server refuses this user",
    "28P01": "the user or the password is wrong",
    "3D000": "there is no such database",
    "42501": "the user may not do this",
}


_BESIDE = {12: pack_histories}
"""What a step does beside its SQL, in the same transaction."""


class _Asked:
    """A connection as steps ask it that are the same for both databases."""

    def __init__(self, connection: "Connection") -> None:
        self._connection = connection

    def execute(self, statement: str, values: Sequence[object] = ()) -> "psycopg.Cursor[tuple[object, ...]]":
        return self._connection.execute(statement.replace("?", "%s").encode(), values)


@cache
def steps() -> tuple[tuple[int, str], ...]:
    """The migrations in order: format reached, SQL."""
    found = [
        (int(entry.name.split("-")[0]), entry.read_text("utf-8"))
        for entry in (files("strandline.store.postgres") / "migrations").iterdir()
        if entry.name.endswith(".sql")
    ]
    return tuple(sorted(found))


def newest_format() -> int:
    """The format this release writes."""
    return steps()[-1][0]


def is_database(text: str) -> bool:
    """Whether an address names a PostgreSQL database."""
    return text.partition("://")[0] in ("postgresql", "postgres")


def shown(url: str) -> str:
    """A database address without its secrets, for people.

    >>> shown("postgresql://me:secret@db:5433/web?sslmode=require"), shown("postgresql://me:sec@ret@db/web")
    ('postgresql://me@db:5433/web', 'the database address')
    """
    try:
        parts = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        return "the database address"
    user, host, port, name = (str(parts.get(name) or "") for name in ("user", "host", "port", "dbname"))
    if not _well_cut(host, port, name):
        return "the database address"
    return f"postgresql://{user}{'@' if user else ''}{host}{f':{port}' if port else ''}/{name}"


def _well_cut(host: str, port: str, name: str) -> bool:
    """Whether no part of an address may be a piece of a password with @, / or : in it."""
    return "@" not in host + name and all(one.isdigit() or not one for one in port.split(","))


def without_password(url: str) -> tuple[str, str]:
    """A database address that anyone may see, in the form that takes everything, and its password.

    >>> without_password("postgresql://me:secret@db/web?sslmode=require")
    ('postgresql:///?user=me&dbname=web&host=db&sslmode=require', 'secret')
    """
    parts = {name: str(value) for name, value in conninfo_to_dict(url).items() if value is not None}
    password = parts.pop("password", "")
    return f"postgresql:///?{urlencode(parts, quote_via=quote)}", password


class _Crossed(Unreachable):
    """Two transactions were in one another's way; the connection is sound."""


class Session:
    """One connection, made again when it breaks. Used by one thread at a time."""

    def __init__(self, url: str, patience: float = 60.0, upgrade: bool = True, empty: bool = False) -> None:
        """`patience`: seconds a server may be away. Without `upgrade` the format is only checked; with `empty` an empty
        database will do, too, and stays empty.
        """
        self.url = url
        self._patience = patience
        self._connection: Connection | None = None
        self._known = False
        """Whether the format was looked at: a later connection finds the same one, or a newer release was here."""
        try:
            parts = conninfo_to_dict(url)
        except psycopg.ProgrammingError as problem:
            raise SettingError(f"database: not a PostgreSQL address ({_discreet(url, str(problem))})") from None
        if not _well_cut(*(str(parts.get(name) or "") for name in ("host", "port", "dbname"))):
            raise SettingError(
                "database: not a PostgreSQL address: a port is a number; in a password, @ is written %40, / %2F, : %3A"
            )
        try:
            self.format = self.run(_found, at_once=True)
            if self.format or not empty:
                self.run(lambda connection: (_migrate if upgrade else _check)(connection, shown(url)), at_once=True)
                self._known = True
        except BaseException:
            self.drop()
            raise

    def run(self, work: Callable[[Connection], T], at_once: bool = False) -> T:
        """Do `work` in one durable transaction; again, from its start, when it was cut short.

        The outcome of a transaction whose commit was cut short is not known: `work` may be done twice.
        With `at_once`, `work` makes its own transactions.
        """
        deadline, wait = time.monotonic() + self._patience, _FIRST_WAIT
        while True:
            try:
                with self._told():
                    connection = self._connected()
                    if at_once:
                        return work(connection)
                    with connection.transaction():
                        return work(connection)
            except Unreachable as trouble:
                if not isinstance(trouble, _Crossed):
                    self.drop()
                if time.monotonic() + wait > deadline:
                    raise
                time.sleep(wait)
                wait = min(2 * wait, _LONGEST_WAIT)

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """One transaction that is not repeated when it is cut short."""
        with self._told():
            connection = self._connected()
            with connection.transaction():
                yield connection

    def _connected(self) -> Connection:
        if self._connection is None or self._connection.closed:
            # A query must never hang on a dead network for hours: the kernel notices within a minute, by keepalives
            # while an answer is awaited, by the time without an acknowledgement while a question is on its way.
            alive = {"keepalives_idle": 20, "keepalives_interval": 10, "keepalives_count": 3}
            given = {"connect_timeout": 10, "application_name": "strandline", "tcp_user_timeout": 30_000, **alive}
            known = conninfo_to_dict(self.url)
            self._connection = psycopg.connect(
                self.url,
                autocommit=True,
                **{name: value for name, value in given.items() if name not in known},  # type: ignore[arg-type]
            )
            _prepare(self._connection)
            try:
                _refuse_encoding(self._connection, shown(self.url))
                if self._known:
                    _refuse_newer(_found(self._connection), shown(self.url))
            except SettingError:
                self.drop()
                raise
        return self._connection

    def drop(self) -> None:
        """Close the connection; the next call makes a new one."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    close = drop

    def __del__(self) -> None:
        """Readings of a command live as long as the command: what nobody closed is closed here."""
        if getattr(self, "_connection", None) is not None:
            self.drop()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as problem:
            ours = in_our_words(self.url, problem)
            if ours is problem:
                raise
            raise ours from problem


def _prepare(connection: Connection) -> None:
    """Numbers as the embedded catalog gives them: sums of whole numbers are whole numbers. Whoever falls asleep in the
    middle of a transaction loses it, with its locks, before all others wait for them. And whatever a database prefers,
    a commit that returned is on its disk, and statements see what others committed before.
    """
    connection.execute(
        f"""SELECT set_config('idle_in_transaction_session_timeout', '{_ASLEEP_MS}', false),
            set_config('default_transaction_isolation', 'read committed', false),
            CASE WHEN current_setting('synchronous_commit') = 'off'
                THEN set_config('synchronous_commit', 'on', false) END"""
    )
    connection.adapters.register_loader("numeric", _Number)


class _Number(psycopg.adapt.Loader):
    def load(self, data: psycopg.abc.Buffer) -> int | float:
        text = bytes(data).decode()
        return float(text) if "." in text or "N" in text else int(text)


def in_our_words(url: str, problem: psycopg.Error) -> StrandlineError | psycopg.Error:
    """What PostgreSQL found wrong, in the words of `errors`; the problem itself when it is a defect of ours."""
    where, state = shown(url), problem.sqlstate or ""
    said = str(problem).strip().splitlines()
    if state in _WRONG:
        return SettingError(f"{where}: {_WRONG[state]}")
    if state == "53100":
        return OutOfSpace(f"{where}: the server has no room left; nothing was lost, run again when there is room")
    if isinstance(problem, _AGAIN):
        return _Crossed(f"{where}: {said[0] if said else 'two processes wait for one another'}")
    if isinstance(problem, pg.ReadOnlySqlTransaction):
        return Unreachable(f"{where}: the server takes nothing in; it is being restored, or stands by for another")
    if isinstance(problem, pg.IdleInTransactionSessionTimeout):
        return Unreachable(f"{where}: the server gave up a transaction that stood still")
    if isinstance(problem, psycopg.OperationalError | psycopg.InterfaceError):
        refused = [reason for code, reason in _WRONG.items() if _is_refusal(code, " ".join(said))]
        if refused:
            return SettingError(f"{where}: {refused[0]}")
        return Unreachable(f"{where}: {said[0] if said else 'the connection was lost'}")
    return problem


def _discreet(url: str, said: str) -> str:
    """What is wrong with an address, in one line, without pieces of it that may be of its password."""
    said = said.strip().partition("\n")[0]
    if said.startswith("invalid URI query parameter") and "@" not in url.partition("?")[2]:
        return said
    return re.sub(r'"[^"]+"', "...", said)


def _is_refusal(code: str, said: str) -> bool:
    """A refused log-in is told in words only."""
    words = {"28P01": "password authentication failed", "28000": "no pg_hba.conf entry", "3D000": "does not exist"}
    return code in words and words[code] in said


def _found(connection: Connection) -> int:
    row = connection.execute("SELECT to_regclass('strandline_format')").fetchone()
    if row is None or row[0] is None:
        return 0
    row = connection.execute("SELECT format FROM strandline_format").fetchone()
    return int(str(row[0])) if row else 0


def _refuse_encoding(connection: Connection, where: str) -> None:
    """Addresses and texts are of all languages; in a database without an encoding they would not even be texts."""
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise SettingError(f"{where} is in {encoding}: make one with createdb --template=template0 --encoding=UTF8")


def _refuse_newer(found: int, where: str) -> None:
    if found > newest_format():
        raise SettingError(f"{where} has format {found}, this release knows {newest_format()}: use a newer strandline")


def _check(connection: Connection, where: str) -> None:
    found = _found(connection)
    _refuse_newer(found, where)
    if found < newest_format():
        older = f"has the older format {found}; any worker updates it" if found else "is empty"
        raise SettingError(f"{where} {older}; make it ready with: strandline cluster init")


def _migrate(connection: Connection, where: str) -> None:
    """Bring a database up to date, one step at a time; many may try, one does it."""
    if _found(connection) == newest_format():
        return
    for number, script in steps():
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_ADVISORY,))
            connection.execute("CREATE TABLE IF NOT EXISTS strandline_format (format integer NOT NULL)")
            found = _found(connection)
            if found > newest_format():
                _check(connection, where)
            if number <= found:
                continue
            connection.execute(script.encode())
            if number in _BESIDE:
                _BESIDE[number](_Asked(connection))  # type: ignore[arg-type]
            connection.execute("DELETE FROM strandline_format")
            connection.execute("INSERT INTO strandline_format VALUES (%s)", (number,))
