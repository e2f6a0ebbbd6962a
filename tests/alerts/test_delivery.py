"""Alerts are delivered once each and in order, by the delivery process, whatever becomes of a receiver."""

import hashlib
import hmac
import json
import threading
import time
from contextlib import closing
from dataclasses import replace

import pytest

from made.alerting import DATABASE, alert, settings_for
from made.receivers import LOOPBACK, MailServer, Webhook, certificate, wait_for
from strandline.alerts import delivery
from strandline.alerts.alert import trial_alert
from strandline.alerts.delivery import Carrier, DeliveryOrders, DeliveryProcess, Sent, sender_for
from strandline.alerts.mail import mail_of
from strandline.alerts.monitor import AlertMonitor
from strandline.alerts.targets import Target, targets_of
from strandline.fetch.mail import mail_server, send_mail
from strandline.settings.collection_tables import CollectionSettings
from strandline.settings.schema import AlertSettings, Settings
from strandline.store.outbox import Alert, Outbox, OutboxReading


class Receiver:
    """Takes or refuses as told, without a network."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.got = []

    def __call__(self, alerts, tries):
        self.got.append(([one.document["text"] for one in alerts], tries))
        return self.answers.pop(0) if self.answers else Sent(True, "ok")


def carrier(outbox, receiver, kind="webhook", **orders):
    return Carrier(Target(kind, "t"), outbox, receiver, DeliveryOrders("", (), **orders))


def never():
    return False


def test_a_failed_delivery_holds_up_its_own_queue_and_is_tried_later(outbox, monkeypatch):
    outbox.add([alert(1), alert(2)], lambda _: ["t"], room=10)
    receiver = Receiver(Sent(False, "answered 503"), Sent(False, "answered 503", wait=500.0))
    now = [time.time()]
    monkeypatch.setattr("strandline.alerts.delivery.time.time", lambda: now[0])
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
    monkeypatch.setattr("strandline.alerts.delivery.time.time", lambda: now[0])
    receiver = Receiver(*[Sent(False, "answered 422", pointless=True)] * 3)
    one = carrier(outbox, receiver)
    while (again := one.deliver(never)) != float("inf"):
        now[0] = again
    assert receiver.got[-1] == (["2"], 1)
    assert (outbox.queues()[0].given_up, outbox.queues()[0].delivered) == (2, 1)


def test_mail_is_bundled(outbox, monkeypatch):
    now = [time.time()]
    monkeypatch.setattr("strandline.alerts.delivery.time.time", lambda: now[0])
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
    orders = DeliveryOrders("", (), allow_address=LOOPBACK)
    outbox.add([alert(1)], lambda _: ["t"], room=10)
    (waiting,) = outbox.next_for("t")
    sent = sender_for(Target("webhook", hook.url), orders)([waiting.alert], 1)
    assert sent == Sent(True, "answered 204")
    head, body = hook.heads[0], hook.bodies[0]
    assert head["Idempotency-Key"] == "key-1" == json.loads(body)["id"]
    assert head["X-Strandline-Sequence"] == str(waiting.alert.number)
    assert head["X-Strandline-Signature"] == "sha256=" + hmac.new(b"s3cret", body, hashlib.sha256).hexdigest()


def test_the_address_check_holds_for_webhooks(hook):
    sent = sender_for(Target("webhook", hook.url), DeliveryOrders("", ()))([alert(1)], 1)
    assert not sent.taken and "this machine" in sent.detail and hook.got == []
    named = sender_for(Target("webhook", hook.url.replace("127.0.0.1", "localhost")), DeliveryOrders("", ()))(
        [alert(1)], 1
    )
    assert not named.taken and hook.got == []


def test_redirects_are_not_followed(hook):
    moved = Webhook(lambda _: 307, headers=[("location", hook.url)])
    sent = sender_for(Target("webhook", moved.url), DeliveryOrders("", (), allow_address=LOOPBACK))([alert(1)], 1)
    assert not sent.taken and "redirects are not followed" in sent.detail
    assert len(moved.got) == 1 and hook.got == []
    moved.close()


def test_nobody_there_is_said():
    sent = sender_for(Target("webhook", "http://127.0.0.1:1/"), DeliveryOrders("", (), allow_address=LOOPBACK))(
        [alert(1)], 1
    )
    assert not sent.taken and "port 1" in sent.detail
    missing = sender_for(Target("webhook", "https://h.example/$NOT_SET_ANYWHERE"), DeliveryOrders("", ()))(
        [alert(1)], 1
    )
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


def test_the_delivery_process_delivers_in_order_and_ends_with_the_watch(tmp_path, news, hook):
    monitor = AlertMonitor(tmp_path, settings_for(hook.url))
    urls = [news.change() for _ in range(20)]
    monitor.decide()
    monitor.close()
    assert wait_for(lambda: len(hook.got) == 20)
    assert [message["url"] for message in hook.got] == urls and hook.sequence == sorted(hook.sequence)
    with closing(OutboxReading.open(tmp_path / DATABASE)) as reading:
        assert wait_for(lambda: reading.queues()[0].delivered == 20)


def test_a_silent_webhook_delays_nothing(tmp_path, news, hook):
    silent, broken = Webhook(lambda _: None), Webhook(lambda _: 500)
    monitor = AlertMonitor(tmp_path, settings_for(silent.url, broken.url, hook.url))
    urls = []
    for _ in range(30):
        urls.append(news.change())
        monitor.decide()
    assert wait_for(lambda: len(hook.got) == 30)
    assert [message["url"] for message in hook.got] == urls
    with closing(OutboxReading.open(tmp_path / DATABASE)) as reading:
        assert wait_for(lambda: {queue.target: queue.waiting for queue in reading.queues()}[hook.url] == 0)
        assert wait_for(lambda: {queue.target: queue.problem for queue in reading.queues()}[broken.url] and silent.got)
        queues = {queue.target: queue for queue in reading.queues()}
    # The silent one still hangs in its first message, the broken one is asked again later; both kept everything.
    assert len(silent.got) == 1 and queues[silent.url].waiting == queues[broken.url].waiting == 30
    assert queues[broken.url].problem == "answered 500"
    silent.close()
    broken.close()
    monitor.close()


def test_control_with_one_queue_for_all_a_silent_webhook_delays_everything(tmp_path, outbox, hook):
    silent = Webhook(lambda _: None)
    orders = DeliveryOrders("", (), allow_address=LOOPBACK)
    targets = [Target("webhook", silent.url), Target("webhook", hook.url)]
    outbox.add([alert(number) for number in range(5)], lambda _: [target.name for target in targets], room=10)

    def one_queue():
        with closing(Outbox.open(tmp_path / DATABASE)) as own:
            for target in targets:
                Carrier(target, own, sender_for(target, orders), orders).deliver(never)

    thread = threading.Thread(target=one_queue, daemon=True)
    thread.start()
    assert wait_for(lambda: silent.got)
    time.sleep(0.5)
    assert hook.got == []
    silent.close()
    thread.join(600)
    assert len(hook.got) == 5


def test_what_comes_while_a_process_is_told_to_finish_is_delivered(tmp_path, outbox, hook, monkeypatch):
    rounds = delivery._Rounds(DeliveryOrders(str(tmp_path), (Target("webhook", hook.url),), allow_address=LOOPBACK))
    look, looked = Outbox.next_for, []

    def next_for(self, *about):
        found = look(self, *about)
        if not found and not looked:  # it saw an empty queue, and has not come back from it
            looked.append(True)
            outbox.add([alert(1)], lambda _: [hook.url], room=10)
            rounds.poke()
            rounds.finish()
        return found

    monkeypatch.setattr(Outbox, "next_for", next_for)
    before = set(threading.enumerate())
    rounds.work()
    for thread in set(threading.enumerate()) - before:
        if thread.name == "webhook":
            thread.join(600)
    assert len(hook.got) == 1


def test_a_trial_reaches_every_target(tmp_path, outbox, hook):
    delivery_process = DeliveryProcess(
        DeliveryOrders(str(tmp_path), (Target("webhook", hook.url, only="alarms"),), allow_address=LOOPBACK)
    )
    outbox.add([trial_alert(time.time(), "test")], lambda _: [hook.url], room=10)
    delivery_process.poke()
    delivery_process.close()
    assert wait_for(lambda: len(hook.got) == 1)
    assert hook.got[0]["kind"] == "test"


def test_mail_goes_out_through_the_delivery_process_and_is_tried_again(tmp_path, news):
    server = MailServer(refuse=1)
    given = AlertSettings(
        email=("anna@example.org",),
        smtp=f"smtp://127.0.0.1:{server.port}",
        sender="archive@example.org",
        mail_pause=0.0,
    )
    monitor = AlertMonitor(tmp_path, replace(Settings(), alerts=given))
    urls = [news.change(), news.change()]
    monitor.decide()
    assert wait_for(lambda: server.messages)
    monitor.close()
    (got,) = server.messages  # the first was refused for now, and both are in the second
    text = got.get_content()
    assert got["subject"] == f"[{tmp_path.name}] 2 changes" and all(url in text for url in urls)
    assert "Fees: 2 new words (six)" in text and got["x-strandline-try"] == "2"
    server.close()


def test_a_secret_that_is_missing_is_said_at_once(tmp_path, news, caplog):
    monitor = AlertMonitor(tmp_path, settings_for("https://hooks.example/$NOT_SET_ANYWHERE"))
    assert "NOT_SET_ANYWHERE is not set in the environment; alerts for it wait" in caplog.text
    monitor.close()


def test_a_target_may_want_one_collection_only():
    collection = CollectionSettings("press", sites=("news.example",), pages=("http://shop.example/a/*",))
    alerts = replace(Settings().alerts, webhooks=("https://hooks.example/x collection=press min=0",))
    (target,) = targets_of(alerts, [collection])
    urls = ("http://www.news.example/1", "http://shop.example/a/1", "http://shop.example/b")
    wants = [target.wants(Alert("change", 0.0, "", url, 0.5, {}, url)) for url in urls]
    assert wants == [True, True, False]
    sites = ("news.example", "shop.example", "other.example", "")
    alarms = [Alert("alarm", 0.0, site, "", 1.0, {}, site) for site in sites]
    assert [target.wants(alarm) for alarm in alarms] == [True, True, False, False]
    (gone,) = targets_of(alerts)
    assert not gone.wants(Alert("change", 0.0, "", urls[0], 0.5, {}, ""))
