"""Where backups lie: a folder, or an object store. Both take files piece by piece and give back what they have.

A file is there whole or not at all, under its name; one that is put again replaces the one before.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Protocol

import xxhash

from strandline.errors import SettingError
from strandline.warc.fixity import Replacing

_PIECE: Final = 1 << 20


class BackupPlace(Protocol):
    """A place for backups."""

    name: str

    def put(self, name: str, source: Path, length: int) -> None:
        """Keep the first bytes of a file, durably."""

    def put_bytes(self, name: str, data: bytes) -> None:
        """Keep something small, durably."""

    def pieces(self, name: str) -> Iterator[bytes]:
        """What was kept; FileNotFoundError when there is none."""

    def names(self) -> dict[str, int]:
        """All that is there, with its size."""

    def remove(self, name: str) -> None:
        """Remove it; it may be gone already."""


class FolderPlace:
    """A folder."""

    def __init__(self, folder: Path) -> None:
        self.name = str(folder)
        self._folder = folder
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as problem:
            raise SettingError(f"{folder} cannot be used for backups: {problem.strerror}") from None

    def put(self, name: str, source: Path, length: int) -> None:
        """Keep the first bytes of a file, durably; zeros take no room."""
        with Replacing(self._made(name)) as out:
            for piece in first_bytes(source, length):
                if piece.strip(b"\0"):
                    out.write(piece)
                else:
                    out.seek(len(piece), os.SEEK_CUR)
            out.truncate(length)

    def put_bytes(self, name: str, data: bytes) -> None:
        """Keep something small, durably."""
        with Replacing(self._made(name)) as out:
            out.write(data)

    def pieces(self, name: str) -> Iterator[bytes]:
        """What was kept; FileNotFoundError when there is none."""
        with (self._folder / name).open("rb") as file:
            while piece := file.read(_PIECE):
                yield piece

    def names(self) -> dict[str, int]:
        """All that is there, with its size."""
        found = (path for path in self._folder.rglob("*") if path.is_file())
        return {path.relative_to(self._folder).as_posix(): path.stat().st_size for path in found}

    def remove(self, name: str) -> None:
        """Remove it; it may be gone already."""
        (self._folder / name).unlink(missing_ok=True)

    def _made(self, name: str) -> Path:
        path = self._folder / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return path


def first_bytes(path: Path, length: int) -> Iterator[bytes]:
    """The first bytes of a file, in pieces."""
    with path.open("rb") as file:
        while length > 0:
            piece = file.read(min(_PIECE, length))
            if not piece:
                return
            length -= len(piece)
            yield piece


def digest_of(pieces: Iterator[bytes]) -> tuple[str, int]:
    """xxh3-128 and size of what comes in pieces."""
    running, size = xxhash.xxh3_128(), 0
    for piece in pieces:
        running.update(piece)
        size += len(piece)
    return running.hexdigest(), size
