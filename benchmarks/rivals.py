"""Other tools to measure beside ours, each in an environment of its own that is made once and kept."""

import atexit
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "strandline-rivals"


def environment(name: str, *packages: str) -> Path | None:
    """Folder with the executables of a rival, None when it cannot be installed here."""
    place = CACHE / name
    if not (place / "ready").exists():
        uv = shutil.which("uv") or str(Path(sys.executable).parent / "uv")
        python = ["--python", str(place / "bin" / "python")]
        for step in ([uv, "venv", "-q", "--clear", str(place)], [uv, "pip", "install", "-q", *python, *packages]):
            if subprocess.run(step, check=False, capture_output=True).returncode:
                return None
        (place / "ready").touch()
    return place / "bin"


def cpu_seconds(command: list[str], **options: object) -> tuple[float, float]:
    """CPU seconds (user and system, children included) and peak MiB of a command."""
    runner = (
        "import json, resource, subprocess, sys\n"
        "done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, done.returncode,"
        " done.stderr[-2000:].decode('utf-8', 'replace')]))\n"
    )
    # Compiled once and kept, as in an installation; everyone is measured after a first run.
    surroundings = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, "-c", runner, *command],
        capture_output=True, text=True, check=True, env=surroundings, **options,
    )  # fmt: skip
    seconds, peak, code, errors = json.loads(done.stdout)
    if code not in (0, 8):  # wget ends with 8 when the site answered an error anywhere, robots.txt included
        sys.exit(f"{command[0]} ended with {code}: {errors}")
    return seconds, peak


def scratch() -> Path:
    """A new folder that goes with the process."""
    folder = Path(tempfile.mkdtemp(prefix="strandline-bench-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def own_peak_mib() -> float:
    """Peak memory of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
