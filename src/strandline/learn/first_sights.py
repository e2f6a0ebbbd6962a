"""Captures read back once for the learning side: a page at first sight, and when an answer says the page changed."""

import re
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Final

from strandline.access.heads import read_head
from strandline.core.beliefs.features import PageSummary, summary_of
from strandline.core.capture import Capture
from strandline.core.content import DecodeLimits, charset_of, decode
from strandline.dom.html import layout
from strandline.dom.scan import PageTooCostlyError
from strandline.errors import ArchiveDamaged
from strandline.ports import CaptureReader

_LIMITS: Final = DecodeLimits(data=16 * 2**20)
"""Bytes of a page that are read. Origin: a bound on memory."""
_LANGUAGE: Final = re.compile(
    rb"<html\b[^>]{0,2000}?\slang\s*=\s*[\"']?([A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8}){0,3})", re.I
)
_HEAD: Final = 4096
"""Bytes of a page among which its language is named. Origin: a bound on time."""


def first_sight(records: CaptureReader, capture: Capture) -> tuple[PageSummary, str] | None:
    """Counts of a captured page and its language; None when it cannot be read."""
    try:
        record = records.read(capture.place)
        head = read_head(record.http_head)
        data = decode(record.body, head.value("content-encoding"), head.value("transfer-encoding"), _LIMITS).data
        shown = layout(data, charset=charset_of(head.value("content-type"), data))
    except (ArchiveDamaged, PageTooCostlyError, OSError, ValueError):
        return None
    named = _LANGUAGE.search(data[:_HEAD])
    language = named[1].decode("ascii") if named else head.value("content-language").split(",")[0].strip()[:35]
    stamped = bool(head.value("last-modified"))
    return summary_of(shown, last_modified=stamped, emails=True), language


def last_modified(records: CaptureReader, capture: Capture) -> float | None:
    """The Last-Modified time of an answer in epoch seconds; None without one that can be read."""
    try:
        value = read_head(records.read(capture.place).http_head).value("last-modified")
        if not value:
            return None
        stamp = parsedate_to_datetime(value)
        return (stamp if stamp.tzinfo else stamp.replace(tzinfo=UTC)).timestamp()
    except (ArchiveDamaged, OSError, ValueError, OverflowError, TypeError):
        return None
