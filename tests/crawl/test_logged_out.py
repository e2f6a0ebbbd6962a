"""A site that logged out is paused, in the run and in the settings, until somebody logs in."""

import time
from contextlib import closing

import strandline
from made.alerting import settings_for
from made.receivers import Webhook, wait_for
from strandline.alerts.monitor import AlertMonitor
from strandline.app.alerts_listing import alarms
from strandline.crawl.logged_out import logged_in_again, logged_out
from strandline.crawl.site_orders import Gate


def test_it_is_paused_with_an_alarm_and_goes_on_after_a_login(tmp_path, capsys):
    archive = strandline.create(tmp_path / "a", contact="https://archive.example/")
    archive.site_add("https://members.example/", budget="10/day")
    gate = Gate()
    for _ in range(2):
        logged_out(archive.folder, gate, lambda: 7.0, "members.example", "https://members.example/x: answered 401")
    assert gate.why_not("www.members.example", 0.0) == "the site is paused"
    assert gate.why_not("other.example", 0.0) == ""
    opened = strandline.open(archive.folder)
    assert [(one.state, one.budget) for one in opened.settings.site] == [("paused", "10/day")]
    assert [(one.kind, one.subject, one.opened) for one in alarms(opened)] == [("login", "members.example", 7.0)]
    assert not logged_in_again(archive.folder, "other.example", 8.0)
    assert logged_in_again(archive.folder, "members.example", 8.0)
    assert alarms(opened) == []
    assert strandline.open(archive.folder).settings.site[0].state == "active"


def test_one_that_somebody_paused_stays_paused(tmp_path):
    archive = strandline.create(tmp_path / "a", contact="https://archive.example/")
    archive.site_add("https://members.example/")
    archive.site_pause("members.example")
    assert not logged_in_again(archive.folder, "members.example", 8.0)
    assert strandline.open(archive.folder).settings.site[0].state == "paused"


def test_a_running_watch_tells_whoever_hears_alarms_once(tmp_path):
    archive = strandline.create(tmp_path / "a", contact="https://archive.example/")
    with closing(Webhook()) as hook:
        monitor = AlertMonitor(archive.folder, settings_for(hook.url))
        logged_out(archive.folder, Gate(), time.time, "members.example", "https://members.example/x: answered 401")
        for _ in range(3):
            monitor._next_look = 0.0
            monitor.beside()
        assert wait_for(lambda: [one["event"] for one in hook.got] == ["opened"])
        assert logged_in_again(archive.folder, "members.example", time.time())
        monitor.close()
        assert wait_for(
            lambda: [(one["alarm"], one["event"]) for one in hook.got] == [("login", "opened"), ("login", "closed")]
        )
