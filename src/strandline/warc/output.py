"""One WARC file while it is being written: `NAME.warc.gz.open`, locked, appended to by whole records only.

The size known here always ends with a whole record. A write that fails is rolled back to that size, so a reader
never meets half a record unless the machine died. A failed fsync is final: the kernel may already have dropped
the data, so asking again proves nothing. The file is cut back to what an earlier fsync made durable (nothing
behind that was ever promised) and left as `.open` for the recovery at the next start.
"""

import contextlib
import errno
import fcntl
import itertools
import os
import re
import time
from pathlib import Path
from typing import Final

import deflate
import xxhash
from zlib_ng import zlib_ng

from strandline.core.quick_dataclass import dataclass
from strandline.durable import sync_path
from strandline.errors import ArchiveDamaged, OutOfSpace, SettingError
from strandline.warc.fixity import FIRST_LINE, Sum, last_line, sums_path

OPEN: Final = ".open"
_DRAIN: Final = 1 << 20
_GZIP: Final = 31
"""Window bits that ask for a gzip member with the largest window."""
_AT_ONCE: Final = 4 << 20
"""Bytes of a record that are packed in one go; a longer one is packed as a stream, which costs more and holds less."""
_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NOT_ALLOWED: Final = (errno.EACCES, errno.EPERM, errno.EROFS)


def as_trouble(error: OSError, path: Path) -> Exception:
    """The error of this house for an error of the system: no room, no permission, or the error itself."""
    reason = error.strerror or str(error)
    if error.errno in _NO_ROOM:
        return OutOfSpace(f"no room for {path}: {reason}")
    if error.errno in _NOT_ALLOWED:
        return SettingError(f"cannot write {path}: {reason}")
    return error


@dataclass(frozen=True, slots=True)
class Naming:
    """The constant parts of file names: PREFIX-YYYYMMDDhhmmssSSS-SERIAL-HOST.warc.gz."""

    prefix: str
    host: str


def default_host() -> str:
    """The host part of file names: this machine's name, reduced to letters, digits and hyphens."""
    return re.sub(r"[^A-Za-z0-9-]+", "-", os.uname().nodename.split(".")[0]).strip("-") or "localhost"


def open_new(folder: Path, naming: Naming, now: float, level: int = 6) -> "OpenWarc":
    """A new file under a name that was never used; our own errors when it cannot be made."""
    seconds, thousandths = divmod(int(now * 1000), 1000)
    stamp = time.strftime("%Y%m%d%H%M%S", time.gmtime(seconds)) + f"{thousandths:03d}"
    for serial in itertools.count():
        name = f"{naming.prefix}-{stamp}-{serial:05d}-{naming.host}.warc.gz"
        if (folder / name).exists() or (folder / f"{name}{OPEN}").exists():
            continue  # two files in a millisecond, or the clock went back
        try:
            return OpenWarc(folder, name, level)
        except FileExistsError:
            continue
        except OSError as error:
            raise as_trouble(error, folder / name) from error
    raise AssertionError("unreachable")


