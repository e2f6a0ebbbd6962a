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
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Final

from strandline.archive.folder import MOVING, Archive, create, open_archive
from strandline.cluster.finishing import finish_abandoned
from strandline.cluster.move_ledger import FolderLedger, SharedLedger
from strandline.cluster.move_passes import Migration, Move, Say, run_passes
from strandline.cluster.moved_files import Moved, Receiving, Sending
from strandline.cluster.shared import Cluster, init_cluster, known_cluster, mark
from strandline.errors import ArchiveBusy, UsageError
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
)
from strandline.store.postgres.moved import Digests, digests_of_postgres, digests_of_sqlite
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
    position_in_sqlite,
    snapshot_of,
)
from strandline.store.postgres.workers import bury
from strandline.store.reading import Reading
from strandline.store.takedowns import FolderJournal
from strandline.warc.objects import ARCHIVE, Objects
from strandline.warc.objects_joining import reach, unfinished
from strandline.warc.objects_verify import finished

_SILENCE: Final = 120.0
"""Seconds after which a worker that was not heard of is taken for dead. Origin: as for who erases; twice a lease."""
_ALONE: Final = 0x4D4F5645
"""Key of the lock of the one who moves into a database."""


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
        return run_passes(move, say, while_running, started)


def to_folder(database: str, folder: Path, say: Say, while_running: bool = False) -> Migration:
    """Move a cluster to an archive folder."""
    started = time.monotonic()
    known = known_cluster(database)
    if known is None:
        raise UsageError(f"{shown(database)} is no cluster")
    if known.migrating:
        raise UsageError(f"{shown(database)}: a migration into it is not finished")
    with closing(Session(database)) as session:
        bury(session, _SILENCE)
    alive = cluster_status(database).workers
    if alive and not while_running:
        raise ArchiveBusy(
            f"{len(alive)} workers are at work ({alive[0].name}, ...): stop them first; one that was killed is taken "
            "to be at work for two minutes"
        )
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
        return run_passes(move, say, while_running, started)


def give_up(folder: Path, database: str, back: bool) -> None:
    """Nothing is noted any more for a move that was begun; what was moved stays where it is."""
    if back:
        with closing(Session(database)) as session:
            PostgresTouched(session).end()
    else:
        with closing(sqlite.open_writing(open_archive(folder).database)) as connection:
            SqliteTouched(connection).end()


# -- from a folder to a cluster ----------------------------------------------------------------------------------------


def _target(database: str, store: str, archive: Archive) -> Cluster:
    """An empty cluster, or one into which this very archive was being moved."""
    source, known = str(archive.folder.resolve()), known_cluster(database)
    if known is not None and known.migrating != source and (known.captures or known.migrating):
        raise UsageError(f"{shown(database)} is not empty; a folder can be moved into an empty database only")
    cluster = init_cluster(database, store, lambda _: archive.settings)
    mark(database, source)
    return cluster


class _ToCluster(Move):
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


class _ToFolder(Move):
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
