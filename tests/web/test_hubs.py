"""Where hubs reach the interface: without a login, at an address nobody can guess, and nothing else is open there."""

import contextlib
import json
import time
from urllib.parse import urlencode

import pytest

from made.catalog_words import found
from servers.hub import signature
from strandline.core.capture import Kind
from strandline.core.discovery.websub import LARGEST, HubWord
from strandline.plan.feed_hubs import SUBSCRIPTIONS, WORDS, written
from strandline.settings.file import NAME, settings_text, with_overrides
from strandline.store.catalog import open_catalog
from strandline.store.notes import keep_note
from web.archives import Builder, served

FEED = "https://news.example/feed.xml"


@pytest.fixture
def place(tmp_path, monkeypatch):
    """An interface that wants a token, and an archive with a feed whose hub was asked; its hub's token and secret."""
    archive = Builder(tmp_path).archive()
    settings = with_overrides(archive.settings, ["serve.address=https://archive.example/"])
    (archive.folder / NAME).write_text(settings_text(settings))
    word = written(HubWord("http://192.0.2.1:9/", FEED))  # an address that leads nowhere: no hub ever asks back
    archive.beside(lambda connection: keep_note(connection, WORDS, FEED, word))
    with contextlib.closing(open_catalog(archive.folder, "test")) as catalog:
        catalog.add([found(FEED, kind=Kind.FEED, via="feed")])
    monkeypatch.setattr("strandline.web.hubs.EVERY", 0.2)
    with served(archive, token="the token of the house", names=("archive.example",)) as server:
        end = time.monotonic() + 20
        while not (kept := [json.loads(data) for _, data in archive.reading.notes(SUBSCRIPTIONS)]):
            assert time.monotonic() < end
            time.sleep(0.05)
        yield server, kept[0]["callback"].partition("archive.example")[2], kept[0]["secret"]


def asked(server, path, host="archive.example", **said):
    query = urlencode({f"hub.{name}": value for name, value in said.items()})
    return server.get(f"{path}?{query}", origin="interface", host=host)


def told(server, path, body, sign):
    return server.get(path, {"X-Hub-Signature": sign}, "POST", "interface", body, "archive.example")[0]


def test_a_hub_confirms_and_tells_without_a_login(place):
    server, path, secret = place
    assert told(server, path, b"early", signature(secret, b"early")) == 410, "it was not confirmed yet"
    status, fields, body = asked(server, path, mode="subscribe", topic=FEED, challenge="<b>word", lease_seconds=3600)
    assert (status, body) == (200, b"<b>word")
    assert fields["content-type"].startswith("text/plain") and fields["x-content-type-options"] == "nosniff"
    assert told(server, path, b"new", signature(secret, b"new")) == 202
    assert told(server, path, b"new", signature("guessed", b"new")) == 202, "nobody learns that it was wrong"
    assert asked(server, path, mode="denied", topic=FEED)[0] == 200
    assert told(server, path, b"more", signature(secret, b"more")) == 410, "a hub that refuses is not heard any more"


@pytest.mark.parametrize(
    "said",
    [
        {"mode": "subscribe", "topic": "https://other.example/", "challenge": "x"},
        {"mode": "unsubscribe", "topic": FEED, "challenge": "x"},
        {"mode": "publish", "topic": FEED, "challenge": "x"},
        {"mode": "subscribe", "topic": FEED},
        {"mode": "subscribe", "topic": FEED, "challenge": "x" * 2_000},
        {},
    ],
)
def test_what_nobody_asked_for_is_not_confirmed(place, said):
    server, path, _ = place
    assert asked(server, path, **said)[0] == 404


def test_who_does_not_know_the_address_finds_nothing(place):
    server, path, secret = place
    sign = signature(secret, b"new")
    for wrong in ("/hub/", "/hub/x", path[:-1], f"{path}x", f"{path}/x", path.replace("/hub/", "/hub/../hub/x")):
        assert told(server, wrong, b"new", sign) in (404, 405), wrong
        assert asked(server, wrong, mode="subscribe", topic=FEED, challenge="x")[0] in (404, 405)
    assert asked(server, path, host="evil.example", mode="subscribe", topic=FEED, challenge="x")[0] == 403
    assert server.get("/changes", origin="interface", host="archive.example")[0] == 401, "control: all else is closed"
    assert server.get("/hub/../api/v1/sites", origin="interface", host="archive.example")[0] in (401, 404)


def test_without_tokens_and_accounts_only_hubs_come_in_from_outside(tmp_path):
    archive = Builder(tmp_path).archive()
    with served(archive, names=("archive.example",), outside="archive.example") as server:
        for path in ("/", "/changes", "/api/v1/sites", "/settings", "/healthz"):
            assert server.get(path, origin="interface", host="archive.example")[0] == 403, path
        assert server.get("/rate", {}, "POST", "interface", b"", "archive.example")[0] == 403
        assert server.get("/hub/x", origin="interface", host="archive.example")[0] == 404, "hubs may ask"
        assert server.get("/changes", origin="interface")[0] == 200, "control: at home it is as ever"
    with served(archive, names=("archive.example",)) as server:
        assert server.get("/changes", origin="interface", host="archive.example")[0] == 200, "control: a further name"


def test_the_page_of_a_site_tells_how_its_feeds_stand_but_for_what_is_taken_down(place):
    server, path, _ = place
    asked(server, path, mode="subscribe", topic=FEED, challenge="x", lease_seconds=3600)
    mine = {"Authorization": "Bearer the token of the house"}

    def shown():
        page = server.get("/site?site=news.example", mine, origin="interface")[2].decode()
        told = json.loads(server.get("/api/v1/site?site=news.example", mine, origin="interface")[2])
        return page, told["hubs"]

    page, told = shown()
    assert "told by http://192.0.2.1:9/ until" in page and told[FEED].startswith("told by")
    assert path.rpartition("/")[2] not in page, "where the hub comes in is nobody's business"
    sent = json.dumps({"target": FEED, "reason": "A request"}).encode()
    fields = {**mine, "Content-Type": "application/json"}
    assert server.get("/api/v1/takedowns", fields, "POST", "interface", sent)[0] == 201
    page, told = shown()
    assert "192.0.2.1" not in page and told == {}


def test_messages_are_bounded(place):
    server, path, secret = place
    assert asked(server, path, mode="subscribe", topic=FEED, challenge="x", lease_seconds=3600)[0] == 200
    largest = b"x" * LARGEST
    assert told(server, path, largest, signature(secret, largest)) == 202
    head = {"X-Hub-Signature": "sha256=0", "Content-Length": str(LARGEST + 1)}
    assert server.get(path, head, "POST", "interface", None, "archive.example")[0] == 413
    head = {"Content-Length": str(100_000)}
    assert server.get("/login", head, "POST", "interface", None, "archive.example")[0] == 413, "control: others less"
