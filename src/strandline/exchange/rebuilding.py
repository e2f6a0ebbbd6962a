"""`reindex`: a new catalog and CDXJ index from the WARC files, and what the old catalog alone knew if it can be read.

The new catalog is made beside the old one and takes its place in one step. The old one need not be readable.
"""

import contextlib
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import singledispatch
from pathlib import Path
from typing import TypeVar

from strandline.archive.folder import Archive
from strandline.archive.given_seeds import given_seeds, keep_given
from strandline.core.capture import Capture, Kind, Unanswered
from strandline.core.keeping.people import JournalEntry, Person, PersonToken
from strandline.errors import ArchiveDamaged, StrandlineError
from strandline.exchange.moving import judge_content
from strandline.ports import Found
from strandline.store.annotations import AnnotationReading, keep_annotations
from strandline.store.catalog import DATABASE, SqliteCatalog
from strandline.store.lock import WriteLock
from strandline.store.outbox import take_over_alerts
from strandline.store.people import PeopleReading, take_over_people
from strandline.store.reading import Reading
from strandline.store.sqlite import transaction
from strandline.store.studies import StudyReading
from strandline.warc.captures import Failed, Finding, Kept, captures_of
from strandline.warc.cdxj import CdxjIndex
from strandline.warc.compacted import finished_files
from strandline.warc.fixity import complete_sums, sums_path
from strandline.warc.recover import recover
from strandline.warc.rolling import missing_files

T = TypeVar("T")
R = TypeVar("R", bound=Reading)
People = tuple[list[Person], list[PersonToken], list[JournalEntry]]
"""Who may do what, and who did what."""


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What `reindex` found in the WARC files."""

    captures: int
    files: int
    findings: tuple[str, ...]


def rebuild(folder: Path, index: CdxjIndex) -> Rebuilt:
    """Catalog and index of an archive's folder anew."""
    new, old = folder / f"{DATABASE}.new", folder / DATABASE
    findings: list[str] = []
    with WriteLock(folder, "reindex"):
        for leftover in folder.glob(f"{DATABASE}.new*"):
            leftover.unlink()
        for _ in recover(folder / "archive", folder / "quarantine", lambda _: 0):
            pass  # whole records are found below, with all others
        files = finished_files(folder / "archive")
        findings += _missing(folder, files)
        for file in files:
            if not sums_path(file.parent, file.name).exists():
                complete_sums(file.parent, file.name, file)
        with contextlib.closing(SqliteCatalog(new)) as catalog:
            count = catalog.rebuild(_facts(files, findings))
            seeds = _of_old(old, Reading, Reading.seeds) or ()
            catalog.add(Found(seed, Kind.PAGE, "seed", 0, 0, 0.0, time.time()) for seed in seeds)
            keep_given(catalog, _of_old(old, Reading, given_seeds) or ())
            catalog.studies.take_over(_of_old(old, StudyReading, lambda reading: list(reading.all_ratings())) or ())
            catalog.studies.take_over_labels(
                _of_old(old, StudyReading, lambda reading: list(reading.all_labels())) or ()
            )
            annotations = _of_old(old, AnnotationReading, lambda reading: list(reading.annotations())) or ()
            people = _of_old(old, PeopleReading, _people) or ([], [], [])
            with transaction(catalog.writer):
                keep_annotations(catalog.writer, annotations)
                take_over_people(catalog.writer, *people)
        take_over_alerts(new, old)
        _fold_log(old)
        for side in ("-wal", "-shm"):
            (folder / f"{DATABASE}{side}").unlink(missing_ok=True)
        new.replace(old)
        index.rebuild()
    return Rebuilt(count, len(files), tuple(findings))


def _fold_log(database: Path) -> None:
    """Move what a catalog still has in its log into the catalog: the log goes first, and a kill may come in between."""
    with contextlib.suppress(sqlite3.Error):  # there is no catalog, or it is past reading
        if database.exists():
            with contextlib.closing(sqlite3.connect(database, isolation_level=None, timeout=10.0)) as connection:
                connection.execute("PRAGMA wal_checkpoint(FULL)").fetchall()


def _missing(folder: Path, files: list[Path]) -> list[str]:
    """Files whose checksums are there and which are not; ArchiveDamaged when that is so of all of them, as it is when
    the disk they are on is not mounted: the catalog then knows more than a new one would.
    """
    gone = missing_files(folder / "archive")
    if not files and (gone or not (folder / "archive").is_dir()):
        raise ArchiveDamaged(
            f"{folder / 'archive'} holds none of the WARC files of this archive; is its disk there? "
            "The catalog is left as it is"
        )
    return [f"{name} is missing: what it held is in this archive no more" for name in gone]


def _facts(files: list[Path], findings: list[str]) -> Iterator[Capture | Unanswered]:
    """Captures of all files and visits that were not answered; what is wrong in them goes to `findings`."""
    for path in files:
        for item in captures_of(path, strict=False):
            if isinstance(item, Kept):
                yield item.capture
            elif isinstance(item, Failed):
                yield Unanswered(item.url, item.time, item.outcome, item.detail, item.kind)
            elif isinstance(item, Finding):
                findings.append(f"{item.place.file} at {item.place.offset}: {item.problem} {item.url}".strip())


def _of_old(database: Path, kind: type[R], asked: Callable[[R], T]) -> T | None:
    """What the old catalog alone knows and no WARC file holds; None where there is none, or it is past reading."""
    try:
        with contextlib.closing(kind.open(database, everything=True)) as old:
            return asked(old)
    except (StrandlineError, sqlite3.Error):
        return None


def _people(old: PeopleReading) -> People:
    return old.people(), old.person_tokens(), old.journal()


@singledispatch
def reindex(archive: Archive) -> Rebuilt:
    """Rebuild the catalog and the CDXJ index from the WARC files alone. Of a cluster see cluster/importing.py."""
    folder = archive.folder
    with contextlib.suppress(StrandlineError):  # what only the catalog knows is taken over from one that is current
        _ = archive.database
    rebuilt = rebuild(folder, archive.index)
    judge_content(archive)
    return rebuilt
