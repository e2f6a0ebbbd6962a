"""Keeps exchanges in object storage: a CaptureStore whose `sync` sends what was kept since the last one.

Records are packed into a file on the worker's own disk (warc/writer.py); `sync` makes one object of the bytes that
are new. Only then may captures be recorded and promised. A file that is full is sent once more as a whole, read back,
compared, and then its parts and the local copy go; that is done between two commits, when nothing waits for it.

The local folder holds nothing that matters: what is found there at a start was never promised, or is in the store. So
one that fails sends nothing more: its file may be another's by then, who finishes it from what was promised.
"""

import contextlib
import os
import shutil
from pathlib import Path
from types import TracebackType
from typing import Final

import xxhash

from strandline.core.capture import Capture, Exchange, Original, Place
from strandline.core.shown import Shown
from strandline.errors import ArchiveDamaged, StrandlineError
from strandline.ports import Clock
from strandline.warc.fixity import sums_path
from strandline.warc.info import WarcInfo
from strandline.warc.objects import ARCHIVE, FIXITY, PARTS, Objects, part_name
from strandline.warc.output import OPEN
from strandline.warc.writer import WarcWriter, WriterSettings

_READ: Final = 1 << 20
_AT_ONCE: Final = 8 << 20
"""Bytes of a part that are held in memory; a larger one is sent piece by piece."""


class ObjectWriter(contextlib.AbstractContextManager["ObjectWriter"]):
    """Implements ports.CaptureStore on an object store. One thread, one process; file names must be its own."""

    def __init__(self, objects: Objects, folder: Path, about: WarcInfo, clock: Clock, settings: WriterSettings) -> None:
        """`folder` is this writer's alone; what an earlier one left there is removed."""
        self._objects = objects
        self._folder = folder / "archive"
        for leftover in (self._folder, folder / "fixity"):
            shutil.rmtree(leftover, ignore_errors=True)
        self._folder.mkdir(parents=True)
        self._writer = WarcWriter(self._folder, about, clock, settings)
        self._sent: dict[str, int] = {}
        """Bytes of each file that are in the store."""

    def entity(self, exchange: Exchange) -> str:
        """Digest of the body without transfer coding, as `keep` would record it."""
        return self._writer.entity(exchange)

    def keep(self, exchange: Exchange, original: Original | None = None, shown: Shown | None = None) -> Capture:
        """Append request and response (or a revisit of `original`) as whole records. Not durable yet."""
        capture = self._writer.keep(exchange, original, shown)
        self._sent.setdefault(capture.place.file, 0)
        return capture

    def note(self, exchange: Exchange) -> Place:
        """Append what is known about an exchange that was not answered."""
        place = self._writer.note(exchange)
        self._sent.setdefault(place.file, 0)
        return place

    def sync(self) -> None:
        """Send what was kept since the last time; returns when the store has it. Files that are full are finished."""
        self._writer.sync()
        self._writer.rotate()
        for name in list(self._sent):
            path = self._folder / f"{name}{OPEN}"
            sealed = not path.exists()
            self._send_part(name, self._folder / name if sealed else path)
            if sealed:
                self._finish(name)

    def close(self) -> None:
        """Send the rest and finish the file."""
        self._writer.close()
        self.sync()

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
            return
        with contextlib.suppress(OSError, StrandlineError):  # why it fails is told already
            self._writer.close()

    def _send_part(self, name: str, path: Path) -> None:
        start = self._sent[name]
        try:
            new = path.stat().st_size - start
        except FileNotFoundError:  # given up by the writer: nothing in it was promised
            del self._sent[name]
            return
        if new > _AT_ONCE:
            self._objects.put_rest(part_name(name, start), path, start)
        elif new:
            with path.open("rb") as file:
                file.seek(start)
                self._objects.put(part_name(name, start), file.read(new))
        self._sent[name] = start + new

    def _finish(self, name: str) -> None:
        if self._sent.pop(name, None) is None:
            return
        path = self._folder / name
        send_whole(self._objects, name, path)
        os.truncate(path, 0)  # the name stays taken: files in the store are never written over
        sums_path(self._folder, name).unlink(missing_ok=True)


def send_whole(objects: Objects, name: str, path: Path) -> None:
    """Send a finished file as one object, see that it arrived, and remove its parts."""
    target = f"{ARCHIVE}/{name}"
    objects.put(target, path)
    sums = sums_path(path.parent, name)
    if sums.exists():
        objects.put(f"{FIXITY}/{name}.sums", sums)
    if digest_of_object(objects, target) != digest_of_file(path):
        objects.delete([target])
        raise ArchiveDamaged(f"{objects.url}: {name} did not arrive as it was sent; its parts are kept")
    remove_parts(objects, name)


def replace_whole(objects: Objects, name: str, path: Path) -> None:
    """Send a finished file in the place of one that is there, or not yet; see that it arrived, then its checksums."""
    target, wanted = f"{ARCHIVE}/{name}", digest_of_file(path)
    if objects.size(target) != path.stat().st_size or digest_of_object(objects, target) != wanted:
        objects.put(target, path)
        if digest_of_object(objects, target) != wanted:
            raise ArchiveDamaged(f"{objects.url}: {name} did not arrive as it was sent")
    objects.put(f"{FIXITY}/{name}.sums", sums_path(path.parent, name))


def remove_parts(objects: Objects, name: str) -> None:
    """Remove the parts of a file that is there as a whole."""
    objects.delete([part for part, _ in objects.names(f"{ARCHIVE}/{name}{PARTS}")])


def digest_of_object(objects: Objects, name: str) -> str:
    """xxh3-128 of an object."""
    running = xxhash.xxh3_128()
    for piece in objects.stream(name):
        running.update(piece)
    return running.hexdigest()


def digest_of_file(path: Path) -> str:
    """xxh3-128 of a file."""
    running = xxhash.xxh3_128()
    with path.open("rb") as file:
        while piece := file.read(_READ):
            running.update(piece)
    return running.hexdigest()
