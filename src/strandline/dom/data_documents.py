"""Documents that are no pages, made into one, so that they are cut, compared and scored alike: JSON, feeds, tables.

    JSON          an object: a line `key: value` for each plain value, a section for each inner object;
                  a list: an item for each entry. Keys are written as words: noticeDays as "notice days"
    RSS, Atom     an article for each entry, with its title as a link and its text
    JSON Feed     a list of its entries
    CSV, TSV      a row for each record

What a feed says of itself (when it was built) is left out: it differs at every fetch and tells nothing new.

Hostile documents: what nests deeper or is longer than the limits is cut there, and what cannot be read is no text.
"""

import csv
import json
import re
from collections.abc import Iterable, Iterator
from html import escape
from io import StringIO
from typing import Any, Final

from lxml import etree
from selectolax.lexbor import LexborHTMLParser

from strandline.core.content import text_of
from strandline.dom.documents import kind_of
from strandline.dom.sitemaps import local, xml_elements

LARGEST: Final = 8 << 20  # bytes of a document that is read
MOST_VALUES: Final = 50_000  # values, cells or entries that are shown
DEEPEST: Final = 20  # levels of objects and lists that are shown as such
LONGEST: Final = 20_000  # letters of one value
_TABLES: Final = {"text/csv": ",", "application/csv": ",", "text/tab-separated-values": "\t"}
_INNER_WORD: Final = re.compile(r"(?<=[a-z0-9])([A-Z])")
_ENTRY_TEXTS: Final = ("summary", "content", "description", "encoded")


def as_page(data: bytes, mime: str, charset: str) -> bytes | None:
    """The document as HTML in UTF-8; None when it is of another kind, too long, or cannot be read."""
    if len(data) > LARGEST:
        return None
    try:
        if mime in _TABLES:
            made: Iterable[str] = _table(text_of(data, charset), _TABLES[mime])
        elif _starts_as_json(data) and (mime.endswith(("/json", "+json")) or kind_of(mime, data) == "feed"):
            made = _json(json.loads(data.decode("utf-8-sig", "replace")))
        elif kind_of(mime, data) == "feed":
            made = _entries(data)
        else:
            return None
        return f"<html><body><main>{''.join(made)}</main></body></html>".encode("utf-8", "replace")
    except (ValueError, RecursionError, csv.Error, etree.LxmlError):
        return None


def _starts_as_json(data: bytes) -> bool:
    return data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")


def _shown(value: object) -> str:
    """A plain value as a reader would write it, an address as a link."""
    text = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)[:LONGEST]
    if text.startswith(("http://", "https://")) and " " not in text:
        return f'<a href="{escape(text)}">{escape(text)}</a>'
    return escape(text)


def _json(document: Any) -> list[str]:  # noqa: ANN401 - whatever JSON holds
    if isinstance(document, dict) and "jsonfeed.org/version" in str(document.get("version", "")):
        items = document.get("items")
        document = items if isinstance(items, list) else []
    parts: list[str] = []
    todo: list[tuple[str, object, int]] = [("", document, 0)]
    shown = 0
    while todo and shown < MOST_VALUES:  # a stack, not a recursion: the document decides how deep it is
        name, value, depth = todo.pop()
        shown += 1
        if depth < 0:  # a tag that ends what was opened
            parts.append(name)
            shown -= 1
        elif isinstance(value, dict | list) and depth >= DEEPEST:
            parts.append(f"<p>{_label(name)}{escape(json.dumps(value)[:LONGEST])}</p>")
        elif isinstance(value, dict):
            parts.append(f'<section class="{_class(name)}">{f"<h2>{escape(_words(name))}</h2>" if name else ""}')
            todo.append(("</section>", None, -1))
            todo += [(str(key), inner, depth + 1) for key, inner in reversed(value.items())]
        elif isinstance(value, list):
            parts.append(f'<ul class="{_class(name)}">{f"<li>{escape(_words(name))}</li>" if name else ""}')
            todo.append(("</ul>", None, -1))
            for inner in reversed(value):
                todo += [("</li>", None, -1), ("", inner, depth + 1), ("<li>", None, -1)]
        else:
            parts.append(f"<p>{_label(name)}{_shown(value)}</p>")
    return parts


def _label(name: str) -> str:
    return f"{escape(_words(name))}: " if name else ""


def _words(key: str) -> str:
    """A key as words.

    >>> _words("noticeDays"), _words("updated_at"), _words("isoURL"), _words("Opening hours")
    ('notice days', 'updated at', 'iso URL', 'Opening hours')
    """
    parted = _INNER_WORD.sub(r" \1", key.replace("_", " "))
    return parted if parted == key else " ".join(part.lower() if part.istitle() else part for part in parted.split(" "))


def _class(name: str) -> str:
    """A key as a name that a path can show."""
    return "".join(letter if letter.isalnum() else "-" for letter in name[:40])


def _entries(data: bytes) -> Iterator[str]:
    """The entries of an RSS or Atom feed."""
    for number, element in enumerate(xml_elements(data, ("item", "entry"))):
        if number >= MOST_VALUES // 10:
            return
        title, link, texts = "", "", []
        for child in element:
            name = local(child)
            if name == "title":
                title = title or _plain("".join(child.itertext()))
            elif name == "link" and child.get("rel", "alternate") == "alternate":
                link = link or (child.get("href") or child.text or "").strip()
            elif name in _ENTRY_TEXTS:
                texts.append(_plain("".join(child.itertext())))
        heading = f'<a href="{escape(link)}">{escape(title)}</a>' if link else escape(title)
        said = "".join(f"<p>{escape(text)}</p>" for text in dict.fromkeys(texts) if text)
        yield f"<article><h2>{heading}</h2>{said}</article>"


def _plain(written: str) -> str:
    """The words of a text that may itself be HTML."""
    cut = written[:LONGEST]
    shown = LexborHTMLParser(cut).text(separator=" ") if "<" in cut else cut
    return " ".join(shown.split())


def _table(text: str, separator: str) -> Iterator[str]:
    """The records of a table, the first as its head."""
    left = MOST_VALUES
    yield "<table>"
    for number, record in enumerate(csv.reader(StringIO(text, newline=""), delimiter=separator)):
        cell = "td" if number else "th"
        left -= len(record)
        if left < 0:
            break
        yield f"<tr>{''.join(f'<{cell}>{_shown(value)}</{cell}>' for value in record)}</tr>"
    yield "</table>"
