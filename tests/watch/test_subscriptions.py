"""Subscriptions at hubs: asked for, confirmed, renewed, ended; messages that make a feed due, and those that do not."""

import contextlib
import json
from dataclasses import replace

import pytest

from made.catalog_words import capture, found, visited
from servers.hub import signature
from strandline.archive.folder import create, open_archive
from strandline.core.capture import Kind
from strandline.core.discovery.websub import DENIED_FOR, GAP, LEASE, PAUSE, HubWord
from strandline.fetch.webhook import Posted, post
from strandline.keeping.takedowns import Wish, block
from strandline.plan.feed_hubs import SUBSCRIPTIONS, WORDS, read_word, written
from strandline.ports import Batch
from strandline.settings.file import with_overrides
from strandline.settings.site_tables import SiteSettings
from strandline.store.catalog import open_catalog
from strandline.store.notes import keep_note
from strandline.watch.subscriptions import Subscriptions

HUB, NOW = "https://hub.example/", 1_800_000_000.0
FEED = "https://news.example/feed.xml"


class Place:
    """An archive whose feeds name hubs, a hub that takes every request, and a clock."""

    def __init__(self, folder, feeds=(FEED,), send=None):
        self.archive = create(folder, seeds=("https://news.example/",))
        self.now, self.sent, self.answer = NOW, [], Posted(202, "answered 202")
        self.settings = with_overrides(
            self.archive.settings, ["archive.contact=https://a.example/", "serve.address=https://archive.example/"]
        )
        with contextlib.closing(open_catalog(folder, "test")) as catalog:
            catalog.open_pass(NOW - 1000.0)
            catalog.add([found(url, kind=Kind.FEED, via="feed", due=NOW - 900.0) for url in feeds])
            for number, task in enumerate(catalog.take(100, NOW - 500.0, NOW - 500.0, ())):
                kept = capture(task.url, NOW - 400.0, 20 * number)
                due = NOW + 7200.0
                catalog.commit(Batch([visited(task.page, kept, time=NOW - 400.0, due=due)]))
            catalog.note(WORDS, [(feed, written(HubWord(HUB, feed))) for feed in feeds])
        self.subscriptions = self.opened(send)

    def opened(self, send=None):
        made = Subscriptions(
            open_archive(self.archive.folder), lambda: self.settings, send or self._send, lambda: self.now
        )
        made._sleep = lambda _: None
        return made

    def _send(self, url, body, headers, options):
        self.sent.append((url, body.decode(), headers["Content-Type"]))
        return self.answer

    def kept(self):
        return [json.loads(data) for _, data in self.archive.reading.notes(SUBSCRIPTIONS)]

    def subscribed(self, lease="86400"):
        """Asked for and confirmed; token and secret."""
        self.subscriptions.step()
        (one,) = self.kept()
        token = one["callback"].rpartition("/")[2]
        assert self.subscriptions.confirm(token, "subscribe", FEED, lease)
        return token, one["secret"]

    def due(self, feed=FEED):
        return self.archive.reading.page(feed).due


def test_a_hub_is_asked_once_and_then_when_its_lease_nears_its_end(tmp_path):
    place = Place(tmp_path)
    place.subscribed("7200")
    ((url, body, kind),) = place.sent
    assert url == HUB and kind == "application/x-www-form-urlencoded"
    assert "hub.callback=https%3A%2F%2Farchive.example%2Fhub%2F" in body and f"hub.lease_seconds={LEASE:.0f}" in body
    for _ in range(5):
        place.now += 1000.0
        place.subscriptions.step()
    assert len(place.sent) == 1
    place.now = NOW + 6600.0
    place.opened().step()  # a server that was started anew knows it, too
    assert len(place.sent) == 2 and "hub.mode=subscribe" in place.sent[1][1]
    assert place.kept()[0]["callback"] in place.sent[0][1].replace("%3A", ":").replace("%2F", "/"), "the same address"


def test_a_message_makes_the_feed_due_and_nothing_else(tmp_path):
    place = Place(tmp_path, (FEED, "https://other.example/feed.xml"))
    place.settings = replace(place.settings, site=(SiteSettings("other.example", state="paused"),))
    before = place.due()
    token, secret = place.subscribed()
    body = b"<feed>new</feed>"
    captures = place.archive.reading.count()
    assert place.subscriptions.receive(token, body, signature(secret, body)) == "taken"
    assert NOW <= place.due() < NOW + 1.0 < before
    assert place.due("https://other.example/feed.xml") == before, "only the feed that was told of"
    assert place.archive.reading.count() == captures, "nothing of it is kept"
    assert read_word(place.archive.reading, FEED).pushed == NOW


