"""What is seen beside the text of a page: written down as pages before and after, with what a reader would say."""

import time

import pytest

from strandline.dom.beside_text import BESIDE, beside, beside_hash, told_between
from strandline.dom.html import visible_hash
from strandline.dom.tag_places import PageTags

SEEN = {
    "a chosen option": (
        "<select><option selected>monthly<option>yearly</select>",
        "<select><option>monthly<option selected>yearly</select>",
        "A field of a form changed from “monthly” to “yearly”",
    ),
    "a value": ("<input value='500'>", '<INPUT VALUE="900">', "A field of a form changed from “500” to “900”"),
    "a box": (
        "<input type=checkbox checked> Renew",
        "<input type=checkbox> Renew",
        "A field of a form changed from “☑” to “☐”",
    ),
    "a button": (
        "<input type=submit value='Order'>",
        "<input type=submit value='Pay'>",
        "A field of a form changed from “Order” to “Pay”",
    ),
    "a text area": (
        "<textarea>10 &euro;</textarea>",
        "<textarea>20 &euro;</textarea>",
        "A field of a form changed from “10 €” to “20 €”",
    ),
    "a drawing": ("<svg><text>10</text></svg>", "<svg><text>20</text></svg>", "A drawing changed from “10” to “20”"),
    "a formula": ("<math><mn>2</mn></math>", "<math><mn>3</mn></math>", "A formula changed from “2” to “3”"),
    "a file": (
        "<object data=/one.pdf?t=1></object>",
        "<object data=/two.pdf?t=2></object>",
        "An embedded file changed from “/one.pdf” to “/two.pdf”",
    ),
    "numbers of a list": ("<ol start=3><li>a", "<ol start=4><li>a", "The numbering of a list changed from “3” to “4”"),
    "a bar": ("<progress value=3></progress>", "<progress value=8></progress>", "A bar changed from “3” to “8”"),
    "hidden": ("<p>You may withdraw.</p>", "<p hidden>You may withdraw.</p>", "Hidden now: “You may withdraw.”"),
    "hidden by style": (
        "<p style='display: none'>You may withdraw.</p>",
        "<p>You may withdraw.</p>",
        "No longer hidden: “You may withdraw.”",
    ),
}  # fmt: skip
UNSEEN = {
    "a token": ("<input type=hidden value=a1><p>Text", "<input type=hidden value=b2><p>Text"),
    "a password": ("<input type=password value=a1><p>Text", "<input type=password value=b2><p>Text"),
    "a script": ("<script>w('<input value=1>')</script><p>Text", "<script>w('<input value=2>')</script><p>Text"),
    "a comment": ("<!-- <input value=1> --><p>Text", "<!-- <input value=2> --><p>Text"),
    "a template": ("<template><input value=1></template>", "<template><input value=2></template>"),
    "other options": ("<option value=1>a<option selected>b", "<option value=2>a<option selected>b"),
    "names": ("<p class=a aria-hidden=true>Text", "<p class=b>Text"),
    "a query": ("<audio src=/a.mp3?token=1>", "<audio src=/a.mp3?token=2>"),
}


@pytest.mark.parametrize("name", SEEN)
def test_what_a_reader_sees_beside_the_text_is_a_visible_change_and_told(name):
    before, after, told = SEEN[name]
    assert told_between(before.encode(), after.encode()) == told
    assert visible_hash(before.encode()) != visible_hash(after.encode())


@pytest.mark.parametrize("name", UNSEEN)
def test_what_no_reader_sees_is_not(name):
    before, after = (page.encode() for page in UNSEEN[name])
    assert told_between(before, after) == ""
    assert visible_hash(before) == visible_hash(after)


def test_a_page_of_text_has_nothing_beside():
    page = b"<html><head><title>A</title></head><body><p>Text <a href=/x>link</a><img src=/a.png></body></html>"
    assert beside(PageTags(page, BESIDE)) == [] and beside_hash(PageTags(page, BESIDE)) == 0


@pytest.mark.parametrize("part", ["<input ", "<script>", "<!--", "<p hidden", "<option selected>", "display:none "])
def test_hostile_pages_take_no_longer_than_others(part):
    began = time.thread_time()
    beside_hash(PageTags(part.encode() * 20_000, BESIDE))
    assert time.thread_time() - began < 5.0
