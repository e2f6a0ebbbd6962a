"""Addresses an HTML page names: what it links to, what it needs to be shown whole, what it says about itself.

lexbor builds the tree of a page as a browser would. It is quadratic in nesting, in attributes of one tag and in
unclosed formatting elements, so each page is weighed first; pages that could be costly are read tag by tag
(`dom.tokens`), with the same result but for the repairs of broken trees.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser

from strandline.core.content import text_of
from strandline.core.urls import canonical
from strandline.dom.resolving import Resolver
from strandline.ports import Discovery, Named

OUTLINKS = 6_000
"""Addresses taken from one document."""

_REMEMBERED = 10_000
"""Addresses kept at hand between pages."""
_SHORT = 256

_TREE_BYTES = 100 * 1024
"""Above this a single tag may hold enough attributes to cost many seconds; a tree is built only below.

The distance between two "<" would be no better bound: attributes may hold "<" in quotes.
"""
_TREE_TAGS = 8_000
_REBUILT = 600_000
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
_SOURCES = frozenset({"src", "data-src", "poster", "lowsrc"})
_SOURCE_SETS = frozenset({"srcset", "data-srcset", "imagesrcset"})
_SRCSET = re.compile(r"([^\s,](?:[^\s]*[^\s,])?+)(?:\s++[^,(]*+(?:\([^)]*+(?:\)|\Z)[^,(]*+)*+)?+,?")
_REFRESH = re.compile(
    r"""\s*+[\d.]*+[;,\s]++(?:url\s*+=\s*+)?+(?:"([^"]*+)|'([^']*+)|(\S.*+))""", re.IGNORECASE | re.DOTALL
)


class _Page:
    """Collects what the elements of one page name, as written: for each role, in document order."""

    def __init__(self, social_images: bool) -> None:
        self.links: dict[str, None] = {}
        self.requisites: dict[str, None] = {}
        self.others: dict[str, dict[str, None]] = {}
        self.base = ""
        self.title = ""
        self.noarchive = False
        self._social_images = social_images

    def named(self) -> Iterator[tuple[str, dict[str, None]]]:
        """Roles and the addresses in them; what the page needs comes before what it links to."""
        yield "requisite", self.requisites
        yield from self.others.items()
        yield "link", self.links

    def name(self, written: str | None, via: str) -> None:
        if written:
            self.others.setdefault(via, {})[written] = None

    def need(self, written: str | None) -> None:
        if written:
            self.requisites[written] = None

    def styled(self, css: str | None) -> None:
        if css and ("url" in css or "@" in css or "URL" in css):
            from strandline.dom import styles  # noqa: PLC0415 - most crawls start without a style sheet

            self.requisites.update(dict.fromkeys(styles.addresses(css)))

    def link(self, found: Attributes) -> None:
        if written := found.get("href") or found.get("xlink:href"):
            self.links[written] = None

    def frame(self, found: Attributes) -> None:
        self.name(found.get("src"), "frame")

    def source(self, found: Attributes) -> None:
        """Images, scripts and media: everything with src, srcset and their lazy forms."""
        for key, written in found.items():
            if key in _SOURCES and written:
                self.requisites[written] = None
            elif key in _SOURCE_SETS and written:
                for match in _SRCSET.finditer(written):
                    self.requisites[match[1]] = None

    def data(self, found: Attributes) -> None:
        self.need(found.get("data") or found.get("src"))

    def input(self, found: Attributes) -> None:
        if (found.get("type") or "").lower() == "image":
            self.need(found.get("src"))

    def drawing(self, found: Attributes) -> None:
        self.need(found.get("href") or found.get("xlink:href"))

    def relation(self, found: Attributes) -> None:
        """A link element: its role depends on rel."""
        rels = frozenset((found.get("rel") or "").lower().split())
        written = found.get("href")
        if rels & _REQUISITE_RELS:
            self.need(written)
            self.source(found)
        elif "canonical" in rels:
            self.name(written, "canonical")
        elif "alternate" in rels and _FEEDS.match(found.get("type") or ""):
            self.name(written, "feed")
        elif "sitemap" in rels:
            self.name(written, "sitemap")
        elif rels and not rels & _UNWANTED_RELS:
            self.link(found)

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
            self.need(content)

    def based(self, found: Attributes) -> None:
        self.base = self.base or (found.get("href") or "")

    def anywhere(self, found: Attributes) -> None:
        """Attributes any element may carry."""
        self.styled(found.get("style"))
        self.need(found.get("background"))


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


_NAMES = (*_ELEMENTS, "style", "title")
_WANTED = frozenset(_NAMES)


class Pages:
    """Reads HTML pages; remembers the addresses they share, since the pages of a site mostly link to the same ones."""

    def __init__(self, social_images: bool = False) -> None:
        """`social_images`: also take the pictures pages offer for other sites' previews (og:image)."""
        self._social_images = social_images
        self._memory: dict[tuple[str, str, str], dict[str, Named | None]] = {}
        self._remembered = 0

    def discover(self, url: str, body: bytes, charset: str) -> Discovery:
        """Addresses of an HTML page at a canonical address."""
        page = _Page(self._social_images)
        text = text_of(body, charset)
        # The tags of a page are plain bytes in every charset but UTF-16.
        tame, selector = _weighed(text.encode("utf-8", "replace") if charset.startswith("utf-16") else body)
        lost = _read_tree(page, text, selector) if tame else _read_tags(page, text)
        if b"module" in body and b"import" in body:
            from strandline.dom import scripts  # noqa: PLC0415 - most pages have no modules of their own

            page.requisites.update(dict.fromkeys(scripts.inline_addresses(text)))
        base = _base(page, url)
        resolve = Resolver(base, charset)
        named: list[Named] = []
        for via, group in page.named():
            found = self._resolved(group, via, resolve)
            if len(named) + len(found) > OUTLINKS:
                lost = f"more than {OUTLINKS} addresses"
            named += found[: OUTLINKS - len(named)]
        return Discovery(tuple(named), page.title, lost, page.noarchive)

    def _resolved(self, group: dict[str, None], via: str, resolve: Resolver) -> list[Named]:
        """The addresses of one role, each once."""
        if self._remembered > _REMEMBERED:
            self._memory.clear()
            self._remembered = 0
        self._remembered += 1
        rooted = self._memory.setdefault((resolve.origin, resolve.charset, via), {})
        beside = self._memory.setdefault((resolve.folder, resolve.charset, via), {})
        found: dict[str, Named] = {}
        for written in group:
            memory = rooted if written[0] == "/" else beside
            if written in memory:
                named = memory[written]
            else:
                url = resolve(written)
                named = None if url is None else Named(url, via)
                # A mere query continues the page's own address, which the next page does not share; inline pictures
                # are long and seldom come again.
                if len(written) <= _SHORT and written.lstrip()[:1] != "?":
                    memory[written] = named
                    self._remembered += 1
            if named is not None:
                found[named.url] = named
        return list(found.values())


