"""`strandline migrate`: an archive folder becomes a cluster, or a cluster a folder. Compared throughout, resumable.

    1  WARC files and their checksums; each is read back and compared with what was sent (cluster/moved_files.py)
    2  the catalog, row by row, with the numbers it has; each is read back (store/postgres/levelling.py)
    3  when nobody writes any more: what was spent, what was told, the journal of take-downs

A pass does 1 and 2. With `while_running` whoever writes the archive goes on: the source notes which rows are touched
from the first pass on (store/postgres/touched.py), and each further pass brings what came since the one before, until
that is little. Then the archive is stopped, and the last pass, without `while_running`, brings the rest: its length
hangs on what was written since, not on what there is.

But for those notes the source is only read. Until the last pass is done the target is marked as unfinished: no worker
starts on it and nobody writes it, and the same command goes on where it stopped.
"""

import contextlib
import json
import time
from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from strandline.archive.folder import MOVING, Archive, create, open_archive
from strandline.cluster.finishing import finish_abandoned
from strandline.cluster.move_ledger import FolderLedger, Ledger, SharedLedger
from strandline.cluster.moved_files import Moved, Receiving, Sending
from strandline.cluster.shared import Cluster, init_cluster, known_cluster, mark
from strandline.core.wording import counted
from strandline.errors import ArchiveBusy, ArchiveDamaged, UsageError
from strandline.settings.file import NAME, settings_text
from strandline.store import sqlite
from strandline.store.auditing import AuditReading
from strandline.store.catalog import DATABASE
from strandline.store.lock import WriteLock
from strandline.store.postgres.erasing import Alone
from strandline.store.postgres.levelling import (
    PostgresSide,
    PostgresTarget,
    Side,
    SqliteSide,
    Target,
    level_all,
    level_touched,
)
from strandline.store.postgres.moved import Digests, differences, digests_of_postgres, digests_of_sqlite
from strandline.store.postgres.moving import (
    close_alarms,
    close_alarms_in_folder,
    settle_in_postgres,
    settle_in_sqlite,
)
from strandline.store.postgres.reading import on_postgres
from strandline.store.postgres.session import Connection, Session, shown
from strandline.store.postgres.status import cluster_status
from strandline.store.postgres.takedowns import SharedJournal
from strandline.store.postgres.touched import (
    Position,
    PostgresTouched,
    SqliteTouched,
    Touched,
    position_in_sqlite,
    snapshot_of,
)
from strandline.store.reading import Reading
from strandline.store.takedowns import FolderJournal
from strandline.warc.objects import ARCHIVE, Objects
from strandline.warc.objects_joining import reach, unfinished
from strandline.warc.objects_verify import finished

Say = Callable[[str], None]
_PASSES: Final = 6
"""Passes that are made at most while an archive is written. Origin: a guess; each is much shorter than the last."""
_SHORT: Final = 5.0
"""Seconds of a pass that is short enough: the archive may be stopped. Origin: a twelfth of the minute promised."""
_ROUNDS: Final = 5
"""How often what was written during the last pass is brought over before somebody is said to write. Origin: a guess."""
_LATE: Final = 10_000
"""Captures before the newest one of a pass that are counted again with those that came: workers commit in any order.
Origin: a guess, many times what is under way.
"""
_SILENCE: Final = 120.0
"""Seconds after which a worker that was not heard of is taken for dead. Origin: as for who erases; twice a lease."""
_ALONE: Final = 0x4D4F5645
"""Key of the lock of the one who moves into a database."""


@dataclass(frozen=True, slots=True)
class Pass:
    """What a pass brought over, and how long it took."""

    seconds: float
    rows: int
    octets: int


@dataclass(frozen=True, slots=True)
class Migration:
    """How far a move is."""

    captures: int
    files: int
    passes: tuple[Pass, ...]
    finished: bool
    rows_left: int = 0
    """Rows that were touched since the last pass."""
    octets_left: int = 0
    """Bytes of WARC files that were written since."""
    stop_seconds: float = 0.0
    """How long the move took in which nobody wrote; before that is made, how long it would take about."""


