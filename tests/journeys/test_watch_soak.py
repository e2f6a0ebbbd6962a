"""A long watch needs no more memory and no more files from hour to hour."""

import os

import pytest

from journeys.watch_soak import Soak
from strandline.demo.server import DemoServer

SECONDS = float(os.environ.get("STRANDLINE_SOAK_SECONDS", "150"))
PAGES = 100
"""Most pages of the site."""
LONG = 1200.0
"""Seconds from which on a slope can be told from the noise of an allocator."""


@pytest.mark.xdist_group("soak")
def test_memory_and_files_stay_as_they_are(tmp_path, capsys):
    with DemoServer(hour_seconds=5.0) as demo:
        soak = Soak(tmp_path / "archive", demo.url, 5.0, 20)
        try:
            soak.begin(PAGES)
            soak.until(SECONDS)
        finally:
            code, err = soak.end()
    assert code == 11, err
    _, memory, files = soak.settled()
    with capsys.disabled():
        print(
            f"\nsoak of {SECONDS:g} s: {memory[-1]:.0f} MiB at the end, {memory.max() - memory.min():.1f} MiB between "
            f"least and most after warm-up, {soak.slope():+.2f} MiB in 10 minutes; {files.min():.0f} to "
            f"{files.max():.0f} open files; {len(demo.log)} requests"
        )
    assert files.max() - files.min() <= 8
    if SECONDS >= LONG:
        assert soak.slope() < 1.0
    else:
        third = max(1, len(memory) // 3)
        assert memory[-third:].mean() - memory[:third].mean() < 6.0
