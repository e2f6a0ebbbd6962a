"""Browsers that are killed under a crawl, and crawls and watches that are killed with their browsers: nothing promised
is lost, and nothing is left behind.

STRANDLINE_BROWSER_KILLS sets how many crawls, and as many watches, are killed, and 2.5 times as many browsers
(4; 20 by `make browser-crash`).
"""

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

import strandline
from browser.scoring import settings_for
from browser.test_chromium import alive
from servers.script_server import serving
from strandline.browser.chromium import processes_of
from strandline.browser.profiles import PREFIX

NAMES = ("spa", "post", "frames", "worker", "xhr", "static")
KILLS = int(os.environ.get("STRANDLINE_BROWSER_KILLS", "4"))
PATIENCE = 300
"""Seconds that what must come may take, on a machine however busy."""


def chromiums(within=""):
    """Processes of browsers that Strandline started, of whatever parent; those with a profile in one folder."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if f"{within}/{PREFIX}".encode() in words:
            found.append(int(folder.name))
    return alive(found)


def wait_until(done):
    until = time.monotonic() + PATIENCE
    while not done() and time.monotonic() < until:
        time.sleep(0.05)
    return done()


def kill_now_and_then(stop, rng, kills):
    me = os.getpid()
    while not stop.wait(rng.uniform(0.3, 2.5)):
        mine = [pid for pid in processes_of(me) if pid != me and pid in chromiums()]
        if mine:
            with contextlib.suppress(ProcessLookupError):  # it has just ended by itself
                os.kill(rng.choice(mine), signal.SIGKILL)
                kills.append(time.monotonic())


def test_killed_browsers_cost_pages_in_a_browser_and_no_capture(tmp_path):
    wanted = 5 * KILLS // 2
    rng, kills, number = random.Random(wanted), [], 0
    while len(kills) < wanted:
        number += 1
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
    mine = set(processes_of(os.getpid()))
    assert wait_until(lambda: not mine & set(chromiums()))


class Run:
    """A command in a process of its own, whose browsers are told from all others by the folder of their profiles."""

    def __init__(self, folder, temporary, *words):
        self._out, self._err, self._temporary = folder / "out", folder / "err", temporary
        with self._out.open("w") as out, self._err.open("w") as err:
            command = [sys.executable, "-m", "strandline", *words]
            environment = os.environ | {"TMPDIR": str(temporary)}
            self.command = subprocess.Popen(command, stdout=out, stderr=err, env=environment)

    def browsers(self):
        return set(chromiums(self._temporary))

    def shows_a_page(self):
        return bool(self.browsers()) or self.command.poll() is not None

    def kill(self):
        """End it at once; says whether it had a browser, all of whose processes are gone, too."""
        before = {pid for pid in processes_of(self.command.pid) if pid != self.command.pid}
        browsers = self.browsers()
        self.command.kill()
        self.command.wait()
        # Those that it started between the listing and its end have the same folder.
        assert wait_until(lambda: not self.browsers() and not alive(before)), self.told()
        return bool(browsers)

    def end(self, signum=None):
        """Let it come to its end."""
        if signum is not None:
            self.command.send_signal(signum)
        try:
            self.command.wait(PATIENCE)
        finally:
            self.command.kill()
        return self.command.wait()

    def promised(self):
        """What it said is kept; a line that its end cut short says nothing."""
        whole, _, _ = self._out.read_text().rpartition("\n")
        return [one for one in map(json.loads, whole.splitlines()) if one["event"] == "captured"]

    def told(self):
        return self._err.read_text()[-2000:]


@pytest.fixture
def temporary():
    """A folder for profiles that a browser with fewer rights than ours can reach."""
    made = tempfile.mkdtemp(prefix="killed-browsers-")
    Path(made).chmod(0o711)
    yield made
    shutil.rmtree(made)


def killed_again_and_again(tmp_path, temporary, rounds, words, last):
    """Kill a command in so many rounds, every second time while it shows a page, and check after each; then let it
    come to its end.
    """
    rng, promised, showing = random.Random(rounds), [], 0
    folder = Path(words[1])
    for number in range(rounds):
        run = Run(tmp_path, temporary, *words)
        if number % 2:
            time.sleep(rng.uniform(0.5, 6.0))
        else:
            assert wait_until(run.shows_a_page), run.told()
            time.sleep(rng.uniform(0.0, 3.0))
        showing += run.kill()
        promised += run.promised()
    assert showing >= rounds / 4
    run = Run(tmp_path, temporary, *words, *last)
    assert run.end() == 0, run.told()
    promised += run.promised()
    archive = strandline.open(folder)
    held = {(capture.place.file, capture.place.offset) for capture in archive.reading.all_captures()}
    assert {(one["file"], one["offset"]) for one in promised} <= held
    assert not archive.verify().problems
    assert not chromiums(temporary)
    return archive


def words_for(command, folder, base):
    words = [command, str(folder), "--seeds", f"{base}/", "--allow-address", "127.0.0.0/8", "--delay", "0"]
    return [*words, "--browser", "always", "--json", "-q", "--set", "study.workers=0"]


def test_a_crawl_that_is_killed_loses_no_promise_and_leaves_no_browser(tmp_path, temporary):
    with serving(*NAMES) as (base, _):
        words = words_for("crawl", tmp_path / "archive", base)
        archive = killed_again_and_again(tmp_path, temporary, KILLS, words, ())
        assert {f"{base}/{name}/" for name in NAMES} <= {capture.url for capture in archive.reading.all_captures()}


def test_a_watch_that_is_killed_loses_no_promise_and_leaves_no_browser(tmp_path, temporary):
    with serving(*NAMES) as (base, _):
        words = words_for("watch", tmp_path / "archive", base)
        words += ["--budget", "400/hour", "--hour-seconds", "20", "--set", "plan.least_chance=0.0"]
        archive = killed_again_and_again(tmp_path, temporary, KILLS, words, ("--for", "1h"))
        assert f"{base}/" in {capture.url for capture in archive.reading.all_captures()}
