"""The week's digest: what changed in the week that ended, for each target what it is told of, once."""

from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from strandline.alerts.digest import week_before, weekly_digests
from strandline.alerts.mail import mail_of
from strandline.alerts.monitor import AlertMonitor
from strandline.alerts.targets import Target
from strandline.app.alerts_listing import told
from strandline.keeping.takedowns import Wish, block
from strandline.settings.schema import Settings
from strandline.store.catalog import DATABASE
from strandline.store.outbox import OutboxReading
from web.archives import Builder

MONDAY = datetime(2026, 3, 9, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("after", "weeks"), [(5 * 3600, 1), (6 * 3600, 0), (6.5 * 86400, 0), (7 * 86400 + 6 * 3600, -1)]
)
def test_a_week_is_told_of_from_monday_morning_on(after, weeks):
    start, end = week_before(MONDAY + after)
    assert end - start == 7 * 86400 and end == MONDAY - weeks * 7 * 86400


@pytest.fixture
def archive(tmp_path):
    made = Builder(tmp_path / "made")
    for site in ("a.example", "b.example"):
        for day, price in ((1, 10), (3, 20), (5, 20), (12, 30)):
            body = f"<h1>Tickets of {site}</h1><p>A ticket costs {price} EUR at the door.</p>"
            made.add(f"http://{site}/", body, when=f"2026-03-{day:02}T12:00:00Z")
    archive = made.archive()
    archive.study()
    return archive


def digests(archive, *targets, now=MONDAY + 86400, hidden=()):
    def shown(change):
        return change.url not in hidden

    return weekly_digests((targets, "an archive"), archive.studies, shown, now, Settings())


def test_each_target_is_told_what_it_wants_and_what_is_not_hidden(archive):
    everything = Target("email", "a@b.example", 0.0, only="digest")
    one = replace(everything, name="c@d.example", site="b.example")
    nothing = replace(everything, name="e@f.example", least=0.999)
    gone = replace(everything, name="g@h.example", collection="gone")
    other = replace(everything, name="i@j.example", only="changes")
    first, second = digests(archive, everything, one, nothing, gone, other)
    assert (first.document["count"], second.document["count"]) == (2, 1)
    assert [change["url"] for change in second.document["changes"]] == ["http://b.example/"]
    assert everything.wants(first) and not one.wants(first) and one.wants(second) and not other.wants(first)
    message = mail_of([first], "x@y.example", "a@b.example", MONDAY)
    assert "2026-03-02 to 2026-03-08: 2 changes" in message["Subject"]
    assert "from 10 to 20 EUR" in message.get_content() and "30 EUR" not in message.get_content()
    (left,) = digests(archive, everything, hidden=("http://a.example/",))
    assert left.document["count"] == 1
    assert digests(archive, everything, now=MONDAY + 60 * 86400) == []


def test_a_watch_sends_it_once_and_what_is_taken_down_later_is_not_listed(archive, monkeypatch):
    alerts = replace(Settings().alerts, webhooks=("http://127.0.0.1:9/x only=digest min=0",))
    monkeypatch.setattr("strandline.alerts.monitor.time.time", lambda: MONDAY + 86400)
    for _ in range(2):
        monitor = AlertMonitor(archive.folder, replace(Settings(), alerts=alerts))
        monitor.observe()
        monitor.observe()
        monitor.close()
    with closing(OutboxReading.open(archive.folder / DATABASE)) as reading:
        assert [alert.kind for alert in reading.alerts(10)].count("digest") == 1
    block(archive, Wish("http://a.example/", "Request 1"))
    (listed,) = [one for one in told(archive).alerts if one["kind"] == "digest"]
    assert [change["url"] for change in listed["changes"]] == ["http://b.example/"]
