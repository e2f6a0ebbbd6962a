"""A watch that runs for a long time beside other tests, looked at once a second: memory and open files.

It is looked at from when it is at work: pages have their place in the plan, and changes are found. A cold or busy
machine takes minutes to load and open what that needs.
"""

import contextlib
import os
import sqlite3
import subprocess
import time
from pathlib import Path

import numpy as np

from journeys.command import start
from strandline.errors import StrandlineError
from strandline.store.catalog import DATABASE
from strandline.store.status import StatusReading
from strandline.store.studies import StudyReading

WARM_UP = 1 / 3
"""Part of the time in which memory may settle."""
PATIENCE = 1500.0
"""Seconds a machine may take until the watch is at work."""


def _family(pid):
    """A process and its children."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *map(int, children)]


def _resident(pid):
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


class Soak:
    """`samples`: seconds, MiB of the watch and its workers, open files of the watch."""

    def __init__(self, folder, url, hour, budget):
        self.database = folder / DATABASE
        self.started = 0.0
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

    def at_work(self, pages):
        """Whether the plan knows so many pages, and study finds changes."""
        with contextlib.ExitStack() as opened:
            opened.enter_context(contextlib.suppress(StrandlineError, sqlite3.Error))  # it is being made
            stands = opened.enter_context(contextlib.closing(StatusReading.open(self.database))).watch()
            studies = opened.enter_context(contextlib.closing(StudyReading.open(self.database)))
            return stands is not None and stands.document["pages"] >= pages and any(True for _ in studies.changes())
        return False

    def begin(self, pages):
        """Wait until it is at work."""
        deadline = time.monotonic() + PATIENCE
        while not self.at_work(pages):
            assert self.process.poll() is None, "the watch ended"
            assert time.monotonic() < deadline, f"the watch was not at work after {PATIENCE:.0f} s"
            time.sleep(1.0)

    def until(self, seconds):
        """Look once a second until so many have passed."""
        self.started = time.monotonic()
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
            _, err = self.process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        return self.process.returncode, err
