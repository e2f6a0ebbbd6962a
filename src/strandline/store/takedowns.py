"""The journal of take-downs in an archive folder, beside the catalog: no `reindex` loses it, and no lock is needed.

    takedowns/journal.jsonl    one act a line, chained and sealed (core/keeping/journal.py)
    takedowns/key              the key of the seals, drawn with the first act

Whoever adds a line holds a lock on the journal for that moment, so that a page can be hidden while a watch writes the
archive. A line is durable before the act is carried out. One that a crash tore was never in force, and is cut off by
the next.
"""

import contextlib
import fcntl
import os
import secrets
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final, Protocol

from strandline.core.keeping.journal import FIRST, digest, read_journal, sealed
from strandline.core.keeping.takedowns import Act, Hidden, act_of, in_force, merged, target_of
from strandline.durable import sync_path
from strandline.errors import ArchiveDamaged

FOLDER: Final = "takedowns"
JOURNAL: Final = "journal.jsonl"
KEY: Final = "key"
_KEY_BYTES: Final = 32


class Journal(Protocol):
    """Where acts are kept, in a folder or in a cluster's database."""

    def add(self, act: Act) -> Act:
        """Keep an act, durably; its number and time are given here."""

    def acts(self) -> list[Act]:
        """All acts; ArchiveDamaged when the journal was tampered with."""

    def problem(self) -> str:
        """What is wrong with the journal; empty when it is as it was written."""

    def last_seal(self) -> str:
        """The digest of the last line, to be kept elsewhere."""


class FolderJournal:
    """The journal of an archive folder. Safe to use from several processes."""

    def __init__(self, archive: Path) -> None:
        self._folder = archive / FOLDER
        self.path = self._folder / JOURNAL
        self._key_path = self._folder / KEY

    def mark(self) -> tuple[int, int, int]:
        """Changes with every act; zeros while there is none."""
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return 0, 0, 0
        return found.st_ino, found.st_mtime_ns, found.st_size

    def add(self, act: Act) -> Act:
        """Keep an act, durably; its number and time are given here."""
        with self._locked() as file:
            lines = _lines(os.pread(file, os.fstat(file).st_size, 0))
            end = sum(len(line.encode()) + 1 for line in lines)
            key = self._key(make=not lines)
            acts = _checked(lines, key, self.path)
            kept = replace(act, number=len(acts) + 1, time=act.time or time.time())
            line = sealed(kept.as_json(), digest(lines[-1]) if lines else FIRST, key)
            os.ftruncate(file, end)
            os.pwrite(file, f"{line}\n".encode(), end)
            os.fsync(file)
        return kept

    def acts(self) -> list[Act]:
        """All acts; ArchiveDamaged when the journal was tampered with."""
        lines = self._read()
        return _checked(lines, self._key(), self.path) if lines else []

    def known_acts(self) -> list[Act]:
        """All acts that can be read, whatever is wrong with the journal: what it hides stays hidden."""
        lines = self._read()
        return [act_of(entry) for entry in read_journal(lines, b"")[0]] if lines else []

    def problem(self) -> str:
        """What is wrong with the journal; empty when it is as it was written."""
        try:
            self.acts()
        except ArchiveDamaged as damage:
            return str(damage)
        return ""

    def last_seal(self) -> str:
        """The digest of the last line, to be kept elsewhere."""
        lines = self._read()
        return digest(lines[-1]) if lines else ""

    def raw(self) -> tuple[bytes, list[str]]:
        """The key and the lines, to be moved; nothing when nothing was ever taken down."""
        lines = self._read()
        return (self._key(), lines) if lines else (b"", [])

    def take_over(self, key: bytes, lines: list[str]) -> None:
        """Become a journal that was moved here."""
        if not lines:
            return
        self._folder.mkdir(mode=0o700, exist_ok=True)
        for path, content in ((self._key_path, key), (self.path, "".join(f"{line}\n" for line in lines).encode())):
            new = path.with_name(f"{path.name}.new")
            new.unlink(missing_ok=True)
            new.touch(mode=0o600)
            new.write_bytes(content)
            sync_path(new)
            new.replace(path)
        sync_path(self._folder)

    def _read(self) -> list[str]:
        try:
            return _lines(self.path.read_bytes())
        except FileNotFoundError:
            return []

    @contextlib.contextmanager
    def _locked(self) -> Iterator[int]:
        self._folder.mkdir(mode=0o700, exist_ok=True)
        new = not self.path.exists()
        file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file
            if new:
                sync_path(self._folder)
                sync_path(self._folder.parent)
        finally:
            os.close(file)

    def _key(self, make: bool = False) -> bytes:
        try:
            return self._key_path.read_bytes()
        except FileNotFoundError:
            if not make:
                raise ArchiveDamaged(f"{self._key_path}, by which the journal is checked, is missing") from None
        key = secrets.token_bytes(_KEY_BYTES)
        file = os.open(self._key_path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            os.write(file, key)
            os.fsync(file)
        finally:
            os.close(file)
        return key


class FolderHidden:
    """What is hidden in an archive folder, read again whenever the journal has grown or a block has run out."""

    def __init__(self, archive: Path) -> None:
        self._journal = FolderJournal(archive)
        self._mark = (0, 0, 0)
        self._ends = float("inf")
        self.hidden = Hidden((), 0.0)

    def refreshed(self) -> bool:
        """Whether what is hidden may be other than at the last look."""
        mark = self._journal.mark()
        if mark == self._mark and (self._ends == float("inf") or time.time() < self._ends):
            return False
        self._mark = mark
        self.hidden = Hidden(self._journal.known_acts(), time.time())
        self._ends = self.hidden.ends
        return True


def erased_stretches(archive: Path) -> tuple[tuple[str, str], ...]:
    """Stretches of SURT keys that were erased as a whole: a crawl does not bring them back."""
    return erased_by(FolderJournal(archive).known_acts())


def erased_by(acts: Iterable[Act]) -> tuple[tuple[str, str], ...]:
    """Stretches of SURT keys that acts of a journal erase as a whole."""
    targets = [target_of(act.target) for act in in_force(acts, time.time()) if act.act == "erase"]
    return merged(stretch for target in targets if target.whole for stretch in target.keys)


def _lines(data: bytes) -> list[str]:
    """Whole lines of a journal; a torn one at its end was never in force."""
    return data.decode("utf-8", "replace").split("\n")[:-1]


def _checked(lines: list[str], key: bytes, path: Path) -> list[Act]:
    entries, problem = read_journal(lines, key)
    if problem:
        raise ArchiveDamaged(f"{path} was tampered with: {problem}")
    return [act_of(entry) for entry in entries]
