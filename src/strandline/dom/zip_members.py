"""The members of a ZIP file made into a page, so that they are compared and scored whatever order they are packed in.

    text, HTML, XML, JSON, CSV    a section by the member's name with its text, in paragraphs
    anything else                 a line with the member's name, its size and its checksum

Members stand by name. When they were packed and how well does not count, nor does markup that shows no text. Documents
of office programs and books (DOCX, ODT, EPUB and their kind) are ZIP files too: what they say of when they were made,
how they look and by which program is left out.

Hostile files: what is too long to read, encrypted or packed in a way that cannot be unpacked in steps is shown by size
and checksum; a file with too many members, or a broken one, is no text.
"""

import re
import zlib
from collections.abc import Iterable, Iterator
from functools import partial
from html import escape
from io import BytesIO
from typing import Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import xxhash
from lxml import etree

from strandline.core.content import charset_of, text_of
from strandline.dom.checksums import spoken
from strandline.dom.data_documents import as_page
from strandline.dom.sitemaps import local

MOST_MEMBERS: Final = 20_000  # in a file that is read
MOST_SHOWN: Final = 2_000  # each by itself; the others together
LONGEST_MEMBER: Final = 2 << 20  # bytes, unpacked
MOST_UNPACKED: Final = 6 << 20  # bytes, in all members together
LONGEST: Final = 1_000_000  # letters of text
_SIGNS: Final = (b"PK\x03\x04", b"PK\x05\x06")
_ENTRY: Final = b"PK\x01\x02"  # of the list at the end of the file
_DATA: Final = {"json": "application/json", "csv": "text/csv", "tsv": "text/tab-separated-values"}
_MARKUP: Final = {"html", "htm", "xhtml", "xht"}
_PLAIN: Final = {"txt", "md", "text"}
_XML: Final = {"xml", "rss", "atom", "ncx", "opf"}
_READ: Final = frozenset({*_DATA, *_MARKUP, *_PLAIN, *_XML})
_OFFICE: Final = frozenset({"[Content_Types].xml", "mimetype"})
_ABOUT: Final = ("docProps/", "Thumbnails/", "META-INF/", "meta.xml", "settings.xml", "word/settings.xml")
_PARAGRAPHS: Final = frozenset(
    {
        "p",
        "h",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "li",
        "dt",
        "dd",
        "td",
        "th",
        "tr",
        "title",
        "div",
        "section",
        "body",
    }
)
_SPACES: Final = frozenset({"tab", "br", "s", "line-break"})
_UNSEEN: Final = frozenset({"script", "style", "instrText", "delText"})
# The parser takes quadratic time in the attributes of a tag, which say nothing here.
_NO_TAG: Final = re.compile(rb"<(?![A-Za-z/!])")
_TAG: Final = re.compile(rb"<([A-Za-z][A-Za-z0-9]*)[^<>]*>")
_LONG_TAG: Final = re.compile(rb"<[^>]{8000}")
_BLANK: Final = re.compile(r"\n\s*\n")


def is_zip(data: bytes, mime: str) -> bool:
    """Whether a document is a ZIP file, by its type and its first bytes."""
    return data.startswith(_SIGNS) and (not mime or mime.startswith("application/"))


def zip_page(data: bytes) -> bytes | None:
    """The members of a ZIP file as HTML in UTF-8; None when it is broken, empty or has too many."""
    if data.count(_ENTRY) > MOST_MEMBERS:
        return None
    try:
        with ZipFile(BytesIO(data)) as packed:
            members = sorted(_told(packed.infolist()), key=lambda one: (one.filename, one.CRC, one.file_size))
            if not members:
                return None
            shown = "".join(_Members(packed, members).shown())
    except (BadZipFile, ValueError, NotImplementedError, OSError, EOFError):
        return None
    return f'<html><body class="zip"><main>{shown}</main></body></html>'.encode("utf-8", "replace")


