"""Takes in `.warc.zst`: WARC packed with Zstandard, one frame for each record, often with a dictionary of its own.

The dictionary, if there is one, is the content of a skippable frame at the very beginning, itself packed or not. The
file is unpacked into a file without a name and then taken in like a plain WARC, so it is read as a whole before
anything is kept. Sizes that a file claims are never believed: it is fed in small slices and given up when it grows
beyond all measure.
"""

import struct
import tempfile
from pathlib import Path
from typing import BinaryIO, Final

import zstandard

from strandline.errors import ArchiveDamaged, OutOfSpace, UsageError
from strandline.warc.importing import Imported, Target, import_window
from strandline.warc.members import Window

_DICTIONARY: Final = 0x184D2A5D
_FRAME: Final = b"\x28\xb5\x2f\xfd"
_LARGEST_DICTIONARY: Final = 16 << 20
_LARGEST_WINDOW: Final = 1 << 27
_SLICE: Final = 512
"""Bytes fed at a time: the worst frame makes 16 MiB of them."""
_READ: Final = 1 << 20
_RATIO: Final = 200
_ALWAYS: Final = 64 << 20
"""Bytes any file may unpack to."""


def import_zst(source: Path, target: Target) -> Imported:
    """Take in a `.warc.zst`; ArchiveDamaged before anything is written when it is not whole."""
    try:
        packed = source.open("rb")
    except OSError as error:
        raise UsageError(f"cannot read {source}: {error.strerror}") from error
    with packed, tempfile.TemporaryFile(dir=target.archive.parent) as plain:
        try:
            _unpack(packed, plain, source.name, source.stat().st_size)
        except OSError as error:
            raise OutOfSpace(f"no room to unpack {source.name} in {target.archive.parent}: {error.strerror}") from error
        plain.flush()
        window = Window(plain.fileno())
        try:
            return import_window(window, source.name, target)
        finally:
            window.close()


def _unpack(packed: BinaryIO, plain: BinaryIO, label: str, size: int) -> None:
    most, written = max(_ALWAYS, size * _RATIO), 0
    unpacker = zstandard.ZstdDecompressor(dict_data=_dictionary(packed, label), max_window_size=_LARGEST_WINDOW)
    frame, begun = unpacker.decompressobj(), False
    try:
        while block := packed.read(_READ):
            for start in range(0, len(block), _SLICE):
                rest = block[start : start + _SLICE]
                while rest:
                    data = frame.decompress(rest)
                    begun, rest = True, frame.unused_data
                    written += plain.write(data)
                    if written > most:
                        raise ArchiveDamaged(f"{label}: unpacks to more than {_RATIO} times its size; not taken in")
                    if frame.eof:
                        frame, begun = unpacker.decompressobj(), False
    except zstandard.ZstdError as error:
        raise ArchiveDamaged(f"{label}: does not unpack near {packed.tell()}: {error}") from None
    if begun:
        raise ArchiveDamaged(f"{label}: cut short")


def _dictionary(packed: BinaryIO, label: str) -> zstandard.ZstdCompressionDict | None:
    head = packed.read(8)
    magic, length = struct.unpack("<II", head) if len(head) == 8 else (0, 0)
    if magic != _DICTIONARY:
        packed.seek(0)
        return None
    data = packed.read(length) if length <= _LARGEST_DICTIONARY else b""
    if len(data) != length or not data:
        raise ArchiveDamaged(f"{label}: its dictionary is cut short or too large")
    if data.startswith(_FRAME):
        try:
            with zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW).stream_reader(data) as reader:
                data = reader.read(_LARGEST_DICTIONARY + 1)
        except zstandard.ZstdError as error:
            raise ArchiveDamaged(f"{label}: its dictionary does not unpack: {error}") from None
        if len(data) > _LARGEST_DICTIONARY:
            raise ArchiveDamaged(f"{label}: its dictionary is too large")
    return zstandard.ZstdCompressionDict(data)
