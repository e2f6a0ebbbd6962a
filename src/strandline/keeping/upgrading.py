"""`strandline upgrade`: an archive of an older release, brought up to the format of this one; tried on a copy first.

A catalog is brought up to date by numbered steps, each a transaction of its own (store/sqlite.py); any command that
writes does so by itself. Here it is told what would happen, and tried on a copy beside the archive, which then goes.
WARC files have had the same format in every release.
"""

import shutil
import tempfile
import time
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from strandline.archive.folder import Archive
from strandline.errors import OutOfSpace
from strandline.keeping.backup import copy_catalog
from strandline.store.catalog import DATABASE
from strandline.store.index import KeyReading
from strandline.store.lock import WriteLock
from strandline.store.sqlite import format_of, newest_format, open_writing, step_names


@dataclass(frozen=True, slots=True)
class Upgrade:
    """What an upgrade does, or did."""

    found: int
    newest: int
    steps: tuple[str, ...]
    captures: int
    seconds: float
    """It took, on the copy or in earnest."""
    done: bool
    copy: str = ""
    """Where the catalog of before is kept."""

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return asdict(self)


def upgrade(archive: Archive, dry_run: bool = False) -> Upgrade:
    """Bring an archive up to the format of this release; with `dry_run` only a copy of its catalog."""
    folder = archive.need_folder("upgrade")
    database = folder / DATABASE
    found, newest = format_of(database), newest_format()
    steps = tuple(name for number, name in step_names() if number > found)
    if not steps:
        with closing(KeyReading.open(database, everything=True)) as reading:
            return Upgrade(found, newest, (), reading.count(), 0.0, done=False)
    if shutil.disk_usage(folder).free < 3 * database.stat().st_size:
        raise OutOfSpace(f"{folder}: three times the room of the catalog is needed to try it on a copy")
    if dry_run:
        with tempfile.TemporaryDirectory(prefix="unpacked-", dir=folder) as work:
            copy = Path(work) / DATABASE
            copy_catalog(database, copy)
            captures, seconds = _brought_up(copy)
        return Upgrade(found, newest, steps, captures, seconds, done=False)
    before = folder / f"{DATABASE}.format-{found}"
    with WriteLock(folder, "upgrade"):
        copy_catalog(database, before)
        before.chmod(0o600)
        captures, seconds = _brought_up(database)
    return Upgrade(found, newest, steps, captures, seconds, done=True, copy=before.name)


def _brought_up(database: Path) -> tuple[int, float]:
    """Take all steps; captures it holds, and how long it took."""
    began = time.monotonic()
    open_writing(database).close()
    with closing(KeyReading.open(database, everything=True)) as reading:
        return reading.count(), time.monotonic() - began
