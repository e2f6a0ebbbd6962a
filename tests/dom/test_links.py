"""Addresses of HTML pages: every way to name one, hostile pages, and two readers that must agree."""

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from strandline.core.urls import canonical
from strandline.dom import links
from strandline.dom.documents import Documents
from strandline.dom.links import OUTLINKS, Pages
from strandline.dom.resolving import Resolver

URL = "http://site.example/dir/page.html"


def named(html, url=URL, charset="utf-8", **more):
    body = html if isinstance(html, bytes) else html.encode(charset)
    return [
        (one.url.removeprefix("http://site.example"), one.via)
        for one in Pages(**more).discover(url, body, charset).named
    ]


@pytest.fixture(params=["tree", "tags"])
def reader(request, monkeypatch):
    """Runs a test with the tree builder and with the tag reader."""
    if request.param == "tags":
        monkeypatch.setattr(links, "_TREE_BYTES", -1)
    return request.param


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<a href=a.html>", [("/dir/a.html", "link")]),
        ("<A HREF='/a?x=1&amp;y=2#part'>", [("/a?x=1&y=2", "link")]),
        ("<map><area href=b></map>", [("/dir/b", "link")]),
        ("<iframe src=f></iframe><a href=x>", [("/dir/f", "frame"), ("/dir/x", "link")]),
        ("<frameset><frame src=f></frameset>", [("/dir/f", "frame")]),
        ("<link rel=stylesheet href=/s.css>", [("/s.css", "requisite")]),
        ("<link rel='shortcut icon' href=/i.ico>", [("/i.ico", "requisite")]),
        (
            "<link rel=manifest href=m><link rel=preload as=font href=f>",
            [("/dir/m", "requisite"), ("/dir/f", "requisite")],
        ),
        ("<link rel=preload as=image imagesrcset='a 1x, b 2x'>", [("/dir/a", "requisite"), ("/dir/b", "requisite")]),
        ("<link rel=alternate type=application/rss+xml href=/feed>", [("/feed", "feed")]),
        ("<link rel=alternate hreflang=fr href=/fr>", [("/fr", "link")]),
        ("<link rel=canonical href=/c><link rel=next href=/n>", [("/c", "canonical"), ("/n", "link")]),
        ("<link rel=sitemap href=/sitemap.xml>", [("/sitemap.xml", "sitemap")]),
        ("<link rel=preconnect href=//cdn.example><link href=/no>", []),
        ("<meta http-equiv=Refresh content='5; URL=\"next.html\"'>", [("/dir/next.html", "refresh")]),
        ("<meta http-equiv=refresh content='0,/now'>", [("/now", "refresh")]),
        ("<meta http-equiv=refresh content=5>", []),
        ("<img src=1.png srcset='2.png 1x, 3.png 2x,4.png'>", [(f"/dir/{n}.png", "requisite") for n in (1, 2, 3, 4)]),
        ("<picture><source srcset='a,b.png 100w'></picture>", [("/dir/a,b.png", "requisite")]),
        (
            "<img data-src=lazy.png data-srcset='lazier.png 2x'>",
            [("/dir/lazy.png", "requisite"), ("/dir/lazier.png", "requisite")],
        ),
        (
            "<video src=v poster=p><source src=s><track src=t></video><audio src=a></audio>",
            [(f"/dir/{n}", "requisite") for n in "vpsta"],
        ),
        ("<embed src=e><object data=o></object>", [("/dir/e", "requisite"), ("/dir/o", "requisite")]),
        ("<input type=IMAGE src=i><input src=no>", [("/dir/i", "requisite")]),
        ("<script src=x.js></script><script>'<a href=no>'</script>", [("/dir/x.js", "requisite")]),
        ("<p style=\"background:url('b.png')\">", [("/dir/b.png", "requisite")]),
        (
            "<style>@import 'i.css'; p{background:url( \"b.png\" )} /* url(no) */</style>",
            [("/dir/i.css", "requisite"), ("/dir/b.png", "requisite")],
        ),
        (
            "<svg><image xlink:href=s.png /><use href='u.svg#x'/></svg>",
            [("/dir/s.png", "requisite"), ("/dir/u.svg", "requisite")],
        ),
        (
            "<table background=t.png><tr><td background=d.png></table>",
            [("/dir/t.png", "requisite"), ("/dir/d.png", "requisite")],
        ),
        ("<base href=/other/><a href=x><base href=/no/>", [("/other/x", "link")]),
        ("<a href=x><base href=/other/>", [("/other/x", "link")]),
        ("<base href='mailto:no'><a href=x>", [("/dir/x", "link")]),
        ("<a href=#top><a href='javascript:x()'><a href=mailto:a@b><a href=data:,x><a href=''><a>", []),
        (
            "<!-- <a href=no> --><a href=yes><textarea><a href=no></textarea><title><a href=no></title>",
            [("/dir/yes", "link")],
        ),
        ("<a href=x><a href=x><img src=x>", [("/dir/x", "link"), ("/dir/x", "requisite")]),
        ("<noscript><img src=n></noscript>", [("/dir/n", "requisite")]),
        ("<div data-x='<a href=no>' data-y='>'><a title='a>b' href=yes>", [("/dir/yes", "link")]),
        ("<a href=&#47;x&copy=1&amp;lt=2>", [("/x&copy=1&lt=2", "link")]),
        ("<a href='\n /a\tb\r\n'>", [("/ab", "link")]),
        ("<a href='http://user:secret@site.example/'>", []),
        ("<a href='a\0b'>", [("/dir/a%EF%BF%BDb", "link")]),
    ],
)
def test_each_way_to_name_an_address(reader, html, expected):
    assert sorted(named(html)) == sorted(expected)


