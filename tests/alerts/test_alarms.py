"""Alarms beside a watch: they open once, explain themselves, survive a restart and close by themselves."""

import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from made.news import News
from strandline.alerts.alarms import AlarmKeeper, audited
from strandline.alerts.monitor import AlertMonitor
from strandline.core.capture import Evidence, Outcome
from strandline.core.quality.alarms import COLLAPSE, GONE, REFUSED, SMALLER, UNREACHABLE
from strandline.errors import OutOfSpace
from strandline.ports import Batch, Visited
from strandline.settings.schema import Settings
from strandline.store.alarming import AlarmReading, AlarmWriter
from strandline.store.catalog import SqliteCatalog
from strandline.store.outbox import OutboxReading, take_over_alerts
from strandline.store.watching import HourRow

DATABASE = "strandline.db"


class Watched:
    """A site that is visited again and again; each round is one observation."""

    def __init__(self, folder, pages=12):
        self.folder = folder
        self.news = News(folder)
        self.urls = [f"http://news.example/page/{number}" for number in range(pages)]
        self.heard = []
        self.writer = AlarmWriter.open(folder / DATABASE)
        self.desk = AlarmKeeper(self.writer, self.heard.append)
        self.now = time.time() - 10**6

    def round(self, status=lambda _: 200, held=False):
        """Visit every page, then observe."""
        for number, url in enumerate(self.urls):
            self.now += 1.0
            self.news.change(0.5, held=held, visible=held, url=url, when=self.now, status=status(number))
            self._visited(url, Outcome.ANSWERED, Evidence.ABSENT if status(number) == 404 else Evidence.PRESENT)
        self.now += 10.0
        self.desk.observe(self.writer.progress(), self.now)

    def fail(self):
        """Every page fails without an answer."""
        self.now += 1.0
        for url in self.urls:
            self._visited(url, Outcome.TIMEOUT, Evidence.UNREACHABLE)
        self.now += 10.0
        self.desk.observe(self.writer.progress(), self.now)

    def _visited(self, url, outcome, evidence, attempts=None):
        page = self.news.catalog.page(url).page
        tried = int(outcome is Outcome.TIMEOUT) if attempts is None else attempts
        visit = Visited(page, outcome, "", None, evidence, self.now, self.now, 0.0, tried)
        self.news.catalog.commit(Batch([visit]))

    def answer(self, url, status=200):
        """A page is answered."""
        self.news.change(0.5, url=url, when=self.now, status=status)
        self._visited(url, Outcome.ANSWERED, Evidence.ABSENT if status == 404 else Evidence.PRESENT)

    def restart(self, **changes):
        self.writer.close()
        self.writer = AlarmWriter.open(self.folder / DATABASE)
        self.desk = AlarmKeeper(self.writer, self.heard.append, **changes)

    @property
    def said(self):
        return [(alarm.kind, alarm.subject, "closed" if alarm.closed else "opened") for alarm in self.heard]

    def close(self):
        self.writer.close()
        self.news.close()


@pytest.fixture
def site(tmp_path):
    watched = Watched(tmp_path)
    yield watched
    watched.close()


def calm(site, rounds=10):
    for _ in range(rounds):
        site.round()
    assert site.said == []


def test_a_site_that_refuses_everything(site):
    calm(site)
    for _ in range(3):
        site.round(lambda _: 403)
    assert [one for one in site.said if one[0] == "refused"] == [("refused", "news.example", "opened")]
    alarm = site.heard[0]
    assert (
        alarm.explanation.startswith("100 % of the last 12 visits are refused") and "normally 0 %" in alarm.explanation
    )
    for _ in range(2):
        site.round()
    closed = next(one for one in site.heard if one.kind == "refused" and one.closed)
    assert closed.opened == alarm.opened < closed.closed and closed.ending == "back to normal"


def test_pages_that_vanish(site):
    calm(site)
    for _ in range(2):
        site.round(lambda number: 404 if number % 4 else 200)
    assert ("gone", "news.example", "opened") in site.said
    assert ("smaller", "news.example", "opened") in site.said


def test_pages_that_lose_most_of_their_text_at_once(site):
    calm(site)
    for _ in range(2):
        site.round(held=True)
    assert site.said == [("collapse", "news.example", "opened")]


def test_a_site_that_does_not_answer(site):
    calm(site)
    for _ in range(2):
        site.fail()
    assert site.said == [("unreachable", "news.example", "opened")]  # not smaller, too
    site.round()
    site.round()
    assert site.said[-1] == ("unreachable", "news.example", "closed")


def away(site, hours, tried=1, status=None):
    """Hours in which a site answers nothing, and the pages of a host that is left alone are asked for one by one."""
    for hour in range(hours):
        site.now += 3600.0
        for url in site.urls[hour * tried : (hour + 1) * tried]:
            site._visited(url, Outcome.ANSWERED if status else Outcome.TIMEOUT, Evidence.UNREACHABLE, attempts=1)
        site.desk.observe(site.writer.progress(), site.now)


