"""What tasks find out about pages, in files: written where a task runs, read piece by piece where answers are joined.

    with Scratch(dataset, FINDINGS) as scratch   a folder beside the dataset's tables, gone at the end
        table = TableWriter(scratch.path, "still");  table.add({"site": ..., "page": ...});  table.close()
        for piece in pieces([table.file])        the same columns, some rows at a time

A row has the number of its site, and rows of a site stand together. A task that is run twice writes two files; its
answer names the one that counts. Columns are numpy arrays; one with two dimensions keeps its width, one of bytes is a
list. Files are Parquet, in row groups of a few megabytes: neither side ever holds more than that.
"""

import contextlib
import fcntl
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from strandline.engines.mining_dataset import arrow
from strandline.engines.mining_place import full_disk_named
from strandline.errors import ArchiveDamaged, SettingError

Column = NDArray[Any] | Sequence[bytes]
Columns = dict[str, Any]
"""Arrays, or lists of bytes, by name."""

SITE: Final = "site"
FINDINGS: Final = "learning-"
SPILL: Final = "strandline-spill-"
"""What the folders for findings, and for what does not fit into memory, begin with."""
_GROUP: Final = 4 << 20
"""Bytes that make a row group."""
_ROWS: Final = 4096
"""Rows that are read at a time."""


class Scratch(contextlib.AbstractContextManager["Scratch"]):
    """A folder for the files of one run or one task. Those of processes that were killed are removed."""

    def __init__(self, folder: Path | None = None, prefix: str = SPILL) -> None:
        """Made in a folder, by default that for temporary files; SettingError where that is not allowed."""
        self._lock: int | None = None
        within = (folder or Path(tempfile.gettempdir())).absolute()
        try:
            _sweep(within, prefix)
            with full_disk_named(within):
                while self._lock is None:
                    self.path = tempfile.mkdtemp(prefix=prefix, dir=within)
                    self._lock = _locked(self.path)
        except OSError as problem:
            raise SettingError(f"{within} must be writable for files of a run: {problem.strerror}") from None

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove it."""
        if self._lock is not None:
            shutil.rmtree(self.path, ignore_errors=True)
            os.close(self._lock)
            self._lock = None


def _sweep(within: Path, prefix: str) -> None:
    for old in within.glob(f"{prefix}*"):
        lock = _locked(str(old))
        if lock is not None:  # nobody works with it
            shutil.rmtree(old, ignore_errors=True)
            os.close(lock)


def _locked(folder: str) -> int | None:
    """Hold a folder; None when another process does, when it is gone, or when it is somebody else's."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except (FileNotFoundError, PermissionError, NotADirectoryError):
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if Path(folder).exists():  # others may have swept it before it was held
            return descriptor
    except BlockingIOError:
        pass
    os.close(descriptor)
    return None


class TableWriter:
    """One table of findings. Rows that are added together stay in one row group."""

    def __init__(self, folder: str, table: str) -> None:
        self._arrow = arrow()
        self.file = str(Path(folder) / f"{table}-{uuid.uuid4().hex}.parquet")
        self._writer: Any = None
        self._waiting: list[Any] = []
        self._size = 0
        self.rows = 0

    def add(self, columns: Mapping[str, Column]) -> None:
        """Add rows."""
        table = self._arrow.table({name: self._encoded(column) for name, column in columns.items()})
        if not len(table):
            return
        self.rows += len(table)
        self._waiting.append(table)
        self._size += table.nbytes
        if self._size >= _GROUP:
            self._flush()

    def close(self) -> None:
        """All rows are in the file; without rows there is none."""
        self._flush()
        if self._writer is not None:
            with self._given_up():
                self._writer.close()

    def _flush(self) -> None:
        if not self._waiting:
            return
        table = self._arrow.concat_tables(self._waiting)
        self._waiting, self._size = [], 0
        with self._given_up():
            if self._writer is None:
                self._writer = self._arrow.parquet.ParquetWriter(
                    self.file, table.schema, compression="zstd", compression_level=1, use_dictionary=False
                )
            self._writer.write_table(table, len(table))

    @contextlib.contextmanager
    def _given_up(self) -> Iterator[None]:
        """A file that cannot be written is left as it is: to close it would say something else than why."""
        try:
            with full_disk_named(Path(self.file).parent):
                yield
        except BaseException:
            self._writer = None
            raise

    def _encoded(self, column: Column) -> Any:  # noqa: ANN401 - pyarrow has no types
        if not isinstance(column, np.ndarray):
            return self._arrow.array(column, self._arrow.binary())
        if column.ndim == 1:
            return self._arrow.array(column)
        return self._arrow.FixedSizeListArray.from_arrays(self._arrow.array(column.ravel()), column.shape[1])


def pieces(files: Iterable[str], names: Sequence[str] | None = None) -> Iterator[Columns]:
    """The rows of files, one file after the other, some rows at a time."""
    for file in files:
        with _opened(file) as opened:
            for batch in opened.iter_batches(_ROWS, columns=names, use_threads=False):
                yield {name: _decoded(batch.column(name)) for name in batch.schema.names}


def whole_groups(file: str) -> Iterator[Columns]:
    """The row groups of a file as they were written: what was added together comes together."""
    with _opened(file) as opened:
        for number in range(opened.num_row_groups):
            table = opened.read_row_group(number, use_threads=False).combine_chunks()
            yield {name: _decoded(table.column(name).chunk(0)) for name in table.schema.names}


def _opened(file: str) -> Any:  # noqa: ANN401 - pyarrow has no types
    try:
        return arrow().parquet.ParquetFile(file)
    except FileNotFoundError:
        raise ArchiveDamaged(f"{file}, written by a task, is missing; every worker must see this folder") from None


def _decoded(column: Any) -> Any:  # noqa: ANN401 - pyarrow has no types
    kind = str(column.type)
    if kind == "binary":
        return column.to_pylist()
    if kind.startswith("fixed_size_list"):
        return column.flatten().to_numpy(zero_copy_only=False).reshape(len(column), -1)
    return column.to_numpy(zero_copy_only=False)


def site_runs(some: Iterable[Columns]) -> Iterator[tuple[int, Columns]]:
    """Number of a site and rows of it: some, then more of the same site or of the next."""
    for piece in some:
        site = piece[SITE]
        cuts = [0, *(np.flatnonzero(site[1:] != site[:-1]) + 1).tolist(), len(site)]
        for start, end in pairwise(cuts):
            yield int(site[start]), {name: column[start:end] for name, column in piece.items()}


def by_site(some: Iterable[Columns]) -> Iterator[tuple[int, Columns]]:
    """Number of a site and all its rows, then the next site."""
    known: int | None = None
    parts: list[Columns] = []
    for site, run in site_runs(some):
        if known is not None and site != known:
            yield known, _joined(parts)
            parts = []
        known = site
        parts.append(run)
    if known is not None:
        yield known, _joined(parts)


def _joined(parts: Sequence[Columns]) -> Columns:
    return parts[0] if len(parts) == 1 else {name: np.concatenate([one[name] for one in parts]) for name in parts[0]}
