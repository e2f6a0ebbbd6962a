"""What is looked for in a page is found where a search letter by letter finds it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.dom.tag_places import PageTags, wanted

WANTED = wanted((b"ol", b"text"), (b"script", b"template"))
PIECES = [
    *(
        b"<",
        b">",
        b"</",
        b"<!--",
        b"<!-",
        b"-->",
        b"--",
        b"-",
        b" ",
        b"\n",
        b"/",
        b"=",
        b":",
        b"x",
        b"\x01",
        b"\xc3\xa9",
    ),
    *(
        b"<ol",
        b"<OL>",
        b"<olx>",
        b"<text>",
        b"<textarea>",
        b"<script",
        b"<SCRIPT>",
        b"</script",
        b"</Script>",
        b"<template>",
    ),
    *(b"</template>", b"<s>", b"<S ", b"<span", b"<del", b"<Strike>", b"<strong>", b"line-through", b"Line-Through"),
    *(b"style=", b"Style \n= '", b"<app-post>", b"<App.b-", b"a-t", b"-T", b"hyphens-than-this"),
    *(b" hidden", b" HIDDEN>", b"hidden", b"display:", b"DISPLAY:none", b"display"),
]
PAGES = st.lists(st.sampled_from(PIECES), max_size=40).map(b"".join)
_BEGINS = re.compile(rb"<(?:(script|template)(?=[\s/>])|(!--)|(?:ol|text)(?=[\s/>]))")


def _slowly(page):
    """Where tags stand, what is not read, and signs in tags, as regular expressions find them."""
    lower, seen, unread, done = page.lower(), [], [], 0
    for place in (found.start() for found in re.finditer(rb"<", page)):
        mark = _BEGINS.match(lower, place) if place >= done else None
        ending = mark and (b"</" + mark[1] if mark[1] else mark[2] and b"-->")
        if ending:
            end = lower.find(ending, mark.end())
            done = end if end >= 0 else len(page)
            unread.append((place, done))
        elif mark:
            seen.append(place)
    return seen, unread, _signs(lower, rb" hidden", unread), _signs(lower, rb"display:", unread)


def _signs(lower, sign, unread):
    places = [found.start() for found in re.finditer(sign, lower)]
    tags = {place: lower.rfind(b"<", 0, place) for place in places}
    return [
        place
        for place, tag in tags.items()
        if tag >= 0 and b">" not in lower[tag:place] and not any(start <= tag < end for start, end in unread)
    ]


@given(PAGES)
def test_as_a_search_letter_by_letter_finds_it(page):
    tags = PageTags(page, WANTED)
    assert (tags.seen, tags.unread, tags.hidden, tags.displayed) == _slowly(page)


@given(PAGES)
def test_all_signs_are_counted_and_no_stroke_is_missed(page):
    tags = PageTags(page, WANTED)
    assert tags.signs == page.count(b"<")
    assert tags.struck == bool(re.search(rb"<(?:s[> \n]|del|strike)", page.lower()))
    assert tags.lined == bool(re.search(rb"style\s*=[^>]*line-through", page.lower()))
    assert tags.defined == bool(re.search(rb"<[a-z0-9.]+-", page.lower()))


@pytest.mark.parametrize(
    "page", [b"", b"<", b"<!", b"<!--", b"-", b":", b"<o", b"display:", b"<p>a<div>b<dd>c<section>d"]
)
def test_little_else_is_found(page):
    tags = PageTags(page, WANTED)
    assert not (tags.seen or tags.hidden or tags.displayed or tags.struck or tags.lined)
