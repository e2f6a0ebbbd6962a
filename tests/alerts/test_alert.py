"""What is told to whom: targets, settings, and each change once."""

import time
from contextlib import closing
from dataclasses import replace
from email.message import EmailMessage

import pytest

from access.test_pictures import URL, pictured
from made.alerting import DATABASE, alert, settings_for
from made.news import TOLD, News
from strandline.access.feeds import feed
from strandline.access.timestamps import timestamp
from strandline.alerts.alert import alarm_alert, change_alert
from strandline.alerts.feeds import FeedRequest, change_feed
from strandline.alerts.mail import mail_of
from strandline.alerts.monitor import AlertMonitor
from strandline.alerts.outbox import check_alert_settings
from strandline.alerts.targets import address_of, shown, targets_of
from strandline.archive.folder import Archive, create
from strandline.core.changes.observation import Observed, PageState, PageStudy
from strandline.errors import SettingError
from strandline.settings.file import with_overrides
from strandline.settings.schema import AlertSettings, Settings
from strandline.store.alarming import Alarm, AlarmReading
from strandline.store.outbox import OutboxReading


def test_targets_are_narrowed_by_importance_site_and_kind():
    many, few, calm = targets_of(
        AlertSettings(
            webhooks=(
                "https://a.example/",
                "https://b.example/ min=0.8 site=www.example.org",
                "https://c.example/ only=alarms",
            ),
            min_importance=0.4,
        )
    )
    change = alert(1, site="example.org", url="https://www.example.org/x", importance=0.5)
    assert [target.wants(change) for target in (many, few, calm)] == [True, False, False]
    large = replace(change, importance=0.8)
    assert few.wants(large) and not few.wants(replace(large, url="https://example.org/x"))
    assert not many.wants(replace(change, importance=0.39))
    alarm = alarm_alert(Alarm(1, "gone", "example.org", 10.0, None, "many", ""), 10.0, "test")
    assert [target.wants(alarm) for target in (many, few, calm)] == [True, False, True]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"webhooks": ("ftp://a.example/",)}, "ftp://a.example/"),
        ({"webhooks": ("https://anna:pw@a.example/",)}, "environment"),
        ({"webhooks": ("https://a.example/ max=1",)}, "max=1"),
        ({"webhooks": ("https://a.example/ min=much",)}, "min=much"),
        ({"webhooks": ("https://a.example/ only=pages",)}, "only=pages"),
        ({"webhooks": ("https://a.example/", "https://a.example/ min=1")}, "twice"),
        ({"email": ("anna@example.org",)}, "alerts.smtp"),
        ({"email": ("anna",), "smtp": "smtp://m.example", "sender": "s@example.org"}, "'anna'"),
        ({"smtp": "mail.example"}, "mail.example"),
        ({"smtp": "smtp://anna:pw@mail.example"}, "STRANDLINE_SMTP_PASSWORD"),
        ({"allow_address": ("10.0.0.300/8",)}, "alerts.allow_address"),
    ],
)
def test_bad_settings_are_named(settings, said):
    with pytest.raises(SettingError, match="alerts") as problem:
        check_alert_settings(replace(Settings(), alerts=AlertSettings(**settings)))
    assert said in str(problem.value)


def test_secrets_come_from_the_environment_and_are_not_kept():
    (target,) = targets_of(AlertSettings(webhooks=("https://hooks.example/$TOKEN/${OTHER}x",)))
    assert address_of(target, {"TOKEN": "t", "OTHER": "o"}) == "https://hooks.example/t/ox"
    assert "$TOKEN" in target.name and "TOKEN" not in shown(target.name)
    with pytest.raises(SettingError, match="OTHER is not set"):
        address_of(target, {"TOKEN": "t"})


def test_each_change_is_decided_on_once_and_only_news_are_told(tmp_path, news):
    news.change()
    monitor = AlertMonitor(tmp_path, settings_for())
    assert monitor.decide() == 0  # captured before the first look: history
    told = news.change(0.9)
    news.change(0.1)
    news.change(0.9, held=True)
    news.change(0.9, visible=False)
    news.change(0.9, when=time.time() - 30 * 86400)
    assert monitor.decide() == 1 and monitor.decide() == 0
    again = AlertMonitor(tmp_path, settings_for())
    assert again.decide() == 0
    assert again._dispatch.outbox._connection.execute("SELECT count(*) FROM alert_progress").fetchone() == (1,)
    with closing(OutboxReading.open(tmp_path / DATABASE)) as reading:
        assert [(one.url, one.kind) for one in reading.alerts()] == [(told, "change")]
    monitor.close()
    again.close()


def test_an_alert_says_what_changed_block_by_block(tmp_path, news):
    monitor = AlertMonitor(tmp_path, settings_for(link="https://archive.example/"))
    url = news.change(0.62)
    monitor.decide()
    monitor.close()
    with closing(OutboxReading.open(tmp_path / DATABASE)) as reading:
        (one,) = reading.alerts()
    document = one.document
    assert document["url"] == url and document["importance"] == 0.62 and document["site"] == "news.example"
    assert [block["why"] for block in document["blocks"]] == ["2 new words (six)", "1 links or pictures"]
    assert "Fees: 2 new words (six)" in document["text"]
    assert document["shown"].startswith("https://archive.example/web/") and document["shown"].endswith(url)


