"""One writer: a second one is told who the first is, and a dead one is no obstacle."""

import fcntl
import os
import signal
import subprocess
import sys
import time

import pytest

from strandline.errors import ArchiveBusy
from strandline.store.catalog import DATABASE, open_catalog
from strandline.store.lock import LEARNER, NAME, LearnerLock, WriteLock, signature
from strandline.store.reading import Reading

HOLD = """
import sys, time
from pathlib import Path
from strandline.core.capture import Kind
from strandline.ports import Found
from strandline.store.catalog import open_catalog
catalog = open_catalog(Path(sys.argv[1]), "crawl there")
catalog.add([Found("http://a.example/", Kind.PAGE, "seed", 0, 0, 0.0, 1.0)])
assert len(catalog.take(1, 2.0, 1.0, ())) == 1
print("held", flush=True)
time.sleep(600)
"""


@pytest.fixture
def other(tmp_path):
    """Another process that holds the lock and a lease."""
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_the_second_writer_is_told_who_the_first_is(tmp_path, other):
    with pytest.raises(ArchiveBusy, match=rf"process {other.pid} on .* \(crawl there\)"):
        open_catalog(tmp_path)
    reading = Reading.open(tmp_path / DATABASE)
    assert reading.page("http://a.example/") is not None
    reading.close()


def test_a_killed_writer_leaves_neither_lock_nor_lease(tmp_path, other):
    other.send_signal(signal.SIGKILL)
    other.wait()
    catalog = open_catalog(tmp_path)
    assert catalog.waiting(1.0) == (1, 0.0)
    assert [task.url for task in catalog.take(5, 2.0, 1.0, ())] == ["http://a.example/"]
    catalog.close()


def test_closing_lets_the_next_one_in_and_an_unreadable_signature_is_no_obstacle(tmp_path):
    first = WriteLock(tmp_path, "one")
    (tmp_path / NAME).write_text("nonsense")
    with pytest.raises(ArchiveBusy, match="another process"):
        WriteLock(tmp_path)
    first.release()
    first.release()
    with WriteLock(tmp_path):
        assert "pid" in (tmp_path / NAME).read_text()
    WriteLock(tmp_path).release()


def test_a_forked_child_does_not_keep_the_lock(tmp_path):
    script = """
import os, sys, time
from pathlib import Path
from strandline.store.lock import WriteLock
lock = WriteLock(Path(sys.argv[1]))
child = os.fork()
if child == 0:
    os.close(1)
    os.close(2)
    time.sleep(60)
    os._exit(0)
print(child, flush=True)
os._exit(0)
"""
    made = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True)
    child = int(made.stdout)
    free, end = False, time.monotonic() + 600
    try:
        while not free and time.monotonic() < end:
            try:
                WriteLock(tmp_path).release()
                free = True
            except ArchiveBusy:
                time.sleep(0.05)
        assert free, "the child holds the lock of its dead parent"
    finally:
        os.kill(child, signal.SIGKILL)


def test_who_is_done_leaves_no_signature(tmp_path):
    with WriteLock(tmp_path, "crawl"):
        assert (signature(tmp_path)["command"], signature(tmp_path)["pid"]) == ("crawl", os.getpid())
    assert signature(tmp_path) == {}
    assert signature(tmp_path / "nowhere") == {}


def test_a_lock_that_was_removed_meanwhile_is_not_the_one_that_counts(tmp_path, monkeypatch):
    locked = fcntl.flock
    removed = []

    def slowly(file, operation):
        if not removed:  # whoever made the archive for nothing removes it, somebody else makes it again
            removed.append((tmp_path / NAME).unlink())
            (tmp_path / NAME).touch()
        return locked(file, operation)

    monkeypatch.setattr(fcntl, "flock", slowly)
    with WriteLock(tmp_path, "one"), pytest.raises(ArchiveBusy, match="one"):
        WriteLock(tmp_path, "two")


def test_one_learns_beside_a_watch_and_nobody_else_writes_meanwhile(tmp_path):
    watch = WriteLock(tmp_path, "watch")
    assert not (tmp_path / LEARNER).exists()
    with LearnerLock(tmp_path):
        with pytest.raises(ArchiveBusy, match=r"is being learned from by .*learn"):
            LearnerLock(tmp_path)
        watch.release()
        with pytest.raises(ArchiveBusy, match="is being learned from"):
            WriteLock(tmp_path, "takedown")
        WriteLock(tmp_path, "watch").release()  # one that is started again does not wait
    WriteLock(tmp_path, "takedown").release()


def test_beside_any_other_writer_nobody_learns(tmp_path):
    with pytest.raises(ArchiveBusy):
        LearnerLock(tmp_path)
    with WriteLock(tmp_path, "crawl"), pytest.raises(ArchiveBusy, match=r"is being written by .*crawl"):
        LearnerLock(tmp_path)
    WriteLock(tmp_path, "crawl").release()  # the lock of the learner that was refused is free
