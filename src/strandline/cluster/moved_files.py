"""The WARC files of a move, into a store or out of it: again and again while they grow, each byte once if it can be.

A file that was sent or received and compared is noted with a mark (size and time of writing, or what the store says of
the object), and is not read again while it has that mark. Of a file that is still being written, what is promised of
it goes ahead: to a store as a part, as a worker would send it, from a store into `NAME.moving`. So the last pass has
only what was written since the one before, however large the file and the archive are.

Files that are gone from the source, or were erased from, are gone from the target with the next pass.
"""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import xxhash

from strandline.cluster.finishing import worker_of
from strandline.cluster.move_ledger import Ledger
from strandline.durable import sync_path
from strandline.errors import ArchiveDamaged, UsageError
from strandline.warc.compacted import finished_files, name_of
from strandline.warc.fixity import Replacing, sums_in, sums_path
from strandline.warc.objects import ARCHIVE, FIXITY, Objects, part_name
from strandline.warc.objects_joining import reach, unfinished
from strandline.warc.objects_verify import finished
from strandline.warc.objects_writer import digest_of_file, digest_of_object, remove_parts, send_whole
from strandline.warc.output import OPEN
from strandline.warc.rolling import compared_records

Say = Callable[[str], None]
SMALL: Final = 32 << 20
"""Bytes of a file below which it is moved as a whole, when it is finished. Origin: a second's worth."""
_PIECE: Final = 1 << 20
_RANGE: Final = 8 << 20
"""Bytes of an object that are asked for at a time. Origin: a bound on memory."""
_AHEAD: Final = ".moving"
"""How the name ends of what was received of a file that is still being written."""


@dataclass(slots=True)
class Moved:
    """What a pass did about files."""

    files: int = 0
    """Files there are."""
    octets: int = 0
    """Bytes that were sent or received."""
    anew: bool = False
    """Whether a file that had been moved had to be moved again, or went: it was erased from."""


# -- to a store --------------------------------------------------------------------------------------------------------


class Sending:
    """Sends the files of an archive folder to a store."""

    def __init__(self, archive: Path, objects: Objects, ledger: Ledger, committed: Callable[[str], int]) -> None:
        """`committed` says where the last record of a file that the catalog knows ends."""
        self._archive = archive
        self._objects = objects
        self._ledger = ledger
        self._committed = committed

    def run(self, say: Say, last: bool) -> Moved:
        """Send what the store does not have; in the `last` pass nobody writes the archive any more."""
        files = finished_files(self._archive)
        packed = [path for path in files if path.name != name_of(path)]
        if packed:
            raise UsageError(f"{len(packed)} WARC files are compacted ({packed[0].name}, ...): they cannot be moved")
        done, there, ahead = Moved(len(files)), finished(self._objects), unfinished(self._objects)
        known = self._ledger.files()
        for number, path in enumerate(files, 1):
            name, size = path.name, path.stat().st_size
            mark, parts = _mark_of(path), reach(ahead.get(name, []))
            if known.get(name) == mark and size in (there.get(name), parts):
                continue
            done.anew |= name in known and not known[name].startswith("ahead")
            if last and parts and self._is_prefix(path, known.get(name, ""), parts):
                done.octets += self._send_part(name, path, parts, size)
            else:
                done.octets += _send(self._objects, path)
            self._ledger.put(name, mark)
            say(f"{name}: sent and compared ({number} of {len(files)})")
        for path in () if last else sorted(self._archive.glob(f"*{OPEN}")):
            self._send_ahead(path, ahead, known, done, say)
        self._remove_lost(known, done)
        return done

    def _send_ahead(
        self, path: Path, ahead: dict[str, list[tuple[int, int]]], known: dict[str, str], done: Moved, say: Say
    ) -> None:
        """Send what is promised of a file that is being written. One whose name looks like a worker's has to wait: a
        worker would take it for one it may finish.
        """
        name, end = name_of(path), 0
        if not worker_of(name):
            end = self._committed(name)
        start = reach(ahead.get(name, []))
        if end < SMALL or end <= start:
            return
        try:
            if start and not self._is_prefix(path, known.get(name, ""), start):
                remove_parts(self._objects, name)
                start = 0
            done.octets += self._send_part(name, path, start, end)
            self._ledger.put(name, f"ahead {end} {_digest(path, 0, end)}")
        except FileNotFoundError:  # finished meanwhile: the next pass finds it under its name
            return
        say(f"{name}: {end} bytes sent and compared; it is still being written")

    def _is_prefix(self, path: Path, known: str, end: int) -> bool:
        """Whether the parts that are there are the beginning of a file as it is now."""
        return known.startswith(f"ahead {end} ") and known == f"ahead {end} {_digest(path, 0, end)}"

    def _send_part(self, name: str, path: Path, start: int, end: int) -> int:
        """Send some bytes of a file, whole records, and read them back."""
        if end > start:
            part = part_name(name, start)
            self._objects.put_pieces(part, lambda: _pieces(path, start, end))
            if digest_of_object(self._objects, part) != _digest(path, start, end):
                self._objects.delete([part])
                raise ArchiveDamaged(f"{self._objects.url}: {part} did not arrive as it was sent; run it again")
        return end - start

    def _remove_lost(self, known: dict[str, str], done: Moved) -> None:
        for name in sorted(known):
            if any((self._archive / one).exists() for one in (name, f"{name}{OPEN}", name)):  # it may be renamed now
                continue
            done.anew = True
            self._objects.delete([f"{ARCHIVE}/{name}", f"{FIXITY}/{name}.sums"])
            remove_parts(self._objects, name)
            self._ledger.put(name, "")

    def left(self) -> int:
        """Bytes that a last pass would send."""
        total, noted = 0, self._ledger.files()
        for path in (*finished_files(self._archive), *self._archive.glob(f"*{OPEN}")):
            known = noted.get(name_of(path), "")
            with contextlib.suppress(FileNotFoundError):
                if known.startswith("ahead"):
                    total += path.stat().st_size - int(known.split()[1])
                elif known != _mark_of(path):
                    total += path.stat().st_size
        return max(total, 0)


