"""Backups in an object store: Amazon S3 and what speaks like it, Google, Azure."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from strandline.keeping.backup_place import first_bytes
from strandline.warc.objects import Objects

_SMALL: Final = 8 << 20


class ObjectPlace:
    """Implements keeping.backup_place.BackupPlace on an object store."""

    def __init__(self, url: str) -> None:
        self.name = url
        self._objects = Objects(url)

    def put(self, name: str, source: Path, length: int) -> None:
        """Keep the first bytes of a file, durably."""
        if length <= _SMALL:
            self.put_bytes(name, b"".join(first_bytes(source, length)))
        else:
            self._objects.put_pieces(name, lambda: first_bytes(source, length))

    def put_bytes(self, name: str, data: bytes) -> None:
        """Keep something small, durably; what was there goes."""
        self._objects.put_pieces(name, lambda: iter([data]))

    def pieces(self, name: str) -> Iterator[bytes]:
        """What was kept; FileNotFoundError when there is none."""
        return self._objects.stream(name)

    def names(self) -> dict[str, int]:
        """All that is there, with its size."""
        return dict(self._objects.names(""))

    def remove(self, name: str) -> None:
        """Remove it; it may be gone already."""
        self._objects.delete([name])
