"""A fixity audit in small steps: the stored bytes of one WARC file after the other are compared with their checksums.

`verify` reads everything at once and looks into every record; this only compares stored bytes with what was noted when
they were written, which finds every flipped bit and every missing byte, and can be done a few records at a time beside
a crawl.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import xxhash

from strandline.warc.compacted import DELTA, PACK, finished_files, stored_problems
from strandline.warc.fixity import Sum, read_sums, sums_path
from strandline.warc.output import OPEN

_PIECE: Final = 1 << 20


class Compared(NamedTuple):
    """Some bytes that were compared, and what was wrong with them; empty when nothing was."""

    octets: int
    problem: str


def stored_files(archive: Path) -> dict[str, Path]:
    """Files that are finished, by the name their list of checksums has."""
    found = {path.name: path for path in finished_files(archive)}
    return found | {path.name: path for path in sorted(archive.glob(f"*{PACK}"))}


def missing_files(archive: Path) -> list[str]:
    """Files that have a list of checksums and are not there, neither as they were written nor compacted."""
    there = {path.name.removesuffix(OPEN).removesuffix(DELTA) for path in archive.glob("*")}
    lists = (archive.parent / "fixity").glob("*.sums")
    return sorted({path.name.removesuffix(".sums").removesuffix(DELTA) for path in lists} - there)


def compared(archive: Path, path: Path) -> Iterator[Compared]:
    """Compare one file with its checksums, piece by piece. One without a list is passed over: `verify` reads it."""
    if not sums_path(archive, path.name).exists():
        return
    if not path.name.endswith((".warc", ".warc.gz")):
        size = path.stat().st_size
        yield Compared(size, next(stored_problems(path), ""))
        return
    listed = read_sums(archive, path.name)
    with path.open("rb") as file:

        def read(offset: int, size: int) -> bytes:
            file.seek(offset)
            return file.read(size)

        yield from compared_records(read, path.stat().st_size, listed)


def compared_records(read: Callable[[int, int], bytes], size: int, listed: tuple[list[Sum], str]) -> Iterator[Compared]:
    """Compare the records of a file of some size with their list, and what is wrong with that (see `sums_in`)."""
    sums, trouble = listed
    if trouble or not sums:
        yield Compared(0, trouble or "its list of checksums is empty")
    for one in sums:
        found, at = xxhash.xxh3_128(), one.offset
        while at < one.end and (piece := read(at, min(one.end - at, _PIECE))):
            found.update(piece)
            at += len(piece)
            yield Compared(len(piece), "")
        if at < one.end or found.hexdigest() != one.checksum:
            yield Compared(0, f"the record at {one.offset} is not as written")
    if sums and size != sums[-1].end:
        yield Compared(0, f"{size} bytes long, {sums[-1].end} were written")


class FolderShelf:
    """The WARC files of an archive folder, for a rolling audit."""

    at_once = 8 << 20
    """Most bytes compared in one step."""

    def __init__(self, archive: Path) -> None:
        self._archive = archive

    def sizes(self) -> dict[str, int]:
        """Files that are finished, and their bytes."""
        return {name: path.stat().st_size for name, path in stored_files(self._archive).items()}

    def missing(self) -> list[str]:
        """Files that should be there."""
        return missing_files(self._archive)

    def compared(self, name: str) -> Iterator[Compared]:
        """Compare one of them, piece by piece."""
        path = stored_files(self._archive).get(name)
        return iter(()) if path is None else compared(self._archive, path)
