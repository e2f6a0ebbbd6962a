"""Compacted WARC files in an archive folder: their records lie in a *pack*, and `NAME.warc.gz.delta` says where.

A crawl captures each page once, so versions that resemble each other lie in different files. A pack takes the records
of many files in the order of their addresses, each a small difference from the one before (`deltas`). Beside it, the
*guide* of each file keeps the offset and length every record was written with. So whatever names a record, catalog or
CDXJ, goes on naming it by file and offset, and nothing has to be switched anywhere.

    survey the files: sound throughout? SHA-256 of each uncompressed WARC
    write the pack, rebuild every file from it, compare SHA-256, fsync, rename
    write the guides, each durably; then remove the originals

While original and guide are both there, the original is read: a crash at any point leaves one or the other whole, and
the next compaction tidies up. Files with damage, with bytes between records or with very large records are left as they
are, and so is everything when little would be gained.

    guide = "SLGUIDE1", zstd frame of {"pack": name, "sha256": of the WARC, "rows": [[offset, length, place in pack]]}
"""

import contextlib
import hashlib
import json
import os
import threading
import weakref
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import field
from pathlib import Path
from typing import BinaryIO, Final

import xxhash
import zstandard

from strandline.core.quick_dataclass import dataclass
from strandline.durable import sync_path
from strandline.errors import ArchiveDamaged
from strandline.warc.deltas import CompactedWarc, OldRecord, compact
from strandline.warc.fixity import Replacing, Sum, read_sums, sums_path, write_sums
from strandline.warc.members import Gap, Known, Member, Window, walk
from strandline.warc.output import OPEN
from strandline.warc.records import Malformed
from strandline.warc.streams import RecordStream

DELTA: Final = ".delta"
PACK: Final = ".pack"
LARGEST_RECORD: Final = 64 << 20
"""A record is compacted as a whole, in memory."""
WORTH: Final = 0.9
"""Files that would not become smaller than this share of what they are stay."""
_MAGIC: Final = b"SLGUIDE1"
_PIECE: Final = 1 << 20
_OPEN_FILES: Final = 8
_MOST_GUIDE: Final = 1 << 30


@dataclass(frozen=True, slots=True)
class CompactedFile:
    """A file that was compacted, or was left, and why."""

    file: str
    size: int
    left: str = ""


def name_of(path: Path) -> str:
    """The name under which records of a file are known."""
    return path.name.removesuffix(OPEN).removesuffix(DELTA)


def finished_files(folder: Path) -> list[Path]:
    """Finished WARC files, compacted ones included, in the order of their names."""
    found: dict[str, Path] = {}
    for path in folder.glob("*.warc*"):
        name = name_of(path)
        if not name.endswith((".warc", ".warc.gz")) or path.name.endswith(OPEN):
            continue
        if name not in found or path.name == name:  # the original, while both are there
            found[name] = path
    return [found[name] for name in sorted(found)]


class CompactedWindow(Window):
    """A compacted file, seen as the file it stands for: records at the offsets they were written at."""

    def __init__(self, guide: Path) -> None:
        """Open; ArchiveDamaged when guide or pack cannot be read."""
        self.path = guide
        self.pack, self.sha256, rows = _read_guide(guide)
        self.places = {offset: length for offset, length, _ in rows}
        self._in_pack = {offset: place for offset, _, place in rows}
        self.size = max((offset + length for offset, length in self.places.items()), default=0)
        try:
            self._file = (guide.parent / self.pack).open("rb")
        except FileNotFoundError:
            raise ArchiveDamaged(f"{self.pack}, which holds its records, is missing") from None
        try:
            self._records = CompactedWarc(self._file)
        except ArchiveDamaged:
            self._file.close()
            raise

    @property
    def pack_records(self) -> int:
        """How many records the pack holds, of all files."""
        return int(self._records.records)

    def record(self, offset: int) -> bytes:
        """The uncompressed record that was written at an offset; Malformed when it is damaged."""
        if offset not in self._in_pack:
            raise Malformed(f"no record was written at {offset}")
        try:
            return self._records.at(self._in_pack[offset])
        except ArchiveDamaged as problem:
            raise Malformed(f"{self.pack}: {problem}") from None

    def get(self, offset: int, size: int) -> bytes:
        """There are no stored bytes of the original: only whole records can be had."""
        raise Malformed(f"no record was written at {offset} ({size} bytes)")

    def close(self) -> None:
        """Release the pack."""
        self._file.close()


def _read_guide(guide: Path) -> tuple[str, str, list[tuple[int, int, int]]]:
    data = guide.read_bytes()
    try:
        if data[: len(_MAGIC)] != _MAGIC:
            raise ValueError("not a guide")
        plain = zstandard.ZstdDecompressor().decompress(data[len(_MAGIC) :], max_output_size=_MOST_GUIDE)
        found = json.loads(plain)
        pack, sha256, rows = str(found["pack"]), str(found["sha256"]), found["rows"]
        if "/" in pack or not pack.endswith(PACK):
            raise ValueError("names no pack")
        return pack, sha256, [(int(offset), int(length), int(place)) for offset, length, place in rows]
    except (zstandard.ZstdError, ValueError, KeyError, TypeError) as problem:
        raise ArchiveDamaged(f"{guide.name} is damaged ({problem})") from None


