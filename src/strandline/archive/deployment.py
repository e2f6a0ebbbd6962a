"""Where an archive lives, as the interface has to know it: its settings as they are now, who works on it, what room
there is, and how a process of its own is told which archive is meant.

A folder has a disk and one writer; a cluster (cluster/deployment.py) has workers, a database and an object store.
"""

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

from strandline.archive.disk_space import reserve_of
from strandline.archive.folder import Archive, open_archive
from strandline.errors import StrandlineError
from strandline.settings.edit import change_settings, change_tables
from strandline.settings.file import NAME, read_settings
from strandline.settings.schema import Settings
from strandline.store.alarming import AlarmWriter
from strandline.store.catalog import DATABASE
from strandline.store.lock import signature
from strandline.store.outbox import Outbox

JOBS: Final = ("crawl", "watch", "verify", "learn", "simulate", "quality")
"""What can be started from the interface of a folder."""


@dataclass(frozen=True, slots=True)
class Address:
    """How another process finds the archive: an argument anyone may see, and what only its environment tells."""

    name: str
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def environment(self) -> dict[str, str] | None:
        """For a process; None is that of this one."""
        return {**os.environ, **self.secrets} if self.secrets else None


@dataclass(frozen=True, slots=True)
class Room:
    """Bytes on the disk of a folder."""

    free: int
    total: int
    reserve: int
    """Crawling pauses below this."""


@dataclass(frozen=True, slots=True)
class Writer:
    """The process that writes a folder, as it signed the lock."""

    command: str
    process: int
    host: str
    since: float


@dataclass(frozen=True, slots=True)
class Worker:
    """One worker of a cluster. Times are UTC epoch seconds."""

    number: int
    name: str
    since: float
    heard: float
    captures: int
    octets: int
    hosts: int
    pages: int
    """Pages it is fetching now."""
    silent: bool
    """Whether it was not heard of for so long that it is missed."""


@dataclass(frozen=True, slots=True)
class Together:
    """What the workers of a cluster share."""

    database: str
    """Without its password."""
    store: str
    workers: tuple[Worker, ...]
    ended: int
    hosts: int
    hosts_held: int
    hosts_waiting: int
    queued: int
    octets: int
    files: int


class Place(Protocol):
    """Where an archive lives."""

    @property
    def address(self) -> Address:
        """For processes of their own."""

    @property
    def jobs(self) -> tuple[str, ...]:
        """What can be started from the interface."""

    def settings(self) -> Settings:
        """The settings as they are now."""

    def change_settings(self, values: dict[str, str]) -> Settings:
        """Write settings (`section.key` to a TOML value); SettingError names a bad one."""

    def change_tables(self, kind: str, change: Callable[[tuple[Any, ...]], tuple[Any, ...]]) -> Settings:
        """Change the tables of a kind (settings.schema.TABLES); SettingError names what is wrong."""

    def open(self) -> Archive:
        """The archive once more, with connections of its own: for another thread."""

    def outbox(self) -> Outbox:
        """Where alerts are put, with a connection of its own; to be closed."""

    def alarms(self) -> AlarmWriter:
        """Where alarms are raised and audits noted, with a connection of its own; to be closed."""

    def room(self) -> Room | None:
        """Room on disk; None where there is no one disk."""

    def sizes(self) -> tuple[int, int] | None:
        """Bytes of the WARC files and of the catalog; None where nobody counts them."""

    def writer(self) -> Writer | None:
        """Who writes now; None for nobody, and for a cluster."""

    def together(self) -> Together | None:
        """What workers share; None for a folder."""


class FolderPlace:
    """Implements Place."""

    jobs = JOBS

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: tuple[float, Settings] | None = None

    @property
    def address(self) -> Address:
        """The folder."""
        return Address(str(self._folder.absolute()))

    def settings(self) -> Settings:
        """As the file has them now."""
        path = self._folder / NAME
        changed = path.stat().st_mtime if path.exists() else 0.0
        if self._known is None or self._known[0] != changed:
            self._known = (changed, read_settings(path))
        return self._known[1]

    def change_settings(self, values: dict[str, str]) -> Settings:
        """Write them where they stand in the file."""
        found = change_settings(self._folder, values)
        self._known = None
        return found

    def change_tables(self, kind: str, change: Callable[[tuple[Any, ...]], tuple[Any, ...]]) -> Settings:
        """Write them where they stand in the file."""
        found = change_tables(self._folder, kind, change)
        self._known = None
        return found

    def open(self) -> Archive:
        """The folder once more."""
        return open_archive(self._folder)

    def outbox(self) -> Outbox:
        """In the folder's catalog."""
        return Outbox.open(self._folder / DATABASE)

    def alarms(self) -> AlarmWriter:
        """In the folder's catalog."""
        return AlarmWriter.open(self._folder / DATABASE)

    def room(self) -> Room:
        """Room on the folder's disk."""
        usage = shutil.disk_usage(self._folder)
        try:
            reserve = reserve_of(self.settings().keep.disk_reserve, self._folder)
        except (ValueError, StrandlineError):
            reserve = 0
        return Room(usage.free, usage.total, reserve)

    def sizes(self) -> tuple[int, int]:
        """Bytes of the WARC files and of the catalog."""
        files = (entry.stat().st_size for entry in os.scandir(self._folder / "archive") if entry.is_file())
        return sum(files), sum(path.stat().st_size for path in self._folder.glob("strandline.db*"))

    def writer(self) -> Writer | None:
        """Who signed the lock, when that process is still there."""
        told = signature(self._folder)
        try:
            found = Writer(str(told["command"]), int(told["pid"]), str(told["host"]), float(told["started"]))
            if found.host == os.uname().nodename:
                os.kill(found.process, 0)
                if found.process == os.getpid():  # a server writes nothing for long: an old number, given again
                    return None
        except (OSError, ValueError, KeyError, TypeError, OverflowError):
            return None
        return found

    def together(self) -> None:
        """A folder is written by one process."""