def to_cluster(folder: Path, database: str, store: str, say: Say, while_running: bool = False) -> Migration:
    """Move an archive folder to PostgreSQL and object storage."""
    started = time.monotonic()
    with ExitStack() as stack:
        archive = open_archive(folder)
        if not while_running:
            with archive.writing("migrate"):
                pass  # mends what a crash may have left, and sees that nobody writes
            stack.enter_context(WriteLock(folder, "migrate"))
        move = stack.enter_context(_ToCluster(archive, _target(database, store, archive)))
        return _run(move, say, while_running, started)


def to_folder(database: str, folder: Path, say: Say, while_running: bool = False) -> Migration:
    """Move a cluster to an archive folder."""
    started = time.monotonic()
    known = known_cluster(database)
    if known is None:
        raise UsageError(f"{shown(database)} is no cluster")
    if known.migrating:
        raise UsageError(f"{shown(database)}: a migration into it is not finished")
    alive = cluster_status(database).workers
    if alive and not while_running:
        raise ArchiveBusy(f"{len(alive)} workers are at work ({alive[0].name}, ...): stop them first")
    if not (folder / MOVING).exists():
        create(folder)
        (folder / MOVING).write_text("")
    (folder / NAME).write_text(settings_text(known.cluster.settings), encoding="utf-8")
    with ExitStack() as stack:
        finish_abandoned(known.cluster, folder, _SILENCE if while_running else 0.0)
        if while_running:
            started = time.monotonic()  # that much is done before the stop
        else:
            stack.enter_context(Alone(database))
        move = stack.enter_context(_ToFolder(known.cluster, folder))
        return _run(move, say, while_running, started)


def give_up(folder: Path, database: str, back: bool) -> None:
    """Nothing is noted any more for a move that was begun; what was moved stays where it is."""
    if back:
        with closing(Session(database)) as session:
            PostgresTouched(session).end()
    else:
        with closing(sqlite.open_writing(open_archive(folder).database)) as connection:
            SqliteTouched(connection).end()


# -- a move, whichever way it goes -------------------------------------------------------------------------------------


class _Move(AbstractContextManager["_Move"]):
    """A move that is under way: where rows and files come from and go to."""

    touched: Touched
    ledger: Ledger
    target: Target

    def __init__(self) -> None:
        self._stack = ExitStack()

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @abstractmethod
    def files(self, say: Say, last: bool) -> Moved:
        """Move WARC files."""

    @abstractmethod
    def octets_left(self) -> int:
        """Bytes of files that a last pass would move, as far as is known."""

    @abstractmethod
    def source(self) -> AbstractContextManager[tuple[Side, Position]]:
        """The source in one state, and what was noted by then."""

    @abstractmethod
    def digests(self, source: Side) -> tuple[Digests, Digests]:
        """Of all rows of the source and of the target."""

    @abstractmethod
    def ends(self, names: list[str]) -> dict[str, tuple[int, int]]:
        """Where files end at the source and at the target, 0 for none."""

    @abstractmethod
    def finish(self, say: Say) -> bool:
        """All is there: make the target ready, unless something was written meanwhile."""


def _run(move: _Move, say: Say, while_running: bool, started: float) -> Migration:
    made: list[Pass] = []
    opening = time.monotonic() - started
    for _ in range(_PASSES if while_running else _ROUNDS):
        began = time.monotonic()
        moved = move.files(say, last=not while_running)
        rows, captures = _bring_rows(move, say, last=not while_running)
        ready = not while_running and move.finish(say)
        made.append(Pass(time.monotonic() - began, rows, moved.octets))
        if ready:
            took = time.monotonic() - started
            return Migration(captures, moved.files, tuple(made), True, stop_seconds=took)
        if while_running:
            said = f"pass {len(made)}: {counted(rows, 'row')} and {counted(moved.octets, 'byte')} of WARC files"
            say(f"{said} in {made[-1].seconds:.1f} s")
            if len(made) > 1 and (made[-1].seconds < _SHORT or len(made) == _PASSES):
                left = move.touched.waiting(), move.octets_left()
                return Migration(captures, moved.files, tuple(made), False, *left, opening + made[-1].seconds)
    raise ArchiveBusy(
        f"somebody writes the archive that is being moved: {counted(move.touched.waiting(), 'row')} touched during "
        "the last pass. Stop the interface, too, and run it again"
    )


