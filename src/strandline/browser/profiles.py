"""Folders that browsers write to: fresh ones, and those that are left when whoever made them was killed.

Who makes one holds a lock on a file in it. The system drops the lock with its holder, however that ends, so a folder
whose lock is free belongs to nobody, also where processes see only their own numbers (containers that share `/tmp`).
"""

import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Final

PREFIX: Final = "strandline-browser-"
_LOCK: Final = "held"
_YOUNG: Final = 60.0
"""Seconds in which a folder may not have its lock yet. Origin: a guess."""


class Profile:
    """A fresh folder, ours until it is closed or we are gone."""

    def __init__(self) -> None:
        sweep(Path(tempfile.gettempdir()))
        self.folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        self._lock = os.open(self.folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def close(self) -> None:
        """Forget it."""
        shutil.rmtree(self.folder, ignore_errors=True)
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def sweep(within: Path) -> None:
    """Remove folders whose makers are gone."""
    for folder in within.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):  # somebody else's, or just removed by somebody else
            found = folder.lstat()
            if found.st_mtime < time.time() - _YOUNG and _left(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _left(folder: Path) -> bool:
    """Whether nobody holds a folder."""
    if folder.is_symlink() or not folder.is_dir():
        return False
    try:
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return True
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(lock)
    return True
