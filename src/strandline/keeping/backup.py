"""`strandline backup` and `restore`: an archive folder elsewhere, complete, compared, and only what is new each time.

    archive/, fixity/, takedowns/, quarantine/     as in the archive folder
    strandline.db, strandline.toml                 the catalog as it was at one moment, the settings
    backup.json                                    what belongs to it: name, size and checksum of each; written last

It may be taken while a watch runs. First the catalog is copied at one moment (SQLite's online backup). All it names was
durable in WARC files before (docs/archive-format.md), so files that are copied afterwards hold at least that; of the
file that is being written no more is taken than the catalog knows. Everything that was sent is read back and compared.

A backup that was cut short has no list, or the list of the one before, whose checksums tell whether it still holds.
Restoring reads and compares everything before the folder gets its name.
"""

import hashlib
import json
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from strandline.archive.database_names import database_at
from strandline.archive.folder import Archive, open_archive
from strandline.durable import sync_path
from strandline.errors import ArchiveBusy, ArchiveDamaged, UsageError
from strandline.keeping.backup_place import BackupPlace, FolderPlace, digest_of, first_bytes
from strandline.settings.file import NAME
from strandline.store.catalog import DATABASE
from strandline.store.lock import WriteLock
from strandline.store.reading import Reading
from strandline.version import __version__
from strandline.warc.compacted import DELTA, PACK, name_of
from strandline.warc.fixity import Replacing
from strandline.warc.output import OPEN

LIST: Final = "backup.json"
BEGUN: Final = "backup.unfinished"
"""There while a backup is being made, and after one that was cut short."""
_FORMAT: Final = 1
_FRESH: Final = 600.0
"""Seconds after which a finished file surely holds nothing that is still to be recorded."""
_FOLDERS: Final = ("fixity", "takedowns", "quarantine")
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Listed:
    """A file of a backup."""

    name: str
    size: int
    digest: str


@dataclass(frozen=True, slots=True)
class BackupList:
    """What belongs to a backup."""

    time: float
    captures: int
    files: tuple[Listed, ...]
    software: str = ""

    def text(self) -> bytes:
        """As it is kept, with a digest of itself."""
        content: dict[str, Any] = {
            "format": _FORMAT,
            "time": self.time,
            "software": self.software,
            "captures": self.captures,
            "files": [[one.name, one.size, one.digest] for one in self.files],
        }
        return json.dumps({**content, "sha256": _digest(content)}, indent=0).encode()

    @classmethod
    def of(cls, text: bytes, where: str) -> "BackupList":
        """As it was kept; ArchiveDamaged for anything else."""
        try:
            content = json.loads(text)
            if content.pop("sha256") != _digest(content):
                raise ValueError("its digest is wrong")
            if content["format"] > _FORMAT:
                raise ArchiveDamaged(f"{where}: a backup of a later release; restore it with that")
            files = tuple(Listed(str(name), int(size), str(digest)) for name, size, digest in content["files"])
            return cls(float(content["time"]), int(content["captures"]), files, str(content["software"]))
        except (ValueError, KeyError, TypeError) as problem:
            raise ArchiveDamaged(f"{where}: the list of the backup is damaged ({problem})") from None


