"""Reads records from object storage by range requests: a CaptureReader, safe to share between threads.

A record is one request. While its file is still being written it lies in a part, which is found by listing the parts
of the file. The list holds up to where the last part ends, because a part never changes and is only ever replaced by
the whole; whoever asks for what lies behind has it listed again.
"""

from bisect import bisect_right
from collections import OrderedDict
from typing import Final

from strandline.core.capture import Place
from strandline.errors import ArchiveDamaged
from strandline.ports import Record
from strandline.warc.members import Window
from strandline.warc.objects import ARCHIVE, PARTS, Objects, part_name
from strandline.warc.reader import damaged, record_from

_BLOCK: Final = 4 << 20
_SMALL: Final = 1 << 20
_REMEMBERED: Final = 1_000
_BESIDE: Final = 32 << 10
"""Bytes behind a record that are read with it when it is copied: its request. Origin: a guess."""


class ObjectReader:
    """Random access to the records in an object store."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._parts: dict[str, tuple[list[int], int]] = {}
        """Of files that are not finished: where parts begin, and where the last one ends."""

    def read(self, place: Place) -> Record:
        """The record at a place; ArchiveDamaged names file and offset when it is not whole."""
        if not place.file or "/" in place.file or place.file.startswith("."):
            raise damaged(place, "the file is missing")
        return record_from(_ObjectWindow(self, place), place)

    def bytes_at(self, file: str, offset: int, length: int) -> bytes:
        """Bytes of a WARC file, from the finished object or from the part that holds them."""
        for _ in range(3):
            # Between two looks a file may have been finished: its parts are gone then, and the whole is there.
            starts = self._starts(file, offset)
            at = bisect_right(starts, offset) - 1
            try:
                if at >= 0:
                    return self._objects.range(part_name(file, starts[at]), offset - starts[at], length)
                return self._objects.range(f"{ARCHIVE}/{file}", offset, length)
            except FileNotFoundError:
                self._parts[file] = ([], 0)
        raise ArchiveDamaged(f"{file} at {offset}: the file is missing")

    def end_of(self, file: str) -> int:
        """Where a WARC file ends, as far as it is in the store; ArchiveDamaged when there is nothing of it."""
        whole = self._objects.size(f"{ARCHIVE}/{file}")
        if whole is not None:
            return whole
        parts = self._objects.names(f"{ARCHIVE}/{file}{PARTS}")
        if not parts:
            raise ArchiveDamaged(f"{file}: the file is missing")
        return max(int(name.rpartition("/")[2]) + size for name, size in parts)

    def _starts(self, file: str, offset: int) -> list[int]:
        """Where the parts of a file begin; empty for one that is, until the contrary is seen, finished."""
        known = self._parts.get(file)
        if known is None:
            return []
        starts, end = known
        if offset < end:
            return starts
        if len(self._parts) >= _REMEMBERED:
            self._parts.clear()
        names = self._objects.names(f"{ARCHIVE}/{file}{PARTS}")
        found = sorted((int(name.rpartition("/")[2]), size) for name, size in names)
        starts = [start for start, _ in found]
        if found:
            self._parts[file] = (starts, sum(found[-1]))
        else:
            self._parts.pop(file, None)
        return starts


class CopiedFiles:
    """The files around records that are copied: what lies behind a record is seen, too. Used by one thread."""

    def __init__(self, reader: ObjectReader) -> None:
        self._reader = reader
        self._ends: OrderedDict[str, int] = OrderedDict()

    def __call__(self, place: Place) -> Window:
        """The file of a record, to be read from there on."""
        if not place.file or "/" in place.file or place.file.startswith("."):
            raise damaged(place, "the file is missing")
        if self._ends.get(place.file, 0) <= place.offset + place.length:  # it may have grown since
            self._ends[place.file] = self._reader.end_of(place.file)
            if len(self._ends) > _REMEMBERED:
                self._ends.popitem(last=False)
        return _CopiedWindow(self._reader, place, self._ends[place.file])


class _CopiedWindow(Window):
    """A WARC file from a record on: the first block holds the record and what was written beside it, if it can."""

    def __init__(self, reader: ObjectReader, place: Place, size: int) -> None:
        self._reader = reader
        self._file = place.file
        self.size = size
        self._size_of_block = min(place.length + _BESIDE, _BLOCK)
        self._at = 0
        self._block = b""

    def get(self, offset: int, size: int) -> bytes:
        start = offset - self._at
        if start < 0 or start >= len(self._block):
            length = min(max(size, self._size_of_block), _BLOCK, self.size - offset)
            self._block = self._reader.bytes_at(self._file, offset, length) if length > 0 else b""
            self._at, start = offset, 0
        return self._block[start : start + size]

    def close(self) -> None:
        """Nothing is held open."""


class _ObjectWindow(Window):
    """A WARC file in an object store, seen through one cached block."""

    def __init__(self, reader: ObjectReader, place: Place) -> None:
        self._reader = reader
        self._file = place.file
        self._first = min(place.length or _SMALL, _BLOCK)
        self._at = 0
        self._block = b""
        self._end = place.offset + place.length if place.length else 0

    def get(self, offset: int, size: int) -> bytes:
        start = offset - self._at
        if start < 0 or start >= len(self._block):
            length = max(min(size, self._first), self._first)
            if self._end:
                length = min(length, self._end - offset)
            self._first = _BLOCK
            self._block = self._reader.bytes_at(self._file, offset, length) if length > 0 else b""
            self._at, start = offset, 0
        return self._block[start : start + size]

    def close(self) -> None:
        """Nothing is held open."""
