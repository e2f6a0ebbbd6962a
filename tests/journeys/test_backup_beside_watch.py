"""A backup taken while a watch runs: what it has told by then is in it, and the restored archive is watched on."""

import json
import subprocess

from journeys.command import LOOPBACK, start, strandline
from strandline.archive.folder import open_archive
from strandline.demo.server import DemoServer

CAPTURES = 40
WATCHED = ("--allow-address", "127.0.0.1/32", "--budget", "60/hour", "--hour-seconds", "3", "--json")


def captured(lines, wanted=1e9):
    """Captures that are told, with their places, until there are so many."""
    found = set()
    for line in lines:
        event = json.loads(line)
        if event["event"] == "captured":
            found.add(tuple(event[name] for name in ("url", "file", "offset")))
        if len(found) >= wanted:
            break
    return found


def test_taken_beside_a_watch_it_restores_to_an_archive_that_verifies_and_goes_on(tmp_path):
    archive, backup, restored = (tmp_path / name for name in ("archive", "backup", "restored"))
    with DemoServer(hour_seconds=3.0) as site:
        assert strandline("init", archive, "--seeds", site.url).code == 0
        assert strandline("crawl", archive, *LOOPBACK).code == 0
        with start("watch", archive, *WATCHED, stderr=subprocess.DEVNULL) as watching:
            try:
                told = captured(watching.stdout, CAPTURES)
                saved = strandline("backup", archive, backup, "--json")
                assert (len(told), watching.poll()) == (CAPTURES, None), "the watch goes on"
            finally:
                watching.kill()
        assert saved.code == 0, saved.err
        assert strandline("restore", backup, restored, "--json").code == 0
        assert strandline("verify", restored, "--json").code == 0
        held = {(one.url, one.place.file, one.place.offset) for one in open_archive(restored).everything.all_captures()}
        again = strandline("watch", restored, *WATCHED, "--for", "2h")
        assert again.code == 0, again.err
        assert again.captured
    assert told <= held
