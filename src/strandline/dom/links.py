"""Addresses an HTML page names: what it links to, what it needs to be shown whole, what it says about itself.

lexbor builds the tree of a page as a browser would. It is quadratic in nesting, in attributes of one tag and in
unclosed formatting elements, so each page is weighed first; pages that could be costly are read tag by tag
(`dom.tokens`), with the same result but for the repairs of broken trees.
"""

import re
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray
from selectolax.lexbor import LexborHTMLParser

from strandline.core.content import text_of
from strandline.core.urls import canonical
from strandline.dom import styles
from strandline.dom.resolving import Resolver
from strandline.dom.tokens import start_tags, unescaped
from strandline.ports import Discovery, Named

OUTLINKS = 6_000
"""Addresses taken from one document."""

_TREE_BYTES = 64 * 1024
"""Above this a single tag may hold enough attributes to cost seconds; a tree is built only below."""
_TREE_TAGS = 6_000
_REBUILT = 400_000
"""Bound on formatting elements with attributes times tags: each may be rebuilt in each, as nodes of the tree."""

Attributes = Mapping[str, str | None]

_FEEDS = re.compile(r"application/(?:rss|atom|feed|rdf)\+(?:xml|json)|application/feed\+json", re.IGNORECASE)
_REQUISITE_RELS = frozenset(
    {
        "stylesheet",
        "icon",
        "apple-touch-icon",
        "apple-touch-icon-precomposed",
        "mask-icon",
        "preload",
        "modulepreload",
        "manifest",
    }
)
_UNWANTED_RELS = frozenset(
    {"dns-prefetch", "preconnect", "pingback", "edituri", "wlwmanifest", "webmention", "search", "profile"}
)
_SRCSET = re.compile(r"[\s,]*+([^\s,](?:[^\s]*[^\s,])?+)(?:\s++[^,(]*+(?:\([^)]*+(?:\)|\Z)[^,(]*+)*+)?+,?")
_REFRESH = re.compile(
    r"""\s*+[\d.]*+[;,\s]++(?:url\s*+=\s*+)?+(?:"([^"]*+)|'([^']*+)|(\S.*+))""", re.IGNORECASE | re.DOTALL
)


class _Page:
    """Collects what the elements of one page name, as written, in document order."""

    def __init__(self, social_images: bool) -> None:
        self.named: dict[tuple[str, str], None] = {}
        self.base = ""
        self.title = ""
        self.noarchive = False
        self._social_images = social_images

    def name(self, written: str | None, via: str) -> None:
        if written:
            self.named[written, via] = None

    def styled(self, css: str | None) -> None:
        if css and ("url" in css or "@" in css or "URL" in css):
            for written in styles.addresses(css):
                self.named[written, "requisite"] = None

    def link(self, found: Attributes) -> None:
        self.name(found.get("href") or found.get("xlink:href"), "link")

    def frame(self, found: Attributes) -> None:
        self.name(found.get("src"), "frame")

    def source(self, found: Attributes) -> None:
        """Images, scripts and media: everything with src, srcset and their lazy forms."""
        get = found.get
        for key in ("src", "data-src", "poster", "lowsrc"):
            if written := get(key):
                self.named[written, "requisite"] = None
        for key in ("srcset", "data-srcset", "imagesrcset"):
            if written := get(key):
                for match in _SRCSET.finditer(written):
                    self.name(match[1], "requisite")

    def data(self, found: Attributes) -> None:
        self.name(found.get("data") or found.get("src"), "requisite")

    def input(self, found: Attributes) -> None:
        if (found.get("type") or "").lower() == "image":
            self.name(found.get("src"), "requisite")

    def drawing(self, found: Attributes) -> None:
        self.name(found.get("href") or found.get("xlink:href"), "requisite")

    def relation(self, found: Attributes) -> None:
        """A link element: its role depends on rel."""
        rels = frozenset((found.get("rel") or "").lower().split())
        written = found.get("href")
        if rels & _REQUISITE_RELS:
            self.name(written, "requisite")
            self.source({"imagesrcset": found.get("imagesrcset")})
        elif "canonical" in rels:
            self.name(written, "canonical")
        elif "alternate" in rels and _FEEDS.match(found.get("type") or ""):
            self.name(written, "feed")
        elif "sitemap" in rels:
            self.name(written, "sitemap")
        elif rels and not rels & _UNWANTED_RELS:
            self.name(written, "link")

    def meta(self, found: Attributes) -> None:
        content = found.get("content") or ""
        said = (found.get("name") or found.get("property") or "").lower()
        if (found.get("http-equiv") or "").strip().lower() == "refresh":
            match = _REFRESH.match(content)
            self.name(match and (match[1] or match[2] or match[3]), "refresh")
        elif said == "robots":
            words = re.split(r"[\s,]+", content.lower())
            self.noarchive = self.noarchive or "noarchive" in words or "none" in words
        elif self._social_images and said in ("og:image", "twitter:image"):
            self.name(content, "requisite")

    def based(self, found: Attributes) -> None:
        self.base = self.base or (found.get("href") or "")

    def anywhere(self, found: Attributes) -> None:
        """Attributes any element may carry."""
        self.styled(found.get("style"))
        self.name(found.get("background"), "requisite")