def _mark_of(path: Path) -> str:
    """Changes when a file or its list of checksums is written anew."""
    sums = sums_path(path.parent, path.name)
    marks = [one.stat() for one in (path, sums) if one.exists()]
    return " ".join(f"{one.st_size} {one.st_mtime_ns} {one.st_ino}" for one in marks)


def _pieces(path: Path, start: int, end: int) -> Iterator[bytes]:
    """Some bytes of a file."""
    with path.open("rb") as file:
        file.seek(start)
        left = end - start
        while left and (piece := file.read(min(_PIECE, left))):
            left -= len(piece)
            yield piece


def _digest(path: Path, start: int, end: int) -> str:
    """xxh3-128 of some bytes of a file."""
    running = xxhash.xxh3_128()
    for piece in _pieces(path, start, end):
        running.update(piece)
    return running.hexdigest()


def _send(objects: Objects, path: Path) -> int:
    """Send a file with its checksums unless they are there, the same; how many bytes were sent."""
    sums, size = sums_path(path.parent, path.name), path.stat().st_size
    listed = not sums.exists() or _sums(objects, path.name) == sums.read_bytes()
    if listed and objects.size(f"{ARCHIVE}/{path.name}") == size and _same(objects, path):
        return 0
    send_whole(objects, path.name, path)
    return size


# -- from a store ------------------------------------------------------------------------------------------------------


