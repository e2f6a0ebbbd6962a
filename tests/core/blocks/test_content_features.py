"""The numbers that describe runs of text, by hand on a small page."""

import numpy as np
import pytest

from strandline.core.blocks.content_features import NAMES, features
from strandline.dom.html import layout


def test_numbers_of_a_small_page():
    page = layout(
        b"<meta property='og:type' content='product'>"
        b"<main><h1>Tides</h1><ul><li class='r'>One, two.</li><li class='r'>Three <a href='/4'>four</a></li>"
        b"<li class='r'>Five</li></ul></main>",
        described=True,
    )
    rows = np.flatnonzero(page.item_kinds == 0)
    found = {name: column.tolist() for name, column in zip(NAMES, features(page, rows).T, strict=True)}
    assert found["chars"] == [5.0, 9.0, 10.0, 4.0]
    assert found["linked"] == pytest.approx([0, 0, 0.5, 0])  # with the blank before it
    assert found["commas"] == [0, 1, 0, 0]
    assert found["stop"] == [0, 1, 0, 0]
    assert found["since_heading"] == [0, 1, 2, 3]
    assert found["repeated_alike"] == [0, 3, 3, 3]
    assert found["repeated_share"] == pytest.approx([0, 23 / 28, 23 / 28, 23 / 28])
    assert found["list_inside"] == [0, 1, 1, 1]
    assert found["title_steps"] == [0, 1, 1, 1]
    assert found["before_chars"] == [0, 5, 9, 10]
    assert found["page_is_product"] == [1, 1, 1, 1]  # among the last columns: none is written beside its place
    assert found["page_is_answers"] == [0, 0, 0, 0]
    assert found["page_tag_li"] == [2, 2, 2, 2]  # as a power of two
