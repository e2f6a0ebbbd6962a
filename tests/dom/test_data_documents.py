"""JSON, feeds and tables as pages: what changed is seen and scored, hostile documents end in bounded time."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.core.changes.importance import importance
from strandline.core.changes.vidiff import compare
from strandline.core.changes.volatility import NoiseState
from strandline.dom.data_documents import MOST_VALUES, as_page
from strandline.dom.html import blocks

ITEMS = [{"id": number, "title": f"Item {word}", "price": 10 + number} for number, word in enumerate("abcdefgh")]


def score(before, after, mime):
    pages = [as_page(data, mime, "utf-8") for data in (before, after)]
    assert all(page is not None for page in pages)
    delta = compare(*(blocks(page) for page in pages))
    return importance(delta, NoiseState()).value, delta


def feed(*titles):
    entries = "".join(
        f"<item><title>{title}</title><link>https://n.example/{title[:3]}</link>"
        f"<description>&lt;p&gt;What is known of {title}, who saw it first, what it means for those who live by the "
        f"shore, and when the harbour master will speak of it again.&lt;/p&gt;</description></item>"
        for title in titles
    )
    return f"<rss><channel><title>News</title><lastBuildDate>now</lastBuildDate>{entries}</channel></rss>".encode()


def test_a_price_in_json_is_a_change():
    before = json.dumps({"shop": {"name": "Sieves", "items": ITEMS}}).encode()
    dearer = [*ITEMS[:3], {**ITEMS[3], "price": 99}, *ITEMS[4:]]
    value, delta = score(before, json.dumps({"shop": {"name": "Sieves", "items": dearer}}).encode(), "application/json")
    assert value > 0
    assert any("99" in operation.after for operation in delta.operations)
    assert score(before, before, "application/json")[1].empty


def test_an_item_inserted_into_a_list_leaves_the_others_alone():
    more = [{"id": 77, "title": "Something nobody sold before", "price": 5}, *ITEMS]
    _, delta = score(json.dumps(ITEMS).encode(), json.dumps(more).encode(), "application/json")
    gone = [operation for operation in delta.operations if operation.kind == "delete"]
    assert not gone
    assert any("nobody sold" in operation.after for operation in delta.operations)


def test_a_new_entry_of_a_feed_counts_and_the_time_it_was_built_does_not():
    old = [f"{what} {does}" for what in ("Tide", "Sand", "Pier", "Wharf") for does in ("turns", "moves", "opens")]
    before = feed(*old)
    value, delta = score(before, feed("Storm breaks the harbour wall", *old), "application/rss+xml")
    assert value > 0.05  # most of its words are known from the other entries
    assert any("Storm" in operation.after for operation in delta.operations)
    assert score(before, before.replace(b"Date>now<", b"Date>later<"), "application/rss+xml")[1].empty


def test_atom_and_json_feeds():
    atom = b"""<feed xmlns="http://www.w3.org/2005/Atom"><updated>x</updated><entry><title>Tide</title>
    <link href="https://n.example/tide"/><summary>High at four.</summary></entry></feed>"""
    page = as_page(atom, "application/atom+xml", "utf-8")
    assert page is not None
    assert blocks(page).text.split("\n") == ["Tide", "High at four."]
    told = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": "N",
        "items": [{"id": "1", "content_text": "High."}],
    }
    page = as_page(json.dumps(told).encode(), "application/feed+json", "utf-8")
    assert page is not None
    assert "content_text: High." in blocks(page).text


def test_a_cell_of_a_table():
    rows = [f"{place},{height}" for place, height in (("Brest", 4), ("Emden", 3), ("Vlissingen", 5))]
    before = "\n".join(["place,height", *rows])
    _, delta = score(before.encode(), before.replace("Emden,3", "Emden,8").encode(), "text/csv")
    assert [(operation.before, operation.after) for operation in delta.operations] == [("3", "8")]


@pytest.mark.parametrize(
    "data, mime",
    [
        (b"[" * 200_000, "application/json"),
        (b'{"a":' * 5_000 + b"1" + b"}" * 5_000, "application/json"),
        (b"{broken", "application/json"),
        (b"[1" + b",1" * 1_000_000 + b"]", "application/json"),
        (b"a,b\n" * 500_000, "text/csv"),
        (b'"' + b"x" * 1_000_000, "text/csv"),
        (b"<!DOCTYPE r [<!ENTITY a 'b'>]><rss><item><title>&a;</title></item></rss>", "application/rss+xml"),
        (b"<rss>" + b"<item>" * 10_000, "application/rss+xml"),
        (b"x" * (9 << 20), "application/json"),
    ],
)
def test_hostile_documents_are_bounded(data, mime):
    page = as_page(data, mime, "utf-8")
    assert page is None or page.count(b"<") <= 8 * MOST_VALUES


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=5), inner),
    )
)
def test_every_json_document_can_be_cut(document):
    page = as_page(json.dumps([document]).encode(), "application/json", "utf-8")
    assert page is not None
    blocks(page)


def test_pages_are_left_alone():
    assert as_page(b"<html><p>x</p></html>", "text/html", "utf-8") is None
    assert as_page(b"\x89PNG", "image/png", "utf-8") is None
