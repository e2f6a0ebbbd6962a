"""Arrays as bytes and back: a compressed `.npz` file, written and read as a stream.

What plans believe of directories alone is large. Packed at once it would be held three times: as arrays, as a file, and
compressed.
"""

import io
import struct
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]

_AT_ONCE: Final = 1 << 20
"""Bytes that are compressed, or expanded, together. Origin: a bound on memory."""
_ENTRY: Final = struct.Struct("<4s5H3L2H")
"""What is written before each file of a ZIP archive. Origin: a standard, APPNOTE.TXT 4.3.7."""
_SIZES: Final = struct.Struct("<4sLQQ")
"""What is written behind one whose size was not known before. Origin: a standard, APPNOTE.TXT 4.3.9."""
_SIZES_FOLLOW: Final = 0x08
"""The mark of such a file. Origin: a standard, APPNOTE.TXT 4.4.4."""


class Reads(Protocol):
    """A file that is read."""

    def read(self, count: int, /) -> bytes:
        """The next so many bytes; fewer at its end."""


class _Compressing(io.RawIOBase):
    """A file that is compressed while it is written. Quickly: most of it are zeros."""

    def __init__(self) -> None:
        super().__init__()
        self._flow = zlib.compressobj(1)
        self._parts: list[bytes] = []
        self._place = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def write(self, data: Any) -> int:  # noqa: ANN401 - whatever has bytes
        view = memoryview(data).cast("B")
        for begin in range(0, len(view), _AT_ONCE):
            self._parts.append(self._flow.compress(view[begin : begin + _AT_ONCE]))
        self._place += len(view)
        return len(view)

    def done(self) -> bytes:
        return b"".join([*self._parts, self._flow.flush()])


class _Expanding(io.RawIOBase):
    """What is compressed, read from its beginning to its end."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self._flow = zlib.decompressobj()
        self._left = memoryview(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - whatever can be written to
        view = memoryview(buffer).cast("B")
        found = b""
        while not found and not self._flow.eof:
            waiting = self._flow.unconsumed_tail
            if not waiting:
                waiting, self._left = bytes(self._left[:_AT_ONCE]), self._left[_AT_ONCE:]
                if not waiting:
                    raise ValueError("these bytes end too early")
            found = self._flow.decompress(waiting, len(view))
        view[: len(found)] = found
        return len(found)


def packed(arrays: Arrays) -> bytes:
    """Arrays as bytes.

    >>> unpacked(packed({"a": np.arange(3)}))["a"].tolist()
    [0, 1, 2]
    """
    file = _Compressing()
    np.savez(file, allow_pickle=False, **dict(arrays))
    return file.done()


def unpacked(data: bytes) -> dict[str, NDArray[Any]]:
    """What `packed` made, in this release or an earlier one; ValueError or zlib.error for anything else."""
    found: dict[str, NDArray[Any]] = {}
    with io.BufferedReader(_Expanding(data), _AT_ONCE) as file:
        while (mark := file.read(4)) == b"PK\x03\x04":
            head = _ENTRY.unpack(mark + _exactly(file, _ENTRY.size - 4))
            flags, way, name_length, more = head[2], head[3], head[9], head[10]
            name = _exactly(file, name_length).decode()
            _exactly(file, more)
            if way != zipfile.ZIP_STORED:
                raise ValueError(f"{name} is compressed once more")
            found[name.removesuffix(".npy")] = np.lib.format.read_array(file, allow_pickle=False)
            if flags & _SIZES_FOLLOW and _SIZES.unpack(_exactly(file, _SIZES.size))[0] != b"PK\x07\x08":
                raise ValueError(f"{name} does not end where it should")
        if mark != b"PK\x01\x02":
            raise ValueError("these are no arrays")
    return found


def _exactly(file: Reads, count: int) -> bytes:
    found = file.read(count)
    if len(found) != count:
        raise ValueError("these bytes end too early")
    return found
