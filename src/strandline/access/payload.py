"""The answer that was captured: the record, the record a revisit refers to, and the payload between them.

A revisit record says that the payload was the same as that of an earlier capture. It is found by the address and
date the record names, then by digest. The header block of the revisit is the one of its time; framing and coding are
those of the record that holds the bytes. A 304 has no headers worth showing: the earlier block is used. Some tools
keep a 304 as a response of its own: then what was captured before is shown.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO, Final

from strandline.access.heads import Head, read_head
from strandline.access.index import Holdings
from strandline.access.memento import key_of
from strandline.core.capture import Capture, Place
from strandline.core.chunks import dechunk
from strandline.core.content import decode
from strandline.errors import ArchiveDamaged
from strandline.ports import Record

IN_MEMORY: Final = 64 * 1024 * 1024
"""Bodies up to this are read whole, so that damage is noticed before the answer begins; larger ones are streamed."""
_PIECE: Final = 256 * 1024
_LOOK_BACK: Final = 50
_SHOWN: Final = 200
_UNCHANGED: Final = 304


class LostError(Exception):
    """A capture is known and cannot be shown; the text says why."""


@dataclass(frozen=True, slots=True)
class Payload:
    """A captured answer, ready to be read once."""

    head: Head
    coding: str
    """Content-Encoding of the bytes below, empty for none."""
    data: bytes | None
    """The body without transfer coding; None when it is streamed."""
    pieces: Iterator[bytes]
    length: int
    """Bytes of the body, -1 when only reading tells."""

    def decoded(self) -> bytes:
        """The body without content coding, within the limits for decoding."""
        data = self.data if self.data is not None else b"".join(self.pieces)
        return decode(data, self.coding).data if self.coding else data


def read_payload(holdings: Holdings, capture: Capture) -> Payload:
    """Read what was captured; LostError when it is damaged, missing or refers to nothing that was kept."""
    record = _read(holdings, capture)
    head = _head(record)
    if record.type != "revisit" and head.status != _UNCHANGED:
        return _payload(head, head, record)
    origin = _original(holdings, capture, record) if record.type == "revisit" else _earlier(holdings, capture)
    if origin is None:
        raise LostError(
            "This capture says its content was unchanged, but the capture it refers to is not in this archive."
        )
    holder = _read(holdings, origin)
    if holder.type == "revisit":
        raise LostError("This capture refers to another one that holds no content itself.")
    framing = _head(holder)
    shown = framing if head.status in (0, _UNCHANGED) or not head.fields else head
    return _payload(shown, framing, holder)


def read_rendering(holdings: Holdings, capture: Capture) -> Payload:
    """What a browser made of a capture; LostError when it is damaged or missing."""
    made = capture.rendering
    if made is None:
        raise LostError("This capture was not shown in a browser.")
    place = Place(capture.place.file, made.offset, made.length)
    return read_payload(holdings, replace(capture, place=place, rendering=None))


def _read(holdings: Holdings, capture: Capture) -> Record:
    try:
        return holdings.reader.read(capture.place)
    except ArchiveDamaged as damage:
        raise LostError(f"The record of this capture cannot be read: {damage}") from damage
    except FileNotFoundError as missing:
        raise LostError(f"The file that holds this capture is missing: {capture.place.file}") from missing


def _original(holdings: Holdings, capture: Capture, record: Record) -> Capture | None:
    named = capture.original
    url = record.headers.get("warc-refers-to-target-uri", "") or (named.url if named else "")
    digest = record.headers.get("warc-payload-digest", "") or capture.digest
    index = holdings.originals or holdings.index
    if url and named:
        for candidate in index.before(key_of(url), named.time + 0.9995, 4):
            same = not digest or candidate.digest == digest
            if not candidate.revisit and same and abs(candidate.time - named.time) < 1:
                return candidate
    return index.same_payload(digest) if digest else None


def _earlier(holdings: Holdings, capture: Capture) -> Capture | None:
    """What was there before an answer that it had not changed."""
    before = holdings.index.before(key_of(capture.url), capture.time, _LOOK_BACK)
    return next((one for one in before if one.status == _SHOWN and not one.revisit), None)


def _lead(record: Record) -> bytes:
    """The part of a body that looks like its head: before HTTP/1.0 answers had none."""
    head = read_head(record.http_head)
    return b"" if head.status or head.fields else record.http_head


def _head(record: Record) -> Head:
    if record.http_head and not (lead := _lead(record)):
        return read_head(record.http_head)
    if record.http_head:
        return Head(_SHOWN, (("Content-Type", "text/html"),) if lead.lstrip().startswith(b"<") else ())
    mime = record.headers.get("content-type", "application/octet-stream") if record.type != "revisit" else ""
    return Head(0 if record.type == "revisit" else 200, (("Content-Type", mime),) if mime else ())


def _payload(head: Head, framing: Head, record: Record) -> Payload:
    transfer = framing.value("transfer-encoding")
    coding = framing.value("content-encoding").strip().lower()
    declared, lead = record.headers.get("content-length", ""), _lead(record)
    length = int(declared) - len(record.http_head) + len(lead) if declared.isdigit() else -1
    if 0 <= length <= IN_MEMORY:
        data = _whole(record, lead, length)
        if transfer:
            data = decode(data, "", transfer).data
        return Payload(head, coding, data, iter(()), len(data))
    pieces = _pieces(record.body, lead)
    if "chunked" in transfer.lower():
        return Payload(head, coding, None, dechunk(pieces), -1)
    return Payload(head, coding, None, pieces, length)


def _whole(record: Record, lead: bytes, length: int) -> bytes:
    try:
        data = lead + record.body.read()
    except (ArchiveDamaged, OSError, EOFError) as damage:
        raise LostError(f"The record of this capture cannot be read: {damage}") from damage
    if len(data) < length:
        raise LostError(f"The record of this capture ends early: {len(data)} of {length} bytes are there.")
    return data


def _pieces(body: BinaryIO, lead: bytes) -> Iterator[bytes]:
    if lead:
        yield lead
    while piece := body.read(_PIECE):
        yield piece
