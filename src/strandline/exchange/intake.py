"""Where imports go: the files and the catalog of an archive folder. A cluster has its own (cluster/importing.py)."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import singledispatch
from pathlib import Path
from typing import Protocol

from strandline.archive.deployment import FolderPlace
from strandline.archive.folder import Archive
from strandline.archive.wall_clock import SystemClock
from strandline.core.capture import Capture, Place
from strandline.ports import CaptureStore
from strandline.settings.collection_tables import CollectionSettings
from strandline.store.reading import Reading
from strandline.warc.info import WarcInfo
from strandline.warc.output import OPEN, default_host
from strandline.warc.writer import WarcWriter, WriterSettings

PREFIX = "import"
Tables = Callable[[tuple[CollectionSettings, ...]], tuple[CollectionSettings, ...]]


class Bringing(Protocol):
    """A catalog that captures are brought into."""

    @property
    def reading(self) -> Reading:
        """What is there."""

    def bring(self, captures: "Iterator[Capture] | Sequence[Capture]") -> int:
        """Add captures; returns how many are new."""


class Intake:
    """An archive that something is taken into. Its catalog is opened when it is needed first, and nobody else writes
    from then on.
    """

    def __init__(self, archive: Archive, files: Path) -> None:
        self.archive = archive
        self.files = files
        """Where new WARC files are written."""
        self._stack = ExitStack()
        self._catalog: Bringing | None = None

    @property
    def catalog(self) -> Bringing:
        """The catalog."""
        if self._catalog is None:
            self._catalog = self._stack.enter_context(self.archive.writing("import"))
        return self._catalog

    @property
    def host(self) -> str:
        """The part of names of files that no other writer has."""
        return default_host()

    def has(self, capture: Capture) -> bool:
        """Whether the archive has a capture itself: of an index alone, or when its file was lost, it may be brought."""
        return bool(capture.record_id) and (self.files / capture.place.file).exists()

    def reaches(self, place: Place) -> bool:
        """Whether a file reaches as far as a record: one that was given up ends where it was last made durable."""
        paths = (self.files / f"{place.file}{OPEN}", self.files / place.file)
        return any(path.exists() and path.stat().st_size >= place.offset + place.length for path in paths)

    def writer(self, about: WarcInfo) -> CaptureStore:
        """For what does not come as WARC files."""
        return WarcWriter(self.files, about, SystemClock(), WriterSettings(prefix=PREFIX))

    def copied(self, files: Sequence[Path], record: Callable[[Sequence[Path]], None]) -> None:
        """Files are durable, and not under their final names yet: record what they hold."""
        record(files)

    def named(self, files: Sequence[Path], record: Callable[[Sequence[Path]], None]) -> None:
        """Files have got their final names."""

    def change_collections(self, change: Tables) -> None:
        """Write other collections into the settings."""
        FolderPlace(self.archive.folder).change_tables("collection", change)

    def close(self) -> None:
        """Let others write again."""
        self._stack.close()

    def done(self) -> None:
        """Everything was brought in."""
        self.archive.index.refresh()


@singledispatch
@contextmanager
def intake_of(archive: Archive) -> Iterator[Intake]:
    """Where imports into an archive go, until they are done."""
    with closing(Intake(archive, archive.folder / "archive")) as intake:
        yield intake
