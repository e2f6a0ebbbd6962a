"""What our programs start of our own programs, begun at once: see `servers.forking`.

In a process that has called `ask`, subprocess starts `python -m strandline.learn.keeping_up` and the like by a fork of
a process that has loaded them. What comes of it is a child of this process, with an environment, files and a session
of its own, to be waited for and killed as any other. What tests start themselves is started from nothing, as is
everything while a test uses the fixture `from_nothing`.
"""

import contextlib
import ctypes
import inspect
import json
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

COMMAND = "strandline"
_SERVING = re.compile(r"from (strandline[\w.]*) import (\w+); \2\(\)")
_TAKE_IN_ORPHANS = 36  # PR_SET_CHILD_SUBREAPER
_GIVEN = tuple(inspect.signature(subprocess.Popen._execute_child).parameters)[1:]

_source: Callable[[], socket.socket] | None = None
_here = 0
"""The process that may ask: what it forks itself takes in no orphans of another."""
_lock = threading.Lock()


def ask(source: Callable[[], socket.socket]) -> None:
    """From now on our own programs are asked for there."""
    global _source, _here
    _source, _here = source, os.getpid()
    subprocess.Popen = _Popen


@contextlib.contextmanager
def from_nothing():
    """Start processes as they are started where no tests are."""
    subprocess.Popen = _Started
    try:
        yield
    finally:
        subprocess.Popen = _Popen if _source else _Started


def program(words: object, in_a_session: bool) -> tuple[str, list[str]] | None:
    """Which program of ours this is, and its arguments; None for all else. A command that is started without a session
    of its own is one a test starts.
    """
    match words:
        case [sys.executable, "-c", str() as code] if serving := _SERVING.fullmatch(code):
            return ":".join(serving.groups()), []
        case [sys.executable, "-m", str() as module, *rest]:
            if module.startswith("strandline.") or (module == COMMAND and in_a_session):
                return module, [str(word) for word in rest]
    return None


_Started = subprocess.Popen


class _Popen(_Started):
    def _execute_child(self, *values) -> None:
        given = dict(zip(_GIVEN, values, strict=True))
        wanted = program(given["args"], given["start_new_session"])
        if wanted is None or os.getpid() != _here:
            return super()._execute_child(*values)
        environment = os.environ if given["env"] is None else given["env"]
        request = {
            "program": wanted[0],
            "words": wanted[1],
            "environment": {os.fsdecode(name): os.fsdecode(value) for name, value in environment.items()},
            "folder": str(given["cwd"] or Path.cwd()),
            "session": given["start_new_session"],
            "child_of": os.getpid(),
        }
        pipes = [given[name] for name in ("p2cread", "c2pwrite", "errwrite")]
        files = [number if file == -1 else file for number, file in enumerate(pipes)]
        self.pid = _forked(request, files)
        self._child_created = True
        self._close_pipe_fds(
            *(given[name] for name in ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite"))
        )


def _forked(request: dict, files: list[int]) -> int:
    source = _source()
    told, tell = os.pipe()
    prctl = ctypes.CDLL(None).prctl
    with _lock, os.fdopen(told, "rb", buffering=0) as answers:
        prctl(_TAKE_IN_ORPHANS, 1, 0, 0, 0)
        try:
            socket.send_fds(source, [json.dumps(request).encode()], [*files, tell])
            os.close(tell)
            line = answers.readline()
        finally:
            prctl(_TAKE_IN_ORPHANS, 0, 0, 0, 0)
    if not line:
        raise RuntimeError("the process that forks has ended")
    return int(line)
