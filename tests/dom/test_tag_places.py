"""Tags that may be wanted are found where a search letter by letter finds them."""

from hypothesis import given
from hypothesis import strategies as st

from strandline.dom.tag_places import PageTags, beginnings

TAGS = (b"s>", b"s ", b"del", b"!--", b"ol")
PIECES = st.sampled_from([b"<", b"</", b">", b"s", b"S", b" ", b"d", b"DE", b"de", b"l", b"!-", b"-", b"o", b"O", b"x"])


@given(st.lists(PIECES, max_size=40).map(b"".join))
def test_as_a_search_letter_by_letter_finds_them(page):
    wanted = {tag[:2] for tag in TAGS}
    found = [n for n in range(len(page) - 2) if page[n : n + 1] == b"<" and page[n + 1 : n + 3].lower() in wanted]
    assert [n for n in PageTags(page, beginnings(TAGS)).places if page[n + 1 : n + 3].lower() in wanted] == found


def test_little_else_is_found():
    assert PageTags(b"<p>a<div>b<dd>c<section>d<strong>", beginnings(TAGS)).places == []
    assert PageTags(b"", beginnings(TAGS)).places == PageTags(b"<", beginnings(TAGS)).places == []


@given(st.lists(PIECES, max_size=40).map(b"".join))
def test_all_signs_are_counted(page):
    assert PageTags(page, beginnings(TAGS)).signs == page.count(b"<")