class OpenWarc:
    """A WARC file under its `.open` name. One thread only."""

    def __init__(self, folder: Path, name: str, level: int) -> None:
        self.name = name
        self.folder = folder
        self.path = folder / f"{name}{OPEN}"
        self.size = 0
        """Bytes up to the last whole record."""
        self.synced = 0
        """Bytes an fsync made durable."""
        self._level = level
        self._name_durable = False
        self._sums: list[Sum] = []
        self._sum_lines = xxhash.xxh3_128()
        self._sum_count = 0
        self._restart()
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
        self._descriptor = os.open(self.path, flags, 0o600)
        fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _restart(self) -> None:
        """Nothing is waiting to be written."""
        self._unpacked: list[bytes] = []
        self._unpacked_size = 0
        self._packer: zlib_ng._Compress | None = None
        self._parts: list[bytes] = []
        self._waiting = 0
        self._record = 0
        """Packed bytes of the record being written."""
        self._checksum = xxhash.xxh3_128()
        self._new_sums: list[Sum] = []
        self.last_length = 0
        """Packed bytes of the last record that was ended."""
        self._written = self.size

    # -- records: begin, add ..., end ..., then commit or roll back -------------------------------------------------

    def add(self, data: bytes) -> None:
        """Append some bytes to the record being written."""
        if self._packer is not None:
            self.add_packed(self._packer.compress(data))
            return
        self._unpacked.append(data)
        self._unpacked_size += len(data)
        if self._unpacked_size > _AT_ONCE:
            self._packer = zlib_ng.compressobj(self._level, zlib_ng.DEFLATED, _GZIP)
            self.add_packed(self._packer.compress(self._whole()))

    def _whole(self) -> bytes:
        """What was added and not yet packed."""
        whole = b"".join(self._unpacked)
        self._unpacked, self._unpacked_size = [], 0
        return whole

    def add_packed(self, data: bytes) -> None:
        """Append some bytes of a gzip member that is copied as it is."""
        if not data:
            return
        self._parts.append(data)
        self._checksum.update(data)
        self._waiting += len(data)
        self._record += len(data)
        if self._waiting >= _DRAIN:
            self._drain()

    def end_record(self, packed: bool = False, remark: str = "") -> int:
        """End the record, and with it its gzip member; return the file size this leads to."""
        if not packed:
            packer, self._packer = self._packer, None
            self.add_packed(packer.flush() if packer else bytes(deflate.gzip_compress(self._whole(), self._level)))
        end, self.last_length = self._written + self._waiting, self._record
        self._new_sums.append(Sum(end - self._record, self._record, self._checksum.hexdigest(), remark))
        self._record = 0
        self._checksum.reset()
        return end

    def commit(self) -> None:
        """Everything added so far is whole: hand it to the system."""
        self._drain()
        self.size = self._written
        self._sums += self._new_sums
        self._new_sums = []

    def roll_back(self) -> None:
        """Forget what was added since the last commit."""
        self._restart()
        try:
            os.ftruncate(self._descriptor, self.size)
        except OSError as error:
            raise ArchiveDamaged(f"{self.path}: half a record cannot be taken back: {error.strerror}") from error

    def _drain(self) -> None:
        view = memoryview(b"".join(self._parts))
        self._parts.clear()
        self._waiting = 0
        while view:
            done = os.write(self._descriptor, view)
            self._written += done
            view = view[done:]

    # -- durability -------------------------------------------------------------------------------------------------

    def sync(self) -> None:
        """Make all committed records durable, and the file's name when it is new."""
        if self._name_durable and self.synced == self.size:
            return
        os.fsync(self._descriptor)
        if not self._name_durable:
            sync_path(self.folder)
            self._name_durable = True
        self.synced = self.size
        self._note_sums()

    def _note_sums(self, finish: bool = False) -> None:
        """Append checksums of what is durable to the list beside the file; with the last line, make it durable."""
        lines = b"".join(one.line() for one in self._sums)
        mode = "ab" if self._sum_count else "wb"
        if not self._sum_count:
            lines = FIRST_LINE + lines
        self._sum_lines.update(lines)
        self._sum_count += len(self._sums)
        self._sums = []
        path = sums_path(self.folder, self.name)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        with open(path, mode, opener=_private) as out:
            out.write(lines)
            if finish:
                out.write(last_line(self._sum_lines, self._sum_count))
                out.flush()
                os.fsync(out.fileno())
        if finish:
            sync_path(path.parent)

    def abandon(self) -> None:
        """Keep what is durable, drop the rest, write no more. Never raises."""
        with contextlib.suppress(OSError):
            os.ftruncate(self._descriptor, self.synced)
        if not self.synced:
            with contextlib.suppress(OSError):
                self.path.unlink()
            with contextlib.suppress(OSError):
                sums_path(self.folder, self.name).unlink(missing_ok=True)
        self.release()

    def seal(self) -> None:
        """Finish the list of checksums, then give the synced file its final name, durably."""
        self._note_sums(finish=True)
        self.path.rename(self.folder / self.name)
        sync_path(self.folder)
        self.release()

    def release(self) -> None:
        """Leave the file as it is, for the next start to look at. Never raises, and may be said again."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            with contextlib.suppress(OSError):
                os.close(descriptor)

    def discard(self) -> None:
        """Remove a file that holds nothing worth keeping."""
        self.path.unlink()
        sums_path(self.folder, self.name).unlink(missing_ok=True)
        sync_path(self.folder)
        self.release()


def _private(path: str, flags: int) -> int:
    """Open a file that is its owner's alone."""
    return os.open(path, flags, 0o600)
