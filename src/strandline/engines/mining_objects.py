"""A Parquet dataset in an object store: the same names below an address such as s3://bucket/prefix.

Objects cannot be renamed: new files have their names from the start, and belong to the dataset once the list says so.
What a crash left is removed by the next writer. The one writer is told by an object, too (`dataset.lock`), which holds
for an hour from when it was last heard of. One that stood still for longer finds that another has taken over, and
touches nothing more: the names of its files may be the other's by then.
"""

import json
import math
import os
import socket
import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, Protocol

from strandline.engines.mining_place import LIST, TABLES
from strandline.engines.mining_scratch import Scratch
from strandline.errors import ArchiveBusy, ArchiveDamaged, UsageError

LOCK: Final = "dataset.lock"
_HOLDS: Final = 3600.0
_HEARD: Final = 600.0
"""Seconds between two signs of life, at least."""


class ObjectStore(Protocol):
    """Objects under one address; says what is wrong in one line (see warc/objects.py)."""

    url: str

    def put(self, name: str, data: bytes | Path) -> None:
        """Make an object; bytes never replace other bytes (ArchiveDamaged), a file does."""

    def get(self, name: str) -> bytes:
        """A whole object; FileNotFoundError when there is none."""

    def stream(self, name: str) -> Iterator[bytes]:
        """A whole object in pieces."""

    def names(self, prefix: str) -> list[tuple[str, int]]:
        """Names and sizes of the objects whose names begin so."""

    def delete(self, names: list[str]) -> None:
        """Remove objects."""


class ObjectPlace:
    """A dataset in an object store."""

    def __init__(self, objects: ObjectStore) -> None:
        self.objects = objects
        self.store = objects.url
        self._spool: Scratch | None = None
        self._mark = ""
        """Of this writer; empty when it is none, or none any more."""
        self._heard = 0.0

    @property
    def name(self) -> str:
        """The address."""
        return self.store

    def address(self, file: str) -> str:
        """Its name in the store."""
        return file

    def list_text(self) -> str | None:
        """See DatasetPlace."""
        try:
            return self.objects.get(LIST).decode()
        except FileNotFoundError:
            return None

    def missing(self, files: Sequence[str]) -> str | None:
        """See DatasetPlace."""
        there = {name for table in TABLES for name, _ in self.objects.names(f"{table}/")}
        return next((file for file in files if file not in there), None)

    def enter(self) -> None:
        """Leave a note that this process writes."""
        if self.list_text() is None and any(name != LOCK for name, _ in self.objects.names("")):
            raise UsageError(f"{self.store} is not empty and holds no Parquet dataset")
        if self._holder()[1] < time.time():
            self.objects.delete([LOCK])
        self._mark = uuid.uuid4().hex
        try:
            self.objects.put(LOCK, self._note())
        except ArchiveDamaged:
            self._mark = ""
            raise ArchiveBusy(
                f"{self.store} is being written by another export; if that has ended, remove {LOCK} or wait an hour"
            ) from None
        self._heard = time.monotonic()
        self._spool = Scratch()

    def leave(self) -> None:
        """Remove the note."""
        if self._mark and self._holder()[0] == self._mark:
            self.objects.delete([LOCK])
        self._mark = ""
        if self._spool is not None:
            self._spool.close()
            self._spool = None

    def put_list(self, text: str) -> None:
        """See DatasetPlace."""
        self._go_on()
        self._replace(LIST, text.encode())

    def _go_on(self) -> None:
        """Hold the dataset for another hour; ArchiveBusy when another has it."""
        if not self._mark or self._holder()[0] != self._mark:
            self._mark = ""
            raise ArchiveBusy(f"{self.store} was taken over by another export while this one stood still")
        self._replace(LOCK, self._note())
        self._heard = time.monotonic()

    def _holder(self) -> tuple[str, float]:
        """Mark of who writes, and until when that holds."""
        try:
            note = json.loads(self.objects.get(LOCK))
            return str(note["mark"]), float(note["until"])
        except FileNotFoundError:
            return "", math.inf
        except (ValueError, KeyError, TypeError):  # nobody of ours wrote it
            return "", -math.inf

    def _replace(self, name: str, content: bytes) -> None:
        path = self._waiting(name)
        path.write_bytes(content)
        self.objects.put(name, path)

    def begin(self, file: str) -> Path:
        """Beside others that are to be sent."""
        return self._waiting(file.replace("/", "_"))

    def ready(self, file: str) -> None:
        """Sent: an object is there whole or not at all."""
        if time.monotonic() - self._heard > _HEARD:
            self._go_on()
        path = self.begin(file)
        self.objects.put(file, path)
        path.unlink()

    def make_durable(self, files: Iterable[str]) -> None:
        """They are."""

    def publish(self, files: Iterable[str]) -> None:
        """They have their names."""

    def discard(self, files: Iterable[str]) -> None:
        """See DatasetPlace."""
        if self._mark:
            self.objects.delete(list(files))

    def drop(self, files: Iterable[str]) -> None:
        """See DatasetPlace."""
        self.objects.delete(list(files))

    def settle(self, listed: set[str]) -> None:
        """See DatasetPlace."""
        there = [name for table in TABLES for name, _ in self.objects.names(f"{table}/")]
        self.objects.delete([name for name in there if name not in listed])

    def _waiting(self, name: str) -> Path:
        """Where a file waits on this machine until it is sent."""
        assert self._spool is not None, "only the writer sends files"
        return Path(self._spool.path) / name

    def _note(self) -> bytes:
        about = {"until": time.time() + _HOLDS, "by": f"{socket.gethostname()} {os.getpid()}", "mark": self._mark}
        return json.dumps(about).encode()


def fetch(objects: ObjectStore, name: str, target: Path) -> None:
    """Copy an object to a file of this machine; FileNotFoundError when there is none."""
    with target.open("wb") as out:
        for piece in objects.stream(name):
            out.write(piece)
