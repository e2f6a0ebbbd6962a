"""Walks the records of a WARC file one by one and misses nothing that is wrong.

A `.warc.gz` is a row of gzip members, one record each. The usual readers stop at the first damage, or pass over a
cut tail. Here every member has to be complete, with the right CRC and length, and nothing may lie between two
members; after damage the walk goes on at the next place where a record begins.

Some bits of a gzip member are covered by no checksum in it; `fixity` looks after those.

Bytes are read with pread in blocks: a file of any size in constant memory, and a bad sector is a finding, not the
end of the process.
"""

import io
import os
import warnings
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import xxhash

from strandline.warc.records import Malformed, content_length, parse_header_block

if TYPE_CHECKING:
    from fastwarc.stream_io import GzipReader

MAGIC: Final = b"\x1f\x8b\x08"
_SLICE: Final = 1 << 16
_MOST_OUT: Final = 1 << 20
_BLOCK: Final = 1 << 20
_SECTOR: Final = 4096
_START: Final = b"WARC/"
_LOOK_BACK: Final = 32


class Window:
    """A file, or a stretch of one, seen through one cached block."""

    def __init__(self, file: Path | int, stretch: tuple[int, int] | None = None, block: int = _BLOCK) -> None:
        """A file by its path, or one that is open (its descriptor) and need not have a name.

        With `stretch` (offset, length) offsets count from there, and nothing behind it is seen. `block` is how much is
        read at a time: all of a file takes large blocks, one record no more than it has.
        """
        self._descriptor = os.dup(file) if isinstance(file, int) else os.open(file, os.O_RDONLY | os.O_CLOEXEC)
        self._base, self.size = stretch or (0, os.fstat(self._descriptor).st_size)
        self._at = 0
        self._block = b""
        self._size_of_block = block

    def get(self, offset: int, size: int) -> bytes:
        """Bytes at an offset, fewer at the end of the file; Malformed when the disk gives an error."""
        start = offset - self._at
        if start < 0 or start + size > len(self._block):
            try:
                block = max(size, self._size_of_block)
                if self._base:
                    block = min(block, self.size - offset)
                self._block = os.pread(self._descriptor, max(block, 0), self._base + offset)
            except OSError as error:
                raise Malformed(f"cannot be read: {error.strerror}") from error
            self._at, start = offset, 0
        return self._block[start : start + size]

    def close(self) -> None:
        """Release the file."""
        os.close(self._descriptor)


