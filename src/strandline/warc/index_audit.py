"""Compares the CDXJ index with the catalog and, where they differ, with the WARC files themselves, line by line.

Of every file the number of its lines and the sum of their hashes are compared with those of the lines its captures in
the catalog would have. Only where these differ is the file read again: a line is right when the file has it, byte for
byte. So a sound index costs one pass over it, and memory by the number of files.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import xxhash

from strandline.core.capture import Capture
from strandline.warc.cdxj import line_of, lines_of_file, merged_files
from strandline.warc.compacted import finished_files, name_of
from strandline.warc.records import Malformed
from strandline.warc.verify import MENDED, Problem

_INDEX: Final = "index.cdxj"
_FILE: Final = b'"filename": "'
_MOST: Final = 1000
"""Problems of an index that are told; where it was cut, there may be millions."""


@dataclass(slots=True)
class _Lines:
    """How many lines, and the sum of their hashes."""

    count: int = 0
    total: int = 0

    def add(self, line: bytes) -> None:
        self.count += 1
        self.total = (self.total + xxhash.xxh3_64_intdigest(line)) & 0xFFFFFFFFFFFFFFFF


def index_problems(indexes: Path, archive: Path, captures: Callable[[], Iterable[Capture]]) -> Iterator[Problem]:
    """What is wrong with `indexes/index.cdxj`, which covers the files that `index.files` names."""
    index, names = indexes / _INDEX, merged_files(indexes)
    if not index.exists():
        if names:
            yield Problem(_INDEX, 0, "", f"the index is missing; {MENDED}")
        return
    paths = {name_of(path): path for path in finished_files(archive)}
    for name in sorted(names - paths.keys()):
        yield Problem("index.files", 0, "", f"names {name}, which is not in the archive; {MENDED}")
    for told, problem in enumerate(_compared(index, names, paths, captures), 1):
        yield problem
        if told >= _MOST:
            yield Problem(_INDEX, 0, "", f"and more; {MENDED}")
            return


def _compared(
    index: Path, names: set[str], paths: dict[str, Path], captures: Callable[[], Iterable[Capture]]
) -> Iterator[Problem]:
    meant = {name: _Lines() for name in names}
    for capture in captures():
        if capture.place.file in meant:
            meant[capture.place.file].add(line_of(capture))
    found: dict[str, _Lines] = {}
    last = b""
    for offset, line in _lines(index):
        if line <= last:
            yield Problem(_INDEX, offset, "", f"a line of the index is out of order; {MENDED}")
        last = line
        found.setdefault(_file_of(line), _Lines()).add(line)
    other = {name for name in {*meant, *found} if meant.get(name) != found.get(name)}
    doubted: dict[str, dict[bytes, int]] = {name: {} for name in other}
    for offset, line in _lines(index):
        if (name := _file_of(line)) in doubted:
            doubted[name][line] = offset
    for name, lines in sorted(doubted.items()):
        try:
            right = set(lines_of_file(paths[name], strict=False)) if name in paths else set()
        except (OSError, Malformed):
            continue  # what is wrong with the file itself is told by its own audit
        for line in sorted(lines.keys() - right, key=lines.__getitem__):
            yield Problem(_INDEX, lines[line], "", f"a line of the index that no record has; {MENDED}")
        if name not in names:
            continue  # a crash came between the index and its list of files: the next refresh reads the file again
        for line in sorted(right - lines.keys()):
            url = line.split(b" ", 1)[0].decode("utf-8", "replace")
            yield Problem(name, 0, url, f"a record that the index leaves out; {MENDED}")


def _lines(index: Path) -> Iterator[tuple[int, bytes]]:
    offset = 0
    with index.open("rb") as lines:
        for line in lines:
            yield offset, line
            offset += len(line)


def _file_of(line: bytes) -> str:
    """The file a line names; empty for one that is none."""
    name, whole, _ = line.rpartition(_FILE)[2].partition(b'"')
    return name.decode("utf-8", "replace") if whole and _FILE in line and line.endswith(b"}\n") else ""
