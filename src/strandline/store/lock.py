"""One writer per archive: an flock on `strandline.lock`, which also says who holds it.

The kernel drops the lock with the process that holds it, however that ends, so a lock left by kill -9 is simply
free: the text in the file is for people, never for the decision. The file is removed only with the whole archive, by
whoever holds the lock; since two processes could then lock two different files of the same name, who has the lock
looks whether it is on the file that is there.

A watch may run for years, and what is learned from its captures may be learned anew beside it: who does so holds a lock
of its own, `strandline.learning`. Any other writer (one that erases, for instance) waits until it is done. Each of the
two takes its own lock first and looks at the other one then, so that at least one of them sees the other.
"""

import contextlib
import fcntl
import json
import os
import socket
import sys
import time
import weakref
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from strandline.errors import ArchiveBusy, SettingError

NAME = "strandline.lock"
LEARNER = "strandline.learning"
WATCH = "watch"
"""How a watch signs."""


class _Lock:
    """A locked file, from construction until `release`."""

    def __init__(self, folder: Path, name: str, command: str = "") -> None:
        """Take the lock at once, or raise ArchiveBusy naming its owner."""
        self.path = folder / name
        self._file = self._taken(folder)
        while not self._counts():
            os.close(self._file)
            self._file = self._taken(folder)
        self._sign(command or " ".join(Path(sys.argv[0]).name.split() + sys.argv[1:2]))
        _held.add(self)

    def _taken(self, folder: Path) -> int:
        try:
            file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as problem:
            raise SettingError(f"{self.path} cannot be written: {problem.strerror}") from problem
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as problem:
            os.close(file)
            raise ArchiveBusy(_taken_by(folder, self.path.name)) from problem
        return file

    def _counts(self) -> bool:
        """Whether the file that is locked is the one of that name: who made an archive for nothing removes it whole."""
        try:
            there, ours = self.path.stat(), os.fstat(self._file)
        except OSError:
            return False
        return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)

    def _sign(self, command: str) -> None:
        owner = {"pid": os.getpid(), "host": socket.gethostname(), "started": time.time(), "command": command}
        text = json.dumps(owner).encode() + b"\n"
        try:
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, text, 0)
        except OSError:
            # No room for the signature (full disk): the lock holds all the same.
            return

    def release(self, *, signed: bool = False) -> None:
        """Let the next writer in; the signature is wiped unless it is still somebody's (`signed`)."""
        if self._file >= 0:
            if not signed:
                with contextlib.suppress(OSError):
                    os.ftruncate(self._file, 0)
            os.close(self._file)
            self._file = -1
            _held.discard(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


_held: "weakref.WeakSet[_Lock]" = weakref.WeakSet()


class WriteLock(_Lock):
    """The right to write one archive. Only a watch takes it while somebody learns beside one."""

    def __init__(self, folder: Path, command: str = "") -> None:
        super().__init__(folder, NAME, command)
        if command != WATCH and (folder / LEARNER).exists():
            try:
                _Lock(folder, LEARNER, command).release()
            except BaseException:
                self.release()
                raise


class LearnerLock(_Lock):
    """The right to write what was learned from an archive that is watched."""

    def __init__(self, folder: Path, command: str = "learn") -> None:
        super().__init__(folder, LEARNER, command)
        if signature(folder).get("command") != WATCH:
            self.release()
            raise ArchiveBusy(_taken_by(folder, NAME))


def _leave_to_parent() -> None:
    """A forked child shares the lock and would keep it beyond its parent's death: it drops its copy."""
    for lock in list(_held):
        lock.release(signed=True)


os.register_at_fork(after_in_child=_leave_to_parent)


def signature(folder: Path, name: str = NAME) -> dict[str, Any]:
    """Who signed the lock of an archive: command, pid, host, started. Empty when nobody holds it, or nobody knows."""
    try:
        found = json.loads((folder / name).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _taken_by(folder: Path, name: str) -> str:
    doing = "written" if name == NAME else "learned from"
    return f"{folder} is being {doing} by {_owner(folder, name)}; reading is possible meanwhile"


def _owner(folder: Path, name: str) -> str:
    """Who signed the lock file, as well as can be read."""
    owner = signature(folder, name)
    try:
        since = datetime.fromtimestamp(owner["started"], UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        return f"process {owner['pid']} on {owner['host']} since {since} ({owner['command']})"
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return "another process"
