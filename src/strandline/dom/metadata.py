"""What a page says of itself in its head: author, when it was published and changed, language.

Read from the markup as it was served, in the forms pages use: names of `meta`, Open Graph and Dublin Core, JSON-LD,
and the language of the root element. Only the beginning of a page is looked at, by expressions that cannot run long:
it happens at every version that is kept.
"""

import html
import re
from typing import Final

_HEAD: Final = 1 << 17
_LONGEST: Final = 300
_META: Final = re.compile(rb"<meta\s[^<>]{1,2000}>", re.IGNORECASE)
_PART: Final = re.compile(
    rb"([a-z:-]{1,20})\s*=\s*(?:\"([^\"]{0,1000})\"|'([^']{0,1000})'|([^\s\"'>]{1,1000}))", re.IGNORECASE
)
_LANGUAGE: Final = re.compile(
    rb"<html\s[^<>]{0,2000}?\blang\s*=\s*[\"']?([a-z]{2,3}(?:-[a-z0-9]{2,8}){0,2})", re.IGNORECASE
)
_LINKED: Final = re.compile(rb"\"(datePublished|dateModified)\"\s*:\s*\"([0-9T:+.Z-]{8,40})\"")
_LINKED_AUTHOR: Final = re.compile(rb"\"author\"\s*:\s*[\[{\s]{0,20}[^\]}]{0,500}?\"name\"\s*:\s*\"([^\"\\]{1,200})\"")
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$")
_NAMES: Final = {
    "author": "author", "article:author": "author", "dc.creator": "author", "dcterms.creator": "author",
    "citation_author": "author", "parsely-author": "author",
    "article:published_time": "published", "dc.date": "published", "dcterms.date": "published",
    "dcterms.created": "published", "date": "published", "pubdate": "published",
    "citation_publication_date": "published",
    "datepublished": "published", "article:modified_time": "modified", "og:updated_time": "modified",
    "last-modified": "modified", "dcterms.modified": "modified", "datemodified": "modified", "revised": "modified",
}  # fmt: skip
_LINKED_NAMES: Final = {b"datePublished": "published", b"dateModified": "modified"}


def page_metadata(data: bytes, charset: str = "utf-8") -> dict[str, str]:
    """Author, `published`, `modified` and `language`, as far as a page tells them; the first of each that it names.

    >>> page_metadata(b'<html lang="fr"><meta name=author content="A. Martin"><meta content="2026-03-01" name="date">')
    {'language': 'fr', 'author': 'A. Martin', 'published': '2026-03-01'}
    """
    head = data[:_HEAD]
    found: dict[str, str] = {}
    if language := _LANGUAGE.search(head):
        found["language"] = language[1].decode("ascii").lower()
    for meta in _META.findall(head):
        parts = {name.lower(): a or b or c for name, a, b, c in _PART.findall(meta)}
        named = (
            parts.get(b"name") or parts.get(b"property") or parts.get(b"itemprop") or parts.get(b"http-equiv") or b""
        )
        kind = _NAMES.get(named.decode("ascii", "replace").lower())
        if kind and (value := _said(parts.get(b"content", b""), charset)):
            _keep(found, kind, value)
    for name, date in _LINKED.findall(head):
        _keep(found, _LINKED_NAMES[name], date.decode("ascii", "replace"))
    if "author" not in found and (author := _LINKED_AUTHOR.search(head)):
        _keep(found, "author", _said(author[1], charset))
    return found


def _keep(found: dict[str, str], kind: str, value: str) -> None:
    """The first of its kind; a date only if it is one, an author who is not an address."""
    if kind == "author":
        fits = bool(value) and not value.startswith(("http://", "https://"))
    else:
        fits = _DATE.match(value) is not None
    if fits:
        found.setdefault(kind, value)


def _said(value: bytes, charset: str) -> str:
    try:
        text = value.decode(charset, "replace")
    except LookupError:
        text = value.decode("utf-8", "replace")
    return " ".join(html.unescape(text).split())[:_LONGEST]
