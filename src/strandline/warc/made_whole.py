"""Revisits made whole: a record that only refers to an earlier one becomes one that holds the answer itself.

Needed when what it refers to goes. The new record has the address, date and payload digest of the revisit, its HTTP
header (or that of the original, where it had none or was framed otherwise) and the body of the original. Its id is
made of the old one's, so that doing it again gives the same. What a browser showed of the page comes after it.
"""

import hashlib
import uuid
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import xxhash

from strandline.core.capture import Place
from strandline.ports import CaptureReader, Record
from strandline.warc.fixity import Replacing, Sum, write_sums
from strandline.warc.records import (
    RECORD_END,
    RENDERED_FIELD,
    WARC_FIELDS,
    digest_of,
    digest_text,
    header_block,
    http_fields,
    new_record_id,
    warc_date,
)

_LEFT_OUT: Final = frozenset(
    (
        *("warc-type", "warc-record-id", "warc-block-digest", "warc-profile", "warc-truncated"),
        *("warc-refers-to", "warc-refers-to-target-uri", "warc-refers-to-date", "content-length", "content-type"),
    )
)
_NAMES: Final = {
    "warc-record-id": "WARC-Record-ID",
    "warc-target-uri": "WARC-Target-URI",
    "warc-warcinfo-id": "WARC-Warcinfo-ID",
    "warc-ip-address": "WARC-IP-Address",
}
_FRAMING: Final = ("transfer-encoding", "content-encoding")


def _whole_record(revisit: Record, original: Record) -> bytes:
    """The uncompressed record of an answer that was kept as a revisit."""
    head = revisit.http_head if _same_framing(revisit.http_head, original.http_head) else original.http_head
    body = original.body.read()
    running = hashlib.sha1(head, usedforsecurity=False)
    running.update(body)
    fields = [
        ("WARC-Type", "response"),
        ("WARC-Record-ID", whole_id(revisit.headers.get("warc-record-id", ""))),
        *((_written(name), value) for name, value in revisit.headers.items() if name not in _LEFT_OUT),
        ("WARC-Block-Digest", digest_text("sha1", running.digest())),
        ("WARC-Truncated", original.headers.get("warc-truncated", "")),
        ("Content-Type", "application/http; msgtype=response"),
    ]
    if "warc-payload-digest" not in revisit.headers:
        fields.append(("WARC-Payload-Digest", original.headers.get("warc-payload-digest", "")))
    return header_block(fields, len(head) + len(body)) + head + body + RECORD_END


def whole_records(reader: CaptureReader, revisit: Place, original: Place, views: Iterable[Place]) -> Iterator[bytes]:
    """The uncompressed records of a revisit made whole, and of what a browser showed of it."""
    before = reader.read(revisit)
    yield _whole_record(before, reader.read(original))
    for view in views:
        yield _moved(reader.read(view), whole_id(before.headers.get("warc-record-id", "")))


def _moved(view: Record, answer: str) -> bytes:
    """A view of a page beside the answer as it is named now."""
    named = {"warc-record-id": whole_id(view.headers.get("warc-record-id", "")), "warc-concurrent-to": answer}
    if RENDERED_FIELD.lower() in view.headers:
        named[RENDERED_FIELD.lower()] = answer
    fields = view.headers | named
    fields.pop("content-length", "")
    body = view.body.read()
    return header_block([(_written(name), value) for name, value in fields.items()], len(body)) + body + RECORD_END


def whole_id(record_id: str) -> str:
    """The id of the whole record that takes the place of a revisit."""
    return f"<{uuid.uuid5(uuid.NAMESPACE_URL, f'strandline:whole:{record_id}').urn}>"


def _written(name: str) -> str:
    return _NAMES.get(name) or "-".join("WARC" if part == "warc" else part.capitalize() for part in name.split("-"))


def _same_framing(head: bytes, original: bytes) -> bool:
    """Whether a body under one header reads the same under another."""
    status, fields = http_fields(head)
    if not head or status in (0, 304):
        return False
    others = dict(http_fields(original)[1])
    return all(dict(fields).get(name, "").lower() == others.get(name, "").lower() for name in _FRAMING)


def write_whole(path: Path, records: Iterable[bytes], software: str, time: float) -> None:
    """Write records as a finished WARC file with its checksums; it is there as a whole or not at all."""
    about = f"software: {software}\r\nformat: WARC File Format 1.1\r\ndescription: revisits made whole\r\n\r\n".encode()
    info = [("WARC-Type", "warcinfo"), ("WARC-Record-ID", new_record_id()), ("WARC-Date", warc_date(time))]
    info += [("WARC-Filename", path.name), ("WARC-Block-Digest", digest_of("sha1", about))]
    info.append(("Content-Type", WARC_FIELDS))
    sums: list[Sum] = []
    offset = 0
    with Replacing(path) as out:
        for data in (header_block(info, len(about)) + about + RECORD_END, *records):
            packer = zlib.compressobj(6, zlib.DEFLATED, 31)
            member = packer.compress(data) + packer.flush()
            out.write(member)
            sums.append(Sum(offset, len(member), xxhash.xxh3_128_hexdigest(member)))
            offset += len(member)
        write_sums(path.parent, path.name, sums)