class Rebuilt(Known):
    """A record of a compacted file: as it was written, but for its gzip bytes."""

    def __init__(self, window: CompactedWindow, offset: int) -> None:
        self.offset = offset
        self.length = window.places.get(offset, 0)
        self.problem = ""
        self.done = False
        self._window = window
        self._pieces = self._guarded(_sliced(window, offset))


def _sliced(window: CompactedWindow, offset: int) -> Iterator[bytes]:
    data = window.record(offset)
    for start in range(0, len(data), _PIECE):
        yield data[start : start + _PIECE]


def open_window(path: Path) -> Window:
    """A WARC file, compacted or not; ArchiveDamaged when a compacted one cannot be opened."""
    return CompactedWindow(path) if path.name.endswith(DELTA) else Window(path)


def member_at(window: Window, offset: int) -> Member:
    """The record at an offset of a file, compacted or not."""
    return Rebuilt(window, offset) if isinstance(window, CompactedWindow) else Member(window, offset)


def walk_file(window: Window, start: int = 0) -> Iterator[Member | Gap]:
    """Every record of a file, compacted or not, from an offset on."""
    if not isinstance(window, CompactedWindow):
        yield from walk(window, start)
        return
    for offset in sorted(window.places):
        if offset >= start:
            yield Rebuilt(window, offset)


