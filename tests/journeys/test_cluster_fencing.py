"""A worker that slept longer than its lease wakes up and commits: refused, because of the tokens and nothing else."""

import signal
import subprocess
import sys
import time
from collections import Counter
from threading import Thread

import pytest

from journeys.test_cluster import done, indexed, init, place, readable
from servers import postgres
from servers.sites import sites

pytestmark = postgres.GROUP
__all__ = ["place"]

HOSTS = 3

FENCED = """
import strandline.cluster.worker as worker
from strandline.cli.main import main
worker.bury = lambda *_: []
main()
"""
"""A worker that does not look for others that are gone: a late one is told by its tokens alone."""
UNFENCED = f"""
from strandline.store.postgres.recording import SharedRecorder
SharedRecorder._see_leases = lambda *_: None
{FENCED}
"""


def started(place, program, commit):
    words = ("worker", "--database", place[0], "--json", "--lease", 2, "--commit-seconds", commit)
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=place[2],
    )


def put_to_sleep(worker, site):
    """Stop a worker while it holds captures it has not promised: more than those it is just asking for."""
    promised = []
    Thread(target=lambda: promised.extend(worker.stdout), daemon=True).start()
    while True:
        while len(site.requests()) - len(promised) < 5 * HOSTS:
            assert worker.poll() is None, worker.stderr.read()
            time.sleep(0.01)
        worker.send_signal(signal.SIGSTOP)
        time.sleep(0.5)  # what it wrote before is read
        if len(site.requests()) - len(promised) >= 3 * HOSTS:
            return
        worker.send_signal(signal.SIGCONT)


def asleep_and_late(place, site, program):
    """One worker falls asleep with captures that are not committed, another fetches everything; captures per page."""
    with started(place, program, 60) as late:
        try:
            put_to_sleep(late, site)
            code, _, err = done(started(place, program, 0.3))
            assert code == 0, err
            assert set(site.urls) <= {capture.url for capture in indexed(place)}, "the other did not fetch everything"
        finally:
            late.send_signal(signal.SIGCONT)
        said = late.stderr.read()
    assert late.returncode == 0, said
    captures = indexed(place)
    readable(place, captures)
    return Counter(capture.url for capture in captures if capture.url in site.urls), said


@pytest.mark.parametrize("program", [FENCED, UNFENCED], ids=["fenced", "unfenced"])
def test_a_late_commit_is_refused_by_its_tokens_alone(place, tmp_path, program):
    with sites(tmp_path, hosts=HOSTS, pages=60, size=400) as site:
        init(place, site, **{"politeness.delay": "0"})
        kept, said = asleep_and_late(place, site, program)
        assert set(kept) == set(site.urls)
        if program == FENCED:
            assert "went to another worker" in said and max(kept.values()) == 1
        else:
            assert max(kept.values()) == 2, "the control: without fencing pages are in the index twice"
