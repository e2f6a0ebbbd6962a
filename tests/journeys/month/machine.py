"""What a month looks at and turns on the machine: processes, files, the clock, an older package."""

import os
import shutil
import struct
import subprocess
import sys
import time
from pathlib import Path

REPOSITORY = Path(__file__).parents[3]


def family(pid):
    """A process and all that descend from it."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):  # it has just ended
                continue
    found = [pid]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found


def resident(pids):
    """MiB that processes have in memory together; what they share counts for each of them."""
    pages = 0
    for pid in pids:
        try:
            pages += int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        except (OSError, IndexError):
            continue
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def open_files(pids):
    """Of all of them."""
    count = 0
    for pid in pids:
        try:
            count += sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())
        except OSError:
            continue
    return count


def processor_seconds(pids):
    """Seconds of a processor that they have used, those who ended before them included."""
    ticks = 0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15] if pid == pids[0] else fields[11:13]))
        except (OSError, IndexError):
            continue
    return ticks / os.sysconf("SC_CLK_TCK")


def room_taken(folder):
    """Bytes of all files of a folder, as the disk counts them; without the database's log, which comes and goes."""
    total = 0
    for where, _, names in os.walk(folder):
        for name in names:
            try:
                total += 0 if name.endswith("-wal") else Path(where, name).lstat().st_blocks * 512
            except OSError:  # it has just been removed
                continue
    return total


def size(path):
    """Bytes of a file; none of one that is not there."""
    return path.stat().st_size if path.exists() else 0


class WallClock:
    """The clock on the wall of the processes that are started with `environment`, set forward and back while they run;
    see wall_clock.c.
    """

    def __init__(self, folder):
        self._file, self._library = folder / "clock", folder / "wall_clock.so"
        self.zero = time.time() - time.monotonic()
        """The true time when the clock that only goes forward stood at 0."""
        self._file.write_bytes(struct.pack("dd", self.zero, 0.0))
        self.possible = self._built()

    def _built(self):
        """Whether there is a C compiler."""
        source = Path(__file__).with_name("wall_clock.c")
        compiler = shutil.which("cc") or shutil.which("gcc")
        words = [compiler, "-O2", "-shared", "-fPIC", "-o", self._library, source, "-ldl"]
        return compiler is not None and not subprocess.run(words, check=False, capture_output=True).returncode

    def set(self, seconds):
        """Beside the true time by so much from now on."""
        with self._file.open("r+b") as file:  # the same file: processes look into it
            file.write(struct.pack("dd", self.zero, seconds))

    def now(self):
        """The true time."""
        return self.zero + time.monotonic()

    def environment(self):
        return {"LD_PRELOAD": str(self._library), "WALL_CLOCK_FILE": str(self._file)} if self.possible else {}


def summer_zone(begins, ends):
    """A zone whose summer time is between two UTC seconds, as TZ says it."""
    # Its end is told by its own clock.
    days = [f"{at.tm_yday - 1}/{time.strftime('%H:%M:%S', at)}" for at in map(time.gmtime, (begins, ends + 3600.0))]
    return f"WIN0SUM,{days[0]},{days[1]}"


def older_package(commit, folder):
    """The package as it was at a commit, laid out in a folder; None without the history of the repository."""
    packed = subprocess.run(
        ["git", "archive", commit, "src"], cwd=REPOSITORY, capture_output=True, check=False
    )  # fmt: skip
    if packed.returncode:
        return None
    folder.mkdir()
    subprocess.run(["tar", "-x"], cwd=folder, input=packed.stdout, check=True)
    return folder / "src"


def watch_words(folder, hour):
    """How a watch is started."""
    words = ("watch", folder, "--hour-seconds", hour, "--log-format", "json", "--json")
    return [sys.executable, "-m", "strandline", *map(str, words)]
