"""Erasing records from WARC files: a *tombstone* of the same length stands where the record was.

A tombstone is an ordinary gzip member with an ordinary record in it: `metadata`, with the id of the record it replaces
and nothing else of it, filled up with zeros. So every other record stays where it is, byte for byte, and whatever
names it by file and offset (catalog, CDXJ, checksums, other people's indexes) goes on being right.

    WARC/1.1
    WARC-Type: metadata
    WARC-Record-ID: as before
    WARC-Date: when it was decided
    Content-Type: application/warc-fields
    Content-Length: as much as fills the place

Where it lies and how long it is decide every byte of a tombstone. Writing it again after a crash, over a half-written
one too, gives the same: the caller keeps the list of what is to be erased durably before the first byte is written,
and does it all again until the end was reached.
"""

import ctypes
import os
import struct
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

import xxhash

from strandline.durable import sync_path
from strandline.errors import ArchiveDamaged
from strandline.warc.compacted import CompactedWindow, open_window, walk_file
from strandline.warc.fixity import Sum, complete_sums, read_sums, sums_path, write_sums
from strandline.warc.members import MAGIC, Gap, Window
from strandline.warc.records import RECORD_END, VERSION, WARC_FIELDS, Malformed, parse_header_block, warc_date

_HEADER: Final = MAGIC + b"\0" + bytes(5) + b"\xff"
_STORED: Final = 0xFFFF
"""Bytes a stored block of deflate holds at most."""
_EMPTY: Final = b"\0\0\0\xff\xff"
"""A stored block without content: five bytes that unpack to nothing."""
_LAST: Final = b"\1\0\0\xff\xff"
_BEFORE_ZEROS: Final = 512
"""Bytes of a tombstone before its zeros, at most: gzip and WARC headers."""
_AFTER_ZEROS: Final = 32
_KEEP_SIZE: Final = 1
_PUNCH_HOLE: Final = 2
_FIRST_LOOK: Final = 4096
_LONGEST_HEAD: Final = 1 << 20


class Erased(NamedTuple):
    """A record to erase: where it lies, and its id."""

    offset: int
    length: int
    record_id: str


class Head(NamedTuple):
    """A record as its header tells it."""

    offset: int
    length: int
    fields: dict[str, str]

    @property
    def url(self) -> str:
        """Its address; of something made from a page (`urn:view:http://...`), that of the page."""
        url = self.fields.get("warc-target-uri", "").strip("<>")
        return url.split(":", 2)[2] if url.startswith("urn:") and url.count(":") > 2 else url


def tombstone(length: int, record_id: str, time: float, packed: bool = True) -> bytes:
    """What stands in the place of a record; ValueError when the place is too small for any."""
    if not packed:
        return _filled(record_id, time, length)
    blocks = 1 + max(0, length - 18) // (_STORED + 5)
    for count in (blocks, blocks + 1, blocks + 2):
        room = length - 18 - 5 * count
        try:
            record = _filled(record_id, time, room)
        except ValueError:
            continue
        return _HEADER + _stored(record, count) + _trailer(record)
    return _small(length, record_id, time)


def _filled(record_id: str, time: float, length: int) -> bytes:
    """A plain record of this very length, filled up with zeros; ValueError when there is none."""
    for digits in range(1, 13):
        content = length - len(_head(record_id, time, "0" * digits)) - len(RECORD_END)
        if content >= 0 and len(str(content)) == digits:
            return _head(record_id, time, str(content)) + bytes(content) + RECORD_END
    raise ValueError(f"no record has {length} bytes")


def _head(record_id: str, time: float, length: str) -> bytes:
    lines = (
        "WARC-Type: metadata",
        f"WARC-Record-ID: {record_id}",
        f"WARC-Date: {warc_date(float(int(time)))}",
        f"Content-Type: {WARC_FIELDS}",
        f"Content-Length: {length}",
    )
    return VERSION + "".join(f"{line}\r\n" for line in lines).encode() + b"\r\n"


def _stored(record: bytes, count: int) -> bytes:
    """A record as stored blocks of deflate, so many of them."""
    blocks = []
    for number in range(count):
        part = record[number * _STORED : (number + 1) * _STORED]
        last = number == count - 1
        blocks.append(struct.pack("<BHH", last, len(part), len(part) ^ 0xFFFF) + part)
    return b"".join(blocks)


def _trailer(record: bytes) -> bytes:
    return struct.pack("<II", zlib.crc32(record), len(record) & 0xFFFFFFFF)


def _small(length: int, record_id: str, time: float) -> bytes:
    """A packed record without content, and blocks that unpack to nothing up to the length that is wanted."""
    record = _head(record_id, time, "0") + RECORD_END
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    content = packer.compress(record) + packer.flush(zlib.Z_FULL_FLUSH)
    left = length - len(_HEADER) - len(content) - len(_LAST) - 8
    if left < 0:
        raise ValueError(f"{length} bytes are too few for any record")
    fill, rest = divmod(left, len(_EMPTY))
    # What five bytes do not divide is a name in the gzip header: blanks, ended by a zero.
    header = _HEADER[:3] + b"\x08" + _HEADER[4:] + b" " * (rest - 1) + b"\0" if rest else _HEADER
    return header + content + _EMPTY * fill + _LAST + _trailer(record)


