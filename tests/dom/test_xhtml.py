"""XHTML is read as XML means it: elements that close themselves are whole, and hide nothing."""

import time

import pytest

from strandline.dom.documents import Documents
from strandline.dom.html import blocks, visible_hash
from strandline.dom.xhtml import as_html
from strandline.study.worker import document

MIME = "application/xhtml+xml"
PAGE = (
    b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="a.js"/></head>'
    b'<body><a id="top"/><iframe src="f.html"/><p>One <a href="/x">link</a></p><textarea/><p>Two</p></body></html>'
)


def test_all_of_a_page_is_read():
    found = document(PAGE, MIME)
    texts = [text for block in blocks(found.data, charset=found.charset).blocks for text in block.texts]
    assert texts == ["One link", "Two"]
    other = document(PAGE.replace(b"Two", b"Three"), MIME)
    assert visible_hash(found.data) != visible_hash(other.data)
    named = {one.url for one in Documents().discover("http://site.example/", MIME, PAGE, "utf-8").named}
    assert named == {"http://site.example/x", "http://site.example/a.js", "http://site.example/f.html"}


def test_html_is_left_as_it_is():
    assert document(PAGE, "text/html").data == PAGE
    for same in (b"<br/><img src='a/b.png' />", b"<!-- <p/> --><p>a</p>", b"<![CDATA[<p/>]]>", b"<a href=b/>c</a"):
        assert as_html(same, "text/html") == same
    assert as_html(b"<br/><!-- <p/> --><p>a/></p><![CDATA[<p/>]]>", MIME).count(b"</p>") == 1


@pytest.mark.parametrize("piece", [b"<a ", b"<a '", b"<a \"'", b"<a x='/", b"<!--", b"<a//", b"<![CDATA["])
def test_broken_pages_end_soon(piece):
    start = time.process_time()
    assert as_html(piece * 100_000, MIME)
    assert time.process_time() - start < 30  # minutes, if it were not linear
