"""A page from its document to its views, in a real Chromium."""

import dataclasses
import json

from browser.shown import QUICK, shown
from strandline.browser.load_bounds import Wishes
from strandline.core.pictures import boxes_of
from strandline.core.shown import DOCUMENT, INFO, SETTLED, TEXT, VIEW, WHOLE_VIEW


def test_the_document_is_as_a_reader_sees_it():
    html = """<!doctype html><title>T</title><p onclick="x()">static <b>words</b></p>
      <p style="display:none">hidden words</p>
      <noscript>no scripts</noscript><template>not yet</template><a href="next?a=1&b=2">next</a><div id=host></div>
      <iframe srcdoc="<p>framed words</p>"></iframe>
      <script>host.attachShadow({mode:'closed'}).innerHTML='<i>shadow &lt;words&gt;</i>';
      fetch('/api').then(r=>r.text()).then(t=>document.body.append(t))</script>"""
    found, asked = shown(html, {"/api": "fetched words"})
    document, text = found.view(DOCUMENT).decode(), found.view(TEXT).decode()
    assert found.ended == SETTLED
    assert not found.failed
    for words in ("static <b>words</b>", "framed words", "shadow &lt;words&gt;", "fetched words", 'hidden=""'):
        assert words in document
    assert 'href="https://a.example/next?a=1&amp;b=2"' in document
    assert not [words for words in ("onclick", "<script", "no scripts", "not yet") if words in document]
    assert "static words" in text.splitlines()
    assert "shadow <words>" in text
    assert "hidden words" not in text
    told = json.loads(found.view(INFO))
    assert told["urls"]["https://a.example/api"] == {"type": "xhr", "status": 200, "mime": "text/plain"}
    assert {one.url for one in asked} >= {"https://a.example/api"}


def test_pictures_are_taken_on_request_only():
    plain, _ = shown("<p>x</p>")
    assert plain.view(VIEW) is None
    page = '<p style="height:3000px">x</p><h2>A <b>bold</b> word</h2>'
    pictured, _ = shown(page, wishes=Wishes(screenshots=True))
    first, whole = pictured.view(VIEW), pictured.view(WHOLE_VIEW)
    assert first.startswith(b"\x89PNG")
    sizes = [(int.from_bytes(png[16:20]), int.from_bytes(png[20:24])) for png in (first, whole)]
    assert sizes[0][1] < 3000 < sizes[1][1]
    boxes = boxes_of(whole)
    assert [box.text for box in boxes] == ["x", "A bold word"]
    assert boxes[0].height == 3000 < boxes[1].y < sizes[1][1], "where they stand on the picture"


def test_where_a_page_sends_itself_is_told_and_not_followed():
    found, asked = shown("<script>location.href='/elsewhere'</script>")
    assert found.moved == "https://a.example/elsewhere"
    assert found.ended == "moved"
    assert not found.whole
    assert "https://a.example/elsewhere" not in {one.url for one in asked}


def test_requests_beyond_the_bound_are_refused_and_the_page_is_kept():
    html = "<p>busy</p><script>let n=0;const f=()=>fetch('/x?'+(n++)).then(f,f);for(let i=0;i<5;i++)f()</script>"
    found, asked = shown(html, bounds=dataclasses.replace(QUICK, requests=20))
    assert len(asked) <= 20
    assert found.ended == "cut after 20 requests"
    assert "busy" in found.view(TEXT).decode()


def test_a_page_that_hangs_costs_its_views_only():
    found, _ = shown("<script>for(;;);</script>", bounds=dataclasses.replace(QUICK, loading=2.0, hang=2.0))
    assert found.failed
    assert found.views == ()
    assert "hangs" in found.ended or "did not begin" in found.ended
