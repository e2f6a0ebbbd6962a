"""Which reader a document needs: by media type, and by its first bytes where the type says little or nothing."""

import re
from collections.abc import Iterable

from strandline.core.content import text_of
from strandline.dom.links import OUTLINKS, Pages
from strandline.dom.resolving import Resolver
from strandline.dom.xhtml import XHTML, as_html
from strandline.ports import Discovery, Named

_HTML = frozenset({"text/html", *XHTML})
_FEEDS = frozenset({"application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json"})
_VAGUE = frozenset(
    {"", "text/xml", "application/xml", "text/plain", "application/octet-stream", "application/json", "unknown/unknown"}
)
_SCRIPTS = frozenset(
    {
        "text/javascript",
        "application/javascript",
        "application/x-javascript",
        "application/ecmascript",
        "text/ecmascript",
    }
)
_GZIP = frozenset({"application/gzip", "application/x-gzip"})
_ROOT = re.compile(
    rb"\s*+(?:<\?.*?\?>\s*+|<!--.*?-->\s*+|<!doctype[^>\[]*+(?:\[.*?\]\s*+)?>\s*+)*+<(?:\w+:)?(\w+)", re.I | re.S
)
_HTML_SIGNS = (b"<!doctype html", b"<html", b"<head", b"<body", b"<title", b"<script")
_SNIFFED = 1024


class Documents:
    """Implements ports.Discoverer."""

    def __init__(self, social_images: bool = False) -> None:
        """`social_images`: also name the pictures pages offer to other sites (og:image)."""
        self._pages = Pages(social_images)

    def discover(self, url: str, mime: str, body: bytes, charset: str) -> Discovery:
        """Addresses named by an HTML page, style sheet, script, sitemap or feed; never raises for bad documents."""
        match kind_of(mime, body):
            case "html":
                return self._pages.discover(url, as_html(body, mime), charset)
            case "css":
                return discover_css(url, body, charset)
            case "script":
                return discover_script(url, body, charset)
            case "sitemap":
                from strandline.dom.sitemaps import discover_sitemap  # noqa: PLC0415 - an XML parser, for few pages

                return discover_sitemap(url, body)
            case "feed":
                from strandline.dom.feeds import discover_feed  # noqa: PLC0415

                return discover_feed(url, body)
            case _:
                return Discovery(())


def kind_of(mime: str, body: bytes) -> str:
    """html, css, script, sitemap, feed, or empty for what names nothing."""
    if mime == "text/css":
        return "css"
    if mime in _SCRIPTS:
        return "script"
    if mime in _FEEDS:
        return "feed"
    head = body[:_SNIFFED].removeprefix(b"\xef\xbb\xbf").lstrip()
    if mime in _HTML:
        # Sitemaps and feeds are often served as HTML.
        return (_by_root(head) if head[:5].lower() == b"<?xml" else "") or "html"
    if mime not in _VAGUE and mime not in _GZIP and not mime.endswith(("+xml", "+json")):
        return ""
    if head.startswith(b"\x1f\x8b"):
        return "sitemap" if _is_sitemap(body) else ""
    if head.startswith(b"<"):
        return _by_root(head) if not head.lower().startswith(_HTML_SIGNS) else "html"
    if head.startswith(b"{") and b"jsonfeed.org/version" in body[:_SNIFFED]:
        return "feed"
    return "sitemap" if head.startswith((b"http://", b"https://")) else ""


def _by_root(head: bytes) -> str:
    match = _ROOT.match(head)
    root = match[1].lower() if match else b""
    if root in (b"urlset", b"sitemapindex"):
        return "sitemap"
    if root in (b"rss", b"feed", b"rdf"):
        return "feed"
    return "html" if root == b"html" else ""


def _is_sitemap(body: bytes) -> bool:
    """Whether a gzip file begins like a sitemap."""
    from strandline.dom.sitemaps import unzipped  # noqa: PLC0415

    head = unzipped(body[: 4 * _SNIFFED])[0][: 4 * _SNIFFED].lstrip()
    return _by_root(head) == "sitemap" or head.startswith((b"http://", b"https://"))


def discover_css(url: str, body: bytes, charset: str) -> Discovery:
    """Addresses of a style sheet, all of them requisites."""
    from strandline.dom import styles  # noqa: PLC0415

    return _requisites(url, charset, styles.addresses(text_of(body, charset)))


def discover_script(url: str, body: bytes, charset: str) -> Discovery:
    """Addresses of the modules a script imports, all of them requisites."""
    from strandline.dom import scripts  # noqa: PLC0415

    return _requisites(url, charset, scripts.addresses(text_of(body, charset)))


def _requisites(url: str, charset: str, written: Iterable[str]) -> Discovery:
    resolve = Resolver(url, charset)
    named: dict[str, Named] = {}
    for one in written:
        address = resolve(one)
        if address is not None and address not in named:
            if len(named) >= OUTLINKS:
                return Discovery(tuple(named.values()), lost=f"more than {OUTLINKS} addresses")
            named[address] = Named(address, "requisite")
    return Discovery(tuple(named.values()))