def test_title_and_noarchive(reader):
    found = Pages().discover(
        URL, b"<title> Tides\n &amp; sand </title><meta name=ROBOTS content='nofollow, NOARCHIVE'>", "utf-8"
    )
    assert (found.title, found.noarchive, found.lost) == ("Tides & sand", True, "")
    assert not Pages().discover(URL, b"<meta name=robots content=nofollow>", "utf-8").noarchive


def test_social_images_only_when_wanted(reader):
    html = "<meta property=og:image content=/o.png>"
    assert named(html) == [] and named(html, social_images=True) == [("/o.png", "requisite")]


def test_the_query_is_sent_in_the_charset_of_the_page(reader):
    assert named("<a href='/é?q=é'>", charset="windows-1252") == [("/%C3%A9?q=%E9", "link")]
    assert named("<a href='/é?q=é'>") == [("/%C3%A9?q=%C3%A9", "link")]
    assert named("<a href='/x?q=1'>", charset="utf-16le") == [("/x?q=1", "link")]


def test_no_more_addresses_than_the_limit(reader):
    found = Pages().discover(URL, b"".join(b"<a href=/%d>" % n for n in range(OUTLINKS + 1)), "utf-8")
    assert len(found.named) == OUTLINKS and str(OUTLINKS) in found.lost
    whole = Pages().discover(URL, b"".join(b"<a href=/%d>" % n for n in range(OUTLINKS)) * 2, "utf-8")
    assert len(whole.named) == OUTLINKS and whole.lost == ""