def _digest(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


@dataclass(slots=True)
class BackedUp:
    """What a backup did."""

    captures: int
    files: int = 0
    bytes: int = 0
    sent: int = 0
    """Files that were new or had changed."""
    sent_bytes: int = 0
    removed: int = 0

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {"event": "backed-up"} | asdict(self)


def backup_place(text: str) -> BackupPlace:
    """The place an address or a path names."""
    if "://" in text:
        from strandline.keeping.backup_objects import ObjectPlace  # noqa: PLC0415 - needs the extra `cluster`

        return ObjectPlace(text)
    return FolderPlace(Path(text))


def back_up(archive: Archive, to: str, say: Say = lambda _: None) -> BackedUp:
    """Bring the backup of an archive folder up to date; writers may go on meanwhile."""
    folder = archive.need_folder("backup").resolve()
    _ = archive.database  # an older format is brought up to date first
    if "://" not in to and (Path(to).resolve() == folder or folder in Path(to).resolve().parents):
        raise UsageError(f"{to}: a backup lies outside of the archive")
    place = backup_place(to)
    there = place.names()
    known = {one.name: one for one in _known(place) if there.get(one.name) == one.size}
    place.put_bytes(BEGUN, b"")
    with tempfile.TemporaryDirectory(prefix="strandline-backup-") as work:
        catalog = Path(work) / DATABASE
        alone = _copy_at_one_moment(folder, catalog)
        with closing(Reading.open(catalog, everything=True)) as reading:
            captures = sum(1 for _ in reading.all_captures())
            wanted = list(_wanted(folder, catalog, reading, alone))
        done = BackedUp(captures)
        listed = [_send(place, known, source, done, say) for source in wanted]
    place.put_bytes(LIST, BackupList(time.time(), captures, tuple(listed), f"Strandline/{__version__}").text())
    keep = {one.name for one in listed} | {LIST}
    for name in place.names():
        if name not in keep:
            place.remove(name)
            done.removed += name != BEGUN
    return done


@dataclass(frozen=True, slots=True)
class _Source:
    """A file to keep: its name there, where it lies, how much of it."""

    name: str
    path: Path
    length: int


def _copy_at_one_moment(folder: Path, target: Path) -> bool:
    """Copy the catalog; whether nobody wrote the archive meanwhile: finished files then hold nothing new to it."""
    try:
        with WriteLock(folder, "backup"):
            copy_catalog(folder / DATABASE, target)
            return True
    except ArchiveBusy:
        copy_catalog(folder / DATABASE, target)
        return False


def copy_catalog(source: Path, target: Path) -> None:
    """The catalog as it is at one moment, while others write it."""
    with (
        closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as old,
        closing(sqlite3.connect(target)) as new,
    ):
        old.backup(new)
        new.execute("PRAGMA journal_mode = DELETE")


def _wanted(folder: Path, catalog: Path, reading: Reading, alone: bool) -> Iterator[_Source]:
    yield _Source(DATABASE, catalog, catalog.stat().st_size)
    yield _Source(NAME, folder / NAME, (folder / NAME).stat().st_size)
    for part in _FOLDERS:
        for path in sorted((folder / part).glob("*")):
            if path.is_file() and not path.name.endswith(".new"):
                yield _Source(f"{part}/{path.name}", path, path.stat().st_size)
    fresh = time.time() - _FRESH
    for path in sorted((folder / "archive").iterdir()):
        written = path.name.endswith((".warc", ".warc.gz")) and not alone and path.stat().st_mtime > fresh
        if path.name.endswith(OPEN) or written:
            # It may hold more than the catalog knew at that moment: no more is taken, and restoring ends it properly.
            length = reading.committed(name_of(path))
            if length:
                yield _Source(f"archive/{name_of(path)}{OPEN}", path, length)
        elif path.name.endswith((".warc", ".warc.gz", PACK, DELTA)):
            yield _Source(f"archive/{path.name}", path, path.stat().st_size)


def _send(place: BackupPlace, known: dict[str, Listed], source: _Source, done: BackedUp, say: Say) -> Listed:
    path = _there(source.path)
    digest, size = digest_of(first_bytes(path, source.length))
    if size != source.length:
        raise ArchiveDamaged(f"{path}: {size} bytes, not {source.length} as the catalog says")
    done.files += 1
    done.bytes += size
    before = known.get(source.name)
    if before == Listed(source.name, size, digest):
        return before
    place.put(source.name, path, source.length)
    found = digest_of(place.pieces(source.name))
    if found != (digest, size):
        raise ArchiveDamaged(f"{place.name}: {source.name} did not arrive as it was sent")
    done.sent += 1
    done.sent_bytes += size
    say(f"{source.name}: sent and compared")
    return Listed(source.name, size, digest)


def _there(path: Path) -> Path:
    """A file that was being written may have got its final name meanwhile."""
    finished = path.with_name(path.name.removesuffix(OPEN))
    return path if path.exists() else finished


def _known(place: BackupPlace) -> tuple[Listed, ...]:
    """Files of the last backup that was finished; none when there was none or its list is damaged."""
    try:
        return BackupList.of(b"".join(place.pieces(LIST)), place.name).files
    except (FileNotFoundError, ArchiveDamaged):
        return ()


# Restoring


def checked_list(place: BackupPlace) -> BackupList:
    """The list of a backup; ArchiveDamaged when none was ever finished there."""
    try:
        text = b"".join(place.pieces(LIST))
    except FileNotFoundError:
        cut = " (one was begun and cut short)" if BEGUN in place.names() else ""
        raise ArchiveDamaged(f"{place.name}: no finished backup is here{cut}") from None
    return BackupList.of(text, place.name)


def check_backup(place: BackupPlace) -> tuple[BackupList, list[str]]:
    """Read all of a backup and compare it with its list: what is wrong with it."""
    listed = checked_list(place)
    problems = []
    for one in listed.files:
        try:
            if digest_of(place.pieces(one.name)) != (one.digest, one.size):
                problems.append(f"{one.name} is not as it was kept")
        except FileNotFoundError:
            problems.append(f"{one.name} is missing")
    return listed, problems


def restore(source: str, folder: Path, say: Say = lambda _: None) -> BackupList:
    """Make an archive folder of a backup; ArchiveDamaged, and no folder, when anything of it is not as it was kept."""
    if database_at(folder):
        raise UsageError(
            "restore makes an archive folder, which `strandline migrate` moves to a cluster; what pg_dump kept comes "
            "back with pg_restore: docs/cluster.md, Back up and restore"
        )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} exists and is not an empty folder")
    place = backup_place(source)
    listed = checked_list(place)
    if BEGUN in place.names():
        say("a later backup was cut short; what is restored is the one before it, if it is still whole")
    unfinished = folder.with_name(f"{folder.name}.restoring")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(mode=0o700, parents=True)
    try:
        for part in ("archive", "indexes", *_FOLDERS):
            (unfinished / part).mkdir(mode=0o700)
        for one in listed.files:
            _fetch(place, one, unfinished)
        for part in ("quarantine", "takedowns", "fixity"):
            if not any((unfinished / part).iterdir()):
                (unfinished / part).rmdir()
        if folder.exists():
            folder.rmdir()
        unfinished.replace(folder)
        sync_path(folder.parent)
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise
    archive = open_archive(folder)
    archive.say = say
    with archive.writing("restore"):
        pass  # what was being written then gets its end and its name
    archive.index.rebuild()
    return listed


def _fetch(place: BackupPlace, one: Listed, folder: Path) -> None:
    path = folder / one.name
    if ".." in Path(one.name).parts or (path.is_absolute() and not path.is_relative_to(folder)):
        raise ArchiveDamaged(f"{place.name}: a name that leads out of the folder: {one.name}")
    try:
        with Replacing(path) as out:
            for piece in place.pieces(one.name):
                out.write(piece)
    except FileNotFoundError:
        raise ArchiveDamaged(f"{place.name}: {one.name} is missing; the backup was cut or damaged") from None
    if digest_of(first_bytes(path, one.size + 1)) != (one.digest, one.size):
        raise ArchiveDamaged(f"{place.name}: {one.name} is not as it was kept; the backup was cut or damaged")
