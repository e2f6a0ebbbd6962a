"""An archive folder: opened, locked, mended, read and written.

    my-archive/
      strandline.toml    settings, each one explained
      archive/           WARC files: the truth
      indexes/           CDXJ, for other tools
      strandline.db      the catalog, rebuilt from WARC by `reindex`
      fixity/            a checksum of every stored record
      quarantine/        bytes that a crash left torn

Reading needs no lock and may go on beside a writer. Whatever writes first takes the lock, then mends what a crash may
have left, by itself.
"""

import contextlib
import errno
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, TypeVar

from strandline.access.takedowns import notice_text
from strandline.archive.events import event
from strandline.archive.given_seeds import read_seeds
from strandline.core.capture import Capture
from strandline.core.urls import canonical, surt_key
from strandline.core.wording import counted
from strandline.errors import ArchiveBusy, ArchiveDamaged, OutOfSpace, SettingError, TakenDown, UsageError, usage_errors
from strandline.ports import PageRow
from strandline.settings import texts
from strandline.settings.file import NAME, read_settings, settings_text
from strandline.settings.schema import Settings
from strandline.store.catalog import DATABASE, SqliteCatalog, open_catalog
from strandline.store.index import KeyReading
from strandline.store.lock import WATCH, LearnerLock, signature
from strandline.store.sqlite import open_writing, outdated, told, transaction
from strandline.store.takedowns import FOLDER, JOURNAL, FolderJournal, Journal
from strandline.warc.captures import Kept
from strandline.warc.cdxj import CdxjIndex
from strandline.warc.compacted import finished_files, remove_unfinished
from strandline.warc.reader import WarcReader
from strandline.warc.recover import recover

if TYPE_CHECKING:
    from strandline.archive.erasing import ErasePlace, Shelf
    from strandline.store.annotations import Writing
    from strandline.store.exporting import ExportReading
    from strandline.store.learned import LearnedWriter
    from strandline.store.studies import StudyReading
    from strandline.warc.verify import Audit, Course

# Reading starts without what only study and audits need (ruff: PLC0415 is off for this file).


T = TypeVar("T")
_FIRST = ("archive", "indexes")
"""Folders that are made before there is a file."""
MOVING = "migrating"
"""A file of this name in a folder says that a cluster is being moved into it, and how far (cluster/moved_files.py)."""
_LEFT = re.compile(r"(spool|unpacked)-[a-z0-9_]{8}")
"""Names of what a crawl or an import puts down for a while."""


def create(folder: Path, *, contact: str = "", operator: str = "", seeds: tuple[str, ...] = ()) -> "Archive":
    """Make an archive in a new or empty folder."""
    if (folder / NAME).exists():
        raise UsageError(f"{folder} already is an archive; edit {folder / NAME} to change its settings")
    if folder.exists() and not is_empty(folder):
        raise UsageError(f"{folder} exists and is not an empty folder")
    settings = Settings()
    settings = replace(settings, archive=replace(settings.archive, contact=contact, operator=operator))
    for key, check, given in (("contact", texts.contact, contact), ("operator", texts.line, operator)):
        try:
            check(given)
        except ValueError as problem:
            raise SettingError(f"archive.{key}: {problem}") from None
    settings = replace(settings, scope=replace(settings.scope, seeds=read_seeds(seeds)))
    parts = (folder, *(folder / part for part in _FIRST))
    new = [part for part in parts if not part.exists()]
    try:
        for part in parts:
            part.mkdir(parents=True, exist_ok=True, mode=0o700)
        _claim(folder / NAME)
        new.append(folder / NAME)
        (folder / NAME).write_text(settings_text(settings), encoding="utf-8")
    except OSError as problem:
        with contextlib.suppress(OSError):  # half an archive would be in the way of the next try
            for part in reversed(new):
                part.unlink() if part.name == NAME else part.rmdir()
        kind = OutOfSpace if problem.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) else SettingError
        raise kind(f"{folder}: cannot be made: {problem.strerror}") from None
    open_catalog(folder, "init").close()
    return Archive(folder, settings)