def test_an_alert_has_the_sentence_the_title_both_texts_and_links(tmp_path, news):
    monitor = AlertMonitor(tmp_path, settings_for(link="https://archive.example/"))
    url = news.change(0.62, told=TOLD)
    monitor.decide()
    monitor.close()
    with closing(OutboxReading.open(tmp_path / DATABASE)) as reading:
        (one,) = reading.alerts()
    document = one.document
    assert document["text"].startswith(f"Terms of use ({url}): The notice period rose from 30 to 90 days (between ")
    assert (document["sentence"], document["title"]) == (TOLD["sentence"], TOLD["title"])
    assert (document["old_text"], document["new_text"]) == (TOLD["before"], TOLD["after"])
    assert document["compare"].startswith("https://archive.example/compare?url=http%3A%2F%2Fnews.example%2F")
    assert all("told" not in block for block in document["blocks"])
    mail = mail_of([one], "a@example.org", "b@example.org", time.time())
    assert mail["Subject"].endswith("Terms of use: The notice period rose from 30 to 90 days")
    body = mail.get_content()
    assert "- The notice period is 30 days." in body and "+ The notice period is 90 days." in body
    assert document["compare"] in body


def test_a_feed_has_the_sentence_both_texts_and_links(tmp_path):
    create(tmp_path / "a")
    writer = News(tmp_path / "a")
    writer.change(0.62, told=TOLD)
    writer.close()
    archive = Archive(tmp_path / "a", settings_for(link="https://archive.example/"))
    (entry,) = change_feed(archive, FeedRequest(min_importance=0.0)).entries
    assert entry.title == "Terms of use: The notice period rose from 30 to 90 days"
    assert (entry.old, entry.new) == (TOLD["before"], TOLD["after"])
    assert entry.link.startswith("https://archive.example/compare?")
    assert [name for name, _ in entry.links] == ["Compare", "Now", "Before", "All captures"]


def test_a_page_studied_anew_is_not_told_of_again(tmp_path, news):
    monitor = AlertMonitor(tmp_path, settings_for())
    url = news.change()
    assert monitor.decide() == 1
    writer = news.catalog.studies
    page = news.catalog.page(url).page
    changes = list(writer.reading.changes_of(url))
    observed = Observed(changes[0].after_seq, changes[0].by_seq, changes[0].after, changes[0].by, 0.9, 0.5, True)
    writer.record([PageStudy(page, PageState(), (observed,), anew=True)], 0)
    assert monitor.decide() == 0
    monitor.close()


def test_a_full_queue_pushes_out_the_oldest(outbox):
    outbox.add([alert(number) for number in range(10)], lambda _: ["slow"], room=4)
    assert [one.alert.document["text"] for one in outbox.next_for("slow", 10)] == ["6", "7", "8", "9"]
    (queue,) = outbox.queues()
    assert (queue.waiting, queue.pushed_out) == (4, 6)


def test_what_waits_for_a_target_that_was_removed_is_given_up(outbox):
    outbox.add([alert(1)], lambda _: ["old", "new"], room=10)
    outbox.tidy(["new"], time.time())
    assert {queue.target: (queue.waiting, queue.given_up) for queue in outbox.queues()} == {
        "old": (0, 1),
        "new": (1, 0),
    }
    outbox.tidy(["new"], time.time() + 100 * 86400)
    assert [one.key for one in outbox.alerts()] == ["key-1"]  # somebody still waits for it
    outbox.delivered("new", [one.alert for one in outbox.next_for("new")], time.time(), "")
    outbox.tidy(["new"], time.time() + 100 * 86400)
    assert list(outbox.alerts()) == []


def test_what_a_page_says_cannot_become_a_header():
    evil = alert(1)
    evil.document["url"] = "http://a.example/\r\nBcc: everybody@example.org"
    message = mail_of([evil], "s@example.org", "anna@example.org", 0.0)
    assert isinstance(message, EmailMessage) and message["bcc"] is None


def test_change_alert_is_the_same_news_wherever_it_is_made(tmp_path, news):
    url = news.change()
    with closing(AlarmReading.open(tmp_path / DATABASE)) as reading:
        (change,) = reading.changes_of(url)
    first = change_alert(change, change.by, AlertSettings(), "test")
    second = change_alert(replace(change, change=99, by_seq=99), change.by + 5, AlertSettings(), "test")
    assert (
        first.key == second.key != change_alert(replace(change, by=change.by + 1), change.by, AlertSettings(), "t").key
    )


def test_pictures_of_a_change_are_linked_in_feeds_mail_and_webhooks(tmp_path):
    archive, kept = pictured(tmp_path / "archive")
    archive.study()
    (change,) = archive.studies.changes()
    linked = with_overrides(archive.settings, ["alerts.link=https://archive.example/", "alerts.min_importance=0"])
    told = change_alert(change, change.by, linked.alerts, "test", pictured=True)
    before, after = (timestamp(one.time) for one in kept[-2:])
    old, new = (f"https://archive.example/framed/{of}/{URL}" for of in (f"{before}/{after}", f"{after}/{before}"))
    assert (told.document["picture_before"], told.document["picture"]) == (old, new)
    assert "picture" not in change_alert(change, change.by, linked.alerts, "test").document
    assert f"picture: {new}" in mail_of([told], "a@example.org", "b@example.org", 0.0).get_content()
    shown = change_feed(Archive(archive.folder, linked), FeedRequest())
    assert shown.entries[0].pictures == (("Before", old), ("Now", new))
    atom, rss = feed(shown, "atom").decode(), feed(shown, "rss").decode()
    assert f'<link rel="enclosure" type="image/png" href="{new}"/>' in atom and "&lt;img src=" in atom
    assert f'<enclosure url="{new}" type="image/png" length="0"/>' in rss
    assert change_feed(archive, FeedRequest(min_importance=0.0)).entries[0].pictures == (), "without an address none"
