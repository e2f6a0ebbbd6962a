"""pywb in an environment of its own (its dependencies clash with ours), made once and kept in a cache folder.

    with pywb_on(archive_folder) as address:     # skips the test with a message where pywb cannot be had
        urlopen(f"{address}/20260101000000id_/http://example.org/")

STRANDLINE_TEST_CACHE says where the environment is kept (default: ~/.cache/strandline-tests).
"""

import contextlib
import fcntl
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

VERSION = "2.10.0"


def cache_folder() -> Path:
    """Where what tests need from elsewhere is kept."""
    home = os.environ.get("STRANDLINE_TEST_CACHE") or Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    cache = Path(home) / "strandline-tests"
    cache.mkdir(parents=True, exist_ok=True)
    return cache


def pywb_python() -> Path:
    """The interpreter of the pywb environment; pytest.skip when it cannot be made."""
    cache = cache_folder()
    folder = cache / f"pywb-{VERSION}"
    python = folder / "bin" / "python"
    with (cache / "pywb.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "ready").exists():
            uv = shutil.which("uv") or shutil.which(Path(sys.executable).with_name("uv"))
            if uv is None:
                pytest.skip("pywb not tried: uv is not installed")
            for command in (
                [uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(folder)],
                [uv, "pip", "install", "--quiet", "--python", str(python), f"pywb=={VERSION}", "setuptools<81"],
            ):
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                if done.returncode:
                    pytest.skip(f"pywb not tried: it cannot be installed here ({done.stderr.strip()[-200:]})")
            (folder / "ready").touch()
    return python


@contextlib.contextmanager
def pywb_on(archive: Path) -> Iterator[str]:
    """pywb serving an archive folder (`archive/`, `indexes/index.cdxj`); gives the address of its collection."""
    python = pywb_python()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as work:
        settings = (
            "collections:\n  ours:\n"
            f"    index_paths: {archive}/indexes/index.cdxj\n    archive_paths: {archive}/archive/\n"
        )
        (Path(work) / "config.yaml").write_text(settings)
        with (Path(work) / "log").open("wb") as log:
            command = [str(python), "-m", "pywb.apps.cli", "-b", "127.0.0.1", "-p", str(port)]
            server = subprocess.Popen(command, cwd=work, stdout=log, stderr=log)
        try:
            _wait(port, server, Path(work) / "log")
            yield f"http://127.0.0.1:{port}/ours"
        finally:
            server.kill()
            server.wait()


def _wait(port: int, server: "subprocess.Popen[bytes]", log: Path) -> None:
    for _ in range(6000):
        if server.poll() is not None:
            raise RuntimeError(f"pywb ended: {log.read_text()[-2000:]}")
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=60).close()
            return
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"pywb does not answer: {log.read_text()[-2000:]}")
