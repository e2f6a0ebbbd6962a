"""What pages tell other sites of themselves, and which runs of text say the same."""

import time

import numpy as np

from strandline.core.blocks.page_told import NOTHING_TOLD, TOLD_NAMES, page_told, told_columns
from strandline.dom.html import main_text

PAGE = b"""<title>Kettle Vesta</title><meta content='A kettle of &quot;steel&quot;' property=og:description>
<script type='application/ld+json'>{"@type": "Product",
"description" : "Boils \\u003cb\\u003ea litre\\u003c/b\\u003e in two minutes"}
</script>"""


def test_descriptions_and_data_are_read():
    told = page_told(PAGE)
    assert told.description == {"a", "kettle", "of", "steel"}
    assert ("boils", "a", "litre") in told.rows
    assert told.size == 6


def test_a_page_that_tells_nothing():
    assert page_told(b"<p>Hello</p>") == NOTHING_TOLD
    assert page_told(b"") == NOTHING_TOLD
    assert page_told(b'{"description": "broken \\u12 escape"}').size == 3


def test_runs_that_say_the_same_are_found():
    told = page_told(PAGE)
    texts = ["Kettle Vesta", "It boils a litre in two minutes", "Add to cart", "Litre", ""]
    title, description, text, size = told_columns(texts, "Kettle Vesta", told).T
    assert title.tolist() == [1.0, 0.0, 0.0, 0.0, 0.0]
    assert description[0] == 0.5
    assert text[1] == np.float32(0.8)
    assert text[2] == 0.0
    assert text[3] == np.float32(0.3)
    assert size.tolist() == [0.0] * 5


def test_what_is_not_told_is_minus_one():
    table = told_columns(["One", "Two"], "", NOTHING_TOLD)
    assert table.shape == (2, len(TOLD_NAMES))
    assert table[:, :3].tolist() == [[-1.0] * 3] * 2


def test_pages_made_to_cost_time_cost_little():
    start = time.thread_time()
    for page in (
        b'"description":"' * 100_000,
        b"<meta name=description " * 100_000,
        b'"text":"\\' * 100_000,
        b"<" * 10**6,
    ):
        page_told(page)
    assert time.thread_time() - start < 5.0


def test_the_text_of_a_page_is_taken_from_what_is_shown():
    shown = "<p>It stands on three feet and boils a litre of water in two minutes, without a sound.</p>" * 3
    assert "in two minutes" in main_text(PAGE + f"<main><h1>Kettle Vesta</h1>{shown}</main>".encode())
    assert "of" not in main_text(PAGE).split()
