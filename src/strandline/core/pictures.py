"""Pictures of pages, as PNG: their size, and a note inside them that says where on the picture which text stands.

The note is a chunk of compressed text (`zTXt`) before the end of the picture; programs that show pictures pass over it.
With it a picture can be framed where a page changed, without a browser: see core/changes/delta/framing.py.
"""

import json
import struct
import zlib
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_KEYWORD: Final = b"Strandline-Boxes\x00\x00"
_END: Final = b"IEND"
_MOST: Final = 4_000
"""Boxes of a picture. Origin: a bound on memory."""
_LARGEST: Final = 4 << 20
"""Bytes of their note, unpacked. Origin: a bound on memory."""


class Box(NamedTuple):
    """A text and where it stands, in pixels from the upper left corner."""

    x: float
    y: float
    width: float
    height: float
    text: str


def is_picture(data: bytes) -> bool:
    """Whether bytes are a picture of ours."""
    return data.startswith(SIGNATURE) and data[12:16] == b"IHDR"


def size_of(picture: bytes) -> tuple[int, int]:
    """Width and height in pixels; ValueError for what is no picture."""
    if not is_picture(picture) or len(picture) < 24:
        raise ValueError("no PNG picture")
    width, height = struct.unpack(">II", picture[16:24])
    return int(width), int(height)


def with_boxes(picture: bytes, boxes: Sequence[Box]) -> bytes:
    """The picture with a note of what stands where."""
    place = picture.rfind(_END) - 4
    if place < len(SIGNATURE) or not boxes:
        return picture
    note = json.dumps([list(box) for box in boxes[:_MOST]], ensure_ascii=True, separators=(",", ":")).encode()
    data = b"zTXt" + _KEYWORD + zlib.compress(note, 9)
    chunk = struct.pack(">I", len(data) - 4) + data + struct.pack(">I", zlib.crc32(data))
    return picture[:place] + chunk + picture[place:]


def boxes_of(picture: bytes) -> list[Box]:
    """What stands where; nothing for a picture without such a note.

    >>> empty = SIGNATURE + struct.pack(">I4sII5xI", 13, b"IHDR", 8, 8, 0) + struct.pack(">I4sI", 0, b"IEND", 0)
    >>> boxes_of(with_boxes(empty, [Box(0, 5, 10, 20, "a text")]))[0].text
    'a text'
    """
    for kind, data in _chunks(picture):
        if kind == b"zTXt" and data.startswith(_KEYWORD):
            try:
                note = zlib.decompressobj().decompress(data[len(_KEYWORD) :], _LARGEST)
                return [_box(*one) for one in json.loads(note)[:_MOST]]
            except (ValueError, TypeError, KeyError, RecursionError, zlib.error):
                return []
    return []


def _box(x: float, y: float, width: float, height: float, text: str) -> Box:
    return Box(float(x), float(y), float(width), float(height), str(text))


def _chunks(picture: bytes) -> Iterator[tuple[bytes, bytes]]:
    place = len(SIGNATURE)
    while is_picture(picture) and place + 12 <= len(picture):
        (length,) = struct.unpack(">I", picture[place : place + 4])
        yield picture[place + 4 : place + 8], picture[place + 8 : place + 8 + length]
        place += 12 + length