HOSTILE = {
    "nested": b"<div>" * 100_000 + b"<a href=/x>",
    "nested, small": b"<div>" * 5_900 + b"<a href=/x>",
    "attributes": b"<div " + b" ".join(b"a%d=1" % n for n in range(100_000)) + b"><a href=/x>",
    "formatting": b"".join(b"<p><b id=%d>" % n for n in range(4_000)) + b"<a href=/x>",
    "formatting, upper": b"".join(b"<P><FONT SIZE=%d>" % n for n in range(3_000)) + b"<a href=/x>",
    "links": b"<a href=/x>" + b"".join(b"<a href=/p%d>x</a>" % n for n in range(200_000)),
    "nul": b"\0" * 50_000 + b"<a href=/x>" + b"\0" * 50_000,
    "no end": b"<a href=/x><b>" + b"<a " * 100_000,
    "quotes": b"<a href=/x>" + b'<a href="' * 100_000,
    "brackets": b"<a href=/x>" + b"<" * 300_000,
    "comments": b"<a href=/x>" + b"<!--" * 100_000,
    "srcset": b"<a href=/x><img srcset='" + b"a (" * 100_000 + b"'>",
    "empty srcset": b"<a href=/x><img srcset='a" + b", " * 200_000 + b"'>",
    "refresh": b"<a href=/x><meta http-equiv=refresh content='" + b" " * 200_000 + b"'>",
    "style": b"<a href=/x><style>" + b"url( " * 50_000 + b"'\\" * 50_000,
    "references": b"<a href=/x><a href='" + b"&amp" * 100_000 + b"'>",
    "spaces": b"<a href=/x><a href='" + b" " * 300_000 + b"'>",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pages_end_soon_and_keep_their_link(name):
    start = time.process_time()
    found = Pages().discover("http://site.example/", HOSTILE[name], "utf-8")
    # What is guarded against here costs minutes; a slow machine that compiles kernels first needs some seconds.
    assert time.process_time() - start < 30
    assert "http://site.example/x" in {one.url for one in found.named}


WRITTEN = r"""<a href=p1>|<a href="/p2?x=1&amp;y">|<a href='p 3'>|</a>|<img src=i1 srcset="i2 2x">|<p>|</p>|<b>
|</b>|<ul>|<li>|<div style="x:url(s1)">|</div>|<table>|<td background=t1>|</table>|<!--|-->|<!-->
|<script>|s<a|</script>|<style>|url(c1)|</style>|<title>|</title>|<textarea>|</textarea>
|<iframe src=f1>|</iframe>|<svg>|<use href=u1 />|</svg>|<base href=/base/>|<a/href=p4/>|<a href=p5/>
|<a HREF = p6 >|<a title=">" href=p7>|<a href=p8 href=p9>|text|&lt;a|&gt;|<|<>|</|</>|<?|<!x>
|<![CDATA[|]]>|<noscript>|</noscript>|<link rel=next href=l1>|<meta name=robots content=none>
|<object data=o1>|</object>"""
PIECES = st.sampled_from(WRITTEN.replace("\n", "").split("|"))


def everything(page):
    return {(written, via) for via, group in page.named() for written in group}


@settings(max_examples=100, deadline=None)
@given(st.lists(PIECES, max_size=12))
@example(["<title>", "<a href=p1>"])
def test_the_tag_reader_finds_what_the_tree_has(pieces):
    """Elements inside elements that swallow or drop their content are the tree's business; the rest must be equal."""
    html = " ".join(pieces)
    unlike = (
        "<svg>",
        "<table>",
        "<td",
        "<![CDATA[",
        "<textarea>",
        "<title>",
        "<iframe",
        "<style>",
        "<script>",
        "<noscript>",
        "<?",
    )
    page, other = links._Page(False), links._Page(False)
    links._read_tree(page, html, links._weighed(html.encode())[1])
    links._read_tags(other, html)
    if not any(piece in html for piece in unlike):
        assert everything(page) == everything(other) and page.base == other.base
    elif "<svg>" not in html:
        # Raw text is stepped over by both; the tree may drop elements where they are not allowed, never add any.
        # (Inside a drawing a title is no raw text: links in there are the tree's alone.)
        assert everything(page) <= everything(other)


ADDRESS = st.text(st.sampled_from("abZ09/.?#&=;:@%~ \\-_+!$()*,'\"<>é\t\0[]|{}"), max_size=12)


@settings(max_examples=500, deadline=None)
@given(
    st.sampled_from(["", "/", "//", "http://a.example/", "https://xn--a.example/", "http://1.2/", "x:", "http:"]),
    ADDRESS,
)
@example("", "..")
@example("", "a/..")
@example("/", "./a?.")
@example("", "a/%2e%2e/b")
@example("http://a.example", "")
def test_plain_addresses_resolve_as_parsed_ones(prefix, rest):
    written = prefix + rest
    bare = written.partition("#")[0].strip("\t\n\f\r ")
    try:
        expected = canonical(bare, URL) if bare else None
    except ValueError:
        expected = None
    assert Resolver(URL)(written) == expected


def test_what_is_remembered_of_one_page_fits_the_next():
    pages = Pages()
    html = b"<a href=?q=1><a href=x><a href=/y><a href=//b.example/z>"
    found = [
        [one.url for one in pages.discover(url, html, "utf-8").named]
        for url in ("http://a.example/d/1", "http://a.example/d/2", "https://a.example/e/1")
    ]
    assert found == [
        [
            url + "?q=1",
            f"{url[:-1]}x",
            f"{url.partition('a.example')[0]}a.example/y",
            f"{url.partition('//')[0]}//b.example/z",
        ]
        for url in ("http://a.example/d/1", "http://a.example/d/2", "https://a.example/e/1")
    ]


def test_the_memory_between_pages_is_bounded(monkeypatch):
    monkeypatch.setattr(links, "_REMEMBERED", 100)
    pages = Pages()
    for n in range(300):
        html = f"<a href=x{n}><a href=/y{n}><img src='data:image/png;base64,{'A' * 1000}{n}'>".encode()
        assert len(pages.discover(f"http://a.example/{n}/", html, "utf-8").named) == 2
    kept = [written for memory in pages._memory.values() for written in memory]
    assert len(kept) + len(pages._memory) < 300 and max(map(len, kept)) < 300


def test_documents_read_html_whatever_it_is_called():
    page = b"<!doctype html><a href=/x>"
    for mime in ("text/html", "application/xhtml+xml", "", "application/octet-stream"):
        assert [one.url for one in Documents().discover(URL, mime, page, "utf-8").named] == ["http://site.example/x"], (
            mime
        )
    assert Documents().discover(URL, "image/png", page, "utf-8").named == ()
