"""A fixity audit in small steps: the stored bytes of one WARC file after the other are compared with their checksums.

`verify` reads everything at once and looks into every record; this only compares stored bytes with what was noted when
they were written, which finds every flipped bit and every missing byte, and can be done a few records at a time beside
a crawl.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import xxhash

from strandline.warc.compacted import DELTA, PACK, finished_files, stored_problems
from strandline.warc.fixity import read_sums
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
    if not path.name.endswith((".warc", ".warc.gz")):
        size = path.stat().st_size
        yield Compared(size, next(stored_problems(path), ""))
        return
    sums, trouble = read_sums(archive, path.name)
    if not sums:
        return
    if trouble:
        yield Compared(0, trouble)
    with path.open("rb") as file:
        for one in sums:
            file.seek(one.offset)
            found, left = xxhash.xxh3_128(), one.length
            while left and (piece := file.read(min(left, _PIECE))):
                found.update(piece)
                left -= len(piece)
                yield Compared(len(piece), "")
            if left or found.hexdigest() != one.checksum:
                yield Compared(0, f"the record at {one.offset} is not as written")
        if path.stat().st_size != sums[-1].end:
            yield Compared(0, f"{path.stat().st_size} bytes long, {sums[-1].end} were written")
