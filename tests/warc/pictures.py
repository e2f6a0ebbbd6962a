"""Small pictures."""

import struct
import zlib

from strandline.core.pictures import SIGNATURE


def picture(width, height, grey=200):
    """A PNG of one shade."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress((b"\x00" + bytes([grey]) * width) * height)
    return SIGNATURE + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
