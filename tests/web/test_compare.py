"""The comparison says of each text of a block what happened to it, and why it counts or not."""

import json
import random
import re
from html import unescape

import pytest

from strandline.lab.experiments.made_words import name
from strandline.web.texts import say
from web.archives import Builder, served

URL = "http://site.test/"
TEXTS = [f"Paragraph {name} speaks of {thing} and of little else." for name, thing in
         (("one", "harbours"), ("two", "bridges"), ("three", "museums"))]  # fmt: skip
STORIES = ["Council votes on bridge", "Storm closes the harbour", "Ferry strikes a pier", "Museum opens late",
           "Choir wins in Bergen", "Old mill is restored"]  # fmt: skip


def front(stories, readers, notice, box):
    links = "".join(f'<li><a href="/{n}">{story}</a></li>' for n, story in enumerate(stories))
    texts = "".join(f"<p>{text}</p>" for text in (*TEXTS, f"Either side gives notice of {notice} days."))
    terms = f"<article><h2>Terms</h2>{texts}</article>"
    aside = f"<aside><h3>From our shop</h3><p>{box}</p></aside>"
    return f"<title>Daily</title><main><h1>News</h1><ul>{links}</ul>{terms}</main><p>{readers} readers now</p>{aside}"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    made = Builder(tmp_path_factory.mktemp("compared"))
    boxes = ["Kettles at half price", "Lamps for reading", "Kettles at half price"]
    lists = [STORIES, STORIES, ["<b>Lighthouse</b> &lt;sold&gt; to a poet", *STORIES[1:]]]
    for number, (box, stories) in enumerate(zip(boxes, lists, strict=True)):
        page = front(stories, 120 + 31 * number, 30 if number < 2 else 90, box)
        made.add(URL, page, when=f"2026-03-0{number + 1}T12:00:00Z")
    archive = made.archive()
    archive.study()
    with served(archive) as running:
        yield running


@pytest.fixture(scope="module")
def items(server):
    status, _, body = server.get(f"/api/v1/compare?url={URL}&from=2026-03-02T13:00Z&to=2026-03-04", origin="interface")
    assert status == 200
    return [item for block in json.loads(body)["blocks"] for item in block["items"]]


def test_the_api_has_the_texts_of_each_block(items):
    found = {item["after"] or item["before"]: (item["kind"], item["counts"]) for item in items}
    assert found["Either side gives notice of 90 days."] == ("edited", True)
    assert found["182 readers now"] == ("ticking", False)
    assert found["Kettles at half price"] == ("rotating", False)
    assert any("Lighthouse" in text and counts for text, (_, counts) in found.items())


@pytest.mark.parametrize("view", ["side", "one"])
def test_the_page_shows_them_in_words(server, items, view):
    status, _, body = server.get(
        f"/compare?url={URL}&from=20260302120000&to=20260303120000&view={view}", origin="interface"
    )
    assert status == 200
    page = body.decode()
    lines = [
        re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", line))).strip()
        for part in re.findall(r'<details class="items".*?</details>', page, re.DOTALL)
        for line in re.findall(r"<li.*?</li>", part, re.DOTALL)
    ]
    assert len(lines) == len(items)
    for line, item in zip(lines, items, strict=True):
        assert line.startswith(say(f"item_{item['kind']}"))
        assert say("item_counts" if item["counts"] else "item_idle") in line
        assert item["why"] in line
    assert "<sold>" not in page and "&lt;sold&gt;" in page, "texts of pages are escaped"


def test_a_block_of_many_texts_tells_the_first_and_how_many_more(tmp_path):
    made, draw = Builder(tmp_path), random.Random(3)
    names = [f"{name(draw)} {name(draw)}" for _ in range(90)]
    for number in range(2):
        rows = "".join(
            f"<tr><td>{who}</td><td>{names[-i]} {number * 500 + i}</td><td>{i * 7 + number * 5000} EUR</td></tr>"
            for i, who in enumerate(names)
        )
        made.add(URL, f"<main><h1>Dues</h1><table>{rows}</table></main>", when=f"2026-03-0{number + 1}T12:00:00Z")
    with served(made.archive()) as running:
        told = json.loads(running.get(f"/api/v1/compare?url={URL}", origin="interface")[2])
        page = running.get(f"/compare?url={URL}", origin="interface")[2].decode()
    cut = [block for block in told["blocks"] if block["items_count"] > len(block["items"])]
    assert cut and all(len(block["items"]) == 20 for block in cut)
    for block in cut:
        assert say("items_changed", count=block["items_count"]) in page
        assert say("items_more", count=block["items_count"] - 20) in page
