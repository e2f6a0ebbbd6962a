"""JSON, feeds and tables as pages: what changed is seen and scored, hostile documents end in bounded time."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.score.importance import importance, study
from strandline.core.changes.told.sentences import told
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
    assert value > 0.5
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
    assert "content text: High." in blocks(page).text


def test_a_cell_of_a_table():
    rows = [f"{place},{height}" for place, height in (("Brest", 4), ("Emden", 3), ("Vlissingen", 5))]
    before = "\n".join(["place,height", *rows])
    _, delta = score(before.encode(), before.replace("Emden,3", "Emden,8").encode(), "text/csv")
    assert [(operation.before, operation.after) for operation in delta.operations] == [("3", "8")]


SHOP = {"id": 7, "name": "Kettle", "price": 14.95, "currency": "EUR", "stock": 4, "views": 120}
TERMS = {
    "contract": {"noticeDays": 14, "deposit": 300, "renewal": {"months": 12}, "text": "The tenant must give notice."}
}
PLANS = {"plans": [{"name": "Small", "monthly_price": 9}, {"name": "Large", "monthly_price": 19}], "generated_at": "x"}


def changed(document, *path_and_value):
    *path, value = path_and_value
    made = json.loads(json.dumps(document))
    inner = made
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return made


def scores(*documents):
    """Of each successive change, by a page that is learned from."""
    noise, old, found = NoiseState(), None, []
    for document in documents:
        page = as_page(json.dumps(document).encode(), "application/json", "utf-8")
        assert page is not None
        new = blocks(page, scale=old.scale if old else 0)
        if old:
            found.append(study(compare(old, new), noise).value)
        old = new
    return found


@pytest.mark.parametrize(
    "document, path, values",
    [
        (SHOP, ("price",), [14.95 + 0.25 * step for step in range(11)]),
        (TERMS, ("contract", "noticeDays"), [14 + 7 * step for step in range(11)]),
        (TERMS, ("contract", "deposit"), [300 + 10 * step for step in range(11)]),
        (TERMS, ("contract", "renewal", "months"), [12 + 6 * step for step in range(11)]),
        (TERMS, ("contract", "text"), ["You must give notice.", "You may give notice."]),
        (PLANS, ("plans", 1, "monthly_price"), [19 + step for step in range(11)]),
    ],
)
def test_a_price_or_term_in_json_counts_as_on_a_page_at_the_first_change_and_at_the_tenth(document, path, values):
    assert min(scores(*(changed(document, *path, value) for value in values))) > 0.5


@pytest.mark.parametrize(
    "path, values",
    [
        (("views",), range(120, 160, 7)),
        (("view_count",), range(120, 160, 7)),
        (("updated_at",), [f"2026-05-0{day}T1{day}:00:0{day}Z" for day in range(1, 7)]),
        (("lastModified",), [f"2026-05-0{day}" for day in range(1, 7)]),
        (("timestamp",), range(1714723200, 1714723800, 100)),
        (("server_time",), [f"1{hour}:00:07" for hour in range(6)]),
        (("requestId",), ["8f14e45fceea", "c9f0f895fb98", "45c48cce2e2d", "d3d9446802a4"]),
    ],
)
def test_counters_and_timestamps_in_json_are_noise(path, values):
    assert max(scores(*(changed(SHOP, *path, value) for value in values))) < 0.015


@pytest.mark.parametrize("kind", ["rss", "atom"])
def test_a_new_entry_counts_also_after_ten_and_one_that_passes_on_does_not(kind):
    titles = [
        "Mayor opens a bridge", "Council paints towers", "Bakery sells its garden", "School visits the station",
        "Ferry moves meadows", "Museum repairs lighthouse", "Library measures quarry", "Tram rebuilds orchard",
        "Harbour guards railway", "Theatre lights chapel", "Brewery counts windmills", "Market floods canal",
    ]  # fmt: skip
    noise, old, found = NoiseState(), None, []
    for shown in range(2, 12):
        data = feed(*reversed(titles[max(0, shown - 6) : shown]))
        if kind == "atom":
            data = data.replace(b"<rss><channel>", b"<feed>").replace(b"</channel></rss>", b"</feed>")
            data = data.replace(b"item>", b"entry>").replace(b"description>", b"summary>")
        page = as_page(data, f"application/{kind}+xml", "utf-8")
        assert page is not None
        new = blocks(page, scale=old.scale if old else 0)
        if old:
            found.append(study(compare(old, new), noise).value)
        old = new
    assert min(found) > 0.05


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


def lamp(price, look):
    return {
        "name": "Desk lamp",
        "price": price,
        "generated at": f"2026-03-{look + 1:02d}T10:00:00Z",
        "request id": f"a{look}f",
    }


def limits(requests, look):
    return {"plan": "free", "limits": {"requests_per_day": requests}, "etag": f"{look * 99_991:x}"}


def switches(chat, look):
    return {"chat": chat, "share": False, "timestamp": 1_700_000_000 + 3_600 * look}


@pytest.mark.parametrize(
    ("make", "before", "after", "said"),
    [
        (lamp, 89.0, 99.0, "The price rose from 89.0 to 99.0"),
        (limits, 1000, 200, "“requests per day” fell from 1000 to 200"),
        (switches, True, False, "“false” replaced “true” in: “chat: false”"),
    ],
)
def test_what_an_interface_answers_after_nine_answers_that_said_the_same(make, before, after, said):
    answers = [make(before, look) for look in range(9)] + [make(after, 9)]
    trees = [blocks(as_page(json.dumps(answer).encode(), "application/json", "utf-8")) for answer in answers]
    noise, found = NoiseState(), []
    for delta in (compare(*pair) for pair in pairwise(trees)):
        scored = study(delta, noise)
        found.append((scored.value, told(delta, scored).sentence))
    assert max(value for value, _ in found[:-1]) < 0.015
    assert found[-1][0] > 0.5
    assert found[-1][1] == said