@pytest.mark.parametrize("status", [None, 503])
def test_a_site_that_answers_nothing_is_told_of_although_it_is_hardly_asked(site, status):
    calm(site, 3)
    away(site, 3, status=status)
    assert site.said == [], "three visits in two hours"
    away(site, 2, status=status)
    assert site.said == [("silent", "news.example", "opened")]
    assert site.heard[0].explanation.startswith("none of 4 visits since ")
    site.restart()
    away(site, 6, tried=0)
    site.now += 3600.0
    site.answer(site.urls[5], status=404)
    site.desk.observe(site.writer.progress(), site.now)
    assert site.said == [("silent", "news.example", "opened"), ("silent", "news.example", "closed")]
    assert site.heard[1].ending == "it answers again", "with its first answer, whatever it says"


def test_a_site_of_which_some_pages_fail_is_not_silent(site):
    calm(site, 3)
    for _ in range(8):
        away(site, 1, tried=6)
        site.answer(site.urls[11])
    away(site, 5, tried=0)
    assert [one for one in site.said if one[0] == "silent"] == []


def test_failures_of_our_own_network_are_not_the_sites(site):
    calm(site, 3)
    for _ in range(6):
        site.now += 3600.0
        site._visited(site.urls[0], Outcome.OFFLINE, Evidence.UNREACHABLE, attempts=1)
        site.desk.observe(site.writer.progress(), site.now)
    assert site.said == []


def test_hours_of_a_demonstration_are_as_much_shorter(site):
    site.restart(hour=36.0)
    calm(site, 3)
    for url in site.urls[:4]:
        site.now += 40.0
        site._visited(url, Outcome.TIMEOUT, Evidence.UNREACHABLE)
        site.desk.observe(site.writer.progress(), site.now)
    assert site.said == [("silent", "news.example", "opened")]


def test_no_alarm_on_a_cold_start(site):
    for _ in range(6):
        site.round(lambda _: 403)
    assert site.said == []


def test_a_restart_forgets_nothing_and_repeats_nothing(site):
    calm(site)
    site.round(lambda _: 403)
    site.restart()
    site.round(lambda _: 403)
    site.restart()
    site.round(lambda _: 403)
    assert [one for one in site.said if one[0] == "refused"] == [("refused", "news.example", "opened")]


def test_an_alarm_that_another_closes_at_once_is_not_told(site, monkeypatch):
    monkeypatch.setattr(site.writer, "open_alarms", list)
    site.desk.raise_alarm("fixity", "a.warc.gz", "changed", 5.0)
    assert site.heard == []
    monkeypatch.undo()
    site.desk.raise_alarm("fixity", "b.warc.gz", "changed", 5.0)
    assert [alarm.subject for alarm in site.heard] == ["b.warc.gz"]


def test_few_visits_wait_until_there_are_enough(tmp_path):
    site = Watched(tmp_path, pages=4)
    for _ in range(7):
        site.round()
    # The first round only marks where to begin; then three rounds of four visits make one observation.
    assert [point.visits for point in site.writer.points("news.example", "gone")] == [12, 12]
    site.close()


def test_budget_and_disk_have_no_normal(site):
    site.desk.budget(100, 95, "", 10.0)
    site.desk.budget(100, 70, "hosts ask for long pauses", 20.0)
    site.desk.budget(100, 75, "", 30.0)
    site.desk.budget(100, 85, "", 40.0)
    site.desk.budget(100, 95, "", 50.0)
    site.desk.budget(5, 0, "", 60.0)
    assert site.said == [("budget", "", "opened"), ("budget", "", "closed")]
    assert "70 of 100 intended visits" in site.heard[0].explanation and "long pauses" in site.heard[0].explanation


def test_the_alarm_on_the_budget_closes_when_its_reason_is_gone(site):
    site.desk.raise_alarm("budget", "", "a budget of 9000/day is more than politeness allows", 10.0)
    site.desk.budget_fits(20.0)
    site.desk.budget(100, 70, "", 30.0)
    site.desk.budget_fits(40.0)
    assert site.said == [("budget", "", "opened"), ("budget", "", "closed"), ("budget", "", "opened")]
    site.desk.budget(5, 0, "", 50.0)
    assert site.heard[-1].ending == "only 5 visits a day are intended", "it would have stayed open for ever"


def test_a_day_of_the_budget_goes_on_over_a_new_start(tmp_path):
    news = News(tmp_path)
    now = time.time()
    for hour in range(23):
        news.catalog.watch.hour(HourRow(hour, now - (23 - hour) * 3600.0, 20.0, 10, 10, 2, 0, 0, 0, 2, 0, 0))
    monitor = AlertMonitor(tmp_path, Settings())
    monitor.hour(HourRow(23, now, 20.0, 10, 10, 2, 0, 0, 0, 2, 0, 0), "")
    monitor.close()
    news.close()
    with closing(AlarmReading.open(tmp_path / DATABASE)) as reading:
        assert [alarm.explanation for alarm in reading.open_alarms()] == [
            "48 of 240 intended visits were made in the last day (20 %)"
        ]


