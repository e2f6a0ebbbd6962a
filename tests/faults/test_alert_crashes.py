"""kill -9 while pages change and alerts go out: every change is told once, in order.

STRANDLINE_ALERT_KILLS sets how often (3; 12 in the long form).
"""

import functools
import os
import random
import signal
import time
from contextlib import closing
from dataclasses import replace

import pytest

from faults.loops import PATIENCE, Run, forms
from made.news import News
from made.receivers import LOOPBACK, Webhook, wait_for
from strandline.alerts.delivery import Carrier, DeliveryProcess, sender_for
from strandline.alerts.monitor import AlertMonitor
from strandline.alerts.outbox import delivery_orders
from strandline.alerts.targets import targets_of
from strandline.settings.schema import AlertSettings, Settings
from strandline.store.outbox import Outbox, OutboxReading

KILLS = forms("STRANDLINE_ALERT_KILLS", 3, 12)
DATABASE = "strandline.db"


def settings_for(url):
    return replace(Settings(), alerts=AlertSettings(webhooks=(url,), allow_address=LOOPBACK, queue=10**6))


def watch(folder, url, rounds=10**6):
    """Stands for a watch: pages change, the monitor decides, its delivery process delivers."""
    news = News(folder)
    monitor = AlertMonitor(folder, settings_for(url))
    for _ in range(rounds):
        news.change(random.choice((0.9, 0.9, 0.1)))
        monitor.decide()
        process = monitor._dispatch._delivery_process._process
        print("{}" if process is None else f'{{"delivery": {process.pid}}}', flush=True)
        time.sleep(0.002)
    monitor.close()
    news.close()


def watch_that_sends_itself(folder, url, rounds=10**6):
    """The control: deliveries in the very process that is killed."""
    DeliveryProcess.poke = lambda _: None  # in this forked process only
    news, settings = News(folder), settings_for(url)
    monitor = AlertMonitor(folder, settings)
    targets = targets_of(settings.alerts)
    outbox = Outbox.open(folder / DATABASE)
    orders = delivery_orders(str(folder), settings, targets)
    carrier = Carrier(targets[0], outbox, sender_for(targets[0], orders), orders)
    for _ in range(rounds):
        news.change(0.9)
        monitor.decide()
        carrier.deliver(lambda: False)
        print("{}", flush=True)
    monitor.close()
    outbox.close()
    news.close()


def kill_loop(watching, kills, delivery_too=False, seed=7):
    """Kill at random moments; everything is delivered by a last run that may end by itself."""
    rng = random.Random(seed)
    for _ in range(kills):
        run = Run(watching)
        run.read(PATIENCE, lines=rng.randrange(1, 30))
        run.read(rng.random() * 0.3)
        processes = [
            line.rsplit(" ", 1)[1].rstrip("}") for line in run._text.decode().split("\n") if "delivery" in line
        ]
        if delivery_too and processes:
            os.kill(int(processes[-1]), signal.SIGKILL)
        run.end()
    last = Run(functools.partial(watching, rounds=3))
    while last.read(PATIENCE):
        pass
    last.end()
    assert last.status == 0


def told(folder):
    """Keys of all alerts in order, once none is waiting."""
    with closing(OutboxReading.open(folder / DATABASE)) as reading:
        assert wait_for(lambda: all(queue.waiting == 0 for queue in reading.queues()), PATIENCE)
        return [alert.key for alert in reading.alerts(10**6)][::-1]


@pytest.fixture
def hook():
    slow = random.Random(1)
    receiver = Webhook(delay=lambda: slow.random() * 0.02)
    yield receiver
    receiver.close()


def decided_once(folder, kills):
    """Every change that matters has one alert."""
    with closing(Outbox.open(folder / DATABASE)) as outbox:
        wanted = outbox._connection.execute("SELECT count(*) FROM changes WHERE importance >= 0.3").fetchone()[0]
        made = outbox._connection.execute("SELECT count(*), count(DISTINCT url) FROM alerts").fetchone()
    assert made == (wanted, wanted) and wanted > kills


@KILLS
def test_kill_9_of_the_watch_each_alert_is_delivered_once_and_in_order(tmp_path, hook, cycles):
    kill_loop(functools.partial(watch, tmp_path, hook.url), cycles)
    keys = told(tmp_path)
    assert hook.keys == keys  # nothing lost, nothing twice, nothing out of order
    decided_once(tmp_path, cycles)


@KILLS
def test_kill_9_of_the_delivery_process_too_what_comes_twice_bears_the_same_key(tmp_path, hook, cycles):
    kill_loop(functools.partial(watch, tmp_path, hook.url), cycles, delivery_too=True, seed=8)
    keys = told(tmp_path)
    assert list(dict.fromkeys(hook.keys)) == keys  # a receiver that drops known keys: once, in order
    repeated = len(hook.keys) - len(keys)
    assert repeated <= cycles  # at most the one message that was under way
    assert repeated == sum(a == b for a, b in zip(hook.keys, hook.keys[1:], strict=False))  # and at once
    decided_once(tmp_path, cycles)


@pytest.mark.long
def test_control_a_watch_that_sends_itself_delivers_some_twice(tmp_path):
    with closing(Webhook(delay=lambda: 0.05)) as hook:  # most of its time it waits for an answer, and is killed then
        for seed in range(20):
            kill_loop(functools.partial(watch_that_sends_itself, tmp_path, hook.url), 3, seed=seed)
            if len(hook.keys) > len(set(hook.keys)):
                break
        assert list(dict.fromkeys(hook.keys)) == told(tmp_path)
        assert len(hook.keys) > len(set(hook.keys))
