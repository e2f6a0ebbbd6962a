"""Words of tags that stand side by side are kept apart, parts of a number, of a word and of a program are not."""

import time

import pytest

from strandline.dom.html import blocks
from strandline.dom.side_by_side import with_blanks


def text(html):
    return " | ".join(blocks(f"<!doctype html><body><div>{html}</div></body>".encode()).blocks[0].texts)


@pytest.mark.parametrize(
    ("html", "read"),
    [
        ("<strong>Old keys</strong><span>3 hours ago</span><span>12 replies</span>", "Old keys 3 hours ago 12 replies"),
        ("<b>before 3.9.2</b><span>just now</span>", "before 3.9.2 just now"),
        ("<a href=/1><span>Äpfel</span></a><time>gestern</time>", "Äpfel gestern"),
        ("<span>Paris (2)</span><span>closed</span>", "Paris (2) closed"),
        ("<span>14</span><span>95</span>", "1495"),
        ("<span>€</span><span>14</span><span>,95</span>", "€14,95"),
        ("<b>O</b><span>nce upon a time</span>", "Once upon a time"),
        ("<span>foo</span><span>(</span><span>bar</span><span>)</span>", "foo(bar)"),
        ("<i>re</i><b>-</b><i>read</i>", "re-read"),
        ("<b>bold</b> and <i>not</i>", "bold and not"),
        ("<b>4.2.1</b><span>4 min ago</span>", "4.2.1 4 min ago"),
        ("<b>Top 10</b><span>12 comments</span>", "Top 10 12 comments"),
        ("<b>14</b><sup>95 euros</sup>", "1495 euros"),
    ],
)
def test_what_is_read(html, read):
    assert text(html) == read


def test_many_tags_take_no_longer_than_their_number():
    def taken(many):
        page = b"<span>" * many + b"One" + b"</span>" * many
        start = time.process_time()
        with_blanks(page)
        return time.process_time() - start

    assert taken(40_000) < 12 * max(taken(10_000), 0.005)
