"""Files that workers who are gone left in parts: any other process makes whole files of them.

So it does with those that came in parts when an archive folder was moved here (cluster/moved_files.py).
"""

import contextlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from strandline.cluster.shared import Cluster
from strandline.errors import ArchiveDamaged
from strandline.store.postgres.session import Session
from strandline.store.postgres.workers import bury, ended, promised
from strandline.warc.objects import Objects
from strandline.warc.objects_joining import join, unfinished

_NUMBER: Final = re.compile(r"-w(\d+)\.warc\.gz$")


def finish_abandoned(cluster: Cluster, folder: Path, silence: float) -> list[str]:
    """End workers that were silent for so many seconds, then make whole files of the parts of all that ended.

    One process at a time does this; the others come back later. Returns the files; ArchiveDamaged when parts of one
    are missing.
    """
    with contextlib.closing(Session(cluster.database, 10.0)) as session:
        bury(session, silence)
        done, damaged = finish_files(session, Objects(cluster.store, 10.0), folder, lambda: False)
        for problem in damaged:
            raise problem
        return done


def finish_files(
    session: Session, objects: Objects, folder: Path, stopped: Callable[[], bool]
) -> tuple[list[str], list[ArchiveDamaged]]:
    """Make whole files of the parts that ended workers left, but for those another is at; what could not be."""
    done, damaged = [], []
    waiting = unfinished(objects)
    over = ended(session, {worker_of(file) for file in waiting}) | {0}
    for file, parts in waiting.items():
        if stopped():
            break
        if worker_of(file) in over and session.run(_alone(file), at_once=True):
            try:
                join(objects, file, parts, folder, promised(session, file))
            except ArchiveDamaged as problem:
                damaged.append(problem)
            else:
                done.append(file)
    return done, damaged


def _alone(file: str) -> "Callable[..., bool]":
    """A lock on a file, for as long as this connection lives: two that join the same file would do it twice."""

    def lock(connection: object) -> bool:
        row = connection.execute("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", (file,)).fetchone()  # type: ignore[attr-defined]
        return bool(row[0])

    return lock


def worker_of(file: str) -> int:
    """The number of the worker that wrote a file; 0 when the name does not tell."""
    found = _NUMBER.search(file)
    return int(found[1]) if found else 0