def test_an_audit_opens_and_closes_the_alarm_on_fixity_beside_a_writer(site, tmp_path):
    heard = []
    audited(site.writer, 2, 100, heard.append)
    audited(site.writer, 3, 100, heard.append)
    audited(site.writer, 0, 100, heard.append)
    audited(site.writer, 0, 100, heard.append)
    assert [(one.kind, one.closed is None) for one in heard] == [("fixity", True), ("fixity", False)]


def test_alarms_are_alerts_and_are_told_once_also_when_a_crash_came_between(tmp_path):
    site = Watched(tmp_path)
    now = time.time()
    site.writer.raise_alarm("disk", "/data", now - 50, "no room")  # and the process was killed before it was told
    settings = replace(Settings())
    for _ in range(2):
        AlertMonitor(tmp_path, settings).close()
    monitor = AlertMonitor(tmp_path, settings)
    monitor.calm("disk", "/data", "room again")
    monitor.alarm("budget", "", "too much")
    monitor.close()
    with closing(OutboxReading.open(tmp_path / DATABASE)) as reading:
        texts = [alert.document["text"] for alert in reading.alerts()][::-1]
    assert [text.split(":")[0] for text in texts] == ["Alarm opened", "Alarm closed", "Alarm opened"]
    assert texts[1].endswith("room again (it was: no room)")
    with closing(AlarmReading.open(tmp_path / DATABASE)) as reading:
        assert [alarm.kind for alarm in reading.open_alarms()] == ["budget"]
        assert len(reading.alarms(since=now)) == 2
    site.close()


def test_the_page_on_alarms_names_every_kind_there_is():
    learned = {one.name for one in (GONE, REFUSED, UNREACHABLE, COLLAPSE, SMALLER)}
    rows = (Path(__file__).parents[2] / "docs" / "alerts.md").read_text().split("## Alarms")[1].splitlines()
    named = {row.split("`")[1] for row in rows if row.startswith("| `")}
    evident = {"silent", "budget", "fixity", "filling", "disk", "worker", "workers", "desk", "hosts", "store", "login"}
    assert named == learned | evident


def test_a_rebuilt_catalog_keeps_what_was_told_and_tells_nothing_again(tmp_path):
    site = Watched(tmp_path)
    monitor = AlertMonitor(tmp_path, Settings())
    site.news.change(0.9)
    monitor.alarm("budget", "", "too much")
    assert monitor.decide() == 1
    monitor.close()
    site.close()
    new = tmp_path / "new.db"
    SqliteCatalog(new).close()
    take_over_alerts(new, tmp_path / DATABASE)
    with closing(OutboxReading.open(new)) as reading:
        assert [alert.kind for alert in reading.alerts()] == ["change", "alarm"] and reading.decided() == 0
    with closing(AlarmReading.open(new)) as reading:
        assert [alarm.kind for alarm in reading.open_alarms()] == ["budget"]
    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(b"no database" * 1000)
    take_over_alerts(new, damaged)
    take_over_alerts(new, tmp_path / "missing.db")
    assert not (tmp_path / "missing.db").exists()


def test_a_full_disk_delays_alerts_and_ends_nothing(tmp_path, monkeypatch):
    site = Watched(tmp_path)
    monitor = AlertMonitor(tmp_path, Settings())
    site.news.change(0.9)

    def full(*_):
        raise OutOfSpace("no room left")

    with monkeypatch.context() as patched:
        patched.setattr(monitor._dispatch.outbox, "decide", full)
        patched.setattr(monitor._alarms, "raise_alarm", full)
        monitor.beside()
        monitor.room("no room")
    assert monitor._dispatch.outbox.decided() == 0 and not monitor._alarms.open_alarms()
    monitor.room("no room")  # told again, because it could not be kept
    assert [alarm.kind for alarm in monitor._alarms.open_alarms()] == ["disk"]
    monitor.room("")
    assert monitor._alarms.open_alarms() == []
    monitor._next_look = 0.0
    monitor.beside()
    assert [alert.kind for alert in monitor._dispatch.outbox.alerts()] == ["change", "alarm", "alarm"]
    monitor.close()
    site.close()


def test_a_budget_that_cannot_be_met_is_told_by_the_watch(tmp_path):
    site = Watched(tmp_path)
    monitor = AlertMonitor(tmp_path, Settings())

    def hours(count, made, remark="", failed=0):
        for number in range(count):
            monitor.hour(HourRow(number, 0.0, 10.0, 10, made, made, 0, 0, 0, 0, failed, 0), remark)
        return [(alarm.kind, alarm.explanation) for alarm in monitor._alarms.open_alarms()]

    assert hours(23, 0) == []  # less than a day says nothing yet
    ((kind, said),) = hours(1, 0)
    assert kind == "budget" and said.startswith("0 of 240 intended visits")
    assert len(hours(20, 10)) == 1 and hours(4, 10) == []
    assert hours(1, 10, "a budget of 900/day is more than politeness allows") == [
        ("budget", "a budget of 900/day is more than politeness allows")
    ]
    assert hours(1, 10) == []
    assert len(hours(24, 5, failed=5)) == 1, "visits that failed are among those made, not beside them"
    monitor.close()
    site.close()
