"""Walks the records of a WARC file one by one and misses nothing that is wrong.

A `.warc.gz` is a row of gzip members, one record each. The usual readers stop at the first damage, or pass over a
cut tail. Here every member has to be complete, with the right CRC and length, and nothing may lie between two
members; after damage the walk goes on at the next place where a record begins.

*Strict* is for files of this house. Their members all carry the same ten header bytes, so that a flipped bit in
the time or system field, which no checksum covers, is seen. So is one in the padding bits behind the packed data:
the highest bit set in the last byte must matter. Foreign files are walked leniently.

Bytes are read with pread in blocks: a file of any size in constant memory, and a bad sector is a finding, not the
end of the process.
"""

import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from strandline.warc.records import Malformed, content_length, parse_header_block

MAGIC: Final = b"\x1f\x8b\x08"
HEADER: Final = bytes.fromhex("1f8b0800000000000003")
"""How every gzip member written here begins: no name, no time, system Unix."""
_TRAILER: Final = 8
_SLICE: Final = 1 << 16
_MOST_OUT: Final = 1 << 20
_BLOCK: Final = 1 << 20
_SECTOR: Final = 4096
_START: Final = b"WARC/"
_LOOK_BACK: Final = 32


class Window:
    """A file seen through one cached block."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self.size = os.fstat(self._descriptor).st_size
        self._at = 0
        self._block = b""

    def get(self, offset: int, size: int) -> bytes:
        """Bytes at an offset, fewer at the end of the file; Malformed when the disk gives an error."""
        start = offset - self._at
        if start < 0 or start + size > len(self._block):
            try:
                self._block = os.pread(self._descriptor, max(size, _BLOCK), offset)
            except OSError as error:
                raise Malformed(f"cannot be read: {error.strerror}") from error
            self._at, start = offset, 0
        return self._block[start : start + size]

    def close(self) -> None:
        """Release the file."""
        os.close(self._descriptor)


class Member:
    """One record as it lies in a file: unpacked piece by piece, once."""

    def __init__(self, window: Window, offset: int, strict: bool) -> None:
        self.offset = offset
        self.length = 0
        """Bytes in the file, known when all pieces were read."""
        self.problem = ""
        self.done = False
        self._window = window
        self._strict = strict
        self._pieces = self._guarded(_inflate(self) if window.get(offset, 3) == MAGIC else _plain(self))

    def pieces(self) -> Iterator[bytes]:
        """What is left of the record; Malformed when it is damaged, and then `problem` says how."""
        return self._pieces

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


class Gap:
    """Bytes that belong to no record."""

    def __init__(self, offset: int, length: int, problem: str) -> None:
        self.offset = offset
        self.length = length
        self.problem = problem


def walk(window: Window, start: int = 0, strict: bool = True) -> Iterator[Member | Gap]:
    """Every member from `start` on, and every stretch that is none."""
    position = start
    while position < window.size:
        if not _begins(window, position):
            end = _next_start(window, position + 1)
            yield Gap(position, end - position, _what_is(window, position, end))
            position = end
            continue
        member = Member(window, position, strict)
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
    window, strict = member._window, member._strict
    if strict and window.get(member.offset, len(HEADER)) != HEADER:
        raise Malformed("gzip header is not as written")
    unpack = zlib.decompressobj(31)
    position = member.offset
    while not unpack.eof:
        boundary = 0
        data = window.get(position, _SLICE + 2 * len(HEADER))
        if not data:
            raise Malformed("cut short")
        if strict:
            boundary = data.find(HEADER, 1)
            if boundary < 0 and position + len(data) >= window.size:
                boundary = len(data)
        if boundary > _TRAILER + 1:
            last = boundary - _TRAILER - 1
            yield from _unpacked(unpack, data[:last])
            position += last
            if not unpack.eof:
                before = unpack.copy()
                yield from _unpacked(unpack, data[last:boundary])
                position += boundary - last
                if unpack.eof and not unpack.unused_data:
                    _check_padding(before, data[last:boundary])
        else:
            data = data[:_SLICE]
            yield from _unpacked(unpack, data)
            position += len(data)
    member.length = position - len(unpack.unused_data) - member.offset


def _unpacked(unpack: "zlib._Decompress", data: bytes) -> Iterator[bytes]:
    try:
        out = unpack.decompress(data, _MOST_OUT)
        if out:
            yield out
        while unpack.unconsumed_tail:
            yield unpack.decompress(unpack.unconsumed_tail, _MOST_OUT)
    except zlib.error as error:
        raise Malformed(f"does not unpack: {str(error).partition(': ')[2] or error}") from None


def _check_padding(before: "zlib._Decompress", last: bytes) -> None:
    """Bits behind the end of the packed data are zero: clearing the highest one set must break it."""
    if not last[0]:
        return
    cleared = last[0] & ~(1 << (last[0].bit_length() - 1))
    try:
        before.decompress(bytes((cleared,)) + last[1:])
    except zlib.error:
        return
    if before.eof:
        raise Malformed("padding is not as written")


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
