"""Addresses change, every other byte stays."""

import html
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.access.addresses import Base
from strandline.access.rewrite import Document, embedded, may_run, rewrite
from strandline.access.rewrite_html import PageRewriter
from strandline.access.rewrite_links import Links

STEM = "/web/20260301120000"
URL = "http://site.test/dir/page.html"


def rewritten(text, client="", charset="utf-8"):
    return PageRewriter(Links(URL, STEM, charset), client).rewrite(text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('<a href="b.html">', f'<a href="{STEM}mp_/http://site.test/dir/b.html">'),
        ("<a href=/b>", f'<a href="{STEM}mp_/http://site.test/b">'),
        ("<A HREF='//o.test/x'>", f"<A HREF='{STEM}mp_/http://o.test/x'>"),
        ('<a href="?q=1&amp;r=2#top">', f'<a href="{STEM}mp_/http://site.test/dir/page.html?q=1&amp;r=2#top">'),
        ('<a href="?a=1&copy=2">', f'<a href="{STEM}mp_/http://site.test/dir/page.html?a=1&amp;copy=2">'),
        ('<a href="../../../up">', f'<a href="{STEM}mp_/http://site.test/up">'),
        ('<a\n  title="a > b" href = "x" >', f'<a\n  title="a > b" href = "{STEM}mp_/http://site.test/dir/x" >'),
        ("<a title=it's href=x>", f"""<a title=it's href="{STEM}mp_/http://site.test/dir/x">"""),
        ('<img src="i.png"/>', f'<img src="{STEM}im_/http://site.test/dir/i.png"/>'),
        ('<script src="/s.js"></script>', f'<script src="{STEM}js_/http://site.test/s.js"></script>'),
        ('<link rel="stylesheet" href="/s.css">', f'<link rel="stylesheet" href="{STEM}cs_/http://site.test/s.css">'),
        ('<embed src="/f.swf">', f'<embed src="{STEM}if_/http://site.test/f.swf">'),
        ('<embed src="/f.PDF#page=2">', f'<iframe src="{STEM}if_/http://site.test/f.PDF#page=2"></iframe>'),
        (
            '<embed type="application/pdf" src="/f?n=1" width="9"/>',
            f'<iframe type="application/pdf" src="{STEM}if_/http://site.test/f?n=1" width="9"/></iframe>',
        ),
        (
            '<object data="/f.pdf" width=9><p>No plug-in</p></object>',
            f'<iframe src="{STEM}if_/http://site.test/f.pdf" width=9></iframe>'
            '<object style="display:none!important"><p>No plug-in</p></object>',
        ),
        (
            "<OBJECT Type=application/pdf src=x DATA='g?n=1'></OBJECT>",
            f"<iframe Type=application/pdf data-archive-src=\"{STEM}im_/http://site.test/dir/x\" src='{STEM}if_/http://site.test/dir/g?n=1'></iframe>"
            '<object style="display:none!important"></OBJECT>',
        ),
        ('<object data="/f.svg"></object>', f'<object data="{STEM}if_/http://site.test/f.svg"></object>'),
        ('<object type="application/pdf"></object>', '<object type="application/pdf"></object>'),
        ('<iframe src="/f"></iframe>', f'<iframe src="{STEM}if_/http://site.test/f"></iframe>'),
        ('<form action="/f" method=post>', f'<form action="{STEM}mp_/http://site.test/f" method=post>'),
        (
            '<img srcset="a 1x, b 2x">',
            f'<img srcset="{STEM}im_/http://site.test/dir/a 1x, {STEM}im_/http://site.test/dir/b 2x">',
        ),
        ('<p style="background:url(a.png)">', f'<p style="background:url({STEM}im_/http://site.test/dir/a.png)">'),
        ("<style>a{b:url(/c)}</style>", f"<style>a{{b:url({STEM}im_/http://site.test/c)}}</style>"),
        (
            '<meta http-equiv="Refresh" content="5; URL=\'/next\'">',
            f'<meta http-equiv="Refresh" content="5; URL=\'{STEM}mp_/http://site.test/next\'">',
        ),
        ('<a href="ht\ntp://o.test/x">', f'<a href="{STEM}mp_/http://o.test/x">'),
        ('<a target="_blank" href="#x">', '<a target="_self" href="#x">'),
        ('<script integrity="sha384-x"></script>', '<script data-archive-integrity="sha384-x"></script>'),
        (
            '<meta http-equiv="Content-Security-Policy" content="default-src x">',
            '<meta data-archive-http-equiv="Content-Security-Policy" content="default-src x">',
        ),
        ("<p onclick=\"location.href='/x'\">", "<p onclick=\"__replay_location.href='/x'\">"),
        ('<a href="javascript:location=1">', '<a href="javascript:__replay_location=1">'),
    ],
)
def test_addresses_are_put_into_the_archive(before, after):
    assert rewritten(before) == after


