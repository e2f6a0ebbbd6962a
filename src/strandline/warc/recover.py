"""After a crash: what is whole stays, what is torn goes to `quarantine/`, by itself, before the first new record.

Only `.open` files are looked at, and of these only what lies behind the last record the catalog has committed, so
this takes seconds in an archive of any size. For each file, in this order:

1. scan whole records behind the committed end; the first byte that is not one starts the tail
2. copy the tail to `quarantine/NAME.OFFSET.tail`, durably; cut the file there; fsync
3. hand the salvaged captures to the caller, who commits them to the catalog
4. complete its list of checksums and give the file its final name, durably (when the caller asks for the next one)

Killed at any point, the next start does the rest: nothing is renamed before its captures are committed.
"""

import contextlib
import fcntl
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from strandline.core.quick_dataclass import dataclass
from strandline.durable import sync_path
from strandline.errors import ArchiveBusy
from strandline.warc.captures import Failed, Kept, captures_of
from strandline.warc.fixity import Replacing, complete_sums, sums_path
from strandline.warc.members import Member, Window, walk
from strandline.warc.output import OPEN, as_trouble

_COPY: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Recovered:
    """What was found in one file that was not closed."""

    file: str
    kept: int
    """Bytes of whole records."""
    quarantined: int
    """Bytes of the tail that was moved away."""
    missing: int
    """Bytes the catalog counts on and the file does not have. More than 0 means promised captures are lost."""
    salvaged: tuple[Kept | Failed, ...]
    """Whole records the catalog does not know yet."""
    removed: bool = False
    """The file held no record of the web and is gone."""


def recover(archive: Path, quarantine: Path, committed: Callable[[str], int]) -> Iterator[Recovered]:
    """Finish every `.open` file of an archive.

    `committed` says of a file where the last record known to the catalog ends, 0 for none. The caller
    commits `salvaged` before it asks for the next file: only then is the file renamed. ArchiveBusy when a file is
    being written.
    """
    for path in sorted(archive.glob(f"*{OPEN}")):
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except OSError as error:
            raise as_trouble(error, path) from error
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ArchiveBusy(f"{path} is being written by another process") from None
            found = _mend(path, descriptor, quarantine, committed(path.name.removesuffix(OPEN)))
            yield found
            if found.removed:
                sums_path(archive, found.file).unlink(missing_ok=True)
                path.unlink()
            else:
                complete_sums(archive, found.file, path)
                path.rename(archive / found.file)
            sync_path(archive)
        except OSError as error:
            raise as_trouble(error, path) from error
        finally:
            os.close(descriptor)


def _mend(path: Path, descriptor: int, quarantine: Path, committed: int) -> Recovered:
    size = os.fstat(descriptor).st_size
    end, records = _whole_until(path, committed)
    salvaged: list[Kept | Failed] = []
    if end > committed:
        salvaged = [item for item in captures_of(path, committed) if isinstance(item, Kept | Failed)]
        salvaged = [item for item in salvaged if item.place.offset < end]
    if end < size:
        _quarantine(path, end, quarantine)
        os.ftruncate(descriptor, end)
    os.fsync(descriptor)
    return Recovered(
        file=path.name.removesuffix(OPEN),
        kept=end,
        quarantined=max(size - end, 0),
        missing=max(committed - size, 0),
        salvaged=tuple(salvaged),
        removed=not committed and records <= 1,
    )


def _whole_until(path: Path, start: int) -> tuple[int, int]:
    """Where the row of whole records from `start` on ends, and how many there are."""
    window = Window(path)
    end, records = min(start, window.size), 0
    with contextlib.closing(window):
        for item in walk(window, start):
            if not isinstance(item, Member):
                break
            item.drain()
            if not item.done:
                break
            end, records = item.offset + item.length, records + 1
    return end, records


def _quarantine(path: Path, start: int, quarantine: Path) -> None:
    """Copy everything from `start` on into the quarantine folder, durably."""
    quarantine.mkdir(mode=0o700, parents=True, exist_ok=True)
    target = quarantine / f"{path.name.removesuffix(OPEN)}.{start}.tail"
    with path.open("rb") as source, Replacing(target) as out:
        source.seek(start)
        while piece := source.read(_COPY):
            out.write(piece)