@pytest.mark.parametrize("what", ["wrong secret", "no signature", "other body", "again", "unknown", "too late"])
def test_what_is_not_right_moves_nothing(tmp_path, what):
    place = Place(tmp_path)
    token, secret = place.subscribed("7200")
    body, expected = b"<feed>new</feed>", "ignored"
    sign = signature(secret, body)
    if what == "again":
        assert place.subscriptions.receive(token, body, sign) == "taken", "control: as such it is right"
        place.archive.beside(lambda connection: connection.execute("UPDATE pages SET due = ?", (NOW + 7200.0,)))
        place.now += 10 * GAP
    elif what == "wrong secret":
        sign = signature("guessed", body)
    elif what == "no signature":
        sign = ""
    elif what == "other body":
        body += b" "
    elif what == "unknown":
        token, expected = token[:-1], "unknown"
    else:
        place.now, expected = NOW + 7201.0, "gone"
    assert place.subscriptions.receive(token, body, sign) == expected
    assert place.due() == NOW + 7200.0
    place.subscriptions.step()
    if expected == "ignored":
        assert place.kept()[0]["refused"] == 1, "it is counted"


def test_a_hub_that_tells_without_end_makes_a_feed_due_once_a_minute(tmp_path):
    place, times = Place(tmp_path), set()
    token, secret = place.subscribed()
    for second in range(0, 600, 2):
        place.now = NOW + second
        body = b"%d" % second
        place.subscriptions.receive(token, body, signature(secret, body))
        times.add(read_word(place.archive.reading, FEED).wanted)
    assert len(times) <= 600 / GAP + 1


def test_the_hub_is_told_when_the_setting_the_site_or_the_hub_of_a_feed_goes(tmp_path):
    for number, change in enumerate(("setting", "site", "hub")):
        place = Place(tmp_path / str(number))
        token, _ = place.subscribed()
        if change == "setting":
            place.settings = with_overrides(place.settings, ["serve.address="])
        elif change == "site":
            place.settings = replace(place.settings, site=(SiteSettings("news.example", state="removed"),))
        else:
            other = written(HubWord("https://other.example/", FEED))
            place.archive.beside(lambda connection, other=other: keep_note(connection, WORDS, FEED, other))
        place.subscriptions.step()
        ended = [body for url, body, _ in place.sent if "hub.mode=unsubscribe" in body]
        assert len(ended) == 1 and token in ended[0]
        assert any(url == "https://other.example/" for url, _, _ in place.sent) is (change == "hub")
        assert place.subscriptions.confirm(token, "unsubscribe", FEED, "")
        place.subscriptions.step()
        assert token not in str(place.kept()), "and forgotten"


def test_what_is_not_crawled_or_taken_down_is_nobodys_business(tmp_path):
    for number, act in enumerate(("erased", "taken down", "control")):
        place = Place(tmp_path / str(number))
        if act == "erased":
            place.archive.beside(lambda connection: connection.execute("UPDATE pages SET due = ?", (float("inf"),)))
        elif act == "taken down":
            block(place.archive, Wish(FEED, "a request"))
        place.subscriptions.step()
        assert len(place.sent) == (act == "control"), act


def test_a_refusal_lasts_a_day_and_an_answer_410_is_one(tmp_path):
    place = Place(tmp_path)
    place.answer = Posted(410, "answered 410")
    place.subscriptions.step()
    assert place.kept()[0]["state"] == "denied"
    place.now += 2 * PAUSE
    place.subscriptions.step()
    assert len(place.sent) == 1
    place.now += DENIED_FOR
    place.subscriptions.step()
    assert len(place.sent) == 2


def test_nobody_is_asked_without_an_address_and_few_of_one_site(tmp_path, monkeypatch):
    feeds = [f"https://news.example/feed{n}.xml" for n in range(60)]
    place = Place(tmp_path, feeds)
    address, place.settings = place.settings, with_overrides(place.settings, ["serve.address="])
    place.subscriptions.step()
    with monkeypatch.context() as closed:
        closed.setattr(place.subscriptions, "_notes", None)
        place.subscriptions.step()  # and nothing is read for nothing
    assert place.sent == [] and place.kept() == []
    place.settings = address
    for _ in range(20):
        place.subscriptions.step()
    assert len(place.sent) == len(place.kept()) == 20


@pytest.mark.parametrize(
    "hub", ["http://127.0.0.1:9/", "http://169.254.169.254/", "http://[::1]:9/", "file:///etc/passwd"]
)
def test_hubs_inside_are_not_asked(tmp_path, hub):
    place = Place(tmp_path, send=post)
    word = written(HubWord(hub, FEED))
    place.archive.beside(lambda connection: keep_note(connection, WORDS, FEED, word))
    said = place.subscriptions.step()
    assert not said or "not allowed" in said[0]
