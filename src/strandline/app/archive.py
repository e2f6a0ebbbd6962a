"""An archive folder and what can be done with it.

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
from typing import TYPE_CHECKING

from strandline.app.crawling import (
    CrawlRequest,
    check_contact,
    from_known_seeds,
    prepare_crawl,
    read_seeds,
    run_crawl,
)
from strandline.app.events import event
from strandline.core.capture import Capture
from strandline.core.urls import canonical
from strandline.core.wording import counted
from strandline.crawl.tally import Tally
from strandline.errors import ArchiveDamaged, OutOfSpace, SettingError, StrandlineError, Unreachable, UsageError
from strandline.ports import PageRow
from strandline.settings import texts
from strandline.settings.file import NAME, read_settings, settings_text
from strandline.settings.schema import Settings, StudySettings
from strandline.store.catalog import DATABASE, SqliteCatalog, open_catalog
from strandline.store.index import KeyReading
from strandline.store.sqlite import outdated
from strandline.warc.captures import Kept
from strandline.warc.cdxj import CdxjIndex
from strandline.warc.compacted import finished_files, remove_unfinished
from strandline.warc.reader import WarcReader
from strandline.warc.recover import recover

if TYPE_CHECKING:
    from strandline.app.alerts_lookout import Lookout
    from strandline.app.moving import Brought, Wanted
    from strandline.app.rebuilding import Rebuilt
    from strandline.app.studying import Studying
    from strandline.store.exporting import ExportReading
    from strandline.store.learned import LearnedWriter
    from strandline.store.studies import StudyReading
    from strandline.warc.verify import Audit, Course

# A crawl starts without what only study, moving and audits need (ruff: PLC0415 is off for this file).


_LEFT = re.compile(r"(spool|unpacked)-[a-z0-9_]{8}")
"""Names of what a crawl or an import puts down for a while."""


def create(folder: Path, *, contact: str = "", operator: str = "", seeds: tuple[str, ...] = ()) -> "Archive":
    """Make an archive in a new or empty folder."""
    if (folder / NAME).exists():
        raise UsageError(f"{folder} already is an archive; edit {folder / NAME} to change its settings")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} exists and is not an empty folder")
    settings = Settings()
    settings = replace(settings, archive=replace(settings.archive, contact=contact, operator=operator))
    check_contact(contact)
    try:
        texts.line(operator)
    except ValueError as problem:
        raise SettingError(f"archive.operator: {problem}") from None
    settings = replace(settings, scope=replace(settings.scope, seeds=read_seeds(seeds)))
    parts = (folder, folder / "archive", folder / "indexes")
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
        self._say = say or partial(event, "archive")

    # -- reading ----------------------------------------------------------------------------------------------------

    @cached_property
    def reading(self) -> KeyReading:
        """The catalog, for reading beside a writer."""
        return KeyReading.open(self.database)

    @property
    def database(self) -> Path:
        """The file of the catalog; one of an older format is brought up to date first."""
        found = self.folder / DATABASE
        if outdated(found):
            with self.writing("update"):
                self._say(f"{found}: brought up to the format of this version")
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
        """Captures of a page in time order."""
        return self.reading.captures(web_address(url))

    def page(self, url: str) -> PageRow | None:
        """What is known about a page."""
        return self.reading.page(web_address(url))

    def verify(self, course: "Course | None" = None) -> "Audit":
        """Read every byte of the WARC files and compare them with what was written, the catalog and the index."""
        from strandline.warc.index_audit import index_problems
        from strandline.warc.verify import MENDED, Audit, Problem, verify

        damage = [f"the catalog is damaged ({one}); {MENDED}" for one in self.reading.damage()]
        if damage:  # what it says of the files is worth nothing
            return Audit(0, 0, 0, tuple(Problem(DATABASE, 0, "", one) for one in damage))
        found = verify(self.folder / "archive", self.reading.all_captures, course)
        index = index_problems(self.folder / "indexes", self.folder / "archive", self.reading.all_captures)
        return replace(found, problems=(*found.problems, *index))

    # -- writing ----------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def writing(self, command: str) -> Iterator[SqliteCatalog]:
        """The catalog open for writing, after mending what a crash may have left. One writer at a time."""
        database = self.folder / DATABASE
        if not (database.exists() and database.stat().st_size) and warc_files(self.folder / "archive"):
            # A new one would know nothing of them, and nobody would notice.
            raise ArchiveDamaged(f"{database} is not there; `strandline reindex` rebuilds it from the WARC files")
        with contextlib.closing(open_catalog(self.folder, command)) as catalog:
            self._mend(catalog)
            _sweep(self.folder)
            yield catalog

    def _mend(self, catalog: SqliteCatalog) -> None:
        remove_unfinished(self.folder / "archive")
        for found in recover(self.folder / "archive", self.folder / "quarantine", catalog.reading.committed):
            kept = [item.capture for item in found.salvaged if isinstance(item, Kept)]
            catalog.salvage(kept)
            self._say(
                f"recovered {found.file} after a crash: {counted(len(kept), 'capture')} salvaged, "
                f"{counted(found.quarantined, 'torn byte')} moved to quarantine"
                + (f"; {found.missing} BYTES OF RECORDED CAPTURES ARE MISSING" if found.missing else "")
            )

    def crawl(self, settings: Settings, request: CrawlRequest) -> Tally:
        """One pass over what is in scope; see app.crawling."""
        prepare_crawl(settings, request)  # what is wrong is said before the archive is locked
        with self.writing("crawl") as catalog, contextlib.ExitStack() as stack:
            request = from_known_seeds(settings, request, catalog)
            prepared = prepare_crawl(settings, request)
            # The first crawl has nothing to compare with: its pages are studied once something is, or when asked for.
            again = next(catalog.all_captures(), None) is not None
            studying = None
            lookout = stack.enter_context(self._looking_out(settings)) if again else None
            if again and settings.study.workers > 0:
                studying = stack.enter_context(self._studying(settings.study, catalog))
            beside = self._beside(studying)

            def progress(tally: Tally) -> None:
                beside()
                request.progress(tally)

            tally = run_crawl(self.folder, replace(prepared, request=replace(request, progress=progress)), catalog)
            if tally.ended == "complete":
                beside(whole=True)
                if lookout is not None:
                    lookout.observe()
            return tally

    def _looking_out(self, settings: Settings) -> "contextlib.closing[Lookout]":
        """Alerts and alarms of what is written now."""
        from strandline.app.alerts_lookout import Lookout

        return contextlib.closing(Lookout(self.folder, settings))

    def _studying(self, settings: StudySettings, catalog: SqliteCatalog) -> "Studying":
        from strandline.app.studying import Studying

        return Studying(self.folder, settings, catalog)

    def studying(self, catalog: SqliteCatalog) -> "Studying":
        """Study of what is pending, as the settings want it."""
        return self._studying(self.settings.study, catalog)

    def learned_writer(self, catalog: SqliteCatalog) -> "LearnedWriter":
        """Where what is learned is kept."""
        from strandline.store.learned import LearnedWriter

        return LearnedWriter.open(catalog.path)

    def _beside(self, studying: "Studying | None") -> Callable[..., None]:
        """Study as a crawl's companion: a study that cannot go on is told once and never stops the crawl."""

        def go_on(whole: bool = False) -> None:
            nonlocal studying
            if studying is None:
                return
            try:
                if whole:
                    studying.finish()
                else:
                    studying.beside()
            except Unreachable as problem:
                studying = None
                self._say(f"captures are not studied now: {problem}")

        return go_on

    def study(self, progress: Callable[[int, int], None] = lambda _done, _pending: None) -> int:
        """Study every capture that is pending; returns how many. See app.studying."""
        with self.writing("study") as catalog, self._studying(self.settings.study, catalog) as studying:
            return studying.finish(progress)

    def relearn(self, url: str, level: int = 0) -> None:
        """Study the whole history of a page again; with `level` it is cut into larger or smaller blocks from now on."""
        from strandline.core.blocks.levels import LEVELS

        row = self.page(url)
        if row is None:
            raise UsageError(f"{url} is not in this archive")
        if level not in (0, *LEVELS):
            raise UsageError(f"the level is 1, 2 or 3, not {level}")
        state = self.studies.state(row.page)
        wanted = level or (state.level if state else self.settings.study.level)
        with self.writing("study") as catalog, self._studying(self.settings.study, catalog) as studying:
            studying.relearn(row.url, row.page, wanted)

    @property
    def index(self) -> CdxjIndex:
        """The CDXJ index beside the WARC files."""
        return CdxjIndex(self.folder / "indexes", self.folder / "archive")

    def bring_in(self, file: Path) -> "Brought":
        """Take in a file of another tool; see app.moving."""
        from strandline.app.moving import bring_in

        with contextlib.ExitStack() as stack:
            brought = bring_in(file, self.folder, self.settings, lambda: stack.enter_context(self.writing("import")))
            self.index.refresh()
        if self.settings.study.workers:
            self.study()
        return brought

    def export(self, wanted: "Wanted") -> int:
        """Write a standard file; see app.moving."""
        from strandline.app.moving import give_out

        return give_out(wanted, self.folder, self.settings, self.reading)

    def reindex(self) -> "Rebuilt":
        """Rebuild the catalog and the CDXJ index from the WARC files alone; see app.rebuilding."""
        from strandline.app.rebuilding import rebuild

        with contextlib.suppress(StrandlineError):  # what only the catalog knows is taken over from one that is current
            _ = self.database
        return rebuild(self.folder, self.index)


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
    try:
        return canonical(url)
    except ValueError as problem:
        raise UsageError(str(problem)) from None
