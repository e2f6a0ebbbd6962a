"""Cold compaction: records of a WARC file as zstd deltas, from which the uncompressed file is rebuilt byte for byte.

Versions of one page resemble each other far more than a gzip member can use. Each record is cut into its *head* (WARC
header, and the HTTP header of a response or request) and its *payload* (the rest, line ends after the record included).
The first record of a page, and every 16th after it, is a keyframe; the records between store only how their head and
payload differ from the keyframe's. So reading one record reads at most two of each: depth 1.

Format, all numbers little-endian:

    file    = "SLDELTA1" entry* index trailer
    entry   = stored length u32, raw length u32, base u64, zstd frame
              base is the place of the entry the frame was compressed against (its raw content is the dictionary), or 0
    index   = zstd frame of rows, one a record: offset in the original file u64, its length there u32,
              place of the head entry u64, place of the payload entry u64
    trailer = place of the index u64, its stored length u64, records u64, raw bytes u64,
              SHA-256 of the whole uncompressed WARC (32 bytes), "SLDEND01"

The raw contents of all entries, head and payload of each record in turn, are the uncompressed WARC. The gzip bytes
themselves are not kept (zlib versions differ); the offset and length each record had in the original file are, so an
index that names them still finds it. A payload that the server itself compressed is stored as it is and gains nothing:
compressing it again on another day might give other bytes.

Pure functions over streams: moving files into place, and doing so safely, is the caller's part. Remove an original
only after `check` has rebuilt the new file and its SHA-256 agrees.
"""

import hashlib
import struct
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import BinaryIO, Final, NamedTuple

import zstandard

from strandline.core.quick_dataclass import dataclass
from strandline.errors import ArchiveDamaged
from strandline.warc.records import Malformed, http_head_length, parse_header_block

MAGIC: Final = b"SLDELTA1"
END: Final = b"SLDEND01"
KEYFRAME_EVERY: Final = 16
LEVEL: Final = 3
MOST_HELD: Final = 256 << 20  # bytes of keyframes held while compacting; the least recently used go first
_ENTRY: Final = struct.Struct("<IIQ")
_TRAILER: Final = struct.Struct("<QQQQ32s8s")
_ROW: Final = struct.Struct("<QIQQ")
"""Offset and length in the original file, then where head and payload are kept."""
_LARGEST_WINDOW: Final = 1 << 31


class OldRecord(NamedTuple):
    """A record of the file to compact: where it lies there, and its uncompressed bytes with the line ends after it."""

    offset: int
    length: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Compaction:
    """What a compaction did."""

    records: int
    deltas: int
    raw_bytes: int
    stored_bytes: int
    sha256: str


class _Keyframe(NamedTuple):
    head: bytes
    payload: bytes
    head_at: int
    payload_at: int
    used: int


def compact(records: Iterable[OldRecord], target: BinaryIO, level: int = LEVEL) -> Compaction:
    """Write records as deltas; `target` is written from its start, in order."""
    whole = hashlib.sha256()
    keyframes: OrderedDict[tuple[str, str], _Keyframe] = OrderedDict()
    rows: list[tuple[int, int, int, int]] = []
    held = raw = deltas = 0
    place = target.write(MAGIC)
    for record in records:
        whole.update(record.data)
        raw += len(record.data)
        group, cut = _page_and_cut(record.data)
        head, payload = record.data[:cut], record.data[cut:]
        base = keyframes.pop(group, None)
        if base and base.used < KEYFRAME_EVERY - 1:
            head_at, place = place, place + _write(target, head, level, (base.head_at, base.head))
            payload_at, place = place, place + _write(target, payload, level, (base.payload_at, base.payload))
            keyframes[group] = base._replace(used=base.used + 1)
            deltas += 1
        else:
            held -= len(base.head) + len(base.payload) if base else 0
            head_at, place = place, place + _write(target, head, level, None)
            payload_at, place = place, place + _write(target, payload, level, None)
            keyframes[group] = _Keyframe(head, payload, head_at, payload_at, 0)
            held += len(record.data)
            while held > MOST_HELD and len(keyframes) > 1:
                _, dropped = keyframes.popitem(last=False)
                held -= len(dropped.head) + len(dropped.payload)
        rows.append((record.offset, record.length, head_at, payload_at))
    index = zstandard.ZstdCompressor(level=level).compress(b"".join(_ROW.pack(*row) for row in rows))
    target.write(index)
    target.write(_TRAILER.pack(place, len(index), len(rows), raw, whole.digest(), END))
    return Compaction(len(rows), deltas, raw, place + len(index) + _TRAILER.size, whole.hexdigest())


def _page_and_cut(data: bytes) -> tuple[tuple[str, str], int]:
    """Which records resemble this one (its type and address), and where its head ends."""
    try:
        _version, fields, cut = parse_header_block(data)
    except Malformed:
        return ("", ""), 0
    if fields.get("content-type", "").lower().startswith("application/http"):
        cut += http_head_length(data[cut : cut + (1 << 16)])
    return (fields.get("warc-type", ""), fields.get("warc-target-uri", "")), cut


