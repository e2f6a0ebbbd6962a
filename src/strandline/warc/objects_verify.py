"""The fixity audit of WARC files in object storage: as `verify` and `rolling` do it in a folder, by range requests.

Workers write meanwhile. What the index records of a file is asked for before the store is asked for the file: a part is
in the store before anything in it is recorded, so whatever is recorded has to be there by then. A file that is still in
parts is looked at up to the last capture the index had; where a part is gone, the records behind it are still read.

The captures of one file are held at a time, so an archive of any size can be read with little memory.
"""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from strandline.core.capture import Capture
from strandline.errors import ArchiveDamaged
from strandline.warc.fixity import Sum, sums_in
from strandline.warc.members import Gap, Member, Window, walk
from strandline.warc.objects import ARCHIVE, FIXITY, PARTS, Objects
from strandline.warc.objects_reader import ObjectReader
from strandline.warc.rolling import Compared, compared_records
from strandline.warc.verify import Audit, Course, Expected, Problem, named, recogniser, walked

_BLOCK: Final = 8 << 20
_LISTED: Final = 3600.0
"""Seconds for which a list of everything in the store will do."""
_KINDS: Final = (".warc", ".warc.gz")


class Recorded(Protocol):
    """What the index knows of WARC files."""

    def warc_files(self) -> Iterable[str]:
        """Names of all files something is recorded of."""

    def captures_in(self, file: str) -> Iterable[Capture]:
        """Captures of one file."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A file in the store: stretches of bytes (first, behind the last) that are there; one when it is finished."""

    stretches: tuple[tuple[int, int], ...]
    finished: bool

    @property
    def size(self) -> int:
        """Bytes that are there."""
        return sum(end - start for start, end in self.stretches)


def stored(objects: Objects, file: str) -> Stored | None:
    """Where the bytes of a file are; None when there are none."""
    for _ in range(2):  # a file may be finished between two looks
        size = objects.size(f"{ARCHIVE}/{file}")
        if size is not None:
            return Stored(((0, size),), finished=True)
        stretches: list[tuple[int, int]] = []
        for name, length in objects.names(f"{ARCHIVE}/{file}{PARTS}"):
            start = int(name.rpartition("/")[2])
            if stretches and stretches[-1][1] == start:
                stretches[-1] = (stretches[-1][0], start + length)
            else:
                stretches.append((start, start + length))
        if stretches:
            return Stored(tuple(stretches), finished=False)
    return None


class StoredWindow(Window):
    """A file in the store up to an offset, seen through one block; for reading from the front to the back."""

    def __init__(self, reader: ObjectReader, file: str, end: int) -> None:
        self.path = Path(file)
        self.size = end
        self._reader = reader
        self._at = 0
        self._block = b""

    def get(self, offset: int, size: int) -> bytes:
        """Bytes from an offset on, fewer at the end."""
        wanted = min(size, self.size - offset)
        start = offset - self._at
        if start < 0 or start + wanted > len(self._block):
            self._block = self._block[start:] if 0 <= start < len(self._block) else b""
            self._at, start = offset, 0
            while len(self._block) < wanted:
                behind = offset + len(self._block)
                piece = self._reader.bytes_at(self.path.name, behind, min(_BLOCK, self.size - behind))
                if not piece:
                    break
                self._block += piece
        return self._block[start : start + max(wanted, 0)]

    def close(self) -> None:
        """There is nothing to release."""


def finished(objects: Objects) -> dict[str, int]:
    """Finished WARC files of a store and their sizes; what is none of ours is left out."""
    there = {name.removeprefix(f"{ARCHIVE}/"): size for name, size in objects.names(f"{ARCHIVE}/")}
    return {name: size for name, size in there.items() if "/" not in name and name.endswith(_KINDS)}


