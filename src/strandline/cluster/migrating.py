"""`strandline migrate`: an archive folder becomes a cluster, or a cluster a folder. Verified by digest, resumable.

    1  WARC files and their checksums; each is read back and compared with what was sent
    2  the catalog, row by row, with the numbers it has (store/postgres/moving.py)
    3  digests over all rows that were moved must be equal on both sides, table by table (store/postgres/moved.py)

The source is only read. Until the last step is done the target is marked as unfinished: no worker starts on it, and
the same command goes on where it stopped.
"""

import contextlib
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from strandline.archive.folder import Archive, create, open_archive
from strandline.cluster.finishing import finish_abandoned
from strandline.cluster.shared import Cluster, init_cluster, known_cluster, mark
from strandline.errors import ArchiveBusy, ArchiveDamaged, UsageError
from strandline.settings.file import NAME, settings_text
from strandline.store import sqlite
from strandline.store.auditing import AuditReading
from strandline.store.catalog import DATABASE
from strandline.store.lock import WriteLock
from strandline.store.postgres.moved import Digests, differences, digests_of_postgres, digests_of_sqlite
from strandline.store.postgres.moving import close_alarms, close_alarms_in_folder, to_postgres, to_sqlite
from strandline.store.postgres.reading import on_postgres
from strandline.store.postgres.session import Session, shown
from strandline.store.postgres.status import cluster_status
from strandline.store.postgres.takedowns import SharedJournal
from strandline.store.takedowns import FolderJournal
from strandline.warc.compacted import finished_files, name_of
from strandline.warc.fixity import Replacing, sums_path
from strandline.warc.objects import ARCHIVE, FIXITY, Objects
from strandline.warc.objects_verify import finished
from strandline.warc.objects_writer import digest_of_file, digest_of_object, send_whole

Say = Callable[[str], None]
_UNFINISHED: Final = "migrating"
"""A file of this name in a folder says that a migration into it was not finished."""


def to_cluster(folder: Path, database: str, store: str, say: Say) -> tuple[int, int]:
    """Move an archive folder to PostgreSQL and object storage; captures and files moved."""
    archive = open_archive(folder)
    files = finished_files(folder / "archive")
    packed = [path for path in files if path.name != name_of(path)]
    if packed:
        raise UsageError(f"{len(packed)} WARC files are compacted ({packed[0].name}, ...): they cannot be moved")
    with archive.writing("migrate"):
        pass  # mends what a crash may have left, and sees that nobody writes
    cluster = _target(database, store, archive)
    objects = Objects(cluster.store)
    with WriteLock(folder, "migrate"), contextlib.closing(Session(database)) as session:
        files = finished_files(folder / "archive")
        for number, path in enumerate(files, 1):
            if _send(objects, path):
                say(f"{path.name}: sent and compared ({number} of {len(files)})")
        with contextlib.closing(sqlite.open_reading(folder / DATABASE)) as source:
            to_postgres(source, session, lambda table, count: say(f"{table}: {count} rows"))
            captures = _compare(digests_of_sqlite(source), digests_of_postgres(session))
        session.run(lambda connection: close_alarms(connection, time.time()))
        SharedJournal(session).take_over(*FolderJournal(folder).raw())
    mark(database, None)
    return captures, len(files)


def _target(database: str, store: str, archive: Archive) -> Cluster:
    """An empty cluster, or one into which this very archive was being moved."""
    source, known = str(archive.folder.resolve()), known_cluster(database)
    if known is not None and known.migrating != source and (known.captures or known.migrating):
        raise UsageError(f"{shown(database)} is not empty; a folder can be moved into an empty database only")
    cluster = init_cluster(database, store, lambda _: archive.settings)
    mark(database, source)
    return cluster