@pytest.mark.parametrize(
    "text",
    [
        '<a href="mailto:a@b.test">',
        '<a href="#here">',
        '<img src="data:image/png;base64,AAAA">',
        '<a href="">',
        "<!-- <a href='/x'> -->",
        '<textarea><a href="/x"></textarea>',
        "<title><a href='/x'></title>",
        '<script type="application/ld+json">{"url": "http://o.test/"}</script>',
        "<script>var a = '<a href=\"/x\">';</script>",
        '<link rel="canonical" href="http://site.test/">',
        "<plaintext><a href='/x'>",
        "a < b and c > d <3 </ x>",
        '<a href="/x',
        "<?php echo 1 ?><![CDATA[ x ]]>",
        '<meta name="description" content="0;url=/x">',
    ],
)
def test_what_is_no_web_address_stays(text):
    assert rewritten(text) == text


def test_a_base_element_moves_what_follows():
    text = '<base href="/other/"><img src="i.png"><base href="/no/"><img src="j.png">'
    assert f'src="{STEM}im_/http://site.test/other/i.png"' in rewritten(text)
    assert f'src="{STEM}im_/http://site.test/other/j.png"' in rewritten(text)


def test_the_client_side_comes_before_anything_of_the_page():
    client = "<script>client</script>"
    assert rewritten("<!doctype html><html><head><script>own</script>", client).index("client") < 60
    assert rewritten("<!doctype html><!-- x --><p>text", client) == "<!doctype html><!-- x -->" + client + "<p>text"
    assert rewritten("only text", client) == "only text" + client
    assert rewritten("<html><head></head><body>", client).count("client") == 1


def test_what_script_fetches_brings_the_client_side_only_into_inner_documents():
    client = "<script>client</script>"
    out = PageRewriter(Links(URL, STEM), client, runs=False).rewrite('<p>x</p><iframe srcdoc="<p>y"></iframe>')
    assert out == '<p>x</p><iframe srcdoc="<script>client</script><p>y"></iframe>'


def test_pages_in_iso_2022_jp_do_not_run():
    assert not may_run(b"\x1b$B\x1b(B", "text/html; charset=iso-2022-jp")
    assert may_run(b"\x1b", "text/html; charset=utf-8")


def test_documents_inside_the_page_are_rewritten_to_a_depth():
    inner = html.escape('<img src="/x">')
    shown = html.unescape(rewritten(f'<iframe srcdoc="{inner}"></iframe>'))
    assert f'<img src="{STEM}im_/http://site.test/x">' in shown
    nested = '<img src="/deep">'
    for _ in range(12):
        nested = f'<iframe srcdoc="{html.escape(nested)}"></iframe>'
    assert "deep" not in rewritten(nested)


def test_films_may_ask_for_their_captions_across_origins():
    assert rewritten("<video controls><audio>") == (
        '<video crossorigin="anonymous" controls><audio crossorigin="anonymous">'
    )
    assert rewritten("<video CrossOrigin=use-credentials>") == "<video CrossOrigin=use-credentials>"


def test_import_maps_and_speculation():
    text = '<script type="importmap">{"imports": {"a": "/a.js", "/b/": "/c/"}}</script>'
    assert f"{STEM}js_/http://site.test/a.js" in rewritten(text)
    assert (
        rewritten('<script type="speculationrules">{"prefetch":[]}</script>')
        == '<script type="speculationrules">{}</script>'
    )


