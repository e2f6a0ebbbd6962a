"""Saved searches: told when words appear on a page and when they vanish, once, and not when they only moved."""

import time
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime

from strandline.alerts.mail import mail_of
from strandline.alerts.monitor import AlertMonitor
from strandline.alerts.saved_searches import Shown, saved_searches, search_alerts
from strandline.alerts.targets import Target
from strandline.settings.schema import AlertSettings, Settings
from strandline.store.catalog import DATABASE
from strandline.store.histories import BlockLife
from strandline.store.outbox import OutboxReading
from web.archives import Builder

NOW = 1_780_000_000.0
SEARCHES = AlertSettings(searches=('prices: "new price" OR discount -closed', "other: harbour"))
PAGE = Shown(1, "http://a.example/", "a.example", NOW, NOW - 60)


def life(text, first=NOW, gone=None):
    return BlockLife(PAGE.url, 1, "", text, first, NOW, gone)


def events(*lives, shown=PAGE):
    searches = saved_searches(SEARCHES)
    found = search_alerts(searches, [shown], lambda _: list(lives), NOW, (SEARCHES, "an archive"))
    return [(alert.document["search"], alert.document["event"]) for alert in found]


def test_words_that_come_and_go_are_told_and_those_that_stay_are_not():
    assert events(life("The NEW price: 5")) == [("prices", "appeared")]
    assert events(life("A discount", NOW - 99, NOW)) == [("prices", "vanished")]
    assert events(life("A discount. closed")) == []
    assert events(life("A discount", NOW - 99, NOW), life("Another discount")) == []  # the block was edited
    assert events(life("Our discount", NOW - 99), life("A discount")) == []  # the page had it elsewhere
    assert events(life("Our discount", NOW - 99, NOW - 50), life("A discount")) == [("prices", "appeared")]
    assert events(life("harbour, discount")) == [("prices", "appeared"), ("other", "appeared")]
    assert events(life("discount"), shown=replace(PAGE, time=NOW - 30 * 86400)) == []  # history


def test_a_new_page_and_a_change_are_told_by_a_watch_once(tmp_path):
    def moment(seconds):
        return datetime.fromtimestamp(time.time() - seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    first = Builder(tmp_path / "made", "a.warc.gz")
    first.add("http://a.example/old", "<p>Nothing of note is here.</p>", when=moment(7200))
    archive = first.archive()
    archive.study()
    targets = ("http://127.0.0.1:9/x only=searches", "http://127.0.0.1:9/y only=alarms")
    settings = replace(Settings(), alerts=replace(SEARCHES, webhooks=targets))
    monitor = AlertMonitor(archive.folder, settings)
    second = Builder(tmp_path / "made", "b.warc.gz")
    second.add("http://a.example/old", "<p>The harbour is open now, and all may come.</p>", when=moment(3600))
    second.add("http://a.example/new", "<p>There is a discount for all who come.</p>", when=moment(3500))
    second._file.close()
    archive.bring_in(tmp_path / "made" / "b.warc.gz")
    archive.study()
    monitor.decide()
    assert monitor.decide() == 0
    monitor.close()
    with closing(OutboxReading.open(archive.folder / DATABASE)) as reading:
        told = [alert for alert in reading.alerts(limit=10) if alert.kind == "search"]
        waiting = {queue.target: queue.waiting + queue.given_up for queue in reading.queues()}
    found = {(one.document["search"], one.document["event"], one.url) for one in told}
    assert found == {
        ("other", "appeared", "http://a.example/old"),
        ("prices", "appeared", "http://a.example/new"),
    }
    assert waiting.get("http://127.0.0.1:9/x") == 2 and not waiting.get("http://127.0.0.1:9/y")
    message = mail_of(told, "a@b.example", "c@d.example", NOW)
    assert "2 finds of searches" in message["Subject"] and "discount for all" in message.get_content()


def test_targets_that_want_changes_alone_hear_of_no_searches():
    (alert,) = search_alerts(saved_searches(SEARCHES), [PAGE], lambda _: [life("harbour")], NOW, (SEARCHES, "x"))
    assert Target("email", "a@b").wants(alert) and Target("email", "a@b", only="searches").wants(alert)
    assert not Target("email", "a@b", only="changes").wants(alert)
    assert not Target("email", "a@b", site="other.example").wants(alert)