def _base(page: _Page, url: str) -> str:
    if not page.base:
        return url
    try:
        return canonical(page.base.strip(), url)
    except ValueError:
        return url


def _read_tree(page: _Page, text: str, selector: str) -> str:
    links = page.links
    for node in LexborHTMLParser(text).css(selector):
        tag, found = node.tag, node.attributes
        if tag == "a" and len(found) == 1:  # nine in ten, and nothing more to look for
            if written := found.get("href"):
                links[written] = None
            continue
        if tag is not None and (read := _ELEMENTS.get(tag)) is not None:
            read(page, found)
        elif tag == "style":
            page.styled(node.text())
        elif tag == "title" and not page.title:
            page.title = _one_line(node.text())
        if "style" in found or "background" in found:
            page.anywhere(found)
    return ""


def _read_tags(page: _Page, text: str) -> str:
    from strandline.dom.tokens import start_tags, unescaped  # noqa: PLC0415 - few crawls meet such a page

    for tag, found, content in start_tags(text.replace("\0", "\ufffd"), _WANTED):
        if (read := _ELEMENTS.get(tag)) is not None:
            read(page, found)
        elif tag == "style":
            page.styled(content)
        elif tag == "title" and not page.title:
            page.title = _one_line(unescaped(content[:4096]))
        if "style" in found or "background" in found:
            page.anywhere(found)
        if len(page.links) + len(page.requisites) > 4 * OUTLINKS:
            # Repeats and addresses of other schemes were left room for; more is not looked at.
            return f"more than {OUTLINKS} addresses"
    return ""


def _weighed(data: bytes) -> tuple[bool, str]:
    """Whether the tree of a page is certainly cheap to build, and the selector of elements that may be in it.

    Looks at two bytes behind each "<" and no further.
    """
    if len(data) > _TREE_BYTES:
        return False, ""
    tags = len(data) - len(data.replace(b"<", b""))  # counting byte by byte takes nine times as long
    if tags**2 <= _REBUILT:
        return True, _ANY  # finding out what is in a small page takes longer than looking for everything
    if tags > _TREE_TAGS:
        return False, ""
    starts = _START.findall(data)
    if tags * sum(map(_FORMATTING.__contains__, starts)) > _REBUILT:
        return False, ""
    return True, _selector(frozenset(starts))


_START = re.compile(rb"<([^<][^<]?)")


def _first_bytes() -> dict[bytes, tuple[str, ...]]:
    """Elements read here that a tag may be, by the two bytes behind its "<"."""
    first: dict[bytes, tuple[str, ...]] = {}
    for name in _NAMES:
        other = {"img": ("image",), "image": ("img",)}.get(name, ())  # a tree builder takes one for the other
        for start in _beginnings(name, _BLANKS + ">"):
            first[start] = (*first.get(start, ()), name, *other)
    return first


def _beginnings(name: str, ends: str) -> Iterator[bytes]:
    """The two bytes a tag may begin with, in both cases; what may follow a name of one letter is given."""
    seconds = ends if len(name) == 1 else name[1] + name[1].upper()
    for first in name[0] + name[0].upper():
        for second in seconds:
            yield (first + second).encode("ascii")


_BLANKS = " \t\n\r\f/"
_MEANT = _first_bytes()
# Formatting elements are rebuilt in every block until closed. A browser keeps only three equal ones, so those of one
# letter count only when attributes may follow; the longer names are taken by their first two letters.
_FORMATTING = frozenset(
    start
    for name in ("b", "i", "s", "u", "em", "tt", "big", "code", "font", "small", "strike", "strong")
    for start in _beginnings(name, _BLANKS)
)


@lru_cache(maxsize=1024)
def _selector(starts: frozenset[bytes]) -> str:
    meant = {name for start in starts for name in _MEANT.get(start, ())}
    return ",".join([_STYLED, *(name for name in _NAMES if name in meant)])


_STYLED = "[style],[background]"
_ANY = ",".join([_STYLED, *_NAMES])


def _one_line(text: str) -> str:
    return " ".join(text[:4096].split())[:512]
