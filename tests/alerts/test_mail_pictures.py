"""A mail brings the framed pictures of changes, within bounds, and stands without them."""

import time
from contextlib import closing
from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image

from access.test_pictures import URL, pictured
from made.alerting import DATABASE, alert
from made.receivers import MailServer, wait_for
from strandline.access.timestamps import timestamp
from strandline.alerts import mail_pictures
from strandline.alerts.alert import change_alert
from strandline.alerts.delivery import DeliveryProcess
from strandline.alerts.mail import MailPictures, mail_of
from strandline.alerts.mail_pictures import MOST, pictures_for
from strandline.alerts.outbox import delivery_orders
from strandline.alerts.targets import targets_of
from strandline.keeping.takedowns import Wish, block
from strandline.settings.file import with_overrides
from strandline.store.outbox import Outbox
from study.test_framed_pictures import LOOKS


@pytest.fixture
def told(tmp_path):
    """An archive with a change that has pictures, and its alert."""
    archive, kept = pictured(tmp_path / "archive", LOOKS)
    archive.study()
    (change,) = archive.studies.changes()
    made = change_alert(change, change.by, archive.settings.alerts, "test", pictured=True)
    return archive, replace(made, time=time.time()), kept


def _sent(archive, made, **settings):
    """What a mail server gets of an alert, through the delivery process."""
    server = MailServer()
    given = {
        "alerts.email": '["anna@example.org min=0"]',
        "alerts.smtp": f'"smtp://127.0.0.1:{server.port}"',
        "alerts.sender": '"archive@example.org"',
        "alerts.mail_pause": '"0 s"',
        "capture.screenshots": "true",
    }
    given |= {name.replace("__", "."): value for name, value in settings.items()}
    known = with_overrides(archive.settings, [f"{name}={value}" for name, value in given.items()])
    targets = targets_of(known.alerts)
    with closing(Outbox.open(archive.folder / DATABASE)) as outbox:
        outbox.begin()
        outbox.add([made], lambda _: [one.name for one in targets], 100)
    process = DeliveryProcess(delivery_orders(str(archive.folder), known, targets))
    process.poke()
    try:
        assert wait_for(lambda: server.messages)
    finally:
        process.close(60.0)
        server.close()
    (message,) = server.messages
    return message


def test_a_mail_brings_both_pictures_and_the_text_stands_without_them(told):
    archive, made, _ = told
    message = _sent(archive, made)
    plain, page = message.get_body(("plain",)), message.get_body(("html",))
    assert made.document["text"].split(" (")[0] in plain.get_content()
    images = [part for part in message.walk() if part.get_content_maintype() == "image"]
    assert [Image.open(BytesIO(part.get_content())).format for part in images] == ["JPEG", "JPEG"]
    for part in images:
        assert f'src="cid:{part["content-id"].strip("<>")}"' in page.get_content()
        assert part.get_content_disposition() == "inline"
    assert 'src="http' not in page.get_content(), "nothing is loaded from elsewhere"


def test_without_pictures_a_mail_is_as_it_was(told):
    archive, made, _ = told
    bare = replace(made, document={name: value for name, value in made.document.items() if name != "pictured"})
    for message in (_sent(archive, bare), _sent(archive, replace(made, key="another"), capture__screenshots="false")):
        assert message.get_content_type() == "text/plain"


@pytest.mark.parametrize("what", ["capture", "page"])
def test_what_was_taken_down_since_has_none(told, what):
    archive, made, kept = told
    assert set(pictures_for([made], str(archive.folder))) == {made.key}
    block(archive, Wish(f"{timestamp(kept[0].time)}/{URL}" if what == "capture" else URL, "somebody asked"))
    assert pictures_for([made], str(archive.folder)) == {}


def test_only_some_changes_of_a_mail_have_some_the_most_important_ones(monkeypatch):
    tried = []

    def made(one, _archive, _seconds):
        tried.append(one.importance)
        return MailPictures(b"a", b"b")

    monkeypatch.setattr(mail_pictures, "_made", made)
    alerts = [replace(alert(n), importance=n / 10) for n in range(9)]
    for one in alerts:
        one.document["pictured"] = True
    found = pictures_for([*alerts, replace(alert(99), kind="alarm", importance=1.0)], "nowhere")
    assert len(found) == MOST and tried == [0.8, 0.7, 0.6, 0.5]


def test_what_cannot_be_had_or_takes_too_long_costs_only_the_pictures(told, monkeypatch):
    _, made, _ = told
    assert pictures_for([made], "/no/such/archive") == {}
    monkeypatch.setattr(mail_pictures, "SECONDS", 0.01)
    assert pictures_for([made], str(told[0].folder)) == {}


def test_what_a_page_says_is_text_in_a_mail():
    one = alert(1)
    one.document["text"] = "<script>alert(1)</script>"
    message = mail_of([one], "a@example.org", "b@example.org", 0.0, {one.key: MailPictures(b"x", b"y")})
    assert "<script>" not in message.get_body(("html",)).get_content()
