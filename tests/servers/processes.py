"""Starting servers for tests: free ports, a user that is not root, and an end that is never forgotten."""

import atexit
import contextlib
import ctypes
import functools
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, TypeVar

import pytest

PATIENCE = 600.0
"""Seconds a server may take to answer: the machine may be busy."""


_LIBRARY = ctypes.CDLL(None) if sys.platform == "linux" else None
_SIGNAL_WHEN_PARENT_ENDS = 1


class Absent(Exception):  # noqa: N818
    """The server is not installed; says what is missing. A server that is there and does not start is a failure."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def other_user() -> dict[str, int]:
    """Arguments for subprocess: PostgreSQL refuses to run as root, and nothing here needs to."""
    if os.geteuid():
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid}


def server_folder(name: str) -> Path:
    """A new folder that belongs to the user the server runs as; its name says whose it is (see leftovers)."""
    folder = Path(tempfile.mkdtemp(prefix=f"strandline-{name}-{os.getpid()}-"))
    user = other_user()
    if user:
        os.chown(folder, user["user"], user["group"])
    return folder


def reachable_by_server(path: Path) -> bool:
    """Whether the server's user may execute a file: a checkout under a private home is closed to others."""
    user = other_user()
    return not user or subprocess.run(["test", "-x", path], extra_groups=[], **user).returncode == 0


def launch(
    command: Sequence[str | Path],
    folder: Path,
    goodbye: int,
    env: dict[str, str] | None = None,
    as_we_are: bool = False,
) -> subprocess.Popen:
    """A server in its folder, its words in `log`; it gets the signal `goodbye` when this process ends in any way. With
    `as_we_are` its user is ours: it lies where others may not look.
    """
    user = {} if as_we_are else other_user()
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(
            list(command),
            cwd=folder,
            stdout=log,
            stderr=log,
            env=env,
            extra_groups=[] if user else None,
            preexec_fn=(lambda: _LIBRARY.prctl(_SIGNAL_WHEN_PARENT_ENDS, goodbye)) if _LIBRARY else None,
            **user,
        )


def wait_until(question, what: str, process: subprocess.Popen) -> None:
    deadline = time.monotonic() + PATIENCE
    while not question():
        if process.poll() is not None:
            raise RuntimeError(f"{what} ended with code {process.returncode} while starting")
        if time.monotonic() > deadline:
            raise RuntimeError(f"{what} did not answer within {PATIENCE:.0f} s")
        time.sleep(0.05)


def listening(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def end(process: subprocess.Popen | None, sign: int = signal.SIGTERM) -> None:
    if process is None or process.poll() is not None:
        return
    process.send_signal(sign)
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def remove(folder: Path) -> None:
    with contextlib.suppress(OSError):
        shutil.rmtree(folder)


class Server(Protocol):
    """What can be started once and used by many tests."""

    def start(self) -> None: ...

    def close(self) -> None: ...


S = TypeVar("S", bound=Server)
TRIES = 3


@functools.cache
def _started(kind: type[S]) -> S | Absent:
    left = TRIES
    while True:
        left -= 1
        try:
            server = kind()
            atexit.register(server.close)
            server.start()
        except Absent as reason:
            return reason
        except RuntimeError:  # another process may have taken a port that was free a moment ago
            server.close()
            if not left:
                raise
        else:
            return server


def one_server(kind: type[S], name: str) -> S:
    """The one server of a kind in this process; skips the test where none can be had."""
    server = _started(kind)
    if isinstance(server, Absent):
        pytest.skip(f"no {name} server: {server}")
    return server
