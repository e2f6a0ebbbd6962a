import json

import pytest

from strandline.dom import feeds
from strandline.dom.documents import Documents
from strandline.dom.feeds import discover_feed

URL = "http://a.example/feed"
MARCH = 1772366400.0
RSS = b"""<?xml version="1.0"?><rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><link>http://a.example/</link>
<atom:link rel="self" href="http://a.example/feed"/>
<item><title>One</title><link>http://a.example/1</link><pubDate>Sun, 01 Mar 2026 12:00:00 GMT</pubDate></item>
<item><guid>http://a.example/2</guid></item><item><guid isPermaLink="false">id-3</guid></item></channel></rss>"""
RDF = b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
xmlns:dc="http://purl.org/dc/elements/1.1/"><item><link>/1</link><dc:date>2026-03-01T12:00:00Z</dc:date></item></rdf:RDF>"""
ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom"><link href="/"/>
<entry><link rel="edit" href="/no"/><link href="/1"/>
<published>2020-01-01T00:00:00Z</published><updated>2026-03-01T13:00:00+01:00</updated></entry></feed>"""
JSON = json.dumps(
    {
        "version": "https://jsonfeed.org/version/1.1",
        "items": [{"url": "/1", "date_published": "2020-01-01", "date_modified": "2026-03-01T12:00:00Z"}, {"id": 2}, 3],
    }
).encode()


def entries(found):
    return [(one.url.removeprefix("http://a.example"), one.via, one.lastmod) for one in found.named]


@pytest.mark.parametrize("body", [RDF, ATOM, JSON])
def test_entries_with_their_time(body):
    assert entries(discover_feed(URL, body)) == [("/1", "link", MARCH)]


def test_rss_two():
    assert entries(discover_feed(URL, RSS)) == [("/1", "link", MARCH), ("/2", "link", None)]


@pytest.mark.parametrize(
    ("mime", "body"),
    [
        ("application/rss+xml", RSS),
        ("text/xml", RDF),
        ("application/atom+xml", ATOM),
        ("text/html", RSS),
        ("application/json", JSON),
    ],
)
def test_documents_know_a_feed(mime, body):
    assert Documents().discover(URL, mime, body, "utf-8").named == discover_feed(URL, body).named != ()


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[" * 100_000, b"{" * 100_000, b'{"items": {}}', b"<rss><item><link>", b"<!DOCTYPE x><rss/>"]
)
def test_broken_feeds_name_nothing(body):
    assert discover_feed(URL, body).named == ()


def test_limits(monkeypatch):
    monkeypatch.setattr(feeds, "ENTRIES", 1)
    found = discover_feed(URL, RSS)
    assert len(found.named) == 1 and "more than 1" in found.lost


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        (
            "<rss version='2.0'><channel><ttl>90</ttl><item><link>https://a.example/1</link></item></channel></rss>",
            5400.0,
        ),
        ("<rss version='2.0'><channel><item><ttl>90</ttl><link>https://a.example/1</link></item></channel></rss>", 0.0),
        (
            "<rss xmlns:sy='http://purl.org/rss/1.0/modules/syndication/'><channel><sy:updatePeriod> hourly\n"
            "</sy:updatePeriod><sy:updateFrequency>2</sy:updateFrequency></channel></rss>",
            1800.0,
        ),
        ("<rss><channel><ttl>soon</ttl></channel></rss>", 0.0),
        ("<feed xmlns='http://www.w3.org/2005/Atom'><title>ttl</title></feed>", 0.0),
        ('{"version": "https://jsonfeed.org/version/1.1", "ttl": 5, "items": []}', 0.0),
        ("<!DOCTYPE x [<!ENTITY e 'ttl'>]><rss><channel><ttl>90</ttl></channel></rss>", 0.0),
    ],
)
def test_how_long_a_feed_asks_to_be_left_alone(text, seconds):
    assert discover_feed("https://a.example/feed", text.encode()).asks == seconds


ATOM_HUB = (
    b"<feed xmlns='http://www.w3.org/2005/Atom'><link rel='hub' href='%b'/><link rel='self' href='/feed'/>"
    b"<entry><link href='/a'/></entry></feed>"
)
RSS_HUB = (
    b"<rss xmlns:atom='http://www.w3.org/2005/Atom'><channel><atom:link rel='hub' href='https://h.example/'/>"
    b"<atom:link rel='self' href='https://a.example/rss?x=1&amp;y=%C3%A9'/><item><link>/a</link></item></channel></rss>"
)
LATE_HUB = (
    b"<feed xmlns='http://www.w3.org/2005/Atom'><entry><link href='/a'/><link rel='hub' href='https://h.example/'/>"
    b"</entry></feed>"
)
JSON_HUB = (
    b'{"feed_url": "https://a.example/f", "hubs": [{"type": "rss"}, {"type": "WebSub", "url": "https://h.example/"}]}'
)


@pytest.mark.parametrize(
    ("data", "hub", "topic"),
    [
        (ATOM_HUB % b"https://h.example/", "https://h.example/", "https://a.example/feed"),
        (ATOM_HUB % b"//h.example", "https://h.example/", "https://a.example/feed"),
        (ATOM_HUB % b"javascript:alert(1)", "", "https://a.example/feed"),
        (ATOM_HUB % (b"https://h.example/" + b"x" * 3000), "", "https://a.example/feed"),
        (RSS_HUB, "https://h.example/", "https://a.example/rss?x=1&y=%C3%A9"),
        (LATE_HUB, "", ""),
        (JSON_HUB, "https://h.example/", "https://a.example/f"),
        (b'{"hubs": "hub"}', "", ""),
        (b"<feed><link rel='hub' href='https://h.example/'><entry>", "", ""),
        (b"hub", "", ""),
    ],
)
def test_the_hub_a_feed_names(data, hub, topic):
    found = discover_feed("https://a.example/feed", data)
    assert (found.hub, found.topic) == (hub, topic)
