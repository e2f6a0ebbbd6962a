"""Reads single records back: the CaptureReader of an archive folder, safe to share between threads.

A record is unpacked and checked as a whole before any of it is given out, unless it is large: then the body
streams, and damage shows as ArchiveDamaged while it is read.
"""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final, cast

from strandline.core.capture import Place
from strandline.errors import ArchiveDamaged
from strandline.ports import Record
from strandline.warc.compacted import DELTA, CompactedFiles
from strandline.warc.members import Member, Window
from strandline.warc.output import OPEN
from strandline.warc.records import Malformed
from strandline.warc.streams import RecordStream

AT_ONCE: Final = 8 << 20
"""A body up to this size is unpacked and checked before it is given out."""


def file_in(folder: Path, name: str) -> Path | None:
    """Where a WARC file of the archive lies, also while it is being written or once compacted; None when it is away."""
    if not name or "/" in name or name.startswith("."):
        return None
    for path in (folder / name, folder / f"{name}{OPEN}", folder / f"{name}{DELTA}"):
        if path.is_file():
            return path
    return None


class WarcReader:
    """Random access to the records of one `archive/` folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._compacted = CompactedFiles()

    def read(self, place: Place) -> Record:
        """The record at a place; ArchiveDamaged names file and offset when it is not whole."""
        try:
            return self._read(self._find(place), place)
        except FileNotFoundError:  # renamed, or compacted, since it was looked up
            return self._read(self._find(place), place)

    def _read(self, path: Path, place: Place) -> Record:
        if path.name.endswith(DELTA):
            return self._rebuilt(path, place)
        return record_from(_open(path, place), place)

    def _rebuilt(self, path: Path, place: Place) -> Record:
        """A record of a compacted file."""
        try:
            data, length = self._compacted.record(path, place.offset)
            stream = RecordStream(iter([data]), strict=False)
            body = io.BytesIO(b"".join(stream.body()))
        except (Malformed, ArchiveDamaged) as error:
            raise damaged(place, str(error)) from None
        if place.length and length != place.length:
            raise damaged(place, f"the record has {length} bytes, not {place.length}")
        return Record(place, stream.type, stream.fields, stream.http_head, body)

    def _find(self, place: Place) -> Path:
        path = file_in(self._folder, place.file)
        if path is None:  # it may have been renamed between the two looks
            path = file_in(self._folder, place.file)
        if path is None:
            raise damaged(place, "the file is missing")
        return path


def _open(path: Path, place: Place) -> Window:
    try:
        return Window(path, block=min(max(place.length, 4096), 1 << 20))
    except FileNotFoundError:
        raise
    except OSError as error:
        raise damaged(place, error.strerror or str(error)) from error


def damaged(place: Place, problem: str) -> ArchiveDamaged:
    """What is wrong with the record at a place."""
    return ArchiveDamaged(f"{place.file} at {place.offset}: {problem}")


def check_length(member: Member, place: Place) -> None:
    """The record must end where the index says."""
    if place.length and member.done and member.length != place.length:
        raise damaged(place, f"the record has {member.length} bytes, not {place.length}")


def record_from(window: Window, place: Place) -> Record:
    """The record at a place of an open file, which is closed with the record, or when it is not whole."""
    try:
        member = Member(window, place.offset)
        stream = RecordStream(member.pieces(), strict=False)
        body: BinaryIO
        if stream.length <= AT_ONCE:
            body = io.BytesIO(b"".join(stream.body()))
            check_length(member, place)
            window.close()
        else:
            body = cast(BinaryIO, io.BufferedReader(Streaming(stream.body(), window, place, member), 1 << 18))
    except Malformed as error:
        window.close()
        raise damaged(place, str(error)) from None
    except ArchiveDamaged:
        window.close()
        raise
    return Record(place, stream.type, stream.fields, stream.http_head, body)


class Streaming(io.RawIOBase):
    """A body that is unpacked while it is read."""

    def __init__(self, pieces: Iterator[bytes], window: Window, place: Place, member: Member) -> None:
        self._pieces = pieces
        self._window = window
        self._place = place
        self._member = member
        self._rest = b""

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Unpack some more."""
        try:
            while not self._rest:
                piece = next(self._pieces, None)
                if piece is None:
                    check_length(self._member, self._place)
                    return 0
                self._rest = piece
        except Malformed as error:
            raise damaged(self._place, str(error)) from None
        taken = self._rest[: len(buffer)]
        buffer[: len(taken)] = taken
        self._rest = self._rest[len(taken) :]
        return len(taken)

    def close(self) -> None:
        """Release the file."""
        if not self.closed:
            self._window.close()
        super().close()
