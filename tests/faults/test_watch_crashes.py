"""A watch, killed again and again: nothing promised is lost, nothing is asked twice, and it knows what it knew."""

import contextlib
import functools
import json
import subprocess
import sys
from bisect import bisect_left
from collections import Counter

import pytest

from faults.loops import PATIENCE, crash_loop, forms, promises_hold
from journeys.command import ENVIRONMENT, strandline
from strandline.cli.main import app
from strandline.store.catalog import DATABASE
from strandline.store.studies import StudyReading
from strandline.watch import watching as _ready_before_the_fork  # noqa: F401
from strandline.watch.watch_plan import warm_up

HOUR, BUDGET = 4.0, 60
IN_FLIGHT = 4
"""Requests of one run that a kill may cost on average: one on its way, and what was not committed yet."""

SITE = """
import sys
from strandline.demo.server import DemoServer
with DemoServer(hour_seconds=float(sys.argv[1])) as demo:
    print(demo.url, flush=True)
    sys.stdin.readline()
    for hit in demo.log:
        print(hit.time, hit.path, flush=True)
"""


@pytest.fixture
def site():
    """A living site in a process of its own: this one is forked. Gives its address and, when asked, its log."""
    process = subprocess.Popen([sys.executable, "-c", SITE, str(HOUR)], stdin=-1, stdout=-1, text=True, env=ENVIRONMENT)

    def log():
        out, _ = process.communicate("\n", timeout=PATIENCE)
        return [(float(line.split()[0]), line.split()[1]) for line in out.splitlines()]

    with process:
        yield process.stdout.readline().strip(), log
        process.kill()


def words(folder, url):
    return [
        "watch", str(folder), "--seeds", url, "--allow-address", "127.0.0.1/32", "--budget", f"{BUDGET}/hour",
        "--hour-seconds", str(HOUR), "--set", "plan.least_chance=0.0", "--json",
    ]  # fmt: skip


def known(folder):
    """What study knows: how far it came, and the changes it found."""
    with contextlib.closing(StudyReading.open(folder / DATABASE)) as reading:
        return reading.progress(), sum(1 for _ in reading.changes())


@forms("STRANDLINE_WATCH_KILLS", 3, 12)
def test_kill_9_at_any_moment_of_a_watch(tmp_path, site, cycles):
    url, log = site
    warm_up()
    folder = tmp_path / "archive"
    assert strandline("init", folder).code == 0
    promised, learned = [], [(0, 0)]

    def check(promises):
        promised.extend(promises)
        learned.append(known(folder))
        return promises_hold(folder, promises)

    def watch():
        app(words(folder, url), standalone_mode=False)

    tally = crash_loop(functools.partial(watch), check, cycles, longest=3.0)
    assert tally.lost == []
    last = strandline(*words(folder, url), "--for", "1h")
    assert last.code == 0, last.err
    promised += last.captured
    asked = log()
    assert learned == sorted(learned), "what study found stays"
    assert promises_hold(folder, promised) == []
    places = Counter((event["file"], event["offset"]) for event in promised)
    assert max(places.values()) == 1, "a capture is reported once"
    assert len(asked) <= len(promised) + IN_FLIGHT * (cycles + 1), "a restart asks again only what was in flight"
    times = sorted(time for time, _ in asked)
    assert max(bisect_left(times, start + HOUR) - place for place, start in enumerate(times)) <= BUDGET
    audit = json.loads(strandline("verify", folder, "--json").out)
    assert audit["ok"], audit["problems"][:5]
