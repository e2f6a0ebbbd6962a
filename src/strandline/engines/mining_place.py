"""Where the files of a Parquet dataset lie: in a folder (here) or in an object store (mining_objects.py).

New files become part of a dataset in one step, when its list is replaced. In a folder they have names until then that
no engine looks at (`*.new`), so that whoever reads all files sees nothing twice.
"""

import contextlib
import errno
import fcntl
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, Protocol

from strandline.durable import sync_path
from strandline.errors import ArchiveBusy, OutOfSpace, UsageError

LIST: Final = "dataset.json"
TABLES: Final = ("captures", "changes", "problems", "claims", "pages")
_NEW: Final = ".new"


class DatasetPlace(Protocol):
    """A place for a dataset. Files are named relative to it."""

    @property
    def name(self) -> str:
        """For people."""

    @property
    def store(self) -> str:
        """Address of the object store; empty for a folder."""

    def address(self, file: str) -> str:
        """How tasks find a file: its path, or its name in the store."""

    def list_text(self) -> str | None:
        """The list of the dataset; None when there is none."""

    def missing(self, files: Sequence[str]) -> str | None:
        """One of these files that is not there."""

    def enter(self) -> None:
        """Become the one writer; ArchiveBusy when there is another, UsageError when the place is not ours."""

    def leave(self) -> None:
        """Let others write."""

    def put_list(self, text: str) -> None:
        """Replace the list in one step, durably."""

    def begin(self, file: str) -> Path:
        """Where to write a new file on this machine."""

    def ready(self, file: str) -> None:
        """It is written whole."""

    def make_durable(self, files: Iterable[str]) -> None:
        """After this the files that are ready survive whatever happens."""

    def publish(self, files: Iterable[str]) -> None:
        """The list names these files now."""

    def discard(self, files: Iterable[str]) -> None:
        """Remove new files that the list does not name."""

    def drop(self, files: Iterable[str]) -> None:
        """Remove files that the list no longer names."""

    def settle(self, listed: set[str]) -> None:
        """Finish what a crash cut short: publish what is listed, discard what is not."""


class FolderPlace:
    """A folder of this machine, or one that many machines see."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = ""
        self._lock: int | None = None

    @property
    def name(self) -> str:
        """The folder."""
        return str(self.folder)

    def address(self, file: str) -> str:
        """Its path."""
        return str(self.folder.absolute() / file)

    def list_text(self) -> str | None:
        """See DatasetPlace."""
        try:
            return (self.folder / LIST).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None

    def missing(self, files: Sequence[str]) -> str | None:
        """See DatasetPlace."""
        return next((file for file in files if not (self.folder / file).is_file()), None)

    def enter(self) -> None:
        """Made when it is not there; locked as long as this process writes."""
        self.folder.mkdir(parents=True, exist_ok=True)
        ours = (LIST, f"{LIST}{_NEW}")
        if not (self.folder / LIST).exists() and any(one.name not in ours for one in self.folder.iterdir()):
            raise UsageError(f"{self.folder} is not empty and holds no Parquet dataset")
        lock = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            raise ArchiveBusy(f"{self.folder} is being written by another export") from None
        self._lock = lock

    def leave(self) -> None:
        """See DatasetPlace."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def put_list(self, text: str) -> None:
        """See DatasetPlace."""
        new = self.folder / f"{LIST}{_NEW}"
        with new.open("w", encoding="utf-8") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        new.replace(self.folder / LIST)
        sync_path(self.folder)

    def begin(self, file: str) -> Path:
        """Beside its later name."""
        path = self._new(file)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def ready(self, file: str) -> None:
        """See DatasetPlace."""
        sync_path(self._new(file))

    def make_durable(self, files: Iterable[str]) -> None:
        """The names, too."""
        for folder in {self._new(file).parent for file in files}:
            sync_path(folder)

    def publish(self, files: Iterable[str]) -> None:
        """Give them their names."""
        for file in files:
            self._new(file).rename(self.folder / file)

    def discard(self, files: Iterable[str]) -> None:
        """See DatasetPlace."""
        for file in files:
            self._new(file).unlink(missing_ok=True)

    def drop(self, files: Iterable[str]) -> None:
        """See DatasetPlace."""
        for file in files:
            (self.folder / file).unlink(missing_ok=True)

    def settle(self, listed: set[str]) -> None:
        """See DatasetPlace."""
        for table in TABLES:
            for left in (self.folder / table).rglob(f"*{_NEW}"):
                named = left.with_name(left.name.removesuffix(_NEW))
                if str(named.relative_to(self.folder)) in listed:
                    left.rename(named)
                else:
                    left.unlink()

    def _new(self, file: str) -> Path:
        return self.folder / f"{file}{_NEW}"


@contextlib.contextmanager
def full_disk_named(folder: Path | str) -> Iterator[None]:
    """OutOfSpace with the folder where there is no room left: the system does not say which disk it means."""
    try:
        yield
    except OSError as problem:
        if problem.errno != errno.ENOSPC:
            raise
        raise OutOfSpace(f"{folder}: no space left") from None
