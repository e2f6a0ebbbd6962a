"""The N-th system call fails, for N = 1, 2, 3 ... until none does, once and from then on (SQLite's method).

After each run: every promise is a whole record, recovery cleans up, the audit finds nothing.
"""

import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from faults.loops import small_disk
from faults.writing import NAME
from strandline.errors import OutOfSpace
from strandline.warc.captures import Kept, captures_of
from strandline.warc.recover import recover
from strandline.warc.verify import verify
from strandline.warc.writer import WarcWriter, WriterSettings
from warc.exchanges import ABOUT, StillClock, exchange

COUNT = 4
PROGRAM = Path(__file__).with_name("writing.py")


def strace_works():
    if not shutil.which("strace"):
        return "strace is not installed"
    done = subprocess.run(["strace", "-e", "trace=none", "true"], capture_output=True, check=False)
    return "" if done.returncode == 0 else "strace may not trace here"


@pytest.fixture(scope="module")
def strace():
    if reason := strace_works():
        pytest.skip(f"failing system calls not tested: {reason}")


def run(folder, injection):
    """The writer with a fault injected; exit code, events, and how often the fault struck."""
    paths = [str(folder)]
    for serial in range(2 * COUNT):
        paths += [str(folder / NAME.format(serial)), str(folder / f"{NAME.format(serial)}.open")]
    selected = [word for path in paths for word in ("-P", path)]
    log = folder.parent / "strace.log"
    command = ["strace", "-f", "-o", str(log), *selected, "-e", f"inject={injection}", sys.executable, str(PROGRAM)]
    done = subprocess.run([*command, str(folder), str(COUNT)], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    return done.returncode, events, log.read_text().count("(INJECTED)")


CALLS = ("fsync:error=EIO", "write:error=EIO", "write:error=ENOSPC", "/^rename:error=EIO", "openat:error=EMFILE")
SHORT = {("fsync:error=EIO", ""), ("write:error=ENOSPC", "+"), ("/^rename:error=EIO", "")}
"""The short form; "+": from the N-th on."""


@pytest.mark.parametrize(
    ("call", "lasting"),
    [
        pytest.param(*fault, id="".join(fault), marks=[] if fault in SHORT else pytest.mark.long)
        for fault in itertools.product(CALLS, ("", "+"))
    ],
)
def test_the_nth_call_fails(strace, tmp_path, call, lasting):
    for number in range(1, 60):
        work = tmp_path / str(number)
        folder = work / "archive"
        folder.mkdir(parents=True)
        status, events, struck = run(folder, f"{call}:when={number}{lasting}")
        promised = [event for event in events if event["event"] == "captured"]
        list(recover(folder, work / "quarantine", lambda name: 0))
        kept = [
            item.capture for path in sorted(folder.iterdir()) for item in captures_of(path) if isinstance(item, Kept)
        ]
        assert verify(folder, lambda kept=kept: kept).ok
        where = {(c.url, c.place.file, c.place.offset, c.place.length, c.digest) for c in kept}
        for event in promised:
            told = (event["url"], event["file"], event["offset"], event["length"], event["digest"])
            assert told in where, (number, events)
        assert status in (0, 1, 3, 6), events
        if not struck:
            assert number > 1, "the fault never struck"
            assert status == 0
            assert len(promised) == COUNT
            return
        if not lasting and call != "write:error=ENOSPC" and status == 0:
            assert len(promised) >= COUNT - 2
    pytest.fail("the fault struck at every call")


@pytest.mark.root
def test_disk_full(tmp_path):
    """A tmpfs of 400 KB: the writer says so, nothing promised is lost, and it goes on when there is room."""
    with small_disk(tmp_path / "small", "400k") as folder:
        promised, refused = _filled(folder)
        assert refused > 5
        assert len(promised) > 20
        assert verify(folder / "archive", lambda: promised).ok


def _filled(folder):
    """What was promised, and how often there was no room, until there is none even with the filler gone."""
    filler = folder / "filler"
    filler.write_bytes(b"x" * 100_000)
    archive = folder / "archive"
    archive.mkdir()
    writer = WarcWriter(archive, ABOUT, StillClock(), WriterSettings(host="h"))
    promised, refused = [], 0
    for number in range(60):
        try:
            capture = writer.keep(exchange(f"http://example.org/{number}", os.urandom(12_000)))
            writer.sync()
            promised.append(capture)
        except OutOfSpace as error:
            assert str(archive) in str(error)
            refused += 1
            filler.unlink(missing_ok=True)  # room again
            if refused > 5:
                break
    writer.close()
    return promised, refused
