"""Sitemaps 0.9: `urlset`, `sitemapindex`, plain text, each also gzipped. What they say about changes is evidence.

Whoever writes a sitemap may also attack its reader: entities and document types are refused, nothing is fetched,
and only so many bytes and addresses are looked at.
"""

import re
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

from lxml import etree

from strandline.core.urls import canonical
from strandline.ports import Discovery, Named

BYTES = 50 * 1024 * 1024
ADDRESSES = 50_000

_FIRST_TAG = re.compile(rb"<(?:\w|!DOCTYPE)", re.IGNORECASE)
_DATE = re.compile(
    r"\s*(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s*(Z|z|[+-]\d\d:?\d\d)?)?)?)?\s*"
)


def time_of(text: str) -> float | None:
    """UTC seconds of a W3C date (year, month, day or time; a time without zone is read as UTC); None if it is none.

    >>> time_of("2026-03-01"), time_of("2026-03-01T12:00:00+02:00"), time_of("yesterday")
    (1772323200.0, 1772359200.0, None)
    """
    match = _DATE.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (None if part is None else int(part) for part in match.groups()[:6])
    zone = (match[7] or "Z").replace(":", "")
    try:
        moment = datetime(
            year or 0,
            1 if month is None else month,
            1 if day is None else day,
            hour or 0,
            minute or 0,
            min(second or 0, 59),
            tzinfo=UTC,
        )
        shift = 0 if zone in "Zz" else int(zone[0] + "1") * (int(zone[1:3]) * 3600 + int(zone[3:5]) * 60)
        return moment.timestamp() - shift
    except (ValueError, OverflowError):
        return None


def unzipped(body: bytes) -> tuple[bytes, str]:
    """The document in a gzip file, at most BYTES of it; anything else as it is."""
    if not body.startswith(b"\x1f\x8b"):
        return (body, "") if len(body) <= BYTES else (body[:BYTES], f"larger than {BYTES} bytes")
    decoder = zlib.decompressobj(31)
    try:
        data = decoder.decompress(body, BYTES)
    except zlib.error:
        return b"", "not readable as gzip"
    if not decoder.eof:
        return data, f"larger than {BYTES} bytes" if len(data) >= BYTES else "gzip file without its end"
    return data, ""


def xml_elements(data: bytes, tags: tuple[str, ...]) -> Iterator[Any]:
    """Elements with these local names, each forgotten after use; ValueError for a document type declaration."""
    first = _FIRST_TAG.search(data)
    if first is not None and first[0].startswith(b"<!"):
        raise ValueError("document types and entities are refused")
    events = etree.iterparse(
        BytesIO(data),
        events=("end",),
        tag=[f"{{*}}{tag}" for tag in tags],
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        recover=True,
        huge_tree=False,
    )
    for _, element in events:
        yield element
        element.clear()
        while element.getprevious() is not None:
            del element.getparent()[0]


def local(element: Any) -> str:  # noqa: ANN401 - lxml has no types
    """Name of an element without its namespace."""
    return str(etree.QName(element).localname) if isinstance(element.tag, str) else ""


def discover_sitemap(url: str, body: bytes) -> Discovery:
    """Addresses of a sitemap: pages as "link" with the time they claim, further sitemaps as "sitemap"."""
    data, lost = unzipped(body)
    named: dict[str, Named] = {}
    entries = _of_xml(data) if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") else _of_text(data)
    try:
        for written, via, lastmod in entries:
            if len(named) >= ADDRESSES:
                lost = f"more than {ADDRESSES} addresses"
                break
            try:
                address = canonical(written, url)
            except ValueError:
                continue
            named.setdefault(address, Named(address, via, lastmod))
    except (ValueError, etree.LxmlError) as problem:
        lost = str(problem)[:200] or "not readable as XML"
    return Discovery(tuple(named.values()), lost=lost)


def _of_xml(data: bytes) -> Iterator[tuple[str, str, float | None]]:
    for element in xml_elements(data, ("url", "sitemap")):
        fields = {local(child): (child.text or "").strip() for child in element}
        if fields.get("loc"):
            yield (
                fields["loc"],
                "sitemap" if local(element) == "sitemap" else "link",
                time_of(fields.get("lastmod", "")),
            )


def _of_text(data: bytes) -> Iterator[tuple[str, str, float | None]]:
    for line in data.decode("utf-8-sig", "replace").splitlines():
        if line.strip().startswith(("http://", "https://")):
            yield line.strip(), "link", None