def _write(target: BinaryIO, content: bytes, level: int, base: tuple[int, bytes] | None) -> int:
    """Write one entry; returns its size."""
    frame = _packed(content, level, base[1] if base else b"")
    target.write(_ENTRY.pack(len(frame), len(content), base[0] if base and base[1] else 0))
    target.write(frame)
    return _ENTRY.size + len(frame)


def _packed(content: bytes, level: int, base: bytes) -> bytes:
    if not base:
        return zstandard.ZstdCompressor(level=level, write_checksum=True).compress(content)
    window = max(10, (len(base) + len(content)).bit_length())
    settings = zstandard.ZstdCompressionParameters.from_level(
        level, source_size=len(content), dict_size=len(base), window_log=min(window, 31), write_checksum=True
    )
    raw = zstandard.ZstdCompressionDict(base, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
    return zstandard.ZstdCompressor(compression_params=settings, dict_data=raw).compress(content)


class CompactedWarc:
    """A compacted file open for reading; `source` must be seekable."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source
        self._size = size = source.seek(0, 2)
        if size < len(MAGIC) + _TRAILER.size:
            raise ArchiveDamaged("a compacted WARC file is cut short")
        trailer = _TRAILER.unpack(self._at(size - _TRAILER.size, _TRAILER.size))
        index_at, index_size, self.records, self.raw_bytes, self._sha256, end = trailer
        if end != END or self._at(0, len(MAGIC)) != MAGIC:
            raise ArchiveDamaged("not a compacted WARC file, or cut short")
        if index_at + index_size + _TRAILER.size != size:
            raise ArchiveDamaged("the index of a compacted WARC file is not where it should be")
        self._rows = self._read_index(self._at(index_at, index_size))

    def _read_index(self, stored: bytes) -> bytes:
        try:  # a size that is wrong may be one for which there is no memory: it is asked for before room is made
            if zstandard.frame_content_size(stored) != self.records * _ROW.size:
                raise ArchiveDamaged("the index of a compacted WARC file is incomplete")
            return zstandard.ZstdDecompressor().decompress(stored)
        except (zstandard.ZstdError, ValueError) as problem:
            raise ArchiveDamaged(f"the index of a compacted WARC file is damaged ({problem})") from None

    @property
    def sha256(self) -> str:
        """SHA-256 the uncompressed WARC must have."""
        return bytes(self._sha256).hex()

    def __iter__(self) -> Iterator[OldRecord]:
        """All records in order."""
        for row in _ROW.iter_unpack(self._rows):
            yield self._record(row)

    def places(self) -> dict[int, int]:
        """Length in the original file of each record, by its offset there."""
        return {offset: length for offset, length, _, _ in _ROW.iter_unpack(self._rows)}

    def at(self, offset: int) -> bytes:
        """The record that began at this offset of the original file, uncompressed."""
        place = bisect_left(range(self.records), offset, key=lambda nth: self._row(nth)[0])
        if place >= self.records or self._row(place)[0] != offset:
            raise ArchiveDamaged(f"no record began at {offset} of the original file")
        return self._record(self._row(place)).data

    def _row(self, nth: int) -> tuple[int, int, int, int]:
        offset, length, head, payload = _ROW.unpack_from(self._rows, nth * _ROW.size)
        return offset, length, head, payload

    def _record(self, row: tuple[int, ...]) -> OldRecord:
        offset, length, head, payload = row
        return OldRecord(offset, length, self._entry(head) + self._entry(payload))

    def _entry(self, place: int, depth: int = 0) -> bytes:
        stored, raw, base = _ENTRY.unpack(self._at(place, _ENTRY.size))
        frame = self._at(place + _ENTRY.size, stored)
        if base and depth:
            raise ArchiveDamaged(f"entry at {place}: a keyframe that is itself a delta")
        try:
            reader = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW)
            if base:
                known = zstandard.ZstdCompressionDict(
                    self._entry(base, depth + 1), dict_type=zstandard.DICT_TYPE_RAWCONTENT
                )
                reader = zstandard.ZstdDecompressor(dict_data=known, max_window_size=_LARGEST_WINDOW)
            content = reader.decompress(frame, max_output_size=raw) if raw else b""
        except zstandard.ZstdError as problem:
            raise ArchiveDamaged(f"entry at {place} is damaged ({problem})") from None
        if len(content) != raw:
            raise ArchiveDamaged(f"entry at {place}: {len(content)} bytes instead of {raw}")
        return content

    def _at(self, place: int, size: int) -> bytes:
        if place + size > self._size:  # a flipped bit may also point farther than any file reaches
            raise ArchiveDamaged(f"cut short at {place}")
        self._source.seek(place)
        return self._source.read(size)


def check(source: BinaryIO, sha256: str) -> None:
    """Rebuild a compacted file without keeping it; raises ArchiveDamaged unless it gives the WARC with this SHA-256."""
    whole = hashlib.sha256()
    for record in CompactedWarc(source):
        whole.update(record.data)
    if whole.hexdigest() != sha256:
        raise ArchiveDamaged("the rebuilt WARC is not the one that was compacted (SHA-256 differs)")
