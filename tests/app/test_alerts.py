"""Alerts: decided once, delivered in order, narrowed by target; nobody outside holds up anything."""

import hashlib
import hmac
import json
import threading
import time
from contextlib import closing
from dataclasses import replace
from email.message import EmailMessage

import pytest

from app.news import News
from app.receivers import LOOPBACK, MailServer, Webhook, certificate, wait_for
from strandline.app.alerts import alarm_alert, change_alert, trial_alert
from strandline.app.alerts_courier import Carrier, Courier, Errand, Sent, sender_for
from strandline.app.alerts_lookout import Lookout, check_alert_settings
from strandline.app.alerts_mail import mail_of
from strandline.app.alerts_targets import Target, address_of, shown, targets_of
from strandline.core.changes.observation import Observed, PageState, PageStudy
from strandline.errors import SettingError
from strandline.fetch.mail import mail_server, send_mail
from strandline.settings.schema import AlertSettings, Settings
from strandline.store.alarming import Alarm, AlarmReading
from strandline.store.outbox import Alert, Outbox, OutboxReading

DATABASE = "strandline.db"


def settings_for(*webhooks, **more):
    return replace(Settings(), alerts=AlertSettings(webhooks=webhooks, allow_address=LOOPBACK, **more))


@pytest.fixture
def news(tmp_path):
    opened = News(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def hook():
    receiver = Webhook()
    yield receiver
    receiver.close()


@pytest.fixture
def outbox(tmp_path, news):
    opened = Outbox.open(tmp_path / DATABASE)
    opened.begin()
    yield opened
    opened.close()


def alert(number, **changes):
    given = {"kind": "change", "time": time.time(), "site": "a.example", "url": f"http://a.example/{number}"}
    document = {"archive": "test", "text": str(number), "url": f"http://a.example/{number}", "importance": 0.9}
    return Alert(**(given | {"importance": 0.9, "document": document, "key": f"key-{number}"} | changes))


# Targets


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


# Decisions


def test_each_change_is_decided_on_once_and_only_news_are_told(tmp_path, news):
    news.change()
    lookout = Lookout(tmp_path, settings_for())
    assert lookout.decide() == 0  # captured before the first look: history
    told = news.change(0.9)
    news.change(0.1)
    news.change(0.9, held=True)
    news.change(0.9, visible=False)
    news.change(0.9, when=time.time() - 30 * 86400)
    assert lookout.decide() == 1 and lookout.decide() == 0
    again = Lookout(tmp_path, settings_for())
    assert again.decide() == 0
    assert again._outbox._connection.execute("SELECT count(*) FROM alert_progress").fetchone() == (1,)
    with closing(OutboxReading.open(tmp_path / DATABASE)) as reading:
        assert [(one.url, one.kind) for one in reading.alerts()] == [(told, "change")]
    lookout.close()
    again.close()


def test_an_alert_says_what_changed_block_by_block(tmp_path, news):
    lookout = Lookout(tmp_path, settings_for(link="https://archive.example/"))
    url = news.change(0.62)
    lookout.decide()
    lookout.close()
    with closing(OutboxReading.open(tmp_path / DATABASE)) as reading:
        (one,) = reading.alerts()
    document = one.document
    assert document["url"] == url and document["importance"] == 0.62 and document["site"] == "news.example"
    assert [block["why"] for block in document["blocks"]] == ["2 new words (six)", "1 links or pictures"]
    assert "Fees: 2 new words (six)" in document["text"]
    assert document["shown"].startswith("https://archive.example/web/") and document["shown"].endswith(url)


def test_a_page_studied_anew_is_not_told_of_again(tmp_path, news):
    lookout = Lookout(tmp_path, settings_for())
    url = news.change()
    assert lookout.decide() == 1
    writer = news.catalog.studies
    page = news.catalog.page(url).page
    changes = list(writer.reading.changes_of(url))
    observed = Observed(changes[0].after_seq, changes[0].by_seq, changes[0].after, changes[0].by, 0.9, 0.5, True)
    writer.record([PageStudy(page, PageState(), (observed,), anew=True)], 0)
    assert lookout.decide() == 0
    lookout.close()


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


# Deliveries


class Receiver:
    """Takes or refuses as told, without a network."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.got = []

    def __call__(self, alerts, tries):
        self.got.append(([one.document["text"] for one in alerts], tries))
        return self.answers.pop(0) if self.answers else Sent(True, "ok")


def carrier(outbox, receiver, kind="webhook", **errand):
    return Carrier(Target(kind, "t"), outbox, receiver, Errand("", (), **errand))


def never():
    return False


def test_a_failed_delivery_holds_up_its_own_queue_and_is_tried_later(outbox, monkeypatch):
    outbox.add([alert(1), alert(2)], lambda _: ["t"], room=10)
    receiver = Receiver(Sent(False, "answered 503"), Sent(False, "answered 503", wait=500.0))
    now = [time.time()]
    monkeypatch.setattr("strandline.app.alerts_courier.time.time", lambda: now[0])
    one = carrier(outbox, receiver)
    again = one.deliver(never)
    assert 2.0 <= again - now[0] <= 2.3 and one.deliver(never) == again
    assert outbox.queues()[0].problem == "answered 503"
    now[0] = again
    later = one.deliver(never)
    assert 500.0 <= later - now[0] <= 501.0  # as Retry-After asked
    now[0] = later
    assert one.deliver(never) == float("inf")
    assert receiver.got == [(["1"], 1), (["1"], 2), (["1"], 3), (["2"], 1)]
    assert outbox.queues()[0].delivered == 2


def test_what_is_refused_for_good_or_takes_too_long_is_given_up(outbox, monkeypatch):
    outbox.add([alert(1), alert(2), alert(3, time=time.time() - 10 * 86400)], lambda _: ["t"], room=10)
    now = [time.time()]
    monkeypatch.setattr("strandline.app.alerts_courier.time.time", lambda: now[0])
    receiver = Receiver(*[Sent(False, "answered 422", pointless=True)] * 3)
    one = carrier(outbox, receiver)
    while (again := one.deliver(never)) != float("inf"):
        now[0] = again
    assert receiver.got[-1] == (["2"], 1)
    assert (outbox.queues()[0].given_up, outbox.queues()[0].delivered) == (2, 1)


def test_mail_is_bundled(outbox, monkeypatch):
    now = [time.time()]
    monkeypatch.setattr("strandline.app.alerts_courier.time.time", lambda: now[0])
    receiver = Receiver()
    one = carrier(outbox, receiver, "email", mail_pause=600.0)
    outbox.add([alert(1), alert(2)], lambda _: ["t"], room=10)
    assert one.deliver(never) == float("inf")
    outbox.add([alert(3)], lambda _: ["t"], room=10)
    assert one.deliver(never) == now[0] + 600.0
    outbox.add([alert(4)], lambda _: ["t"], room=10)
    now[0] += 600.0
    one.deliver(never)
    assert receiver.got == [(["1", "2"], 1), (["3", "4"], 1)]


def test_a_webhook_gets_a_signed_document_with_a_key(outbox, hook, monkeypatch):
    monkeypatch.setenv("STRANDLINE_WEBHOOK_SECRET", "s3cret")
    errand = Errand("", (), allow_address=LOOPBACK)
    outbox.add([alert(1)], lambda _: ["t"], room=10)
    (waiting,) = outbox.next_for("t")
    sent = sender_for(Target("webhook", hook.url), errand)([waiting.alert], 1)
    assert sent == Sent(True, "answered 204")
    head, body = hook.heads[0], hook.bodies[0]
    assert head["Idempotency-Key"] == "key-1" == json.loads(body)["id"]
    assert head["X-Strandline-Sequence"] == str(waiting.alert.number)
    assert head["X-Strandline-Signature"] == "sha256=" + hmac.new(b"s3cret", body, hashlib.sha256).hexdigest()


def test_the_address_check_holds_for_webhooks(hook):
    sent = sender_for(Target("webhook", hook.url), Errand("", ()))([alert(1)], 1)
    assert not sent.taken and "this machine" in sent.detail and hook.got == []
    named = sender_for(Target("webhook", hook.url.replace("127.0.0.1", "localhost")), Errand("", ()))([alert(1)], 1)
    assert not named.taken and hook.got == []


def test_redirects_are_not_followed(hook):
    moved = Webhook(lambda _: 307, headers=[("location", hook.url)])
    sent = sender_for(Target("webhook", moved.url), Errand("", (), allow_address=LOOPBACK))([alert(1)], 1)
    assert not sent.taken and "redirects are not followed" in sent.detail
    assert len(moved.got) == 1 and hook.got == []
    moved.close()


def test_nobody_there_is_said():
    sent = sender_for(Target("webhook", "http://127.0.0.1:1/"), Errand("", (), allow_address=LOOPBACK))([alert(1)], 1)
    assert not sent.taken and "port 1" in sent.detail
    missing = sender_for(Target("webhook", "https://h.example/$NOT_SET_ANYWHERE"), Errand("", ()))([alert(1)], 1)
    assert not missing.taken and "NOT_SET_ANYWHERE" in missing.detail


def test_mail_over_tls_with_a_password(tmp_path, monkeypatch):
    made = certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(made))
    server = MailServer(made)
    message = mail_of([alert(1)], "strandline@example.org", "anna@example.org", 0.0)
    send_mail(message, mail_server(f"smtp://localhost:{server.port}", "u", "pw"))
    (got,) = server.messages
    assert server.credentials == [b"u", b"pw"] and server.seen.index("STARTTLS") < server.seen.index("AUTH")
    assert got["subject"] == "[test] http://a.example/1 changed (importance 0.90)" and got["to"] == "anna@example.org"
    server.close()


def test_mail_to_a_server_with_a_bad_certificate_or_without_tls_is_not_sent(tmp_path, monkeypatch):
    message = mail_of([alert(1)], "strandline@example.org", "anna@example.org", 0.0)
    server = MailServer(certificate(tmp_path))
    with pytest.raises(OSError, match="certificate"):
        send_mail(message, mail_server(f"smtp://localhost:{server.port}"))
    plain = MailServer()
    monkeypatch.setattr("socket.getaddrinfo", _only_here)
    with pytest.raises(OSError, match="STARTTLS"):
        send_mail(message, replace(mail_server(f"smtp://mail.example:{plain.port}")))
    send_mail(message, mail_server(f"smtp://127.0.0.1:{plain.port}"))  # this very machine
    assert len(plain.messages) == 1 and server.messages == []
    server.close()
    plain.close()


def _only_here(_host, port, *_more, **_named):
    return [(2, 1, 6, "", ("127.0.0.1", port))]


def test_what_a_page_says_cannot_become_a_header():
    evil = alert(1)
    evil.document["url"] = "http://a.example/\r\nBcc: everybody@example.org"
    message = mail_of([evil], "s@example.org", "anna@example.org", 0.0)
    assert isinstance(message, EmailMessage) and message["bcc"] is None


# The courier's own process


def test_the_courier_delivers_in_order_and_ends_with_the_watch(tmp_path, news, hook):
    lookout = Lookout(tmp_path, settings_for(hook.url))
    urls = [news.change() for _ in range(20)]
    lookout.decide()
    lookout.close()
    assert wait_for(lambda: len(hook.got) == 20)
    assert [message["url"] for message in hook.got] == urls and hook.sequence == sorted(hook.sequence)
    with closing(OutboxReading.open(tmp_path / DATABASE)) as reading:
        assert wait_for(lambda: reading.queues()[0].delivered == 20)


def test_a_silent_webhook_delays_nothing(tmp_path, news, hook):
    silent, broken = Webhook(lambda _: None), Webhook(lambda _: 500)
    lookout = Lookout(tmp_path, settings_for(silent.url, broken.url, hook.url))
    urls = []
    for _ in range(30):
        urls.append(news.change())
        lookout.decide()
    assert wait_for(lambda: len(hook.got) == 30)
    assert [message["url"] for message in hook.got] == urls
    with closing(OutboxReading.open(tmp_path / DATABASE)) as reading:
        assert wait_for(lambda: {queue.target: queue.waiting for queue in reading.queues()}[hook.url] == 0)
        queues = {queue.target: queue for queue in reading.queues()}
    # The silent one still hangs in its first message, the broken one is asked again later; both kept everything.
    assert len(silent.got) == 1 and queues[silent.url].waiting == queues[broken.url].waiting == 30
    assert queues[broken.url].problem == "answered 500"
    silent.close()
    broken.close()
    lookout.close()


def test_control_with_one_queue_for_all_a_silent_webhook_delays_everything(tmp_path, outbox, hook):
    silent = Webhook(lambda _: None)
    errand = Errand("", (), allow_address=LOOPBACK)
    targets = [Target("webhook", silent.url), Target("webhook", hook.url)]
    outbox.add([alert(number) for number in range(5)], lambda _: [target.name for target in targets], room=10)

    def one_queue():
        with closing(Outbox.open(tmp_path / DATABASE)) as own:
            for target in targets:
                Carrier(target, own, sender_for(target, errand), errand).deliver(never)

    thread = threading.Thread(target=one_queue, daemon=True)
    thread.start()
    assert wait_for(lambda: silent.got)
    time.sleep(0.5)
    assert hook.got == []
    silent.close()
    thread.join(60)
    assert len(hook.got) == 5


def test_a_trial_reaches_every_target(tmp_path, outbox, hook):
    courier = Courier(Errand(str(tmp_path), (Target("webhook", hook.url, only="alarms"),), allow_address=LOOPBACK))
    outbox.add([trial_alert(time.time(), "test")], lambda _: [hook.url], room=10)
    courier.poke()
    courier.close()
    assert wait_for(lambda: len(hook.got) == 1)
    assert hook.got[0]["kind"] == "test"


def test_change_alert_is_the_same_news_wherever_it_is_made(tmp_path, news):
    url = news.change()
    with closing(AlarmReading.open(tmp_path / DATABASE)) as reading:
        (change,) = reading.changes_of(url)
    first = change_alert(change, change.by, AlertSettings(), "test")
    second = change_alert(replace(change, change=99, by_seq=99), change.by + 5, AlertSettings(), "test")
    assert (
        first.key == second.key != change_alert(replace(change, by=change.by + 1), change.by, AlertSettings(), "t").key
    )


def test_mail_goes_out_through_the_courier_and_is_tried_again(tmp_path, news):
    server = MailServer(refuse=1)
    given = AlertSettings(
        email=("anna@example.org",),
        smtp=f"smtp://127.0.0.1:{server.port}",
        sender="archive@example.org",
        mail_pause=0.0,
    )
    lookout = Lookout(tmp_path, replace(Settings(), alerts=given))
    urls = [news.change(), news.change()]
    lookout.decide()
    assert wait_for(lambda: server.messages)
    lookout.close()
    (got,) = server.messages  # the first was refused for now, and both are in the second
    text = got.get_content()
    assert got["subject"] == f"[{tmp_path.name}] 2 changes" and all(url in text for url in urls)
    assert "Fees: 2 new words (six)" in text and got["x-strandline-try"] == "2"
    server.close()


def test_a_secret_that_is_missing_is_said_at_once(tmp_path, news, caplog):
    lookout = Lookout(tmp_path, settings_for("https://hooks.example/$NOT_SET_ANYWHERE"))
    assert "NOT_SET_ANYWHERE is not set in the environment; alerts for it wait" in caplog.text
    lookout.close()