def verify_objects(objects: Objects, index: Recorded, course: Course) -> Audit:
    """Audit all WARC files of a store against the index."""
    recorded = set(index.warc_files())
    names = {name.removeprefix(f"{ARCHIVE}/").partition(PARTS)[0] for name, _ in objects.names(f"{ARCHIVE}/")}
    problems: list[Problem] = []
    unlisted: list[str] = []
    captures = files = octets = left_out = 0
    for name in sorted(recorded | {name for name in names if name.endswith(_KINDS)}):
        expected = Expected()
        for capture in index.captures_in(name):
            expected.add(capture)
        place = stored(objects, name)
        if place is not None and name in course.leave_out:
            left_out += 1
            continue
        captures += len(expected.offsets)
        if place is None:
            found = [Problem(name, offset, "", "the file is missing") for offset in expected.offsets]
        else:
            files += 1
            octets += place.size
            course.begun(name, place.size)
            sums = listed_sums(objects, name) if place.finished else ([], "")
            if sums is None:
                unlisted.append(name)
            expected.sort()
            found = list(_problems(objects, name, place, expected, sums or ([], "")))
            if not found and place.finished:
                course.sound(name)
        problems += named(found, lambda name=name: index.captures_in(name))  # type: ignore[misc]
    return Audit(captures, files, octets, tuple(problems), tuple(unlisted), left_out)


def listed_sums(objects: Objects, name: str) -> tuple[list[Sum], str] | None:
    """The list of checksums of a file; None when there is none."""
    try:
        return sums_in(objects.get(f"{FIXITY}/{name}.sums"))
    except FileNotFoundError:
        return None


def _problems(
    objects: Objects, name: str, place: Stored, expected: Expected, listed: tuple[list[Sum], str]
) -> Iterator[Problem]:
    noted, trouble = listed
    if trouble:
        yield Problem(name, 0, "", trouble)
    sums = {one.offset: one for one in noted}
    try:
        yield from walked(name, _records(objects, name, place, sums), expected, sums, not place.finished)
    except ArchiveDamaged as damage:  # gone, or cut, while it was read
        yield Problem(name, 0, "", str(damage))


def _records(objects: Objects, name: str, place: Stored, sums: dict[int, Sum]) -> Iterator[Member | Gap]:
    reader = ObjectReader(objects)
    for start, end in place.stretches:
        yield from walk(StoredWindow(reader, name, end), start, recogniser(sums))


class ObjectShelf:
    """The finished WARC files of a store, for a rolling audit (alerts/fixity_audit.py)."""

    at_once = 64 << 20
    """Most bytes compared in one step."""

    def __init__(self, objects: Objects, index: Recorded) -> None:
        self._objects = objects
        self._index = index
        self._listed = float("-inf")
        self._sizes: dict[str, int] = {}
        self._missing: list[str] = []

    def sizes(self) -> dict[str, int]:
        """Files that are finished, and their bytes, as of an hour ago at most."""
        self._look()
        return self._sizes

    def missing(self) -> list[str]:
        """Files something is recorded of, and of which the store has nothing."""
        self._look()
        return self._missing

    def _look(self) -> None:
        if time.monotonic() - self._listed < _LISTED:
            return
        recorded = set(self._index.warc_files())
        names = [(name.removeprefix(f"{ARCHIVE}/"), size) for name, size in self._objects.names(f"{ARCHIVE}/")]
        self._sizes = {name: size for name, size in names if PARTS not in name and name.endswith(_KINDS)}
        there = {name.partition(PARTS)[0] for name, _ in names}
        self._missing = sorted(name for name in recorded - there if stored(self._objects, name) is None)
        self._listed = time.monotonic()

    def compared(self, name: str) -> Iterator[Compared]:
        """Compare a file with its checksums, piece by piece. One without a list is passed over: `verify` reads it."""
        sums = listed_sums(self._objects, name)
        if sums is None:
            return
        size = self._objects.size(f"{ARCHIVE}/{name}")
        if size is None:
            yield Compared(0, "the file is missing")
            return
        window = StoredWindow(ObjectReader(self._objects), name, size)
        yield from compared_records(window.get, size, sums)