@pytest.mark.parametrize(
    ("charset", "raw", "target"),
    [
        ("utf-8", "é?é", "http://site.test/dir/%C3%A9?%C3%A9"),
        ("windows-1252", "é?é", "http://site.test/dir/%C3%A9?%E9"),
        ("shift_jis", "日?日", "http://site.test/dir/%E6%97%A5?%93%FA"),
    ],
)
def test_addresses_are_read_in_the_charset_of_the_page(charset, raw, target):
    body = f'<a href="{raw}">{raw}</a>'.encode({"windows-1252": "cp1252"}.get(charset, charset))
    document = Document(URL, 1772366400.0, "text/html", f"text/html; charset={charset}", "im_")
    out = rewrite(body, document, Base())
    assert out == f'<a href="{STEM}mp_/{target}">'.encode() + body.partition(b">")[2]


def test_utf_16_pages_are_rewritten_as_utf_16():
    body = '\ufeff<a href="/x">日本</a>'.encode("utf-16-le")
    document = Document(URL, 1772366400.0, "text/html", "text/html", "im_")
    assert (
        rewrite(body, document, Base()).decode("utf-16-le") == f'\ufeff<a href="{STEM}mp_/http://site.test/x">日本</a>'
    )


def test_parts_of_a_page_are_told():
    body = b'<img src="a.png"><script src="/b.js"></script><a href="/c">c</a><style>p{x:url(d.png)}</style>'
    document = Document(URL, 0.0, "text/html", "text/html", "mp_")
    assert embedded(body, document) == {
        "http://site.test/dir/a.png": "im_",
        "http://site.test/b.js": "js_",
        "http://site.test/dir/d.png": "im_",
    }


# -- against the standard library's parser ---------------------------------------------------------------------------

NAMES = st.sampled_from(["class", "title", "id", "data-x", "href", "src", "alt", "style", "onclick", "value"])
VALUES = st.text(st.characters(codec="latin-1", exclude_characters="\r\0"), max_size=12)
ADDRESSES = st.sampled_from(["/x", "y.png", "//o.test/z", "http://o.test/", "#f", "mailto:a", "?q=a&b=c", ""])


class _Tags(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.seen = []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, attrs))

    def handle_data(self, data):
        self.seen.append(("text", data))


def _tags(text):
    parser = _Tags()
    parser.feed(text)
    parser.close()
    return parser.seen


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(NAMES, VALUES | ADDRESSES), max_size=4, unique_by=lambda pair: pair[0]), st.sampled_from("\"'")
)
def test_attributes_survive_and_addresses_come_back(attributes, quote):
    """Read back with another parser, all attributes are the same once the archive's prefix is taken off again."""
    written = " ".join(f"{name}={quote}{html.escape(value, quote=True)}{quote}" for name, value in attributes)
    text = f"<div {written}>text</div>" if attributes else "<div>text</div>"
    before, after = _tags(text), _tags(rewritten(text, charset="windows-1252"))
    assert [tag for tag, _ in before] == [tag for tag, _ in after]
    for (name, old), (other, new) in zip(before[0][1], after[0][1], strict=True):
        assert name == other
        if new != old and name in ("href", "src"):
            mod = "mp_" if name == "href" else "im_"
            assert new.startswith(f"{STEM}{mod}/http")
        elif name not in ("style", "onclick"):
            assert new == old


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "<p>",
                "</p>",
                "<!--",
                "-->",
                "<script>",
                "</script>",
                '"',
                "'",
                "<",
                ">",
                "=",
                "a",
                "\n",
                "<br/>",
                "é",
                "<title>",
                "</title>",
                "<img alt=x>",
                "&amp;",
                "<!",
                "<?",
                "/",
            ]
        ),
        max_size=30,
    ).map("".join)
)
def test_bytes_that_are_no_addresses_are_untouched(text):
    body = text.encode()
    document = Document(URL, 0.0, "text/html", "text/html; charset=utf-8", "im_")
    assert rewrite(body, document, Base()) == body


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_can_be_rewritten(body):
    document = Document(URL, 0.0, "text/html", "text/html", "mp_")
    assert isinstance(rewrite(body, document, Base()), bytes)


@pytest.mark.parametrize(
    "piece",
    [
        "<a ",
        "<!",
        '<a b="',
        "<!--",
        "<script>",
        "on",
        "<a " + "on" * 50,
        "url(",
        "@import url(",
        "window.",
        "import ",
        "<iframe srcdoc='",
    ],
)
def test_hostile_repetition_stays_linear(piece):
    """A quadratic step over these would run for minutes and end by the time limit of the run."""
    text = piece * (200_000 // len(piece))
    assert isinstance(rewritten(f"<style>{text}</style><p {text}>{text}"), str)
