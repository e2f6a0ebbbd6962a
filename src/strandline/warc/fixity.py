"""Checksums over the stored bytes of every record: `fixity/NAME.warc.gz.sums`, beside `archive/`.

A gzip member has bits that no checksum inside it covers: header fields, padding, codes for symbols that never
occur. A flip there changes nothing today, but a fixity audit has to see it, so the packed bytes get a checksum of
their own. The list also tells when whole records are gone from the end of a file.

    # xxh3-128 of each record: offset length checksum
    0 342 99aa06d3014798d86001c324468d497f
    ...
    # end 5 1c3f2b...        number of records, checksum of the lines above

Lines are appended as records become durable; the last line is written when the file is finished. A list cut off by
a crash is completed by the recovery.
"""

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final

import xxhash

from strandline.core.quick_dataclass import dataclass
from strandline.durable import sync_path
from strandline.warc.members import Member, Window, walk

SHARED: Final = 0o666
"""Mode of files that are made for others."""
FIRST_LINE: Final = b"# xxh3-128 of each record: offset length checksum\n"


@dataclass(frozen=True, slots=True)
class Sum:
    """Checksum of the stored bytes of one record."""

    offset: int
    length: int
    checksum: str
    remark: str = ""
    """`odd`: states a wrong digest or ends oddly, and did so when it was imported, which is no damage of ours."""

    @property
    def end(self) -> int:
        """Where the next record begins."""
        return self.offset + self.length

    def line(self) -> bytes:
        """As it stands in the list."""
        return f"{self.offset} {self.length} {self.checksum} {self.remark}".rstrip().encode() + b"\n"


def sums_path(archive: Path, name: str) -> Path:
    """Where the list of a WARC file lies."""
    return archive.parent / "fixity" / f"{name}.sums"


def last_line(lines: "xxhash.xxh3_128", count: int) -> bytes:
    """The line that ends a complete list."""
    return f"# end {count} {lines.hexdigest()}\n".encode()


class Replacing:
    """A file that is there as a whole, durably, or not at all: `with Replacing(path) as out`. Files of an archive are
    its owner's; what is exported is for whom the umask allows (SHARED).
    """

    def __init__(self, path: Path, mode: int = 0o600) -> None:
        self._path = path
        self._mode = mode
        self._new = path.with_name(f"{path.name}.new")

    def __enter__(self) -> BinaryIO:
        self._new.unlink(missing_ok=True)  # a crash may have left it, with another mode
        self._file = open(os.open(self._new, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, self._mode), "wb")  # noqa: PTH123
        return self._file

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        if kind is not None:
            with contextlib.suppress(OSError):  # what waits to be written may find no room, either
                self._file.close()
            self._new.unlink(missing_ok=True)
            return
        try:
            with self._file:
                self._file.flush()
                os.fsync(self._file.fileno())
        except OSError:
            self._new.unlink(missing_ok=True)
            raise
        self._new.replace(self._path)
        sync_path(self._path.parent)


def write_sums(archive: Path, name: str, sums: Iterable[Sum]) -> None:
    """Write a complete list, durably."""
    path = sums_path(archive, name)
    path.parent.mkdir(mode=0o700, exist_ok=True)
    entries = [one.line() for one in sums]
    lines = FIRST_LINE + b"".join(entries)
    with Replacing(path) as out:
        out.write(lines + last_line(xxhash.xxh3_128(lines), len(entries)))


def read_sums(archive: Path, name: str) -> tuple[list[Sum], str]:
    """The list of a file and what is wrong with it; an unfinished list gives the lines that are whole."""
    try:
        data = sums_path(archive, name).read_bytes()
    except FileNotFoundError:
        return [], "its list of checksums is missing"
    except OSError as error:
        return [], f"its list of checksums cannot be read: {error.strerror}"
    return sums_in(data)


def sums_in(data: bytes) -> tuple[list[Sum], str]:
    """The records of a list and what is wrong with it; an unfinished list gives the lines that are whole."""
    sums: list[Sum] = []
    start = 0
    for line in data.splitlines(keepends=True):
        words = line.split()
        if line.startswith(b"# end"):
            whole = line == last_line(xxhash.xxh3_128(data[:start]), len(sums)) and start + len(line) == len(data)
            return sums, "" if whole else "its list of checksums is damaged"
        start += len(line)
        if line.startswith(b"#"):
            continue
        if len(words) not in (3, 4) or not line.endswith(b"\n") or not (words[0] + words[1]).isdigit():
            break
        rest = [word.decode("ascii", "replace") for word in words[2:]]
        sums.append(Sum(int(words[0]), int(words[1]), *rest))
    return sums, "its list of checksums is not finished"


def complete_sums(archive: Path, name: str, path: Path) -> None:
    """Finish the list of a file that was not closed: keep what was noted while writing, add the rest from the file."""
    noted, _ = read_sums(archive, name)
    sums: list[Sum] = []
    end = 0
    window = Window(path)
    try:
        for one in noted:
            if one.offset != end or one.end > window.size:
                break
            sums.append(one)
            end = one.end
        for item in walk(window, end):
            if isinstance(item, Member):
                item.drain()
                if item.done:
                    sums.append(Sum(item.offset, item.length, item.checksum()))
    finally:
        window.close()
    write_sums(archive, name, sums)
