"""Text is marked where tags strike it through, and nowhere else; in time that grows with the page."""

import time

import pytest

from strandline.core.struck import standing, struck_words
from strandline.dom.html import blocks, visible_hash
from strandline.dom.struck_text import with_strokes

STRUCK = {
    "s": ("<p>within <s>14 days</s> of it", "14 days"),
    "del": ("<p>within <del datetime='2026-01-01'>14 days</del> of it", "14 days"),
    "strike": ("<p>within <STRIKE>14 days</STRIKE> of it", "14 days"),
    "style": ("<p>within <span style='text-decoration: line-through'>14 days</span> of it", "14 days"),
    "nested": ("<p>within <s>14 <b>days</b></s> of it", "14 days"),
    "nested twice": ("<p>within <s>14 <s>days</s> of</s> it", "14 days of"),
    "with an entity": ("<p>within <s>14&nbsp;days</s> of it", "14 days"),
    "in other letters": ("<p>within <s>十四</s> of it", "十四"),
    "whole blocks": ("<del><p>within 14 days</p><p>of it</p></del><p>More", "within 14 days … of it"),
}
STANDING = {
    "other tags": "<p>within <span>14 days</span> of <small>it</small> <section>or later</section>",
    "a comment": "<p>within <!-- <s> --> 14 days",
    "a script": "<p>within 14 days<script>document.write('<s>' + name)</script><p>More",
    "a style": "<style>a{text-decoration: line-through}</style><p>within 14 days",
    "ended": "<p><s></s>within 14 days",
    "an attribute": "<p title='<s>'>within 14 days",
}


def text_of(html):
    return "\n".join(text for block in blocks(html.encode()).blocks for text in block.texts)


@pytest.mark.parametrize("name", STRUCK)
def test_what_is_struck_through_is_read_as_such(name):
    html, words = STRUCK[name]
    found = " … ".join(filter(None, map(struck_words, text_of(html).split("\n"))))
    assert found.replace("\u00a0", " ") == words
    assert standing(text_of(html))


@pytest.mark.parametrize("name", STANDING)
def test_nothing_else_is(name):
    assert struck_words(text_of(STANDING[name])) == ""


def test_striking_is_a_visible_change_and_another_tag_for_it_is_none():
    plain, struck, deleted = (f"<p>within {term} of it".encode() for term in ("14", "<s>14</s>", "<del>14</del>"))
    assert visible_hash(plain) != visible_hash(struck) == visible_hash(deleted)


@pytest.mark.parametrize("part", ["<s>", "<s ", "<s '", "<!-- <s>", "<s><b style='line-through'>", "<p title='<s>"])
def test_hostile_pages_take_no_longer_than_others(part):
    began = time.thread_time()
    with_strokes(part.encode() * 50_000)
    assert time.thread_time() - began < 5.0
