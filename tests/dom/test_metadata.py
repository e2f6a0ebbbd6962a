"""What pages say of themselves, in the forms they use, and what only looks like it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.dom.metadata import page_metadata


@pytest.mark.parametrize(
    ("page", "found"),
    [
        ('<html lang="de-AT"><head>', {"language": "de-at"}),
        ("<HTML class=x LANG='en'>", {"language": "en"}),
        (
            '<meta property="article:published_time" content="2026-05-03T10:00:00+02:00">',
            {"published": "2026-05-03T10:00:00+02:00"},
        ),
        ('<meta content="Ann &amp; Bob  Lee" name="Author">', {"author": "Ann & Bob Lee"}),
        ('<meta name="dcterms.modified" content="2026-01-31">', {"modified": "2026-01-31"}),
        ('<meta name="date" content="last Tuesday">', {}),
        ('<meta name="author" content="https://social.example/us">', {}),
        ('<meta name="author" content=""><meta name="dc.creator" content="M. Rossi">', {"author": "M. Rossi"}),
        ('<meta name="viewport" content="2026-01-31">', {}),
        (
            '<script type="application/ld+json">{"@type":"NewsArticle","datePublished":"2026-02-03T04:05:06Z",'
            '"author":[{"@type":"Person","name":"Ida Holm"}]}</script>',
            {"published": "2026-02-03T04:05:06Z", "author": "Ida Holm"},
        ),
        ('<meta name="author" content="First"><meta name="author" content="Second">', {"author": "First"}),
    ],
)
def test_what_a_page_says(page, found):
    assert page_metadata(page.encode()) == found


def test_names_are_read_in_the_charset_of_the_page():
    assert page_metadata('<meta name=author content="Zoë">'.encode("latin-1"), "latin-1") == {"author": "Zoë"}
    assert page_metadata(b"<meta name=author content=Zoe>", "no-such-charset") == {"author": "Zoe"}


@given(st.binary(max_size=2000))
def test_any_bytes_are_a_page(data):
    assert set(page_metadata(b"<meta " + data + b"<html lang=en>")) <= {"language", "author", "published", "modified"}


def test_a_hostile_head_takes_no_time():
    hostile = b"<meta " + b'a="' * 50_000 + b'"author":' + b"[" * 50_000 + b"<html " * 20_000
    assert page_metadata(hostile) == {}
