"""The crawl itself, killed again and again: nothing that was reported is lost, and it goes on by itself."""

import functools
import json
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest

from faults.loops import crash_loop, forms, promises_hold, small_disk
from journeys.command import ENVIRONMENT, LOOPBACK, UNSTUDIED, start, strandline
from strandline.archive.folder import open_archive
from strandline.cli import crawling as _ready_before_the_fork  # noqa: F401
from strandline.cli.main import app
from strandline.demo.server import DemoServer
from strandline.errors import OutOfSpace
from strandline.store.catalog import SqliteCatalog
from strandline.warc.captures import Kept, captures_of


@pytest.fixture(scope="module")
def site():
    """A living site in a process of its own: this one is forked."""
    code = "from strandline.demo.server import DemoServer as D\nwith D(2.0) as d: print(d.url, flush=True); input()"
    process = subprocess.Popen([sys.executable, "-c", code], stdin=-1, stdout=-1, text=True, env=ENVIRONMENT)
    yield process.stdout.readline().strip()
    process.communicate("\n", timeout=600)


def crawl(folder, url):
    """What `strandline crawl` does, in this process."""
    app(["crawl", str(folder), "--seeds", url, *LOOPBACK], standalone_mode=False)


@forms("STRANDLINE_CRAWL_KILLS", 5, 25)
def test_kill_9_at_any_moment_of_a_crawl(tmp_path, site, cycles):
    folder = tmp_path / "archive"
    assert strandline("init", folder).code == 0
    everything = []

    def check(promises):
        everything.extend(promises)
        return promises_hold(folder, promises)

    tally = crash_loop(functools.partial(crawl, folder, site), check, cycles, longest=0.5)
    assert tally.lost == []
    assert tally.ended_early == []
    assert tally.promises > 2 * cycles
    finished = strandline("crawl", folder, "--seeds", site, *LOOPBACK)
    assert finished.code == 0, finished.err
    assert not list(folder.glob("spool-*")), "folders of crawls that were killed"
    audit = json.loads(strandline("verify", folder, "--json").out)
    assert audit["ok"], audit["problems"][:5]
    assert audit["captures"] >= tally.promises
    assert promises_hold(folder, everything) == []
    places = Counter((p["file"], p["offset"]) for p in everything)
    assert max(places.values()) == 1, "a capture is reported once"


def test_first_interrupt_finishes_second_stops_at_once_and_the_same_command_goes_on(tmp_path):
    with DemoServer(hour_seconds=60.0) as demo:
        folder = tmp_path / "archive"
        slow = ("--delay", "0.05", *UNSTUDIED[2:])
        reported = []
        for interrupts, code in ((1, 11), (2, 13)):
            running = start("crawl", folder, "--seeds", demo.url, *slow)
            reported.append(json.loads(running.stdout.readline()))
            for _ in range(interrupts):
                running.send_signal(signal.SIGINT)
                time.sleep(0.01)
            out, err = running.communicate(timeout=600)
            reported += [json.loads(line) for line in out.splitlines()]
            # The second may come when the crawl has already ended as the first wanted it.
            assert running.returncode in (code, 11), err
            assert "Traceback" not in err
            assert not list((folder / "archive").glob("*.open"))
            assert json.loads(strandline("verify", folder, "--json").out)["ok"]
        finished = strandline("crawl", folder, "--seeds", demo.url, "--delay", "0", *slow[2:])
        assert finished.code == 0, finished.err
        reported += finished.lines
        asked = Counter(hit.path for hit in demo.log)
        captured = Counter(event["url"] for event in reported if event["event"] == "captured")
        assert max(captured.values()) == 1, "a resumed crawl does not fetch again"
        assert len(captured) > 150
        assert sum(asked.values()) <= len(captured) + 3, "only what was in flight is asked again"


def test_a_second_writer_is_told_who_the_first_is(tmp_path):
    with DemoServer(hour_seconds=60.0) as demo:
        folder = tmp_path / "archive"
        first = start("crawl", folder, "--seeds", demo.url, "--delay", "1", *UNSTUDIED[2:])
        try:
            first.stdout.readline()
            second = strandline("crawl", folder, "--seeds", demo.url, *UNSTUDIED)
            assert second.code == 5
            assert str(first.pid) in second.err
            assert len(second.err.splitlines()) == 1
            assert strandline("versions", folder, demo.url).code == 0, "readers are always allowed"
        finally:
            first.kill()
            first.communicate()
        assert strandline("crawl", folder, "--seeds", demo.url, *UNSTUDIED).code == 0, "a dead owner holds nothing"


def test_a_reader_that_leaves_early_does_no_harm(tmp_path):
    with DemoServer(hour_seconds=60.0) as demo:
        folder = tmp_path / "archive"
        running = start("crawl", folder, "--seeds", demo.url, *UNSTUDIED)
        running.stdout.readline()
        running.stdout.close()
        assert running.wait(600) == 11, "it did not end by itself, and the same command goes on"
        assert "Traceback" not in running.stderr.read()
        running.stderr.close()
        assert json.loads(strandline("verify", folder, "--json").out)["ok"]


@pytest.mark.root
def test_a_full_disk_ends_with_3_and_the_crawl_resumes_when_there_is_room(tmp_path):
    with small_disk(tmp_path / "disk", "1536k") as disk, DemoServer(hour_seconds=600.0) as demo:
        folder = disk / "archive"
        full = strandline("crawl", folder, "--seeds", demo.url, *UNSTUDIED)
        assert full.code == 3, full.err
        assert "Traceback" not in full.err
        assert str(disk) in full.err
        promised = full.captured
        assert promised
        subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
        assert promises_hold(folder, promised) == []
        assert json.loads(strandline("verify", folder, "--json").out)["ok"]
        again = strandline("crawl", folder, "--seeds", demo.url, *UNSTUDIED)
        assert again.code == 0, again.err
        assert len({e["url"] for e in promised} | {e["url"] for e in again.captured}) > 150
        assert json.loads(strandline("verify", folder, "--json").out)["ok"]


def test_what_a_full_catalog_could_not_record_is_recorded_by_the_next_start(tmp_path, site, monkeypatch):
    """The WARC files have room, the catalog has none: files and catalog agree again as soon as there is."""
    folder, commits = tmp_path / "archive", []
    assert strandline("init", folder).code == 0

    def commit(catalog, batch):
        commits.append(sum(visit.capture is not None for visit in batch.visited))
        if len(commits) == 3:
            raise OutOfSpace("no room left for the catalog")
        return record(catalog, batch)

    record = SqliteCatalog.commit
    monkeypatch.setattr(SqliteCatalog, "commit", commit)
    with pytest.raises(OutOfSpace):
        crawl(folder, site)
    monkeypatch.undo()
    archive = open_archive(folder)
    with archive.writing("test") as catalog:
        recorded = {capture.place for capture in catalog.all_captures()}
    assert len(recorded) == sum(commits) > commits[2] > 0
    files = (folder / "archive").iterdir()
    assert {item.capture.place for file in files for item in captures_of(file) if isinstance(item, Kept)} == recorded
    assert archive.verify().ok