class Member:
    """One record as it lies in a file: unpacked piece by piece, once."""

    def __init__(self, window: Window, offset: int) -> None:
        self.offset = offset
        self.length = 0
        """Bytes in the file, known when all pieces were read."""
        self.problem = ""
        self.done = False
        self._window = window
        self._pieces = self._guarded(_inflate(self) if window.get(offset, 3) == MAGIC else _plain(self))

    def pieces(self) -> Iterator[bytes]:
        """What is left of the record; Malformed when it is damaged, and then `problem` says how."""
        return self._pieces

    def checksum(self) -> str:
        """Checksum (xxh3-128) of the bytes as stored, once `done`."""
        running = xxhash.xxh3_128()
        position, end = self.offset, self.offset + self.length
        while position < end:
            piece = self._window.get(position, min(_BLOCK, end - position))
            if not piece:
                break
            running.update(piece)
            position += len(piece)
        return running.hexdigest()

    def drain(self) -> None:
        """Read on to the end, whatever it holds."""
        try:
            for _ in self._pieces:
                pass
        except Malformed:
            pass

    def _guarded(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        try:
            yield from pieces
        except Malformed as error:
            self.problem = str(error)
            raise
        self.done = True


class Known(Member):
    """A member whose length is known and whose stored bytes were found as written: unpacked at once, and faster."""

    def __init__(self, window: Window, offset: int, stored: bytes) -> None:
        self.offset = offset
        self.length = len(stored)
        self.problem = ""
        self.done = False
        self._window = window
        self._pieces = self._guarded(_inflate_known(stored))


class Gap:
    """Bytes that belong to no record."""

    def __init__(self, offset: int, length: int, problem: str) -> None:
        self.offset = offset
        self.length = length
        self.problem = problem


def walk(
    window: Window, start: int = 0, known: Callable[[Window, int], Known | None] | None = None
) -> Iterator[Member | Gap]:
    """Every member from `start` on, and every stretch that is none. `known` may recognise what lies at an offset."""
    position = start
    while position < window.size:
        recognised = known(window, position) if known else None
        if recognised is not None:
            yield recognised
            position += recognised.length
            continue
        if not _begins(window, position):
            end = _next_start(window, position + 1)
            yield Gap(position, end - position, _what_is(window, position, end))
            position = end
            continue
        member = Member(window, position)
        yield member
        member.drain()
        position = position + member.length if member.done else _next_start(window, position + 1)


def _begins(window: Window, position: int) -> bool:
    try:
        start = window.get(position, 5)
    except Malformed:
        return False
    return start[:3] == MAGIC or start == _START


def _next_start(window: Window, position: int) -> int:
    """The next offset where a record can be read from, or the end of the file."""
    while position < window.size:
        try:
            block = window.get(position, _BLOCK)
        except Malformed:  # a bad sector: go on behind it
            position = (position // _SECTOR + 1) * _SECTOR
            continue
        found = _candidates(block)
        for at in found:
            if _is_record(window, position + at):
                return position + at
        if position + len(block) >= window.size or len(block) <= _LOOK_BACK:
            return window.size
        position += len(block) - _LOOK_BACK
    return window.size


def _candidates(block: bytes) -> list[int]:
    found = []
    for mark in (MAGIC, b"WARC/1."):
        at = block.find(mark)
        while at >= 0:
            found.append(at)
            at = block.find(mark, at + 1)
    return sorted(found)


def _is_record(window: Window, offset: int) -> bool:
    """Whether a record begins here: packed, or plain after an empty line."""
    try:
        data = window.get(offset, 2048)
        if data[:3] == MAGIC:
            return zlib.decompressobj(31).decompress(data, 16).startswith(_START)
        return window.get(max(offset - 4, 0), 4) == b"\r\n\r\n" and b"\r\n" in data[:12]
    except (Malformed, zlib.error):
        return False


def _what_is(window: Window, start: int, end: int) -> str:
    try:
        if not window.get(start, min(end - start, _BLOCK)).strip(b"\0"):
            return f"{end - start} zero bytes where a record should be"
    except Malformed as error:
        return str(error)
    return f"{end - start} bytes that are no record"


# -- the two kinds of members ------------------------------------------------------------------------------------------


def _inflate(member: Member) -> Iterator[bytes]:
    unpack = zlib.decompressobj(31)
    position = member.offset
    while not unpack.eof:
        data = member._window.get(position, _SLICE)
        if not data:
            raise Malformed("cut short")
        yield from _unpacked(unpack, data)
        position += len(data)
    member.length = position - len(unpack.unused_data) - member.offset


@cache
def _quick_reader() -> "type[GzipReader]":
    """Loaded when first needed: a crawl writes, and seldom reads."""
    with warnings.catch_warnings():  # fastwarc 1.1 warns about its own old names when it is imported
        warnings.simplefilter("ignore", DeprecationWarning)
        from fastwarc.stream_io import GzipReader  # noqa: PLC0415

    return GzipReader


def _inflate_known(stored: bytes) -> Iterator[bytes]:
    """Fastwarc unpacks a third faster than zlib; it misses cuts, which cannot be here."""
    reader = _quick_reader()(io.BytesIO(stored), len(stored))
    try:
        while piece := reader.read(_MOST_OUT):
            yield piece
    except OSError as error:
        raise Malformed(f"does not unpack: {error}") from None


def _unpacked(unpack: "zlib._Decompress", data: bytes) -> Iterator[bytes]:
    try:
        out = unpack.decompress(data, _MOST_OUT)
        if out:
            yield out
        while unpack.unconsumed_tail and not unpack.eof:  # at the end zlib leaves the tail as it was
            yield unpack.decompress(unpack.unconsumed_tail, _MOST_OUT)
    except zlib.error as error:
        raise Malformed(f"does not unpack: {str(error).partition(': ')[2] or error}") from None


def _plain(member: Member) -> Iterator[bytes]:
    window = member._window
    head = window.get(member.offset, _BLOCK)
    _, fields, start = parse_header_block(head)
    total = start + content_length(fields) + 4
    position = member.offset
    end = position + total
    while position < end:
        piece = window.get(position, min(_MOST_OUT, end - position))
        if not piece:
            raise Malformed("cut short")
        position += len(piece)
        yield piece
    member.length = total
