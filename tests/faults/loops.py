"""Loops that end a program at a random moment, again and again, and check what it had promised.

    crash_loop(command, check, cycles)      kill -9 (or any other `stop`) at a random moment of each run
    LoopDisk                                an ext4 image whose power can be cut: what was not synced is lost
    die_at(number)                          in a forked child: the end comes at the so many-th step
    promises_hold(folder, promises)         the usual check: catalog row there, record whole, digest right
    forms(variable, short, long)            how often: in `make test`, in `make test-all`, or as somebody says
    every_step(short)                       which steps: every so many-th in `make test`, all in `make test-all`

A command is a list of words for a new process, or a function that is run in a forked child with the folder's
modules already imported (some 30 times faster to start). Either prints one JSON line per promise.
"""

import contextlib
import fcntl
import itertools
import json
import os
import random
import selectors
import shutil
import signal
import struct
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from strandline.core.capture import Place
from strandline.store.reading import Reading
from strandline.warc.reader import WarcReader
from strandline.warc.records import digest_of

_SHUTDOWN = 0x8004587D
_NO_LOG_FLUSH = 2


PATIENCE = 600.0
"""Seconds until a program that says nothing is given up; however slow the machine is, it says something."""


def forms(variable: str, short: int, long: int) -> pytest.MarkDecorator:
    """A test takes `cycles`: a short form for every change, a long one, or as many as an environment variable says."""
    sizes = [pytest.param(short, id="short"), pytest.param(long, id="long", marks=pytest.mark.long)]
    if given := os.environ.get(variable):
        sizes = [pytest.param(int(given), id="given")]
    return pytest.mark.parametrize("cycles", sizes)


def every_step(short: int) -> pytest.MarkDecorator:
    """A test takes `every`, the distance between the steps it tries: some in the short form, all in the long one."""
    sizes = [pytest.param(short, id="short"), pytest.param(1, id="long", marks=pytest.mark.long)]
    return pytest.mark.parametrize("every", sizes)


def die_at(number: int, *more: tuple[type, str]) -> None:
    """From now on the so many-th call that changes something in the file system, or one of `more`, ends this process
    instead: for a forked child, whose memory goes with it.
    """
    calls = itertools.count(1)

    def deadly(function: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **named: object) -> object:
            if next(calls) == number:
                os._exit(9)
            return function(*arguments, **named)

        return call

    changing = ("write", "fsync", "ftruncate", "rename", "replace", "unlink", "mkdir")
    for where, name in (*((os, name) for name in changing), *more):
        setattr(where, name, deadly(getattr(where, name)))


