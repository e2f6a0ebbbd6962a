"""What a run of text is one of, by hand on small pages."""

import numpy as np
import pytest

from strandline.core.blocks.content_features import NAMES, features
from strandline.core.blocks.content_kin import FARTHEST, KIN_NAMES
from strandline.dom.html import layout


def numbers(html):
    page = layout(html, described=True)
    rows = np.flatnonzero(page.item_kinds == 0)
    return {name: column.tolist() for name, column in zip(NAMES, features(page, rows).T, strict=True)}


def test_texts_of_posts_are_kin_though_each_lies_in_a_part_of_its_own():
    post = b"<div class='post'><div class='by'>Ann</div><div class='said'>%s</div></div>"
    found = numbers(b"<main>" + b"".join(post % text for text in (b"Tides rise.", b"So they do.", b"No.")) + b"</main>")
    assert found["looks3_count"] == [3.0] * 6
    assert found["looks3_share"] == pytest.approx([9 / 34, 25 / 34] * 3)
    assert found["looks3_mean"] == pytest.approx([3, 25 / 3] * 3)
    assert found["looks3_linked"] == [0.0] * 6
    assert found["repeated_number"] == [0, 0, 1, 1, 2, 2]
    assert found["repeated_relative"] == pytest.approx([14 / (34 / 3)] * 4 + [6 / (34 / 3)] * 2)
    assert found["card_number"] == [-1.0] * 6  # none holds a hundred letters


def test_headings_divide_what_lies_side_by_side():
    text = b"Tides rise, and fall, as the moon goes round and the earth turns below it, twice a day."
    found = numbers(b"<h2>One</h2><p>" + text + b"</p><h2>Two</h2><p><a href='/a'>Four</a></p><p>Five</p>")
    assert found["section_number"] == [1, 1, 2, 2, 2]
    assert found["section_count"] == [2, 2, 3, 3, 3]
    assert found["section_chars"] == pytest.approx(np.log2([91, 91, 12, 12, 12]).tolist())
    assert found["section_prose"] == pytest.approx([87 / 90, 87 / 90, 0, 0, 0])
    assert found["section_linked"] == pytest.approx([0, 0, 4 / 11, 4 / 11, 4 / 11])
    assert found["prose_before"] == [0, 0, 87, 87, 87]
    assert found["prose_after"] == [87, 0, 0, 0, 0]
    assert found["plain_before"] == [0, 3, 90, 93, 93]
    assert found["plain_after"] == [94, 7, 4, 4, 0]
    assert found["since_prose"] == [FARTHEST, FARTHEST, 1, 2, 3]
    assert found["until_prose"] == [1, FARTHEST, FARTHEST, FARTHEST, FARTHEST]


def test_numbers_are_put_in_their_columns():
    assert len(set(NAMES)) == len(NAMES)
    assert NAMES[-4 - len(KIN_NAMES) : -4] == KIN_NAMES
    page = layout(b"<p></p>", described=True)
    assert features(page, np.flatnonzero(page.item_kinds == 0)).shape == (0, len(NAMES))
