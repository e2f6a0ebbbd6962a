"""A watch that runs for a long time beside other tests, looked at once a second: memory and open files."""

import os
import subprocess
import time
from pathlib import Path

import numpy as np

from journeys.command import start

WARM_UP = 1 / 3
"""Part of the time in which memory may settle."""


def _family(pid):
    """A process and its children."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *map(int, children)]


def _resident(pid):
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


class Soak:
    """`samples`: seconds, MiB of the watch and its workers, open files of the watch."""

    def __init__(self, folder, url, hour, budget):
        self.started = time.monotonic()
        self.samples = []
        self.process = start(
            "watch", folder, "--seeds", url, "--allow-address", "127.0.0.1/32", "--budget", f"{budget}/hour",
            "--hour-seconds", hour, "--quiet", fresh=True,
        )  # fmt: skip

    def look(self):
        """Take a sample."""
        try:
            memory = sum(_resident(pid) for pid in _family(self.process.pid))
            files = sum(1 for _ in Path(f"/proc/{self.process.pid}/fd").iterdir())
        except FileNotFoundError:  # a worker ended while it was looked at
            return
        self.samples.append((time.monotonic() - self.started, memory, files))

    def until(self, seconds):
        """Look once a second until so many have passed since the start."""
        while time.monotonic() - self.started < seconds and self.process.poll() is None:
            self.look()
            time.sleep(1.0)

    def settled(self):
        """Samples after the warm-up, as columns."""
        rows = np.array(self.samples)
        return rows[rows[:, 0] >= WARM_UP * rows[-1, 0]].T

    def slope(self):
        """MiB in ten minutes."""
        seconds, memory, _ = self.settled()
        return float(np.polyfit(seconds, memory, 1)[0] * 600.0)

    def end(self):
        """Stop it as a system would."""
        self.process.terminate()
        try:
            _, err = self.process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        return self.process.returncode, err
