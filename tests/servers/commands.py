"""The `strandline` command in a process of its own, which begins at once.

To load numpy and numba takes a command longer than most of what tests ask of it. Here a process that has loaded them
forks (`servers.forking`): what runs is main(), with arguments, environment, files, signals and an end of its own, as
after `python -m strandline`. What a command costs, and that it loads all it needs, is tested without.
"""

import atexit
import contextlib
import functools
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import weakref
from pathlib import Path

from servers.own_processes import COMMAND

_ROOM = 1 << 20
"""Bytes a request may have: environments are smaller."""


class _Source:
    """The process that forks; it ends with the socket, and so with this process."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _ROOM)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, str(Path(__file__).with_name("forking.py"))], stdin=theirs
            )
        self._lock = threading.Lock()
        atexit.register(self._end)

    @property
    def socket(self) -> socket.socket:
        return self._socket

    def _end(self) -> None:
        self._socket.close()
        self._process.wait()

    def fork(self, request: dict, files: list[int]) -> None:
        with self._lock:
            socket.send_fds(self._socket, [json.dumps(request).encode()], files)


_source = functools.cache(_Source)
_begun: "weakref.WeakSet[Command]" = weakref.WeakSet()


def source() -> socket.socket:
    """Where processes are asked for; several may ask at a time."""
    return _source().socket


class Command:
    """A command under way, with what tests use of subprocess.Popen. Its input is empty; its output is text."""

    def __init__(self, *words, env, cwd=None, stdout=subprocess.PIPE, stderr=subprocess.PIPE) -> None:
        self.args = [str(word) for word in words]
        self.returncode: int | None = None
        request = {
            **{"program": COMMAND, "words": self.args, "environment": dict(env), "folder": str(cwd or Path.cwd())},
            **{"session": False, "child_of": 0},
        }
        with contextlib.ExitStack() as theirs:
            nothing = theirs.enter_context(Path(os.devnull).open())
            self.stdout, out = self._output(theirs, stdout)
            self.stderr, err = self._output(theirs, stderr)
            told, tell = os.pipe()
            theirs.callback(os.close, tell)
            self._told = os.fdopen(told, "rb", buffering=0)
            _source().fork(request, [nothing.fileno(), out, err, tell])
        line = self._told.readline()
        if not line:
            raise RuntimeError("the process that forks has ended")
        self.pid = int(line)
        _begun.add(self)

    def _output(self, theirs: contextlib.ExitStack, wanted):
        """Our end and theirs of an output."""
        if wanted == subprocess.DEVNULL:
            return None, theirs.enter_context(Path(os.devnull).open("w")).fileno()
        if wanted != subprocess.PIPE:
            return None, wanted.fileno()
        ours, end = os.pipe()
        theirs.callback(os.close, end)
        return os.fdopen(ours, encoding="utf-8"), end

    def poll(self) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            if not select.select([self._told], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
            self.returncode = int(self._told.readline())
            self._told.close()
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """All it says until it ends."""
        said = {}
        outputs = [output for output in (self.stdout, self.stderr) if output]
        readers = [threading.Thread(target=lambda one=one: said.update({one: one.read()})) for one in outputs]
        for reader in readers:
            reader.daemon = True
            reader.start()
        self.wait(timeout)
        for reader, output in zip(readers, outputs, strict=True):
            reader.join()
            output.close()
        return said.get(self.stdout, ""), said.get(self.stderr, "")

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def __enter__(self) -> "Command":
        return self

    def __exit__(self, *_: object) -> None:
        for output in (self.stdout, self.stderr):
            if output:
                output.close()
        self.wait()


def under_way() -> "set[Command]":
    """Those begun that nobody saw end."""
    return {one for one in _begun if one.returncode is None}


def give_up(those: "set[Command]") -> None:
    """End what a test that failed left behind: it would take from the tests after it."""
    for one in those:
        one.kill()
        one.communicate()
