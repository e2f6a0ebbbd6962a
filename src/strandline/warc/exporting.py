"""Gives captures out as standard files: `.warc.gz` and `.cdxj`.

Records are copied as they are stored, with the request and other records that were written beside them. A revisit
whose original is not among the captures gets it copied too, so that the file stands on its own.
"""

import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Protocol

from strandline.core.capture import Capture, Original, Place
from strandline.core.urls import authority, site
from strandline.errors import ArchiveDamaged
from strandline.warc.cdxj import line_of
from strandline.warc.compacted import CompactedWindow, member_at, open_window
from strandline.warc.fixity import SHARED, Replacing
from strandline.warc.info import WarcInfo
from strandline.warc.members import Member, Window
from strandline.warc.reader import file_in
from strandline.warc.records import (
    RECORD_END,
    WARC_FIELDS,
    Malformed,
    digest_of,
    header_block,
    new_record_id,
    warc_date,
)
from strandline.warc.sorting import sorted_lines
from strandline.warc.streams import RecordStream

_COPY: Final = 1 << 20
_BESIDE: Final = 8
"""At most this many records were written beside an answer. Origin: a bound; its request and what a browser showed are
six (warc/views.py).
"""


class Out(Protocol):
    """Anything that can be written to."""

    def write(self, data: bytes, /) -> int:
        """Take all of it."""


FindOriginal = Callable[[Original], Capture | None]
"""The capture a revisit refers to, when the archive has it."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which captures are given out: of one site (registered domain or host), and of a span of time (UTC seconds, both
    ends included).
    """

    site: str = ""
    start: float = float("-inf")
    end: float = float("inf")

    def of(self, captures: Iterable[Capture]) -> Iterator[Capture]:
        """Those that are selected, in the same order."""
        for capture in captures:
            if self.start <= capture.time <= self.end and (not self.site or self.site in _places(capture.url)):
                yield capture


def _places(url: str) -> tuple[str, ...]:
    try:
        return site(url), authority(url)
    except (ValueError, IndexError):  # not an address of the web
        return ()


@dataclass(frozen=True, slots=True)
class Source:
    """Where captures are copied from, and how originals of revisits are found."""

    archive: Path
    original_of: FindOriginal = lambda _: None
    window_at: Callable[[Place], Window] | None = None
    """How the file around a record is seen, where files do not lie in a folder."""


def copy_captures(
    captures: Iterable[Capture], source: Source, out: Out, about: tuple[WarcInfo, str, float]
) -> Iterator[Capture]:
    """Write a WARC file (`about`: warcinfo, file name, now) and yield the captures at their new places.

    Originals that revisits need come right before the first of them, once.
    """
    info, name, now = about
    offset = out.write(_warcinfo(info, name, now))
    copied: set[Place] = set()
    windows = _Windows(source)
    try:
        for capture in captures:
            wanted = [capture]
            if capture.revisit and capture.original is not None:
                found = source.original_of(capture.original)
                if found is not None:
                    wanted.insert(0, found)
            for one in wanted:
                if one.place in copied:
                    continue
                copied.add(one.place)
                length, total = _copy_record(windows, one, out)
                yield replace(one, place=Place(name, offset, length))
                offset += total
    finally:
        windows.close()


def export_warc(
    captures: Iterable[Capture], source: Source, target: Path, about: tuple[WarcInfo, float]
) -> list[Capture]:
    """Write a `.warc.gz`; all of it or nothing. Returns the captures at their new places."""
    with Replacing(target, SHARED) as out:
        return list(copy_captures(captures, source, out, (about[0], target.name, about[1])))


def export_cdxj(captures: Iterable[Capture], target: Path) -> int:
    """Write a sorted `.cdxj` of captures as they lie in the archive; returns how many lines."""
    with Replacing(target, SHARED) as out:
        count = 0
        for line in sorted_lines(line_of(capture) for capture in captures):
            out.write(line)
            count += 1
    return count


def _warcinfo(info: WarcInfo, name: str, now: float) -> bytes:
    block = info.fields()
    fields = (
        ("WARC-Type", "warcinfo"),
        ("WARC-Record-ID", new_record_id()),
        ("WARC-Date", warc_date(now)),
        ("WARC-Filename", name),
        ("WARC-Block-Digest", digest_of("sha1", block)),
        ("Content-Type", WARC_FIELDS),
    )
    pack = zlib.compressobj(6, zlib.DEFLATED, 31)
    return pack.compress(header_block(fields, len(block)) + block + RECORD_END) + pack.flush()


class _Windows:
    """Files of the archive, the last one kept open: captures of one file tend to come together."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._name = ""
        self._window: Window | None = None

    def of(self, place: Place) -> Window:
        name = place.file
        if self._source.window_at is not None:
            return self._source.window_at(place)
        if self._window is not None and name == self._name:
            return self._window
        self.close()
        path = file_in(self._source.archive, name)
        if path is None:
            raise ArchiveDamaged(f"{name}: the file is missing")
        self._name, self._window = name, open_window(path)
        return self._window

    def close(self) -> None:
        if self._window is not None:
            self._window.close()
            self._window = None


def _copy_record(windows: _Windows, capture: Capture, out: Out) -> tuple[int, int]:
    """Copy an answer and what lies beside it; lengths of the answer and of all."""
    window = windows.of(capture.place)
    member = member_at(window, capture.place.offset)
    try:
        record = RecordStream(member.pieces(), strict=False)
    except Malformed as error:
        raise ArchiveDamaged(f"{capture.place.file} at {capture.place.offset}: {error}") from None
    member.drain()
    if not member.done:
        raise ArchiveDamaged(f"{capture.place.file} at {capture.place.offset}: {member.problem}")
    total = length = _copy_bytes(window, member, out)
    record_id = record.fields.get("warc-record-id", "")
    position = capture.place.offset + member.length
    for _ in range(_BESIDE):
        beside = _beside(window, position, record_id)
        if beside is None:
            break
        total += _copy_bytes(window, beside, out)
        position += beside.length
    return length, total


def _beside(window: Window, offset: int, record_id: str) -> Member | None:
    """The record at an offset when it was written together with another one."""
    if offset >= window.size or not record_id:
        return None
    member = member_at(window, offset)
    try:
        record = RecordStream(member.pieces(), strict=False)
    except Malformed:
        return None
    member.drain()
    return member if member.done and record.fields.get("warc-concurrent-to") == record_id else None


def _copy_bytes(window: Window, member: Member, out: Out) -> int:
    """Copy a record as it is stored; one of a compacted file is packed again. Returns how many bytes that were."""
    if isinstance(window, CompactedWindow):
        pack = zlib.compressobj(6, zlib.DEFLATED, 31)
        return out.write(pack.compress(window.record(member.offset)) + pack.flush())
    position, end = member.offset, member.offset + member.length
    while position < end:
        position += out.write(window.get(position, min(_COPY, end - position)))
    return member.length
