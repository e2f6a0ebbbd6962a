"""Sorts any number of lines in little memory: an index has a line for each of millions of captures.

Lines are gathered up to a few megabytes, sorted, and put aside as a *run*; in the end the runs are merged. All runs lie
in one nameless temporary file, so a crash leaves nothing behind and many runs take one file descriptor.
"""

import heapq
import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from strandline.errors import ArchiveDamaged

_RUN: Final = 1 << 20
"""Bytes of lines that are sorted in memory."""
_PIECE: Final = 1 << 14
"""Bytes of a run that are read at a time: what each run costs while they are merged."""
_FAN: Final = 256
"""Runs merged at once; of more than that, the first ones become one run."""


class LineSorter:
    """Takes lines in any order, each with its line end, and gives them back in order, equal ones once."""

    def __init__(self, folder: Path | None = None, run: int = _RUN) -> None:
        """Runs go to a temporary file in `folder`, or where the system keeps such files."""
        self._folder = folder
        self._run = run
        self._waiting: set[bytes] = set()
        self._size = 0
        self._runs: list[tuple[int, int]] = []
        self._spool: int | None = None
        self._end = 0

    def add(self, line: bytes) -> None:
        """Take one line; OSError when there is no room to put a run aside."""
        if line in self._waiting:
            return
        self._waiting.add(line)
        self._size += len(line)
        if self._size >= self._run:
            self._put_aside(sorted(self._waiting))
            self._waiting, self._size = set(), 0
            if len(self._runs) >= _FAN:
                runs, self._runs = self._runs, []
                self._put_aside(_once(heapq.merge(*(self._read(*one) for one in runs))))

    def lines(self) -> Iterator[bytes]:
        """Every line in order."""
        runs = [self._read(*one) for one in self._runs]
        return _once(heapq.merge(sorted(self._waiting), *runs))

    def close(self) -> None:
        """Forget all lines."""
        self._waiting, self._runs, self._size, self._end = set(), [], 0, 0
        if self._spool is not None:
            os.close(self._spool)
            self._spool = None

    def _put_aside(self, lines: Iterable[bytes]) -> None:
        if self._spool is None:
            with tempfile.TemporaryFile(dir=self._folder) as file:
                self._spool = os.dup(file.fileno())
        start, gathered, size = self._end, [], 0
        for line in lines:
            gathered.append(line)
            size += len(line)
            if size >= _RUN:
                self._write(b"".join(gathered))
                gathered, size = [], 0
        self._write(b"".join(gathered))
        self._runs.append((start, self._end))

    def _write(self, data: bytes) -> None:
        assert self._spool is not None
        view = memoryview(data)
        while view:
            done = os.pwrite(self._spool, view, self._end)
            self._end += done
            view = view[done:]

    def _read(self, start: int, end: int) -> Iterator[bytes]:
        assert self._spool is not None
        rest = b""
        while start < end:
            piece = os.pread(self._spool, min(_PIECE, end - start), start)
            if not piece:
                raise ArchiveDamaged("a temporary file was cut short while an index was sorted")
            start += len(piece)
            *whole, rest = (rest + piece).split(b"\n")
            for line in whole:
                yield line + b"\n"


def sorted_lines(lines: Iterable[bytes], folder: Path | None = None) -> Iterator[bytes]:
    """Lines in order, equal ones once."""
    sorter = LineSorter(folder)
    try:
        for line in lines:
            sorter.add(line)
        yield from sorter.lines()
    finally:
        sorter.close()


def _once(lines: Iterable[bytes]) -> Iterator[bytes]:
    last = b""
    for line in lines:
        if line != last:
            yield line
        last = line