_ELEMENTS: dict[str, Callable[[_Page, Attributes], None]] = {
    "a": _Page.link,
    "area": _Page.link,
    "iframe": _Page.frame,
    "frame": _Page.frame,
    "link": _Page.relation,
    "meta": _Page.meta,
    "base": _Page.based,
    "img": _Page.source,
    "source": _Page.source,
    "script": _Page.source,
    "video": _Page.source,
    "audio": _Page.source,
    "track": _Page.source,
    "embed": _Page.source,
    "object": _Page.data,
    "input": _Page.input,
    "image": _Page.drawing,
    "use": _Page.drawing,
}
_WANTED = frozenset(_ELEMENTS) | {"style", "title"}


def discover_html(url: str, body: bytes, charset: str, *, social_images: bool = False) -> Discovery:
    """Addresses of an HTML page at `url`; `social_images` adds the pictures meant for other sites' previews."""
    page = _Page(social_images)
    text = text_of(body, charset)
    ascii_based = not charset.startswith("utf-16")
    read = _read_tree if _tame(body if ascii_based else text.encode("utf-8", "replace")) else _read_tags
    lost = read(page, text)
    return _discovery(page, url, charset, lost)


def _discovery(page: _Page, url: str, charset: str, lost: str) -> Discovery:
    base = url
    if page.base:
        try:
            base = canonical(page.base.strip(), url)
        except ValueError:
            base = url
    resolve = Resolver(base, charset)
    named: dict[tuple[str, str], Named] = {}
    for written, via in page.named:
        resolved = resolve(written)
        if resolved is None or (resolved, via) in named:
            continue
        if len(named) >= OUTLINKS:
            lost = f"more than {OUTLINKS} addresses"
            break
        named[resolved, via] = Named(resolved, via)
    return Discovery(tuple(named.values()), page.title, lost, page.noarchive)


def _read_tree(page: _Page, text: str) -> str:
    tree = LexborHTMLParser(text)
    elements = _ELEMENTS
    root = tree.root
    for node in () if root is None else root.traverse():
        tag = node.tag
        if tag is not None and (read := elements.get(tag)) is not None:
            read(page, node.attributes)
        elif tag == "style":
            page.styled(node.text())
        elif tag == "title" and not page.title:
            page.title = _one_line(node.text())
    if "url(" in text or "URL(" in text or "background=" in text:
        for node in tree.css("[style],[background]"):
            page.anywhere(node.attributes)
    return ""


def _read_tags(page: _Page, text: str) -> str:
    for tag, found, content in start_tags(text.replace("\0", "\ufffd"), _WANTED):
        if (read := _ELEMENTS.get(tag)) is not None:
            read(page, found)
        elif tag == "style":
            page.styled(content)
        elif tag == "title" and not page.title:
            page.title = _one_line(unescaped(content[:4096]))
        if "style" in found or "background" in found:
            page.anywhere(found)
        if len(page.named) > 4 * OUTLINKS:
            # Repeats and addresses of other schemes were left room for; more is not looked at.
            return f"more than {OUTLINKS} addresses"
    return ""


def _tame(data: bytes) -> bool:
    """Whether the tree of a page is certainly cheap to build; looks at two bytes behind each "<" and no further."""
    if len(data) > _TREE_BYTES:
        return False
    letters = np.frombuffer(data + b"\0\0", np.uint8)
    tags = np.flatnonzero(letters == ord("<"))
    pairs = letters[tags + 1] | letters[tags + 2].astype(np.uint16) << 8
    formatting = int(np.count_nonzero(_FORMATTING[pairs]))
    return len(tags) <= _TREE_TAGS and formatting * len(tags) <= _REBUILT


def _formatting_pairs() -> NDArray[np.bool_]:
    """First two bytes of tags whose elements are rebuilt in every block until closed.

    A browser keeps only three equal ones, so those of one letter count only when attributes may follow. The longer
    names are taken by their first two letters: some other elements are counted with them.
    """
    table = np.zeros(1 << 16, np.bool_)
    for name in ("b", "i", "s", "u", "em", "tt", "big", "code", "font", "small", "strike", "strong"):
        seconds = " \t\n\r\f/" if len(name) == 1 else name[1] + name[1].upper()
        for first in name[0] + name[0].upper():
            for second in seconds:
                table[ord(first) | ord(second) << 8] = True
    return table


_FORMATTING = _formatting_pairs()


def _one_line(text: str) -> str:
    return " ".join(text[:4096].split())[:512]