def is_empty(folder: Path) -> bool:
    """Whether an archive can be made in a folder: there is nothing in it, or only what somebody who was killed while
    making one put down first.
    """
    return folder.is_dir() and all(
        part.name in _FIRST and part.is_dir() and not part.is_symlink() and not any(part.iterdir())
        for part in folder.iterdir()
    )


def _claim(settings: Path) -> None:
    """Make the file of the settings, which nobody else may have made meanwhile."""
    try:
        settings.touch(mode=0o600, exist_ok=False)
    except FileExistsError:
        raise UsageError(f"{settings.parent} already is an archive; edit {settings} to change its settings") from None


def open_archive(folder: Path) -> "Archive":
    """The archive in a folder; UsageError when there is none."""
    if not (folder / NAME).exists():
        make = f"strandline init {quote(str(folder))}"
        raise UsageError(f"{folder} is no archive (no {NAME} in it); make one with: {make}")
    return Archive(folder, read_settings(folder / NAME))


class Archive:
    """One archive folder."""

    def __init__(self, folder: Path, settings: Settings, say: Callable[[str], None] | None = None) -> None:
        """`say` hears, in one line each, what the archive did by itself; by default standard error does."""
        self.folder = folder
        self.settings = settings
        self.say = say or partial(event, "archive")

    # -- reading ----------------------------------------------------------------------------------------------------

    @cached_property
    def reading(self) -> KeyReading:
        """The catalog, for reading beside a writer."""
        return KeyReading.open(self.database)

    @cached_property
    def everything(self) -> KeyReading:
        """The catalog with what is taken down, for what keeps the archive; never for what shows it."""
        return KeyReading.open(self.database, everything=True)

    @property
    def journal(self) -> Journal:
        """What was taken down, lifted and erased."""
        return FolderJournal(self.folder)

    @property
    def database(self) -> Path:
        """The file of the catalog; one of an older format is brought up to date first."""
        found = self.folder / DATABASE
        if outdated(found):
            with self.writing("update"):
                self.say(f"{found}: brought up to the format of this version")
        return found

    @cached_property
    def studies(self) -> "StudyReading":
        """What study found, for reading beside a writer."""
        from strandline.store.studies import StudyReading

        return StudyReading.open(self.database)

    def exporting(self) -> "ExportReading":
        """The catalog as an export to Parquet reads it; to be closed."""
        from strandline.store.exporting import ExportReading

        return ExportReading.open(self.database)

    @cached_property
    def records(self) -> WarcReader:
        """The WARC files, for reading."""
        return WarcReader(self.folder / "archive")

    def captures(self, url: str) -> list[Capture]:
        """Captures of a page in time order; TakenDown when they are not shown."""
        return self.reading.captures(self._shown(url))

    def page(self, url: str) -> PageRow | None:
        """What is known about a page; TakenDown when it is not shown."""
        return self.reading.page(self._shown(url))

    def _shown(self, url: str) -> str:
        address = web_address(url)
        hidden = self.reading.hidden
        act = hidden.why(surt_key(address)) if hidden else None
        if act is not None:
            raise TakenDown(notice_text(act))
        return address

    def verify(self, course: "Course | None" = None) -> "Audit":
        """Read every byte of the WARC files and compare them with what was written, the catalog and the index."""
        from strandline.warc.index_audit import index_problems
        from strandline.warc.verify import MENDED, Audit, Problem, verify

        damage = [f"the catalog is damaged ({one}); {MENDED}" for one in self.everything.damage()]
        if damage:  # what it says of the files is worth nothing
            return Audit(0, 0, 0, tuple(Problem(DATABASE, 0, "", one) for one in damage))
        found = verify(self.folder / "archive", self.everything.all_captures, course)
        index = index_problems(self.folder / "indexes", self.folder / "archive", self.everything.all_captures)
        trouble = self.journal.problem()
        told = (Problem(f"{FOLDER}/{JOURNAL}", 0, "", trouble),) if trouble else ()
        return replace(found, problems=(*found.problems, *index, *told))

    # -- writing ----------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def writing(self, command: str) -> Iterator[SqliteCatalog]:
        """The catalog open for writing, after mending what a crash may have left. One writer at a time."""
        self._need_all()
        database = self.folder / DATABASE
        if not (database.exists() and database.stat().st_size) and warc_files(self.folder / "archive"):
            # A new one would know nothing of them, and nobody would notice.
            raise ArchiveDamaged(f"{database} is not there; `strandline reindex` rebuilds it from the WARC files")
        with contextlib.closing(open_catalog(self.folder, command)) as catalog:
            self._mend(catalog)
            _sweep(self.folder)
            if (self.folder / FOLDER).exists():
                from strandline.archive.erasing import go_on
                from strandline.archive.erasing_folder import FolderErasing

                go_on(FolderErasing(self.folder, catalog, self.index), self.say)
            yield catalog

    @contextlib.contextmanager
    def erasing(self, command: str, look: bool = False) -> "Iterator[ErasePlace]":
        """The archive to erase from, once what waited is erased; with `look` nothing is going to be changed."""
        from strandline.archive.erasing_folder import FolderErasing

        with self.writing(command) as catalog:
            yield FolderErasing(self.folder, catalog, self.index)

    def shelf(self) -> "Shelf":
        """The WARC files, to look for records in."""
        from strandline.archive.erasing_folder import FolderShelf

        return FolderShelf(self.folder)

    def beside(self, work: "Callable[[Writing], T]") -> T:
        """Write something small in one transaction, also while another process writes the archive."""
        self._need_all()
        if signature(self.folder).get("command") == "reindex":  # the new catalog would not have it
            raise ArchiveBusy(f"{self.folder} is being reindexed; try again when that is done")
        database = self.database
        with contextlib.closing(open_writing(database)) as connection, told(database), transaction(connection):
            return work(connection)

    def _need_all(self) -> None:
        """Refuse to write what is not all here yet: it would be in the way of the rest."""
        if (self.folder / MOVING).exists():
            raise SettingError(
                f"{self.folder}: the move of a cluster into it is not finished; run `migrate --back` again"
            )

    def _mend(self, catalog: SqliteCatalog) -> None:
        remove_unfinished(self.folder / "archive")
        for found in recover(self.folder / "archive", self.folder / "quarantine", catalog.reading.committed):
            kept = [item.capture for item in found.salvaged if isinstance(item, Kept)]
            catalog.salvage(kept)
            self.say(
                f"recovered {found.file} after a crash: {counted(len(kept), 'capture')} salvaged, "
                f"{counted(found.quarantined, 'torn byte')} moved to quarantine"
                + (f"; {found.missing} BYTES OF RECORDED CAPTURES ARE MISSING" if found.missing else "")
            )

    @contextlib.contextmanager
    def learning(self) -> Iterator[tuple["LearnedWriter", SqliteCatalog | None]]:
        """Where what is learned is kept, and the catalog to study with: None beside a watch, which studies itself."""
        from strandline.store.learned import LearnedWriter

        with contextlib.ExitStack() as stack:
            catalog = None
            try:
                catalog = stack.enter_context(self.writing("learn"))
            except ArchiveBusy:
                if signature(self.folder).get("command") != WATCH:
                    raise
                stack.enter_context(LearnerLock(self.folder))
            yield stack.enter_context(contextlib.closing(LearnedWriter.open(self.folder / DATABASE))), catalog

    @property
    def index(self) -> CdxjIndex:
        """The CDXJ index beside the WARC files."""
        return CdxjIndex(self.folder / "indexes", self.folder / "archive")

    def need_folder(self, command: str) -> Path:
        """Where the files are, for a command that works on files."""
        return self.folder


def _sweep(folder: Path) -> None:
    """Remove what crawls and imports that were killed left beside the archive; nobody else writes now."""
    for found in folder.iterdir():
        if _LEFT.fullmatch(found.name) and not found.is_symlink():
            if found.is_dir():
                shutil.rmtree(found, ignore_errors=True)
            else:
                with contextlib.suppress(OSError):
                    found.unlink()


def warc_files(folder: Path) -> list[Path]:
    """Finished WARC files, compacted ones included, oldest name first."""
    return finished_files(folder)


def web_address(url: str) -> str:
    """The canonical form of an address somebody gave; UsageError when it is none."""
    with usage_errors():
        return canonical(url)
