"""The noise of a page as bytes: a head, then sections of numbers, each behind its length.

Sections are only ever added behind the others, so that what an earlier release kept is read as if they were empty.
"""

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import DTypeLike

MAGIC: Final = b"SNS3"
_EARLIER: Final = b"SNS2"  # without rotation and slots
_OLD: Final = b"SNS1"  # its words were numbered otherwise: they are forgotten
_HEAD: Final = "<4sIIQ"
_FEWEST: Final = {MAGIC: 13, _EARLIER: 9, _OLD: 9}
"""Sections of each form, at least. Origin: a definition."""
ALL: Final = 15
"""Sections that are read; those that are missing are empty. Origin: a definition."""
WORDS: Final = 3
"""Which of them holds words. Origin: a definition."""


def packed(head: tuple[int, int, int], sections: Iterable[bytes]) -> bytes:
    """Head and sections as bytes."""
    start = struct.pack(_HEAD, MAGIC, *head)
    return start + b"".join(struct.pack("<I", len(section)) + section for section in sections)


def unpacked(stored: bytes) -> tuple[tuple[int, int, int], list[bytes]]:
    """What `packed` was given; `ValueError` for what it did not make."""
    if stored[:4] not in _FEWEST:
        raise ValueError("not a stored noise state")
    magic, comparisons, double_fetches, held = struct.unpack_from(_HEAD, stored)
    sections = list(_sections(stored, struct.calcsize(_HEAD)))
    if len(sections) < _FEWEST[magic]:
        raise ValueError("a stored noise state is cut short")
    if magic == _OLD:
        sections[WORDS] = b""
    return (comparisons, double_fetches, held), sections + [b""] * (ALL - len(sections))


def table(rows: Mapping[int, Sequence[float]], kind: DTypeLike) -> tuple[bytes, bytes]:
    """Rows of numbers by their keys, as two sections."""
    return np.array(list(rows), np.uint64).tobytes(), np.array(list(rows.values()), kind).tobytes()


def numbers(section: bytes, kind: DTypeLike = np.uint64) -> list[int]:
    """The numbers of a section."""
    found: list[int] = np.frombuffer(section, kind).tolist()
    return found


def rows(sections: Sequence[bytes], kind: DTypeLike, columns: int = 2) -> Iterable[tuple[int, list[int]]]:
    """The rows of a table of two sections."""
    keys, values = sections
    return zip(numbers(keys), np.frombuffer(values, kind).reshape(-1, columns).tolist(), strict=True)


def _sections(stored: bytes, place: int) -> Iterable[bytes]:
    while place + 4 <= len(stored):
        (length,) = struct.unpack_from("<I", stored, place)
        if place + 4 + length > len(stored):
            return
        yield stored[place + 4 : place + 4 + length]
        place += 4 + length
