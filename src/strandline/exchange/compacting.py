"""Compacting an archive: cold WARC files become differences, some files at a time, with the write lock held."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from strandline.archive.folder import Archive
from strandline.warc.compacted import DELTA, CompactedFile, compact_files, finished_files, tidy

TOGETHER: Final = 4 << 30
"""Bytes of WARC files that are compacted together, and stay on disk until they are."""


@dataclass(frozen=True, slots=True)
class Compacted:
    """What a compaction did."""

    files: tuple[CompactedFile, ...]
    left: tuple[CompactedFile, ...]
    """Cold files that stay as they are, and why."""
    kept: int
    """Files that stay as they are: those, compacted ones, and those that are not cold."""
    after: int
    """Bytes the compacted files have now."""

    @property
    def before(self) -> int:
        """Bytes they had."""
        return sum(one.size for one in self.files)

    def as_json(self) -> dict[str, object]:
        """The shape `compact --json` prints."""
        return {
            "event": "compacted",
            "before": self.before,
            "after": self.after,
            "kept": self.kept,
            "files": [{"file": one.file, "before": one.size} for one in self.files],
            "left": [{"file": one.file, "why": one.left} for one in self.left],
        }


def compact_archive(archive: Archive, age: float, say: Callable[[str], None] | None = None) -> Compacted:
    """Compact the files that were not written to for `age` seconds."""
    folder = archive.folder / "archive"
    done: list[CompactedFile] = []
    kept = after = 0
    with archive.writing("compact"):
        archive.index.refresh()  # for other tools, from the files as they still are
        tidy(folder)
        cold: list[Path] = []
        for path in finished_files(folder):
            if path.name.endswith(DELTA) or time.time() - path.stat().st_mtime < age:
                kept += 1
            else:
                cold.append(path)
        for batch in _batches(cold):
            if say is not None:
                say(f"{len(batch)} files from {batch[0].name} on ...")
            became, stored = compact_files(batch)
            done += became
            after += stored
    left = tuple(one for one in done if one.left)
    return Compacted(tuple(one for one in done if not one.left), left, kept + len(left), after)


def _batches(paths: list[Path]) -> Iterator[list[Path]]:
    batch: list[Path] = []
    size = 0
    for path in paths:
        size += path.stat().st_size
        if batch and size > TOGETHER:
            yield batch
            batch, size = [], path.stat().st_size
        batch.append(path)
    if batch:
        yield batch
