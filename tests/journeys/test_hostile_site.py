"""A whole crawl of a site that does everything wrong: good pages are captured, traps named, nothing inside is hit."""

import json
import re
from pathlib import Path

import pytest

from hostile.server import HostileSite
from journeys.command import LOOPBACK, start, strandline

pytestmark = pytest.mark.xdist_group("hostile site")  # one crawl serves all of them

SCALED = [
    "fetch.connect=3s",
    "fetch.first_byte=3s",
    "fetch.between_reads=2s",
    "fetch.total=8s",
    "fetch.body=12MiB",
    "crawl.patience=6s",
]
"""The limits of FAULTS in small, so that every behaviour meets one within the test."""


TRAPS = (
    "calendar",
    "calendar-path",
    "session-id",
    "growing-path",
    "repeating-path",
    "facets",
    "random-links",
    "soft-404",
)


def memory(pid, field):
    """MiB a process holds (VmRSS) or has held at most (VmHWM); 0 when it is gone."""
    try:
        found = re.search(rf"{field}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return int(found[1]) / 1024 if found else 0.0


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile") / "archive"
    flags = [word for assignment in SCALED for word in ("--set", assignment)]
    with HostileSite() as site:
        running = start("crawl", folder, "--seeds", f"{site.url}/", *LOOPBACK, "--time-limit", "100s", *flags)
        events, before, peak = [], 0.0, 0.0
        for line in running.stdout:
            events.append(json.loads(line))
            if len(events) == 25:  # the parsers of ordinary pages are loaded by now
                before = memory(running.pid, "VmRSS")
            peak = max(peak, memory(running.pid, "VmHWM"))  # the last line comes after the index is made
        err = running.stderr.read()
        code = running.wait(60)
        running.stdout.close()
        running.stderr.close()
        yield folder, site, events, (code, err), peak - before


def test_every_good_page_is_captured(crawled):
    _, site, events, (code, err), _ = crawled
    assert code in (0, 15), err
    assert "Traceback" not in err
    captured = {event["url"] for event in events if event["event"] == "captured" and event["status"] == 200}
    assert set(site.good) <= captured


def test_nothing_inside_is_hit_and_robots_are_obeyed(crawled):
    _, site, *_ = crawled
    assert site.internal_hits == 0
    assert not [path for path in site.hits if path.startswith("/forbidden/")]


def test_memory_stays_flat(crawled):
    # A quick machine makes tens of thousands of captures here, a slow one hundreds: none of them is held.
    assert 0 < crawled[4] < 64


def test_traps_are_named_and_left(crawled):
    _, site, events, *_ = crawled
    done = events[-1]
    assert done["event"] == "done"
    hits = {}
    for name in TRAPS:
        path = site.behaviours[name].path.split("?")[0]
        stem = path.rpartition("/")[0] + "/" if path.count("/") > 2 else path
        hits[name] = sum(count for hit, count in site.hits.items() if hit.startswith(stem))
    assert min(hits.values()) > 0, hits
    assert max(hits.values()) <= 200, hits
    assert done["traps"], "the report names them"


def test_every_failure_is_recorded_and_the_archive_is_sound(crawled):
    folder, *_ = crawled
    audit = json.loads(strandline("verify", folder, "--json").out)
    assert audit["ok"], audit["problems"][:3]
    assert audit["captures"] > 100