class CompactedFiles:
    """Compacted files of a folder, a few kept open; safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._windows: OrderedDict[Path, CompactedWindow] = OrderedDict()
        weakref.finalize(self, _close_all, self._windows)

    def record(self, path: Path, offset: int) -> tuple[bytes, int]:
        """The uncompressed record at an offset, and the length it had; Malformed when it is damaged."""
        with self._lock:
            window = self._windows.pop(path, None) or CompactedWindow(path)
            self._windows[path] = window
            if len(self._windows) > _OPEN_FILES:
                self._windows.popitem(last=False)[1].close()
            return window.record(offset), window.places.get(offset, 0)


def _close_all(windows: "OrderedDict[Path, CompactedWindow]") -> None:
    for window in windows.values():
        window.close()


# Compacting


@dataclass(slots=True)
class _Survey:
    """A file that was found sound."""

    path: Path
    size: int
    sha256: str = ""
    records: list[tuple[str, str, int, int]] = field(default_factory=list)
    """Address, type, offset and length of each."""


def compact_files(paths: Sequence[Path]) -> tuple[list[CompactedFile], int]:
    """Compact WARC files of one folder together; says what became of each, and the bytes of pack and guides."""
    result: list[CompactedFile] = []
    sound: list[_Survey] = []
    for path in paths:
        try:
            sound.append(_survey(path))
        except Malformed as problem:
            result.append(CompactedFile(path.name, path.stat().st_size, str(problem)))
    if not sound:
        return result, 0
    stored = _write(sound)
    if not stored:
        return result + [CompactedFile(one.path.name, one.size, "it would gain little") for one in sound], 0
    for one in sound:
        one.path.unlink()
    sync_path(sound[0].path.parent)
    return result + [CompactedFile(one.path.name, one.size) for one in sound], stored


def _write(sound: list[_Survey]) -> int:
    """Write pack and guides, durably, and compare them with the originals; 0 when they would gain little."""
    folder = sound[0].path.parent
    name = f"cold-{xxhash.xxh3_64_hexdigest(''.join(one.sha256 for one in sound).encode())}{PACK}"
    unfinished = folder / f"{name}.new"
    rows: list[list[tuple[int, int, int]]] = [[] for _ in sound]
    try:
        with unfinished.open("w+b") as out:
            unfinished.chmod(0o600)
            done = compact(_sorted_records(sound, rows), out)
            guides = [_guide(name, one.sha256, sorted(placed)) for one, placed in zip(sound, rows, strict=True)]
            total = done.stored_bytes + sum(map(len, guides))
            if total >= WORTH * sum(one.size for one in sound):
                return 0
            out.flush()
            os.fsync(out.fileno())
            _compare(out, sound, rows)
            whole = sum_of(out)
        unfinished.replace(folder / name)
        sync_path(folder)
        write_sums(folder, name, [whole])  # not earlier: a list without its file is a file that is missed
    finally:
        unfinished.unlink(missing_ok=True)
    for one, guide in zip(sound, guides, strict=True):
        _put_guide(one.path.with_name(one.path.name + DELTA), guide)
    return total


def write_guide(target: Path, pack: str, sha256: str, rows: list[tuple[int, int, int]]) -> None:
    """Write the guide of a file, durably, in the place of the one that is there."""
    _put_guide(target, _guide(pack, sha256, rows))


def _put_guide(target: Path, guide: bytes) -> None:
    write_sums(target.parent, target.name, [Sum(0, len(guide), xxhash.xxh3_128_hexdigest(guide))])
    with Replacing(target) as file:
        file.write(guide)


def _guide(pack: str, sha256: str, rows: list[tuple[int, int, int]]) -> bytes:
    content = json.dumps({"pack": pack, "sha256": sha256, "rows": rows}, separators=(",", ":")).encode()
    return _MAGIC + zstandard.ZstdCompressor(level=9, write_checksum=True).compress(content)


def _survey(path: Path) -> _Survey:
    """Read a whole file; Malformed when it is not sound throughout."""
    found = _Survey(path, path.stat().st_size)
    whole = hashlib.sha256()
    with contextlib.closing(Window(path)) as window:
        for item in walk(window):
            if isinstance(item, Gap):
                raise Malformed(f"at {item.offset}: {item.problem}")
            data = _whole(item)
            whole.update(data)
            record = RecordStream(iter([data]), strict=False)
            found.records.append((record.url, record.type, item.offset, item.length))
    found.sha256 = whole.hexdigest()
    return found


def _whole(member: Member) -> bytes:
    pieces, size = [], 0
    for piece in member.pieces():
        size += len(piece)
        if size > LARGEST_RECORD:
            raise Malformed(f"at {member.offset}: a record of more than {LARGEST_RECORD >> 20} MiB")
        pieces.append(piece)
    return b"".join(pieces)


def _sorted_records(sound: list[_Survey], rows: list[list[tuple[int, int, int]]]) -> Iterator[OldRecord]:
    """Records of all files by address, type and time of writing; notes where each comes to lie."""
    order = sorted(
        (url, kind, number, offset, length)
        for number, one in enumerate(sound)
        for url, kind, offset, length in one.records
    )
    place = 0
    with contextlib.ExitStack() as stack:
        windows = [stack.enter_context(contextlib.closing(Window(one.path, block=1 << 16))) for one in sound]
        for _, _, number, offset, length in order:
            data = _whole(Member(windows[number], offset))
            rows[number].append((offset, length, place))
            yield OldRecord(place, length, data)
            place += max(1, len(data))


def _compare(pack: BinaryIO, sound: list[_Survey], rows: list[list[tuple[int, int, int]]]) -> None:
    """Rebuild every file from the pack; ArchiveDamaged unless each is the one that was surveyed."""
    records = CompactedWarc(pack)
    for one, placed in zip(sound, rows, strict=True):
        whole = hashlib.sha256()
        for _, _, place in sorted(placed):
            whole.update(records.at(place))
        if whole.hexdigest() != one.sha256:
            raise ArchiveDamaged(f"{one.path.name} is not the same when it is rebuilt; nothing was removed")


def tidy(folder: Path) -> None:
    """Remove what a crash left of a compaction. What was finished and whose original is still there is made again."""
    remove_unfinished(folder)
    used = set()
    for path in folder.glob(f"*{DELTA}"):
        if path.with_name(name_of(path)).exists():
            _remove(path)
            continue
        try:
            used.add(_read_guide(path)[0])
        except ArchiveDamaged:
            return  # which pack it needs is not known: all stay
    for path in folder.glob(f"*{PACK}"):
        if path.name not in used:
            _remove(path)


def remove_unfinished(folder: Path) -> None:
    """Remove packs and guides that were being written; for whoever alone may write here."""
    for path in (*folder.glob(f"*{PACK}.new"), *folder.glob(f"*{DELTA}.new")):
        path.unlink()


def _remove(path: Path) -> None:
    path.unlink()
    sums_path(path.parent, path.name).unlink(missing_ok=True)


# Fixity


def sum_of(file: BinaryIO) -> Sum:
    """Checksum of a whole file."""
    running = xxhash.xxh3_128()
    place = 0
    while piece := os.pread(file.fileno(), _PIECE, place):
        running.update(piece)
        place += len(piece)
    return Sum(0, place, running.hexdigest())


def stored_problems(path: Path) -> Iterator[str]:
    """What is wrong with the stored bytes of a pack or guide."""
    noted, trouble = read_sums(path.parent, path.name)
    if trouble:
        yield trouble
    with path.open("rb") as file:
        if noted and [sum_of(file)] != noted:
            yield "stored bytes are not as written"


def rebuilt_problems(window: CompactedWindow) -> Iterator[str]:
    """Whether the WARC file that a guide stands for is still the one that was compacted."""
    whole = hashlib.sha256()
    for offset in sorted(window.places):
        try:
            whole.update(window.record(offset))
        except Malformed:
            return  # told record by record
    if whole.hexdigest() != window.sha256:
        yield "the rebuilt WARC is not the one that was compacted (SHA-256 differs)"
