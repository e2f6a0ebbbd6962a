"""Opening the database: durable for the one writer, harmless for readers, and honest about what is wrong with it.

WAL lets readers look on while the writer works; `synchronous=FULL` makes a commit survive a power cut. The format
is a number in the database header. An older format is brought up to date by the numbered steps of `migrations/`,
each in a transaction of its own; a newer one is refused before anything is written.

To add a table, add `migrations/NNNN-what.sql`. Steps that were released are never edited. When something that was
worked out from captures comes to mean something else, a step forgets what was kept (0009): it is worked out anew.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from strandline.errors import ArchiveBusy, ArchiveDamaged, OutOfSpace, SettingError, StrandlineError
from strandline.store.histories_packed import pack_histories

APPLICATION = 0x57524B4C
"""Marks the file as ours in its header (`file` and sqlite tools show it)."""

_CACHE_KIB = 8 * 1024
"""Pages of the database held in memory: part of what a crawl may grow by, and more of them make it no faster."""
_BUSY_MS = 10_000
_LOG_PAGES = 8_192
"""The log is folded into the database every 32 MiB: index leaves written again and again meanwhile go there once."""


_BESIDE = {10: pack_histories}
"""What a step does beside its SQL, in the same transaction."""


@cache
def steps() -> tuple[tuple[int, str], ...]:
    """The migrations in order: format reached, SQL."""
    found = [
        (int(entry.name.split("-")[0]), entry.read_text("utf-8"))
        for entry in (Path(__file__).parent / "migrations").iterdir()
        if entry.name.endswith(".sql")
    ]
    return tuple(sorted(found))


def step_names() -> tuple[tuple[int, str], ...]:
    """The migrations in order: format reached, name."""
    found = (path.stem for path in (Path(__file__).parent / "migrations").glob("*.sql"))
    return tuple(sorted((int(name.split("-")[0]), name) for name in found))


def format_of(path: Path) -> int:
    """The format of an existing database; SettingError for one of a later release or of another program."""
    with told(path):
        return _refuse_foreign(path)


def newest_format() -> int:
    """The format this release writes."""
    return steps()[-1][0]


_OVERWRITTEN = ("Could not decode to UTF-8", "no such table", "no such index", "no such column", "malformed")


class told:  # noqa: N801 - reads as a phrase: with told(path)
    """Say in the words of `errors` what SQLite found wrong with a database."""

    __slots__ = ("_path",)

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, problem: BaseException | None, trace: object) -> None:
        if isinstance(problem, sqlite3.Error):
            raise _in_our_words(self._path, problem) from problem


def _in_our_words(path: Path, problem: sqlite3.Error) -> StrandlineError | sqlite3.Error:
    name = getattr(problem, "sqlite_errorname", "") or ""
    if name.startswith("SQLITE_FULL") or name == "SQLITE_IOERR_SHMSIZE":
        return OutOfSpace(f"no room left for {path}: nothing was lost; run the same command again when there is room")
    # A schema that was overwritten, or bytes that are no text, have no code of their own.
    overwritten = name in ("SQLITE_ERROR", "") and str(problem).startswith(_OVERWRITTEN)
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_IOERR")) or overwritten:
        return ArchiveDamaged(f"{path} is damaged ({problem}); `strandline reindex` rebuilds it from the WARC files")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return ArchiveBusy(f"{path} is held by another process")
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
        return SettingError(f"{path} cannot be used: {problem}")
    return problem


def open_writing(path: Path) -> sqlite3.Connection:
    """The writer's connection; makes the database when there is none. The caller holds the write lock."""
    with told(path):
        if path.exists() and path.stat().st_size:
            _refuse_foreign(path)
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        try:
            connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
            connection.execute(f"PRAGMA wal_autocheckpoint = {_LOG_PAGES}")
            migrate(connection)
        except BaseException:
            connection.close()
            raise
    # The catalog names every fetch ever made: nobody else's business by default.
    path.chmod(0o600)
    return connection


def outdated(path: Path) -> bool:
    """Whether a database has an older format, which a writer would bring up to date."""
    if not path.exists():
        return False
    with told(path):
        return _refuse_foreign(path) < newest_format()


def open_reading(path: Path) -> sqlite3.Connection:
    """A reader's connection: never writes, never waits for the writer, sees the last commit."""
    if not path.exists():
        raise SettingError(
            f"{path} does not exist; `strandline reindex` rebuilds it in an archive, `strandline init` makes a new one"
        )
    with told(path):
        format_found = _refuse_foreign(path)
        if format_found < newest_format():
            raise SettingError(
                f"{path} has the older format {format_found}; any writing command (`strandline crawl`) updates it"
            )
        connection = _read_only(path)
        connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
    return connection


def _read_only(path: Path) -> sqlite3.Connection:
    """Read-only; on a read-only medium too, where SQLite cannot make the file readers share with the writer."""
    address = path.absolute().as_uri()
    log = path.with_name(path.name + "-wal")
    connection = sqlite3.connect(f"{address}?mode=ro", uri=True, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.OperationalError:
        connection.close()
        if log.exists() and log.stat().st_size:
            raise
        return sqlite3.connect(f"{address}?immutable=1", uri=True, isolation_level=None, check_same_thread=False)
    return connection


def _refuse_foreign(path: Path) -> int:
    """The format of an existing database; SettingError for one of a later release, without touching it."""
    log = path.with_name(path.name + "-wal")
    # With nothing in the log, `immutable` leaves not even an empty file beside the database.
    mode = "mode=ro" if log.exists() and log.stat().st_size else "immutable=1"
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, isolation_level=None)
    try:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        found = int(connection.execute("PRAGMA user_version").fetchone()[0])
    finally:
        connection.close()
    if application not in (APPLICATION, 0) or (application == 0 and found):
        raise SettingError(f"{path} is a database of another program")
    if found > newest_format():
        raise SettingError(
            f"{path} has format {found}, this release knows {newest_format()}: use the newer strandline that wrote it"
        )
    return found


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a database up to date, one durable step at a time: after a crash it has the old or the new format."""
    found = int(connection.execute("PRAGMA user_version").fetchone()[0])
    for number, script in steps():
        if number <= found:
            continue
        marks = f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {number};"
        try:
            connection.executescript(f"BEGIN IMMEDIATE;\n{script}\n{marks}")
            if number in _BESIDE:
                _BESIDE[number](connection)
            connection.execute("COMMIT")
        except sqlite3.Error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


@contextmanager
def transaction(connection: sqlite3.Connection, *, durable: bool = True) -> Iterator[None]:
    """All or nothing. What can be worked out again after a power cut (`durable=False`) is not synced by itself."""
    connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # A full disk makes SQLite roll back by itself.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