# Looking for records


def heads_of(path: Path) -> Iterator[Head]:
    """The header of every record of a file, compacted or not, without unpacking more than that."""
    with closing(open_window(path)) as window:
        if isinstance(window, CompactedWindow):
            for offset, length in sorted(window.places.items()):
                yield Head(offset, length, parse_header_block(window.record(offset))[1])
            return
        yield from heads_in(window, read_sums(path.parent, path.name))


def heads_in(window: Window, sums: tuple[list[Sum], str]) -> Iterator[Head]:
    """The header of every record of a file that is not compacted; its list of checksums, when it is whole, says where
    they are.
    """
    noted, trouble = sums
    if trouble:
        yield from _walked(window)
        return
    for one in noted:
        yield Head(one.offset, one.length, _fields_at(window, one.offset, one.length))


def _walked(window: Window) -> Iterator[Head]:
    for item in walk_file(window):
        if isinstance(item, Gap):
            continue
        pieces = item.pieces()
        try:
            fields = parse_header_block(next(pieces, b""))[1]
        except Malformed:
            continue
        item.drain()
        yield Head(item.offset, item.length, fields)


def _fields_at(window: Window, offset: int, length: int) -> dict[str, str]:
    """The header of the record at an offset; nothing for one that is damaged, which `verify` tells."""
    size = min(_FIRST_LOOK, length)
    while True:
        try:
            data = window.get(offset, size)
            if data[:3] == MAGIC:
                data = zlib.decompressobj(31).decompress(data, _LONGEST_HEAD)
            return parse_header_block(data)[1]
        except (Malformed, zlib.error):
            if size >= min(length, _LONGEST_HEAD):
                return {}
            size = min(4 * size, length)


# Erasing


def joined(records: Iterable[Erased]) -> list[Erased]:
    """Records that lie side by side as one place: fewer and larger tombstones, most of whose room can be given back."""
    found: list[Erased] = []
    for record in sorted(set(records)):
        if found and found[-1].offset + found[-1].length == record.offset:
            found[-1] = found[-1]._replace(length=found[-1].length + record.length)
        else:
            found.append(record)
    return found


def erase_in_file(path: Path, records: Iterable[Erased], time: float) -> None:
    """Put tombstones in the place of records of a file that is not compacted, durably, and note their checksums.

    Done again, it changes nothing. ArchiveDamaged when a place is too small, before anything is written there.
    """
    wanted = sorted(set(records))
    name = path.name
    if read_sums(path.parent, name)[1]:
        complete_sums(path.parent, name, path)
    sums = {one.offset: one for one in read_sums(path.parent, name)[0]}
    file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        for record in wanted:
            packed = os.pread(file, 3, record.offset) == MAGIC or path.name.endswith(".gz")
            try:
                stone = tombstone(record.length, record.record_id, time, packed)
            except ValueError as problem:
                raise ArchiveDamaged(f"{name} at {record.offset}: {problem}") from None
            if os.pread(file, record.length, record.offset) != stone:
                _write(file, stone, record.offset)
            for offset in [known for known in sums if record.offset < known < record.offset + record.length]:
                del sums[offset]  # one tombstone for several records
            sums[record.offset] = Sum(record.offset, record.length, xxhash.xxh3_128_hexdigest(stone))
        os.fsync(file)
    finally:
        os.close(file)
    write_sums(path.parent, name, (sums[offset] for offset in sorted(sums)))


def give_back(path: Path, records: Iterable[Erased]) -> int:
    """Let the file system take back the room of zeros in tombstones; returns how many bytes. The file reads as before.
    A file system that cannot do that gives back nothing.
    """
    given = 0
    file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        for record in sorted(set(records)):
            for start, end in zeros_of(record):
                if not _punch(file, start, end - start):
                    return given
                given += end - start
        os.fsync(file)
    finally:
        os.close(file)
    return given


def zeros_of(record: Erased, block: int = 4096) -> Iterator[tuple[int, int]]:
    """Whole blocks of the disk within a tombstone that hold nothing but zeros."""
    begin = record.offset + _BEFORE_ZEROS
    end = record.offset + record.length - _AFTER_ZEROS
    for start in range(record.offset + len(_HEADER), end, _STORED + 5):
        low = max(begin, start + 5)
        high = min(end, start + 5 + _STORED)
        first, last = -(-low // block) * block, high // block * block
        if first < last:
            yield first, last


def _punch(file: int, offset: int, length: int) -> bool:
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "fallocate"):
        return False
    arguments = (ctypes.c_int(_PUNCH_HOLE | _KEEP_SIZE), ctypes.c_int64(offset), ctypes.c_int64(length))
    return int(libc.fallocate(ctypes.c_int(file), *arguments)) == 0


def _write(file: int, data: bytes, offset: int) -> None:
    view = memoryview(data)
    while view:
        done = os.pwrite(file, view, offset)
        view, offset = view[done:], offset + done


def remove_file(path: Path) -> None:
    """Remove a file nothing of which is kept, with its checksums; durably."""
    path.unlink(missing_ok=True)
    sums_path(path.parent, path.name).unlink(missing_ok=True)
    sync_path(path.parent)