def _bring_rows(move: _Move, say: Say, last: bool) -> tuple[int, int]:
    """Bring over what the target does not have yet; how many rows were written, and how many captures there are."""
    state = json.loads(move.ledger.get("") or "{}")
    token = move.touched.token()
    known = bool(token) and state.get("token") == token
    token = token or move.touched.begin()

    def progress(table: str, count: int) -> None:
        say(f"{table}: {count} rows")

    try:
        with move.source() as (source, position):
            newest, since = _number(source, "SELECT coalesce(max(seq), 0) FROM captures"), int(state.get("seq", 0))
            if known and newest >= since:
                rows = level_touched(source, move.target, progress)
                captures = _number(source, "SELECT coalesce(sum(captures), 0) FROM hosts")
            else:  # begun just now, or the source is an older state of itself
                since, rows = 0, level_all(source, move.target, progress)
                captures = _number(source, "SELECT count(*) FROM captures")
                if last:
                    _compare(*move.digests(source))
            _check_new(move, source, max(since - _LATE, 0), last)
    except ArchiveDamaged:
        move.ledger.put("", "")  # the next pass compares everything
        raise
    move.ledger.put("", json.dumps({"token": token, "seq": newest}))
    move.touched.strike(position)
    return rows, captures


def _check_new(move: _Move, source: Side, since: int, last: bool) -> None:
    """Captures behind a number must be there whatever was noted, and in the end the bytes they lie in, too."""
    count = "SELECT count(*) FROM captures WHERE seq > ?"
    here, there = _number(source, count, since), _number(move.target, count, since)
    if here != there:
        raise ArchiveDamaged(
            f"of {counted(here, 'capture')} behind number {since} {there} are at the target; run it again: everything "
            "is compared then. The source is as it was"
        )
    if last:
        query = "SELECT name FROM files WHERE file IN (SELECT file FROM captures WHERE seq > ?) ORDER BY name"
        for name, (here, there) in move.ends([str(name) for (name,) in source.ask(query, (since,))]).items():
            if there < here:
                raise ArchiveDamaged(f"{name}: {there} of {here} bytes are at the target; run it again")


def _number(side: Side, query: str, *values: object) -> int:
    return int(str(side.ask(query, values)[0][0]))


def _compare(one: Digests, other: Digests) -> None:
    """ArchiveDamaged when anything differs."""
    differ = differences(one, other)
    if differ:
        raise ArchiveDamaged(f"the two catalogs differ: {', '.join(differ)}; run it again. The source was not changed")


# -- from a folder to a cluster ----------------------------------------------------------------------------------------


def _target(database: str, store: str, archive: Archive) -> Cluster:
    """An empty cluster, or one into which this very archive was being moved."""
    source, known = str(archive.folder.resolve()), known_cluster(database)
    if known is not None and known.migrating != source and (known.captures or known.migrating):
        raise UsageError(f"{shown(database)} is not empty; a folder can be moved into an empty database only")
    cluster = init_cluster(database, store, lambda _: archive.settings)
    mark(database, source)
    return cluster