def _told(members: list[ZipInfo]) -> Iterator[ZipInfo]:
    """Members that say something: no folders, and of an office document nothing that is only about it."""
    office = any(one.filename in _OFFICE for one in members)
    for one in members:
        if not one.is_dir() and not (office and (one.filename.startswith(_ABOUT) or one.filename in _OFFICE)):
            yield one


class _Members:
    """The members of one file, as far as the limits go."""

    def __init__(self, packed: ZipFile, members: list[ZipInfo]) -> None:
        self._packed = packed
        self._members = members
        self._office = any(name in _OFFICE for name in packed.namelist())
        self._unpacked = MOST_UNPACKED
        self._letters = LONGEST

    def shown(self) -> Iterator[str]:
        for one in self._members[:MOST_SHOWN]:
            parts = self._text(one)
            name = escape(one.filename[:300])
            if parts:
                yield f'<section class="member"><h2>{name}</h2>{parts}</section>'
            elif parts is None or not self._office:
                yield f"<p>{name}: {one.file_size} bytes, {spoken(one.CRC)}</p>"
        if rest := self._members[MOST_SHOWN:]:
            known = repr([(one.filename, one.file_size, one.CRC) for one in rest])
            yield f"<p>{len(rest)} more: {spoken(xxhash.xxh3_64_intdigest(known.encode('utf-8', 'replace')))}</p>"

    def _text(self, one: ZipInfo) -> str | None:
        """What a member says, in HTML: empty when it is markup without text, None when it is no text or not read."""
        kind = one.filename.rpartition(".")[2].lower()
        if kind not in _READ or one.flag_bits & 1 or one.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            return None
        if one.file_size > min(LONGEST_MEMBER, self._unpacked) or self._letters <= 0:
            return None
        try:
            data = self._packed.read(one)  # never more than the size that was told
        except (BadZipFile, zlib.error, EOFError):
            return None
        self._unpacked -= len(data)
        made = _made(data, kind)
        self._letters -= len(made or "")
        return made


def _made(data: bytes, kind: str) -> str | None:
    if kind in _DATA:
        page = as_page(data, _DATA[kind], "utf-8")
        return None if page is None else page.decode().partition("<main>")[2].rpartition("</main>")[0]
    if kind in _PLAIN:
        return _in_tags(_BLANK.split(text_of(data, charset_of("text/plain", data)).replace("\r\n", "\n")))
    try:
        return _in_tags(paragraphs(data, html=kind in _MARKUP))
    except (etree.LxmlError, ValueError):
        return None


def _in_tags(texts: Iterable[str]) -> str:
    return "".join(f"<p>{escape(text)}</p>" for text in texts if text.strip())


def paragraphs(data: bytes, *, html: bool = False) -> Iterator[str]:
    """The texts of a document in HTML or XML, by paragraph, or by element where it has no paragraphs.

    >>> list(paragraphs(b"<w><p><r>High </r><r>tide</r></p><p>at four</p></w>"))
    ['High tide', 'at four']
    >>> list(paragraphs(b"<tides><at>four</at><at>ten</at></tides>"))
    ['four', 'ten']
    """
    if html:
        data = _TAG.sub(rb"<\1>", _NO_TAG.sub(b" ", data))
    if _LONG_TAG.search(data):
        raise ValueError("tags of so many attributes take long to read")
    parser = etree.HTMLParser if html else partial(etree.XMLParser, resolve_entities=False, load_dtd=False)
    root = etree.fromstring(data, parser(no_network=True, recover=True, huge_tree=False))
    if root is None:
        return
    parted = any(local(element) in _PARAGRAPHS for element in root.iter(etree.Element))
    said: list[str] = []
    for event, element in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
        name = local(element) if event in ("start", "end") else ""
        if event != "start" and name in _SPACES:
            said.append(" ")
        if name in _PARAGRAPHS or (name and not parted):
            if text := " ".join("".join(said).split()):
                yield text
            said.clear()
        if event == "start":
            said.append(element.text or "" if name not in _UNSEEN else "")
        else:
            said.append(element.tail or "")
    if text := " ".join("".join(said).split()):
        yield text
