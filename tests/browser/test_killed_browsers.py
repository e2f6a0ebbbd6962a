"""Browsers that are killed under a crawl, and crawls that are killed with their browsers: nothing promised is lost, and
nothing is left behind.
"""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import strandline
from browser.scoring import settings_for
from browser.test_chromium import alive
from servers.script_server import serving
from strandline.browser.chromium import processes_of

NAMES = ("spa", "post", "frames", "worker", "xhr", "static")


def chromiums():
    """Processes of browsers that Strandline started, of whatever parent."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if b"strandline-browser-" in words:
            found.append(int(folder.name))
    return alive(found)


def wait_until(done, seconds=30):
    until = time.monotonic() + seconds
    while not done() and time.monotonic() < until:
        time.sleep(0.05)
    return done()


def kill_now_and_then(stop, rng, kills):
    me = os.getpid()
    while not stop.wait(rng.uniform(0.3, 2.5)):
        mine = [pid for pid in processes_of(me) if pid != me and pid in chromiums()]
        if mine:
            os.kill(rng.choice(mine), signal.SIGKILL)
            kills.append(time.monotonic())


@pytest.mark.parametrize("rounds", [2, pytest.param(12, marks=pytest.mark.long)])
def test_killed_browsers_cost_pages_in_a_browser_and_no_capture(tmp_path, rounds):
    rng, kills = random.Random(rounds), []
    for number in range(rounds):
        stop = threading.Event()
        killer = threading.Thread(target=kill_now_and_then, args=(stop, rng, kills))
        promised = []
        with serving(*NAMES) as (base, _):
            archive = strandline.create(tmp_path / f"a{number}")
            request = strandline.CrawlRequest((f"{base}/",), captured=promised.append)
            killer.start()
            try:
                tally = archive.crawl(settings_for(archive, "always"), request)
            finally:
                stop.set()
                killer.join()
        assert tally.ended == "complete"
        assert {f"{base}/{name}/" for name in NAMES} <= {capture.url for capture in promised}
        held = {(capture.url, capture.place) for capture in archive.reading.all_captures()}
        assert {(capture.url, capture.place) for capture in promised} <= held
        assert not archive.verify().problems
    assert len(kills) >= rounds
    mine = set(processes_of(os.getpid()))
    assert wait_until(lambda: not mine & set(chromiums()))


@pytest.mark.parametrize("rounds", [2, pytest.param(20, marks=pytest.mark.long)])
def test_a_crawl_that_is_killed_loses_no_promise_and_leaves_no_browser(tmp_path, rounds):
    rng = random.Random(rounds)
    promised = []
    with serving(*NAMES) as (base, _):
        folder = tmp_path / "archive"
        words = ["crawl", str(folder), "--seeds", f"{base}/", "--allow-address", "127.0.0.0/8", "--delay", "0"]
        words += ["--browser", "always", "--json", "-q", "--set", "study.workers=0"]
        for number in range(rounds + 1):
            command = subprocess.Popen([sys.executable, "-m", "strandline", *words], stdout=subprocess.PIPE, text=True)
            if number < rounds:
                time.sleep(rng.uniform(1.0, 6.0))
                browsers = set(processes_of(command.pid)) & set(chromiums())
                command.send_signal(signal.SIGKILL)
                out, _ = command.communicate()
                assert wait_until(lambda: not alive(browsers))  # noqa: B023 - asked at once
            else:
                out, _ = command.communicate(timeout=300)
                assert command.returncode == 0
            lines = [line for line in out.splitlines() if line.endswith("}")]
            promised += [one for one in map(json.loads, lines) if one["event"] == "captured"]
        archive = strandline.open(folder)
        held = {(capture.place.file, capture.place.offset) for capture in archive.reading.all_captures()}
        assert {(one["file"], one["offset"]) for one in promised} <= held
        assert {f"{base}/{name}/" for name in NAMES} <= {capture.url for capture in archive.reading.all_captures()}
        assert not archive.verify().problems
