"""Feeds are well-formed, keep their ids, and say why, whatever a page put into its words."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from strandline.access.feeds import Entry, Feed, Reason, feed
from strandline.dom.feeds import discover_feed

ATOM = {"a": "http://www.w3.org/2005/Atom"}
ENTRY = Entry(
    "11111111-2222-3333-4444-555555555555",
    "https://a.example/fees (importance 0.62)",
    "https://a.example/fees?x=1&y=2",
    1_700_000_000.0,
    "fees changed",
    (Reason("Fees", "2 new words (six)", 3.0),),
    "a.example",
)


def made(*entries, form="atom", **more):
    return etree.fromstring(feed(Feed("Changes & more", "key", entries, updated=5.0, **more), form))


def test_atom():
    tree = made(ENTRY, address="https://archive.example/feeds/atom")
    assert tree.xpath("string(a:entry/a:id)", namespaces=ATOM) == f"urn:uuid:{ENTRY.key}"
    assert tree.xpath("string(a:entry/a:link/@href)", namespaces=ATOM) == ENTRY.link
    assert tree.xpath("string(a:updated)", namespaces=ATOM) == "2023-11-14T22:13:20Z"
    content = tree.xpath("string(a:entry/a:content)", namespaces=ATOM)
    assert "<li><b>Fees</b>: 2 new words (six) (3.00)</li>" in content
    assert made().xpath("string(a:updated)", namespaces=ATOM) == "1970-01-01T00:00:05Z"


def test_both_texts_and_links_are_shown_escaped():
    entry = replace(ENTRY, old="a < b", new="a > b", links=(("Compare", "https://a.example/compare?x=1&y=2"),))
    content = made(entry).xpath("string(a:entry/a:content)", namespaces=ATOM)
    assert "<p><del>a &lt; b</del></p><p><ins>a &gt; b</ins></p>" in content
    assert '<a href="https://a.example/compare?x=1&amp;y=2">Compare</a>' in content


def test_rss():
    tree = made(ENTRY, form="rss")
    item = tree.find("channel/item")
    assert item.findtext("guid") == f"urn:uuid:{ENTRY.key}" and item.findtext("link") == ENTRY.link
    assert item.findtext("pubDate") == "Tue, 14 Nov 2023 22:13:20 GMT"
    assert "2 new words (six)" in item.findtext("description")


@given(st.text(), st.sampled_from(["atom", "rss"]))
def test_any_words_of_a_page_stay_words(words, form):
    entry = Entry(ENTRY.key, words, "", 0.0, words, (Reason(words, words, 1.0),), words)
    tree = made(entry, form=form)
    assert len(tree.xpath("//*[local-name()='entry' or local-name()='item']")) == 1
    (content,) = tree.xpath("//*[local-name()='content' or local-name()='description'][last()]/text()")[-1:]
    assert "<script" not in content.replace("&lt;script", "")


def test_our_own_reader_of_feeds_understands_them():
    for form in ("atom", "rss"):
        document = feed(Feed("t", "key", [ENTRY]), form)
        found = discover_feed("https://archive.example/", document)
        assert [(named.url, named.lastmod) for named in found.named] == [(ENTRY.link, ENTRY.time)]
