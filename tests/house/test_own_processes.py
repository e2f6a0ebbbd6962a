"""What tests have forked is a process like any other to whoever started it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from servers.own_processes import program

SERVE = [sys.executable, "-c", "from strandline.alerts.delivery import serve; serve()"]


def _words(pid):
    """What it was started with: nothing, for a moment."""
    while not (words := Path(f"/proc/{pid}/cmdline").read_bytes()):
        time.sleep(0.01)
    return words


def _parent(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


@pytest.mark.parametrize(
    ("words", "in_a_session", "ours"),
    [
        (SERVE, True, ("strandline.alerts.delivery:serve", [])),
        (
            (sys.executable, "-m", "strandline.app.slow_queries", "here"),
            True,
            ("strandline.app.slow_queries", ["here"]),
        ),
        ([sys.executable, "-m", "strandline", "crawl", "here"], True, ("strandline", ["crawl", "here"])),
        ([sys.executable, "-m", "strandline", "crawl", "here"], False, None),
        ([sys.executable, "-c", "print(1)"], True, None),
        ([sys.executable, "-m", "warcio.cli"], True, None),
        ("strandline crawl", True, None),
    ],
)
def test_only_our_own_programs_are_forked(words, in_a_session, ours):
    assert program(words, in_a_session) == ours


def test_a_forked_process_is_a_child_that_can_be_spoken_to_and_waited_for():
    with subprocess.Popen(SERVE, stdin=subprocess.PIPE, start_new_session=True) as process:
        assert b"forking" in _words(process.pid)
        assert _parent(process.pid) == os.getpid()
        assert os.getsid(process.pid) == process.pid
        assert process.poll() is None
        process.kill()
        assert process.wait() == -signal.SIGKILL


def test_from_nothing_it_is_another_program(from_nothing):
    with subprocess.Popen(SERVE, stdin=subprocess.PIPE, start_new_session=True) as process:
        assert b"strandline.alerts.delivery" in _words(process.pid)
        process.kill()
        assert process.wait() == -signal.SIGKILL


def test_what_a_fork_of_this_process_starts_is_its_own_child():
    child = os.fork()
    if not child:
        with subprocess.Popen(SERVE, stdin=subprocess.PIPE) as process:
            right = _parent(process.pid) == os.getpid() and b"delivery" in _words(process.pid)
            process.kill()
        os._exit(not right)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
