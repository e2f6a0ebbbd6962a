"""`strandline watch` from the outside: budget, robots and restarts, checked from the log of a living site."""

import contextlib
import json
import math
from bisect import bisect_left
from itertools import pairwise

from journeys.command import strandline
from strandline.demo.server import DemoServer
from strandline.store.catalog import DATABASE
from strandline.store.watching import WatchReading

HOUR = 1.0
PARTS_REST = 47  # hours that a style, a picture or a script stays as it is, at least, less what a clock may err
MORE = 8  # watches that a busy machine is given to do what an idle one does in two


def watch(folder, site, *words, hours=11, budget="20/hour"):
    return strandline(
        "watch", folder, "--seeds", site.url, "--allow-address", "127.0.0.1/32", "--budget", budget,
        "--hour-seconds", HOUR, "--for", f"{hours}h", "--json", *words,
    )  # fmt: skip


def most_in_an_hour(site):
    """Most requests the server saw in any span of an hour, wherever it begins."""
    times = sorted(hit.time for hit in site.log)
    return max(bisect_left(times, start + HOUR) - place for place, start in enumerate(times))


def parts_again(site):
    """Shortest time after which the server was asked for a part of pages again."""
    asked = {}
    for hit in sorted(site.log, key=lambda hit: hit.time):
        if hit.path.endswith((".css", ".svg", ".js")):
            asked.setdefault(hit.path, []).append(hit.time)
    assert asked, "a part was asked for at all"
    return min((later - earlier for times in asked.values() for earlier, later in pairwise(times)), default=math.inf)


def test_a_watch_keeps_its_budget_obeys_robots_and_goes_on_where_it_stood(tmp_path):
    with DemoServer(hour_seconds=HOUR) as site:
        first = watch(tmp_path / "archive", site)
        assert first.code == 0, first.err
        assert first.lines[-1]["event"] == "done"
        second = watch(tmp_path / "archive", site, hours=5)
        assert second.code == 0, second.err
        for _ in range(MORE):  # how far a watch comes in its hours depends on the machine
            if len(site.log) > 2 * 20:
                break
            assert watch(tmp_path / "archive", site, hours=11).code == 0
        assert most_in_an_hour(site) <= 20, "also across the restart"
        assert len(site.log) > 2 * 20, "it goes on from hour to hour"
        assert not [hit for hit in site.log if hit.path.startswith("/ads/click")]
        assert parts_again(site) >= PARTS_REST * HOUR, "parts are not, before two days have passed"
    with contextlib.closing(WatchReading.open(tmp_path / "archive" / DATABASE)) as reading:
        state = reading.watch_state()
        assert state.ended == "complete"
        assert state.document["hour_seconds"] == HOUR
        hours = list(reading.watch_hours())
        assert len(hours) >= 8
        assert sum(row.requests for row in hours) <= len(site.log)
        assert any(row.firsts for row in hours)
    audit = json.loads(strandline("verify", tmp_path / "archive", "--json").out)
    assert audit["ok"]
