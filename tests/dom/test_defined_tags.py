"""Tags that scripts define begin lines, unless they stand in a text; what says otherwise is no tag."""

import time

import pytest

from strandline.dom.defined_tags import with_lines
from strandline.dom.html import blocks


def texts(html):
    return [text for block in blocks(f"<!doctype html><body>{html}</body>".encode()).blocks for text in block.texts]


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        ("<x-row><x-name>Ann</x-name><x-age>7</x-age></x-row>", ["Ann", "7"]),
        ("<div><x-name class='a b'>Ann</x-name> <x-age>7</x-age></div>", ["Ann", "7"]),
        (
            "<x-post><a href=/1>Title</a><x-votes>12</x-votes><span>3 replies</span></x-post>",
            ["Title", "12", "3 replies"],
        ),
        (
            "<p>Written by <x-user>Ann</x-user> <x-age>3 hours ago</x-age>, edited</p>",
            ["Written by Ann 3 hours ago, edited"],
        ),
        ("<div>Ann is <x-age>7</x-age></div>", ["Ann is 7"]),
        ("<x-text><x-user>Ann</x-user> wrote</x-text>", ["Ann wrote"]),
        ("<p><x-age>3 hours ago</x-age> <x-user>Ann</x-user></p>", ["3 hours ago Ann"]),
        ("<div><span>Ann</span><x-icon></x-icon><span>Lee</span></div>", ["AnnLee"]),
        ("<x-a><x-very-long-name-of-a-tag>One</x-very-long-name-of-a-tag><x-b>Two</x-b></x-a>", ["One", "Two"]),
        ("<X-ROW><X-NAME>Ann</X-NAME><X-AGE>7</X-AGE></X-ROW>", ["Ann", "7"]),
        ("<x-a>One</x-b><x-c>Two</x-c>", ["OneTwo"]),
    ],
)
def test_lines_of_tags_that_scripts_define(html, lines):
    assert texts(html) == lines


def test_the_name_says_what_the_part_is_for():
    own = "<p>Some words of the page itself, at length.</p>" * 9
    page = f"<x-view>{own}</x-view><site-footer class=k>{'So. ' * 40}</site-footer>"
    *_, last = blocks(f"<!doctype html><body>{page}</body>".encode()).blocks
    assert (last.path, last.hint) == ("html/body/div.site-footer.k", "footer")


@pytest.mark.parametrize(
    "html",
    [
        b"<p>no such tag</p>",
        b'<script>"<x-row><x-name>Ann</x-name></x-row>"</script>',
        b"<!-- <x-row>Ann</x-row> -->",
        b"<x-row>never closed",
    ],
)
def test_what_is_no_such_tag_stays(html):
    assert with_lines(html) == html


def test_attributes_may_hold_what_looks_like_tags():
    assert with_lines(b'<x-a t="<x-b>">One</x-a>') == b'<div class="x-a" t="<x-b>">One</div>'
    assert with_lines(b'<x-a class="k" t="1">One</x-a>') == b'<div class="x-a k" t="1">One</div>'


def test_many_tags_take_no_longer_than_their_number():
    def taken(many):
        page = b"<x-a>" * many + b"One" + b"</x-a>" * many
        start = time.process_time()
        with_lines(page)
        return time.process_time() - start

    assert taken(40_000) < 12 * max(taken(10_000), 0.005)
