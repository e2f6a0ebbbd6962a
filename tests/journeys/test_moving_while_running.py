"""An archive is moved while a watch, or workers, go on with it: the stop has only what came since, nothing is lost.

A promise is a line a watch or worker printed: each must be at the target, with its bytes. Controls are in
cluster/test_move_passes.py.
"""

import json
import signal
import threading
import time
from dataclasses import replace

import psycopg

from journeys import command
from journeys.command import LOOPBACK
from made.moved import differ, held_by, place, strandline
from servers import object_stores, postgres
from strandline.archive.folder import create
from strandline.demo.server import DemoServer
from strandline.settings.file import NAME, settings_text
from strandline.warc.objects import Objects
from strandline.warc.objects_reader import ObjectReader
from strandline.warc.reader import WarcReader

pytestmark = postgres.GROUP
__all__ = ["place"]
HOUR = 3.0
WATCHED = ("--allow-address", "127.0.0.1/32", "--json")
PATIENCE = 240.0
STOPPED = 11
"""How a command ends that was told to."""


class Writer:
    """A watch or worker in a process of its own; `promised` grows with every line it prints."""

    def __init__(self, *words):
        self._process = command.start(*words, env=object_stores.running().environment())
        self.promised = set()
        self.said = []
        self._threads = [threading.Thread(target=self._listen), threading.Thread(target=self._hear)]
        for thread in self._threads:
            thread.start()

    def _listen(self):
        for line in self._process.stdout:
            event = json.loads(line)
            if event["event"] == "captured":
                self.promised.add((event["url"], event["file"], event["offset"]))

    def _hear(self):
        self.said.extend(self._process.stderr)

    def wait_for(self, more):
        wanted, deadline = len(self.promised) + more, time.monotonic() + PATIENCE
        while len(self.promised) < wanted:
            assert self._process.poll() is None and time.monotonic() < deadline, "".join(self.said)
            time.sleep(0.05)

    def stop(self):
        self._process.send_signal(signal.SIGTERM)
        code = self._process.wait(PATIENCE)
        for thread in self._threads:
            thread.join()
        return code

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        for thread in self._threads:
            thread.join()
        self._process.stdout.close()
        self._process.stderr.close()


def test_there_and_back_while_a_watch_and_a_worker_go_on(place, tmp_path):
    database, store = place
    folder, back = tmp_path / "archive", tmp_path / "back"
    to = ("--database", database, "--store", store, "--json", "--quiet")
    with DemoServer(hour_seconds=HOUR) as site:
        made = create(folder, contact="https://library.example/bot", seeds=(site.url,)).settings
        fetch = replace(made.fetch, allow_address=("127.0.0.1/32",))
        chosen = replace(made, fetch=fetch, plan=replace(made.plan, budget="90/hour"))
        (folder / NAME).write_text(settings_text(chosen))
        assert strandline("crawl", folder, *LOOPBACK).code == 0
        before = held_by(folder)
        with Writer("watch", folder, *WATCHED, "--hour-seconds", HOUR) as watch:
            watch.wait_for(5)
            killed = command.start(
                "migrate", folder, *to[:4], "--while-running", env=object_stores.running().environment()
            )
            while "pages" not in killed.stderr.readline():
                assert killed.poll() is None
            killed.send_signal(signal.SIGKILL)
            killed.communicate()
            first = strandline("migrate", folder, *to, "--while-running")
            assert first.code == 0, first.err
            (told,) = first.lines
            assert not told["finished"] and len(told["passes"]) >= 2 and told["captures"] >= len(before)
            assert told["passes"][0]["rows"] > told["passes"][-1]["rows"], "the first has everything, the others little"
            watch.wait_for(5)
            for words in (("tag", folder, site.url, "seen"), ("note", folder, site.url, "in between")):
                assert strandline(*words).code == 0
            busy = strandline("migrate", folder, *to)
            assert busy.code and "is being written by" in busy.err, "the last pass is not made beside a watch"
            started = strandline("worker", "--database", database, "--json")
            assert started.code and "not finished" in started.err
            watch.wait_for(5)
            assert watch.stop() == STOPPED, "".join(watch.said)
        last = strandline("migrate", folder, *to)
        assert last.code == 0, last.err
        (told,) = last.lines
        assert told["finished"] and told["rows_left"] == told["bytes_left"] == 0
        held = held_by(folder)
        assert watch.promised <= held.keys() and len(held) == told["captures"] and held.keys() > before.keys()
        assert differ(folder, database) == []
        here, there = WarcReader(folder / "archive"), ObjectReader(Objects(store))
        for capture in held.values():
            assert there.read(capture.place).body.read() == here.read(capture.place).body.read()
        with psycopg.connect(database) as connection:
            texts = connection.execute("SELECT text FROM annotations ORDER BY text").fetchall()
            assert texts == [("in between",), ("seen",)]
        # And back.
        words = ("--watch", "--hour-seconds", HOUR, "--lease", "5", "--commit-seconds", "0.5")
        with Writer("worker", "--database", database, *words, "--json", "--spool", tmp_path / "spool") as worker:
            worker.wait_for(3)
            at = ("--database", database, "--back", "--json", "--quiet")
            first = strandline("migrate", back, *at, "--while-running")
            assert first.code == 0, first.err
            assert not first.lines[0]["finished"] and len(first.lines[0]["passes"]) >= 2
            worker.wait_for(3)
            busy = strandline("migrate", back, *at)
            assert busy.code and "at work" in busy.err
            early = strandline("watch", back, *WATCHED, "--for", "1h")
            assert early.code and "not finished" in early.err
            assert strandline("tag", database, site.url, "late").code == 0
            worker.wait_for(3)
            assert worker.stop() == STOPPED, "".join(worker.said)
        last = strandline("migrate", back, *at)
        assert last.code == 0, last.err
        assert last.lines[0]["finished"]
        assert held.keys() | worker.promised <= held_by(back).keys()
        assert differ(back, database) == []
        tags = strandline("tag", back, "--json")
        assert "late" in tags.out and "seen" in tags.out, tags.out + tags.err
        audit = strandline("verify", back, "--json")
        assert audit.code == 0 and audit.lines[0]["captures"] == len(held_by(back)) == last.lines[0]["captures"]
        again = strandline("watch", back, *WATCHED, "--for", "1h", "--hour-seconds", HOUR)
        assert again.code == 0, again.err
