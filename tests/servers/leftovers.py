"""What a test run that was aborted leaves behind, and the next one clears away: mounts and folders of servers."""

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

_RUN = re.compile(r"(?P<run>.*/pytest-of-[^/]+/[^/]+)/")
_FOLDER = re.compile(r"strandline-[a-z0-9-]+-(?P<owner>\d+)-[^-]+")


def clear() -> None:
    """Unmount and remove whatever belongs to a run that is over."""
    mounts = Path("/proc/self/mounts")
    if os.geteuid() == 0 and mounts.exists():
        for place in abandoned_mounts(mounts.read_text()):
            subprocess.run(["umount", "-l", place], check=False, capture_output=True)
    for folder in abandoned_folders(Path(tempfile.gettempdir())):
        shutil.rmtree(folder, ignore_errors=True)


def abandoned_mounts(mounts: str) -> Iterator[str]:
    """Mount points in temporary folders of pytest whose run has ended; a run notes its process in `.lock`."""
    for line in mounts.splitlines():
        place = line.split()[1]
        found = _RUN.match(place)
        if found and not _runs(Path(found["run"]) / ".lock"):
            yield place


def abandoned_folders(within: Path) -> Iterator[Path]:
    """Folders of servers whose owner has ended."""
    for folder in within.glob("strandline-*-*"):
        found = _FOLDER.fullmatch(folder.name)
        if found and not _alive(int(found["owner"])):
            yield folder


def _runs(lock: Path) -> bool:
    with contextlib.suppress(OSError, ValueError):
        return _alive(int(lock.read_text()))
    return False


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