class Receiving:
    """Receives the files of a store into an archive folder."""

    def __init__(self, objects: Objects, archive: Path, ledger: Ledger) -> None:
        self._objects = objects
        self._archive = archive
        self._ledger = ledger

    def run(self, say: Say, last: bool) -> Moved:
        """Receive what the folder does not have; in the `last` pass all files are finished."""
        names, marks = finished(self._objects), self._objects.marks(f"{ARCHIVE}/")
        marks |= self._objects.marks(f"{FIXITY}/")
        done = Moved(len(names))
        for number, (name, size) in enumerate(names.items(), 1):
            path, known = self._archive / name, self._ledger.get(name)
            mark = f"{marks.get(f'{ARCHIVE}/{name}', '')} {marks.get(f'{FIXITY}/{name}.sums', '')}"
            if known == mark and path.exists() and path.stat().st_size == size:
                continue
            done.anew |= bool(known)
            received = self._receive_rest(name, size)
            done.octets += _fetch(self._objects, self._archive, name, size) if received is None else received
            self._ledger.put(name, mark)
            say(f"{name}: received and compared ({number} of {len(names)})")
        for name, parts in () if last else sorted(unfinished(self._objects).items()):
            if name not in names and "/" not in name and reach(parts) >= SMALL:
                done.octets += self._receive_ahead(name, parts)
        for name in self._ledger.files():
            if name not in names:
                done.anew = True
                for path in (self._archive / name, sums_path(self._archive, name)):
                    path.unlink(missing_ok=True)
                self._ledger.put(name, "")
        for path in self._archive.glob(f"*{_AHEAD}") if last else ():
            path.unlink()
        return done

    def left(self) -> int:
        """Bytes that a last pass would receive."""
        known = self._ledger.files()
        whole = sum(size for name, size in finished(self._objects).items() if name not in known)
        ahead = sum(path.stat().st_size for path in self._archive.glob(f"*{_AHEAD}"))
        return max(whole + sum(reach(parts) for parts in unfinished(self._objects).values()) - ahead, 0)

    def _receive_ahead(self, name: str, parts: list[tuple[int, int]]) -> int:
        """Receive what is there of a file that is being written; what was cut short is the beginning all the same."""
        path, octets = self._archive / f"{name}{_AHEAD}", 0
        have = path.stat().st_size if path.exists() else 0
        end = reach(parts)
        with path.open("ab") as out:
            path.chmod(0o600)
            for offset, length in parts:
                if have >= offset + length or offset >= end:
                    continue
                with contextlib.suppress(FileNotFoundError):  # finished meanwhile
                    for piece in self._ranges(part_name(name, offset), have - offset, length):
                        out.write(piece)
                        have += len(piece)
                        octets += len(piece)
                if have != offset + length:
                    break
        return octets

    def _ranges(self, name: str, start: int, end: int) -> Iterator[bytes]:
        """Some bytes of an object."""
        while start < end and (piece := self._objects.range(name, start, min(_RANGE, end - start))):
            yield piece
            start += len(piece)

    def _receive_rest(self, name: str, size: int) -> int | None:
        """Make a file of what was received ahead and the rest; None when it has to be received as a whole.

        Its list of checksums, which the worker made as it wrote, says whether all bytes are right.
        """
        ahead, listed = self._archive / f"{name}{_AHEAD}", _sums(self._objects, name)
        if not ahead.exists() or listed is None:
            ahead.unlink(missing_ok=True)
            return None
        have, octets = ahead.stat().st_size, 0
        with ahead.open("ab") as out:
            for piece in self._ranges(f"{ARCHIVE}/{name}", have, size):
                out.write(piece)
                octets += len(piece)
        if ahead.stat().st_size != size or not _as_listed(ahead, listed):
            ahead.unlink()
            return None
        _put_sums(self._archive, name, listed)
        sync_path(ahead)
        ahead.replace(self._archive / name)
        sync_path(self._archive)
        return octets


def _fetch(objects: Objects, archive: Path, name: str, size: int) -> int:
    """Receive a file with its checksums unless they are there, the same; how many bytes were received."""
    path, listed = archive / name, _sums(objects, name)
    there = path.exists() and path.stat().st_size == size and (listed is None or sums_path(archive, name).exists())
    if there and _same(objects, path):
        return 0
    if listed is not None:
        _put_sums(archive, name, listed)
    with Replacing(path) as out:
        for piece in objects.stream(f"{ARCHIVE}/{name}"):
            out.write(piece)
    if not _same(objects, path):
        path.unlink()
        raise ArchiveDamaged(f"{name} did not arrive as it is in the store; run the same command again")
    return size


def _put_sums(archive: Path, name: str, listed: bytes) -> None:
    sums = sums_path(archive, name)
    sums.parent.mkdir(exist_ok=True, mode=0o700)
    with Replacing(sums) as out:
        out.write(listed)


def _as_listed(path: Path, listed: bytes) -> bool:
    """Whether a file is as its list of checksums says."""
    with path.open("rb") as file:

        def read(offset: int, size: int) -> bytes:
            file.seek(offset)
            return file.read(size)

        return not any(one.problem for one in compared_records(read, path.stat().st_size, sums_in(listed)))


def _sums(objects: Objects, name: str) -> bytes | None:
    """The list of checksums of a file in the store; None when there is none."""
    try:
        return objects.get(f"{FIXITY}/{name}.sums")
    except FileNotFoundError:
        return None


def _same(objects: Objects, path: Path) -> bool:
    return digest_of_object(objects, f"{ARCHIVE}/{path.name}") == digest_of_file(path)
