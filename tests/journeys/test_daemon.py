"""A watch as a daemon: it is asked how it stands, told to take other settings, runs out of room, is killed and goes on;
whoever is to be told hears of every important change once and in order.
"""

import json
import signal
import subprocess
import time
from contextlib import closing, contextmanager

import pytest

from journeys.command import start, strandline
from made.receivers import Webhook, wait_for
from strandline.demo.server import DemoServer
from strandline.settings.edit import change_settings
from strandline.store.alarming import AlarmReading
from strandline.store.outbox import OutboxReading
from strandline.store.watching import WatchReading

HOUR = "0.5"


class Watching:
    """`strandline watch` under way, its log in a file."""

    def __init__(self, folder, log, *more, fresh=False):
        words = ["watch", folder, "--hour-seconds", HOUR, "--allow-address", "127.0.0.1/32", "--log-format", "json"]
        self.log = log
        with log.open("ab") as stderr:
            self.process = start(*words, *more, stdout=subprocess.DEVNULL, stderr=stderr, fresh=fresh)

    @property
    def said(self):
        lines = [json.loads(line) for line in self.log.read_text().splitlines()]
        return [line.get("text", "") for line in lines if line["event"] in ("watch", "alarm-opened", "alarm-closed")]

    def hears(self, words):
        return wait_for(lambda: any(words in text for text in self.said), 600)

    def hang_up(self):
        self.process.send_signal(signal.SIGHUP)

    def end(self, number):
        self.process.send_signal(number)
        return self.process.wait(600)


@pytest.fixture
def site(tmp_path):
    """An archive of a living site, and somebody who is told."""
    hook = Webhook()
    with DemoServer(hour_seconds=float(HOUR)) as demo:
        folder = tmp_path / "a"
        assert strandline("init", folder, "--seeds", demo.url).code == 0
        values = {
            "alerts.webhooks": json.dumps([f"{hook.url} min=0.05"]),
            "alerts.allow_address": '["127.0.0.1/32"]',
            "plan.budget": '"120/hour"',
        }
        change_settings(folder, values)
        yield folder, demo, hook
    hook.close()


@contextmanager
def reading(kind, folder):
    with closing(kind.open(folder / "strandline.db")) as opened:
        yield opened


def stands(folder):
    with reading(WatchReading, folder) as catalog:
        return catalog.watch_state()


def alarm_is_open(folder):
    with reading(AlarmReading, folder) as catalog:
        return catalog.is_open("disk", "")


def told_once_and_in_order(folder, hook):
    with reading(OutboxReading, folder) as catalog:
        assert wait_for(lambda: all(queue.waiting == 0 for queue in catalog.queues()), 600)
        delivered = {row[0]: row[1] for row in catalog._rows("SELECT alert, state FROM deliveries")}
    assert hook.sequence == sorted(delivered) and set(delivered.values()) == {1}
    assert len(set(hook.keys)) == len(hook.keys) == len(delivered)
    return len(delivered)


def test_a_day_in_the_life_of_a_daemon(site, tmp_path):
    folder, demo, hook = site
    watch = Watching(folder, tmp_path / "log", fresh=True)
    assert wait_for(lambda: hook.got, 600)
    status = strandline("status", folder, "--json", "--quick").lines[0]
    assert status["state"] == "running" and status["watch"]["pid"] == watch.process.pid

    text = (folder / "strandline.toml").read_text()
    (folder / "strandline.toml").write_text(text.replace("[plan]", "[plan]\nbudgett = 5"))
    watch.hang_up()
    assert watch.hears("the settings stay as they were") and any("budgett" in said for said in watch.said)
    assert stands(folder).document["budget"] == "120/hour"

    (folder / "strandline.toml").write_text(text)
    change_settings(folder, {"plan.budget": '"100/hour"', "fetch.redirects": "7"})
    watch.hang_up()
    assert watch.hears("settings taken anew: plan.budget") and watch.hears("not before a new start: fetch.redirects")
    assert wait_for(lambda: stands(folder).document["budget"] == "100/hour")

    change_settings(folder, {"keep.disk_reserve": '"900 TiB"'})
    watch.hang_up()
    assert wait_for(lambda: alarm_is_open(folder), 600)
    assert wait_for(lambda: stands(folder).document["paused"])
    assert strandline("status", folder, "--json", "--quick").lines[0]["state"] == "paused"
    assert wait_for(lambda: _silent(demo)), "requests go on while there is no room"

    change_settings(folder, {"keep.disk_reserve": '"0 B"'})
    before = len(demo.log)
    watch.hang_up()
    assert wait_for(lambda: not alarm_is_open(folder), 600)
    assert wait_for(lambda: len(demo.log) > before, 600)

    assert watch.end(signal.SIGTERM) == 11
    assert strandline("status", folder, "--json", "--quick").lines[0]["why"] == "interrupted"
    assert told_once_and_in_order(folder, hook) > 1
    kinds = [message["event"] for message in hook.got if message["kind"] == "alarm" and message["alarm"] == "disk"]
    assert kinds == ["opened", "closed"]


def _silent(demo):
    before = len(demo.log)
    time.sleep(3 * float(HOUR))
    return len(demo.log) == before


def test_a_watch_that_is_killed_tells_everything_once_and_in_order(site, tmp_path):
    folder, _, hook = site
    watch = Watching(folder, tmp_path / "log")
    assert wait_for(lambda: len(hook.got) > 1, 600)
    assert watch.end(signal.SIGKILL) == -signal.SIGKILL
    assert strandline("status", folder, "--json", "--quick").lines[0]["state"] == "killed"
    done = Watching(folder, tmp_path / "log", "--for", "10h").process.wait(600)
    assert done == 0
    assert told_once_and_in_order(folder, hook) >= 2