def _send(objects: Objects, path: Path) -> bool:
    """Send a file with its checksums unless they are there, the same; whether it was sent."""
    sums = sums_path(path.parent, path.name)
    listed = not sums.exists() or _sums(objects, path.name) == sums.read_bytes()
    if listed and objects.size(f"{ARCHIVE}/{path.name}") == path.stat().st_size and _same(objects, path):
        return False
    send_whole(objects, path.name, path)
    return True


def to_folder(database: str, folder: Path, say: Say) -> tuple[int, int]:
    """Move a cluster to an archive folder; captures and files moved."""
    known = known_cluster(database)
    if known is None:
        raise UsageError(f"{shown(database)} is no cluster")
    if known.migrating:
        raise UsageError(f"{shown(database)}: a migration into it is not finished")
    alive = cluster_status(database).workers
    if alive:
        raise ArchiveBusy(f"{len(alive)} workers are at work ({alive[0].name}, ...): stop them first")
    cluster = known.cluster
    if not (folder / _UNFINISHED).exists():
        create(folder)
        (folder / NAME).write_text(settings_text(cluster.settings), encoding="utf-8")
        (folder / _UNFINISHED).write_text("")
    finish_abandoned(cluster, folder, 0.0)
    objects = Objects(cluster.store)
    with WriteLock(folder, "migrate"), contextlib.closing(Session(database)) as session:
        names = finished(objects)
        for number, (name, size) in enumerate(names.items(), 1):
            if _fetch(objects, folder, name, size):
                say(f"{name}: received and compared ({number} of {len(names)})")
        for name in on_postgres(AuditReading, session).warc_files():
            if name not in names:
                say(f"{name} is not in the store; `strandline verify {folder}` lists what was in it")
        with contextlib.closing(_open_bare(folder / DATABASE)) as target:
            to_sqlite(session, target, lambda table, count: say(f"{table}: {count} rows"))
            captures = _compare(digests_of_postgres(session), digests_of_sqlite(target))
            close_alarms_in_folder(target, time.time())
        FolderJournal(folder).take_over(*SharedJournal(session).raw())
    archive = open_archive(folder)
    archive.index.rebuild()
    (folder / _UNFINISHED).unlink()
    return captures, len(names)


def _open_bare(database: Path) -> sqlite3.Connection:
    connection = sqlite.open_writing(database)
    connection.execute("PRAGMA foreign_keys = OFF")
    return connection


def _fetch(objects: Objects, folder: Path, name: str, size: int) -> bool:
    """Receive a file with its checksums unless they are there, the same; whether it was received."""
    path, sums = folder / ARCHIVE / name, sums_path(folder / ARCHIVE, name)
    listed = _sums(objects, name)
    if path.exists() and path.stat().st_size == size and (listed is None or sums.exists()) and _same(objects, path):
        return False
    if listed is not None:
        sums.parent.mkdir(exist_ok=True, mode=0o700)
        with Replacing(sums) as out:
            out.write(listed)
    with Replacing(path) as out:
        for piece in objects.stream(f"{ARCHIVE}/{name}"):
            out.write(piece)
    if not _same(objects, path):
        path.unlink()
        raise ArchiveDamaged(f"{name} did not arrive as it is in the store; run the same command again")
    return True


def _sums(objects: Objects, name: str) -> bytes | None:
    """The list of checksums of a file in the store; None when there is none."""
    try:
        return objects.get(f"{FIXITY}/{name}.sums")
    except FileNotFoundError:
        return None


def _same(objects: Objects, path: Path) -> bool:
    return digest_of_object(objects, f"{ARCHIVE}/{path.name}") == digest_of_file(path)


def _compare(one: Digests, other: Digests) -> int:
    """How many captures both have; ArchiveDamaged when anything differs."""
    differ = differences(one, other)
    if differ:
        raise ArchiveDamaged(
            f"the two catalogs differ: {', '.join(differ)}; the source was not changed. If it was written to since the "
            "migration began, start again with an empty target"
        )
    return one["captures"][0]