class Run:
    """A program under way: its process id and what it printed so far."""

    def __init__(self, command: "Sequence[str] | Callable[[], None]", quiet: bool = False) -> None:
        """With `quiet` a forked child does not print why it ended: after a power cut everything fails."""
        reading, writing = os.pipe()
        if callable(command):
            self.pid = os.fork()
            if self.pid == 0:
                _in_child(command, reading, writing, quiet)
        else:
            self._process = subprocess.Popen(list(command), stdout=writing)
            self.pid = self._process.pid
        os.close(writing)
        self._pipe = reading
        self._text = b""
        self.status: int | None = None

    def read(self, seconds: float, lines: int = -1) -> bool:
        """Collect output for some time, or until there are so many lines; False when the program has closed it."""
        end = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self._pipe, selectors.EVENT_READ)
            while (left := end - time.monotonic()) > 0 and not 0 <= lines <= self._text.count(b"\n"):
                if selector.select(left):
                    data = os.read(self._pipe, 1 << 16)
                    if not data:
                        return False
                    self._text += data
        return True

    def end(self) -> list[dict[str, object]]:
        """Kill -9 if still running; all promises made."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        while data := os.read(self._pipe, 1 << 16):
            self._text += data
        os.close(self._pipe)
        self._wait()
        return self.promises()

    def end_without_power(self, cut: Callable[[], None]) -> list[dict[str, object]]:
        """Cut the power, then kill; the promises that were out before.

        A machine without power says nothing. The simulated one runs on for a moment, and ext4 may then answer an fsync
        that was under way with success although its journal was already closed: such words are no promises.
        """
        os.set_blocking(self._pipe, False)
        with contextlib.suppress(BlockingIOError):
            while data := os.read(self._pipe, 1 << 16):
                self._text += data
        os.set_blocking(self._pipe, True)
        promises = self.promises()
        cut()
        self.end()
        return promises

    def _wait(self) -> None:
        if hasattr(self, "_process"):
            self.status = self._process.wait()
        else:
            self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def promises(self) -> list[dict[str, object]]:
        """What was promised in whole lines so far."""
        lines = self._text.split(b"\n")[:-1]
        return [line for line in map(json.loads, lines) if line.get("event") == "captured"]


def _in_child(command: Callable[[], None], reading: int, writing: int, quiet: bool) -> None:
    status = 70
    try:
        os.close(reading)
        os.dup2(writing, 1)
        sys.stdout = os.fdopen(1, "w")
        command()
        status = 0
    except BaseException:  # noqa: BLE001 - the child ends here, whatever it is
        if not quiet:
            traceback.print_exc()
    finally:
        os._exit(status)


@dataclass
class Tally:
    """What a loop saw."""

    cycles: int = 0
    promises: int = 0
    lost: list[str] = field(default_factory=list)
    ended_early: list[int] = field(default_factory=list)


def crash_loop(
    command: "Sequence[str] | Callable[[], None]",
    check: Callable[[list[dict[str, object]]], list[str]],
    cycles: int,
    *,
    longest: float = 0.1,
    stop: Callable[[], None] | None = None,
    restore: Callable[[], None] | None = None,
    seed: int = 1,
    until_lost: bool = False,
) -> Tally:
    """Start, stop at a random moment, check; `cycles` times.

    `check` gets the promises of the cycle and returns what was lost. `stop` happens before kill -9 (a power cut),
    `restore` after it. A program that ends by itself with an error is noted in `ended_early`.
    """
    rng = random.Random(seed)
    tally = Tally()
    for _ in range(cycles):
        run = Run(command, quiet=stop is not None)
        # A third of the runs ends at any moment, starting up and recovering included. The others get to some
        # promises first, however slow the machine is, and end a little later.
        going = rng.random() < 1 / 3 or run.read(PATIENCE, lines=rng.randint(1, 8))
        ended = not (going and run.read(rng.uniform(0, longest)))
        promises = run.end() if stop is None else run.end_without_power(stop)
        if ended and run.status:
            tally.ended_early.append(run.status)
        if restore is not None:
            restore()
        tally.cycles += 1
        tally.promises += len(promises)
        tally.lost.extend(check(promises))
        if tally.lost and until_lost:
            break
    return tally


def promises_hold(folder: Path, promises: list[dict[str, object]]) -> list[str]:
    """Promises that are not kept: no row in the catalog, no whole record, or another digest."""
    if not promises:
        return []
    lost = []
    records = WarcReader(folder / "archive")
    try:
        catalog = Reading.open(folder / "strandline.db")
    except Exception as error:  # noqa: BLE001 - any reason not to open it loses them all
        return [f"{len(promises)} promises: no catalog: {error}; {_around(folder)}"]
    try:
        for promise in promises:
            place = Place(promise["file"], promise["offset"], promise["length"])
            if place not in {capture.place for capture in catalog.captures(promise["url"])}:
                lost.append(f"{promise['url']}: not in the catalog")
                continue
            try:
                record = records.read(place)
                body = record.body.read()
            except Exception as error:  # noqa: BLE001 - whatever it is, the promise is broken
                lost.append(f"{promise['url']}: {error}")
                continue
            # A revisit holds no payload of its own, only the digest of the one it refers to.
            digest = record.headers["warc-payload-digest"] if promise["revisit"] else digest_of("sha1", body)
            if digest != promise["digest"] or record.headers["warc-target-uri"] != promise["url"]:
                lost.append(f"{promise['url']}: another record")
    finally:
        catalog.close()
    return lost


def _around(folder: Path) -> str:
    """What there is instead, for whoever has to find out why."""
    mounts = [line for line in Path("/proc/self/mounts").read_text().splitlines() if str(folder) in line]
    files = sorted((path.name, path.stat().st_size) for path in folder.iterdir()) if folder.is_dir() else "no folder"
    return f"there: {files}, mounted: {mounts}, open files: {len(list(Path('/proc/self/fd').iterdir()))}"


@contextlib.contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """A disk that is soon full, mounted on a folder; skips the test where that cannot be."""
    if os.geteuid() != 0:
        pytest.skip("a full disk is not tested: mounting a small one needs root")
    folder.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)]
    if subprocess.run(words, check=False, capture_output=True).returncode:
        pytest.skip("a full disk is not tested: no tmpfs can be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)


class LoopDisk:
    """A small file system in a file, mounted on a folder; root only."""

    def __init__(self, work: Path, kind: str = "ext4", size: int = 96 << 20) -> None:
        self.folder = work / "disk"
        self._image = work / "disk.image"
        self.folder.mkdir()
        with self._image.open("wb") as image:
            image.truncate(size)
        subprocess.run([f"mkfs.{kind}", "-q", str(self._image)], check=True, capture_output=True)
        self._mounted = False
        self.restore()

    @staticmethod
    def why_not() -> str:
        """Why there can be none here; empty when there can."""
        if os.geteuid() != 0:
            return "a loop mount needs root"
        if not shutil.which("mkfs.ext4"):
            return "mkfs.ext4 is not installed"
        return ""

    def restore(self) -> None:
        """Power is back: mount, which replays the journal."""
        if self._mounted:
            self.remove()
        subprocess.run(["mount", "-o", "loop", str(self._image), str(self.folder)], check=True, capture_output=True)
        self._mounted = True

    def cut(self) -> None:
        """The power goes: nothing reaches the disk any more, and nothing that was not synced will."""
        descriptor = os.open(self.folder, os.O_RDONLY)
        try:
            fcntl.ioctl(descriptor, _SHUTDOWN, struct.pack("I", _NO_LOG_FLUSH))
        finally:
            os.close(descriptor)

    def remove(self) -> None:
        """Unmount."""
        for _ in range(6000):  # five minutes: the machine may be busy
            done = subprocess.run(["umount", str(self.folder)], check=False, capture_output=True)
            if done.returncode == 0:
                break
            time.sleep(0.05)
        else:
            # Somebody still holds a file: let go of it, so that later runs are not in its way.
            subprocess.run(["umount", "-l", str(self.folder)], check=False, capture_output=True)
            raise RuntimeError(f"cannot unmount {self.folder}: {done.stderr!r}")
        self._mounted = False
        # The kernel lets go of the image a little later: a second device on it would not see what the first one holds.
        words = ["losetup", "--noheadings", "--associated", str(self._image)]
        for _ in range(6000):
            if not subprocess.run(words, check=False, capture_output=True).stdout.strip():
                break
            time.sleep(0.05)
