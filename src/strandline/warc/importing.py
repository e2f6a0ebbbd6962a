"""Takes foreign WARC files in: read as a whole first, then copied record by record into files of ours.

Packed records are copied as they are; plain ones are packed. Nothing is written before the last record was read and
found whole. Copies are made durable under their `.open` names, then indexed by the caller (`captures_of` says what is
in them), and only then get their final names: killed at any point, the next start does the rest (warc/recover.py).
Whatever else goes wrong before they are indexed, nothing is left of them.
"""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from strandline.errors import ArchiveDamaged, UsageError
from strandline.warc.members import MAGIC, Gap, Member, Window, walk
from strandline.warc.output import Naming, OpenWarc, as_trouble, open_new
from strandline.warc.records import Malformed
from strandline.warc.streams import RecordStream

_COPY: Final = 1 << 20
_TYPES: Final = frozenset(
    ("warcinfo", "response", "resource", "request", "metadata", "revisit", "conversion", "continuation")
)


@dataclass(frozen=True, slots=True)
class Imported:
    """A file that was taken in."""

    file: str
    records: int
    bytes: int
    findings: tuple[str, ...]
    """What is odd in it but could be read over."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where imported files go: the `archive/` folder, how they are named, and now."""

    archive: Path
    host: str
    now: float
    prefix: str = "import"
    ready: Callable[[], object] = lambda: None
    """Called when everything was found to be sound, before the first byte is written."""
    index: Callable[[Sequence[Path]], object] = lambda _: None
    """Called with the copies once they are durable, before they get their final names."""


def import_warc(source: Path, target: Target) -> Imported:
    """Take in a `.warc` or `.warc.gz`; ArchiveDamaged before anything is written when it is not whole."""
    try:
        window = Window(source)
    except OSError as error:
        raise UsageError(f"cannot read {source}: {error.strerror}") from error
    try:
        return import_window(window, source.name, target)
    finally:
        window.close()


def import_window(window: Window, label: str, target: Target) -> Imported:
    """Take in a WARC file seen through a window; `label` names it in messages."""
    (imported,) = import_windows([(label, window)], target)
    return imported


def import_windows(windows: Sequence[tuple[str, Window]], target: Target) -> list[Imported]:
    """Take in several WARC files, all of them or none."""
    checked = [(window, *check_window(window, label)) for label, window in windows]
    target.ready()
    files: list[OpenWarc] = []
    try:
        imported = []
        for window, findings, odd in checked:
            files.append(open_new(target.archive, Naming(target.prefix, target.host), target.now))
            imported.append(_copied(window, files[-1], odd, findings))
        target.index([file.path for file in files])
    except BaseException as error:
        for file in files:
            with contextlib.suppress(OSError):
                file.discard()
        if isinstance(error, OSError):
            raise as_trouble(error, files[-1].path) from error
        raise
    for file in files:
        try:
            file.seal()
        except OSError as error:  # the next start will give it its name
            file.release()
            raise as_trouble(error, file.path) from error
    return imported


def _copied(window: Window, file: OpenWarc, odd: set[int], findings: list[str]) -> Imported:
    """Copy all records, durably."""
    records = 0
    for item in walk(window):
        if isinstance(item, Member):
            _copy(window, item, file, "odd" if item.offset in odd else "")
            records += 1
    file.commit()
    file.sync()
    return Imported(file.name, records, file.size, tuple(findings))


def check_window(window: Window, label: str) -> tuple[list[str], set[int]]:
    """Read everything; ArchiveDamaged says what is wrong and where.

    Returns what can be read over, and the offsets of the records it was found in.
    """
    findings: list[str] = []
    odd: set[int] = set()
    records = 0
    for item in walk(window):
        where = f"{label} at {item.offset}"
        if isinstance(item, Gap):
            raise ArchiveDamaged(f"{where}: {item.problem}")
        try:
            record = RecordStream(item.pieces(), strict=False)
            if record.type not in _TYPES:
                raise Malformed(f"unknown record type {record.type[:40]!r}")
            wrong = record.check()
            item.drain()
            if not item.done:
                raise Malformed(item.problem)
        except Malformed as error:
            raise ArchiveDamaged(f"{where}: {item.problem or error}") from None
        records += 1
        findings += [f"{where}: {finding}" for finding in (*record.findings, *wrong)]
        if wrong or record.findings:
            odd.add(item.offset)
    if not records:
        raise ArchiveDamaged(f"{label}: no WARC records in it")
    return findings, odd


def _copy(window: Window, member: Member, file: OpenWarc, remark: str) -> None:
    if window.get(member.offset, len(MAGIC)) != MAGIC:
        for piece in member.pieces():
            file.add(piece)
        file.end_record(remark=remark)
        return
    member.drain()
    position, end = member.offset, member.offset + member.length
    while position < end:
        piece = window.get(position, min(_COPY, end - position))
        file.add_packed(piece)
        position += len(piece)
    file.end_record(packed=True, remark=remark)