class _ToCluster(_Move):
    def __init__(self, archive: Archive, cluster: Cluster) -> None:
        super().__init__()
        self._archive, self._cluster = archive, cluster
        self._objects = Objects(cluster.store)
        self._session = self._stack.enter_context(closing(Session(cluster.database)))
        self._session.run(_alone, at_once=True)
        self._writer = self._stack.enter_context(closing(sqlite.open_writing(archive.database)))
        self.touched = self._touched = SqliteTouched(self._writer)
        self.ledger = self._ledger = SharedLedger(self._session)
        self.target = PostgresTarget(self._session)
        self._sending = Sending(archive.folder / ARCHIVE, self._objects, self._ledger, self._committed)

    def _committed(self, file: str) -> int:
        return Reading(self._writer, self._archive.folder / DATABASE).committed(file)

    def files(self, say: Say, last: bool) -> Moved:
        return self._sending.run(say, last)

    def octets_left(self) -> int:
        return self._sending.left()

    @contextlib.contextmanager
    def source(self) -> Iterator[tuple[Side, Position]]:
        with closing(sqlite.open_reading(self._archive.folder / DATABASE)) as connection:
            connection.execute("BEGIN")
            yield SqliteSide(connection), position_in_sqlite(connection)

    def digests(self, source: Side) -> tuple[Digests, Digests]:
        assert isinstance(source, SqliteSide)
        return digests_of_sqlite(source.connection), digests_of_postgres(self._session)

    def ends(self, names: list[str]) -> dict[str, tuple[int, int]]:
        whole, parts = finished(self._objects), unfinished(self._objects)
        paths = {name: self._archive.folder / ARCHIVE / name for name in names}
        return {
            name: (path.stat().st_size if path.exists() else 0, whole.get(name) or reach(parts.get(name, [])))
            for name, path in paths.items()
        }

    def finish(self, say: Say) -> bool:
        with sqlite.transaction(self._writer):  # nobody writes meanwhile
            if self.touched.waiting():
                return False
            settle_in_postgres(self._writer, self._session)
            self._session.run(lambda connection: close_alarms(connection, time.time()))
            SharedJournal(self._session).take_over(*FolderJournal(self._archive.folder).raw())
            self._ledger.clear()
            mark(self._cluster.database, None)
            self._touched.drop()
        return True


def _alone(connection: Connection) -> None:
    row = connection.execute("SELECT pg_try_advisory_lock(%s)", (_ALONE,)).fetchone()
    if row is None or not row[0]:
        raise ArchiveBusy("another process is moving an archive into this database")


# -- from a cluster to a folder ----------------------------------------------------------------------------------------


class _ToFolder(_Move):
    def __init__(self, cluster: Cluster, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._objects = Objects(cluster.store)
        self._stack.enter_context(WriteLock(folder, "migrate"))
        self._session = self._stack.enter_context(closing(Session(cluster.database)))
        self._writer = self._stack.enter_context(closing(sqlite.open_writing(folder / DATABASE)))
        self._writer.execute("PRAGMA foreign_keys = OFF")
        self.touched = PostgresTouched(self._session)
        self.ledger = FolderLedger(folder / MOVING)
        self.target = SqliteSide(self._writer)
        self._receiving = Receiving(self._objects, folder / ARCHIVE, self.ledger)
        self._index_anew = False

    def files(self, say: Say, last: bool) -> Moved:
        moved = self._receiving.run(say, last)
        index = open_archive(self._folder).index
        if last:  # lines of files that came since wait for the next watch or crawl, as they do after a crash
            self._index_anew |= moved.anew or not index.path.exists()
        elif moved.anew:
            index.rebuild()
        else:
            index.refresh()
        return moved

    def octets_left(self) -> int:
        return self._receiving.left()

    @contextlib.contextmanager
    def source(self) -> Iterator[tuple[Side, Position]]:
        with self._session.transaction() as connection:
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            yield PostgresSide(lambda work: work(connection)), snapshot_of(connection)

    def digests(self, source: Side) -> tuple[Digests, Digests]:
        return digests_of_postgres(self._session), digests_of_sqlite(self._writer)

    def ends(self, names: list[str]) -> dict[str, tuple[int, int]]:
        whole = finished(self._objects)
        paths = {name: self._folder / ARCHIVE / name for name in names}
        return {name: (whole.get(name, 0), path.stat().st_size if path.exists() else 0) for name, path in paths.items()}

    def finish(self, say: Say) -> bool:
        if self.touched.waiting():
            return False
        there = finished(self._objects)
        for name in on_postgres(AuditReading, self._session).warc_files():
            if name not in there:
                say(f"{name} is not in the store; `strandline verify {self._folder}` lists what was in it")
        settle_in_sqlite(self._session, self._writer)
        close_alarms_in_folder(self._writer, time.time())
        FolderJournal(self._folder).take_over(*SharedJournal(self._session).raw())
        if self._index_anew:
            open_archive(self._folder).index.rebuild()
        (self._folder / MOVING).unlink()
        self.touched.end()
        return True
