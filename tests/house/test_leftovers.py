"""An aborted test run leaves nothing running, and the next run clears away the rest."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from servers.leftovers import abandoned_folders, abandoned_mounts
from servers.processes import server_folder

TESTS = Path(__file__).parents[1]


def ended_process():
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    return done.pid


def test_a_server_ends_with_the_process_that_started_it(tmp_path):
    tmp_path.chmod(0o777)
    code = (
        "import os, signal, sys\n"
        f"sys.path.insert(0, {str(TESTS)!r})\n"
        "from pathlib import Path\n"
        "from servers.processes import launch\n"
        f"launch(['sleep', '600'], Path({str(tmp_path)!r}), signal.SIGTERM, {{'PATH': os.environ['PATH']}})\n"
        "print(flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    # The pipe is closed when the last process that holds it has ended: the server holds standard input.
    reading, writing = os.pipe()
    killed = subprocess.run([sys.executable, "-c", code], stdin=writing, capture_output=True, check=False)
    os.close(writing)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert os.read(reading, 1) == b"", "the server ended, too"
    os.close(reading)


def test_folders_of_servers_whose_process_has_ended_are_found(tmp_path):
    old = tmp_path / f"strandline-postgres-programs-{ended_process()}-x_y1"
    for folder in (old, tmp_path / f"strandline-s3-{os.getpid()}-abc", tmp_path / "strandline-rivals-notes"):
        folder.mkdir()
    assert list(abandoned_folders(tmp_path)) == [old]
    mine = server_folder("test")
    try:
        assert str(os.getpid()) in mine.name
    finally:
        mine.rmdir()


def test_mounts_of_runs_that_are_over_are_found(tmp_path):
    runs = tmp_path / "pytest-of-somebody"
    for name, owner in (("pytest-1", ended_process()), ("pytest-2", os.getpid())):
        (runs / name).mkdir(parents=True)
        (runs / name / ".lock").write_text(str(owner))
    places = [runs / "pytest-1/test0/disk", runs / "pytest-2/test0/disk", runs / "garbage-7/disk", tmp_path / "mine"]
    mounts = "".join(f"/dev/loop0 {place} ext4 rw 0 0\n" for place in places)
    assert list(abandoned_mounts(mounts)) == [str(places[0]), str(places[2])]
