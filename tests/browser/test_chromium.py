"""A browser leaves no process behind, whatever ends it, and has no way to the network."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from strandline.browser.chromium import Chromium, ChromiumLost, find_chromium, means, processes_of
from strandline.browser.pipe import Pipe


def alive(pids):
    """Those that still run; the dead may wait for whoever started them."""
    found = []
    for pid in pids:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if state not in "ZX":
            found.append(pid)
    return found


def ends(pids):
    until = time.monotonic() + 30
    while alive(pids) and time.monotonic() < until:
        time.sleep(0.05)
    return not alive(pids)


@pytest.fixture
def running():
    chromium = Chromium(means())
    pipe = Pipe(chromium.from_browser, chromium.to_browser, lambda _: None, lambda: None)
    pipe.call("Browser.getVersion", seconds=60.0)
    yield chromium, pipe
    pipe.end()
    chromium.close()


def test_it_starts_is_weighed_and_ends_whole(running):
    chromium, _ = running
    pids = processes_of(chromium.pid)
    assert len(pids) > 2
    assert 10 << 20 < chromium.memory() < 2 << 30
    profile = chromium._profile
    assert profile.exists()
    chromium.close()
    assert ends(pids)
    assert not profile.exists()
    assert not chromium.running


def test_nothing_of_it_outlives_whoever_started_it():
    code = (
        "import sys,time\nfrom strandline.browser.chromium import *\nfrom strandline.browser.pipe import Pipe\n"
        "c=Chromium(means());p=Pipe(c.from_browser,c.to_browser,lambda m:None,lambda:None)\n"
        "p.call('Browser.getVersion',seconds=60.0)\nprint(*processes_of(c.pid),flush=True)\ntime.sleep(600)"
    )
    starter = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    pids = [int(word) for word in starter.stdout.readline().split()]
    assert len(pids) > 2
    os.kill(starter.pid, signal.SIGKILL)
    starter.wait()
    starter.stdout.close()
    assert ends(pids)


def test_there_are_no_ways_to_the_network_where_the_system_allows_that(running):
    chromium, _ = running
    if not means().apart:
        pytest.skip("namespaces are not allowed here")
    inner = processes_of(chromium.pid)[-1]
    assert Path(f"/proc/{inner}/ns/net").readlink() != Path("/proc/self/ns/net").readlink()
    devices = Path(f"/proc/{inner}/net/dev").read_text().splitlines()[2:]
    assert [line.split(":")[0].strip() for line in devices] == ["lo"]


def test_without_chromium_it_says_so():
    with pytest.raises(ChromiumLost, match="install chromium"):
        Chromium(replace(means(), path=""))
    assert find_chromium()
