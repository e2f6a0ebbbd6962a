import gzip

import pytest

from strandline.dom import sitemaps
from strandline.dom.documents import Documents
from strandline.dom.sitemaps import discover_sitemap, time_of

URL = "http://a.example/sitemap.xml"
URLSET = b"""<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc> http://a.example/1?a=1&amp;b=2 </loc><lastmod>2026-03-01</lastmod><priority>0.5</priority></url>
  <url><loc>/2</loc><lastmod>whenever</lastmod></url><url><lastmod>2026</lastmod></url>
  <url><loc>ftp://a.example/3</loc></url>
</urlset>"""


def entries(found):
    return [(one.url.removeprefix("http://a.example"), one.via, one.lastmod) for one in found.named]


@pytest.mark.parametrize(
    "body", [URLSET, gzip.compress(URLSET), URLSET.replace(b"http://www.sitemaps.org/schemas/", b"x:")]
)
def test_urlset(body):
    found = discover_sitemap(URL, body)
    assert entries(found) == [("/1?a=1&b=2", "link", 1772323200.0), ("/2", "link", None)] and found.lost == ""


def test_index_names_further_sitemaps():
    body = (
        b"<sitemapindex><sitemap><loc>/s1.xml.gz</loc><lastmod>2026-03-01T00:00:00Z</lastmod></sitemap></sitemapindex>"
    )
    assert entries(discover_sitemap(URL, body)) == [("/s1.xml.gz", "sitemap", 1772323200.0)]


def test_text():
    body = b"\xef\xbb\xbfhttp://a.example/1\r\n\r\nnonsense\nhttps://b.example/\n"
    assert entries(discover_sitemap(URL, body)) == [("/1", "link", None), ("https://b.example/", "link", None)]


@pytest.mark.parametrize(
    "body",
    [
        b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><urlset><url><loc>http://a.example/&b;</loc></url></urlset>',
        b'<?xml version="1.0"?><!-- x --><!doctype x SYSTEM "file:///etc/passwd"><urlset/>',
    ],
)
def test_entities_are_refused(body):
    found = discover_sitemap(URL, body)
    assert found.named == () and "refused" in found.lost


def test_an_entity_that_hides_behind_a_comment_is_not_followed(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("http://a.example/secret")
    body = (
        f'<!-- <a> --><!DOCTYPE x [<!ENTITY e SYSTEM "{secret.as_uri()}">]><urlset><url><loc>&e;</loc></url></urlset>'
    )
    assert "secret" not in str(discover_sitemap(URL, body.encode()).named)


def test_limits(monkeypatch):
    monkeypatch.setattr(sitemaps, "ADDRESSES", 3)
    body = b"<urlset>" + b"".join(b"<url><loc>/%d</loc></url>" % n for n in range(4)) + b"</urlset>"
    found = discover_sitemap(URL, body)
    assert len(found.named) == 3 and "more than 3" in found.lost
    monkeypatch.setattr(sitemaps, "BYTES", 1000)
    bomb = discover_sitemap(URL, gzip.compress(b"<urlset><url><loc>/1</loc></url>" + b" " * 10_000_000))
    assert entries(bomb) == [("/1", "link", None)] and "larger" in bomb.lost


@pytest.mark.parametrize(
    "body", [b"", b"<", b"<urlset", b"\x1f\x8b", b"\x1f\x8bxx", b"\xff\xfe<\0", b"<a>" * 100_000, b"\0" * 100]
)
def test_broken_documents_name_nothing(body):
    assert discover_sitemap(URL, body).named == ()


def test_a_cut_sitemap_gives_what_came():
    found = discover_sitemap(URL, URLSET[: URLSET.index(b"<loc>/2")])
    assert entries(found)[0][0] == "/1?a=1&b=2"
    cut = discover_sitemap(URL, gzip.compress(URLSET, mtime=0)[:-10])
    assert entries(cut) and "without its end" in cut.lost


@pytest.mark.parametrize("mime", ["text/xml", "application/xml", "text/html", "", "application/octet-stream"])
def test_documents_know_a_sitemap_by_its_root(mime):
    assert len(Documents().discover(URL, mime, URLSET, "utf-8").named) == 2


def test_documents_know_a_gzipped_and_a_text_sitemap():
    assert len(Documents().discover(URL, "application/x-gzip", gzip.compress(URLSET), "utf-8").named) == 2
    assert Documents().discover(URL, "application/gzip", gzip.compress(b"tar"), "utf-8").named == ()
    assert len(Documents().discover(URL, "text/plain", b"http://a.example/1\n", "utf-8").named) == 1
    assert Documents().discover(URL, "text/plain", b"User-agent: *", "utf-8").named == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026", 1767225600.0),
        ("2026-03", 1772323200.0),
        ("2026-03-01T12:30+02:00", 1772361000.0),
        ("2026-03-01T12:30:15.5-0230", 1772377215.0),
        ("2026-03-01T12:30:60Z", 1772368259.0),
        ("2026-13-01", None),
        ("2026-02-30", None),
        ("0000-01-01", None),
        ("9999-12-31T23:59:59-23:00", 253402383599.0),
        ("", None),
    ],
)
def test_times(text, expected):
    assert time_of(text) == expected
