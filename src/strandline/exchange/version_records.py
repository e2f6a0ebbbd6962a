"""Page versions without HTTP become records: answers with the page, its type and where it comes from."""

import io
from collections.abc import Iterable
from hashlib import blake2b

from strandline.archive.folder import web_address
from strandline.core.capture import Capture, Exchange, Original, Outcome, Request
from strandline.core.quick_dataclass import dataclass
from strandline.exchange.intake import Intake
from strandline.exchange.page_versions import PageVersion
from strandline.version import __version__
from strandline.warc.info import WarcInfo
from strandline.warc.records import digest_of
from strandline.warc.writer import WriterSettings

_COMMIT = 500
"""Imported page versions that are made durable together."""


@dataclass(frozen=True, slots=True)
class KeptVersions:
    """How many versions were kept, and how many the archive had before."""

    captures: int
    held_already: int


def keep_versions(versions: Iterable[PageVersion], name: str, intake: Intake) -> KeptVersions:
    """Keep versions, those of a page in the order of time; what is the same as before is a revisit. `name` is what they
    were read from.
    """
    operator, catalog = intake.archive.settings.archive.operator, intake.catalog
    info = WarcInfo(software=f"Strandline/{__version__}", operator=operator, is_part_of=f"import of {name}")
    store = intake.writer(info)
    count, held_already = 0, 0
    waiting: list[Capture] = []
    last: dict[str, tuple[bytes, Original]] = {}
    """By address: a digest of the latest version, and where it is."""
    try:
        for version in versions:
            exchange = _exchange(version)
            seen, content = last.get(exchange.request.url), blake2b(version.body, digest_size=16).digest()
            known = catalog.reading.closest(exchange.request.url, version.time)
            same = known and _is(known, exchange, version.body) and intake.has(known)
            held = known if same else None
            capture = held or store.keep(exchange, seen[1] if seen and seen[0] == content else None)
            if not capture.revisit:
                original = Original(capture.url, capture.time, capture.digest, capture.record_id)
                last[exchange.request.url] = (content, original)
            if held:
                held_already += 1
            else:
                waiting.append(capture)
            if len(waiting) >= _COMMIT:
                store.sync()
                count += catalog.bring(waiting)
                waiting = []
    finally:  # whatever ended it: what is whole is recorded before its file gets its final name
        store.sync()
        count += catalog.bring(capture for capture in waiting if intake.reaches(capture.place))
        store.close()
    return KeptVersions(count, held_already)


def _is(capture: Capture, exchange: Exchange, body: bytes) -> bool:
    """Whether a capture is this very version."""
    same = capture.url == exchange.request.url and abs(capture.time - exchange.started) < 0.001
    return same and capture.digest == digest_of(WriterSettings().digest, body)


def _exchange(version: PageVersion) -> Exchange:
    address = web_address(version.url)
    fields = [f"Content-Type: {version.content_type}", f"Content-Length: {len(version.body)}"]
    if version.origin:
        fields.append(f"Strandline-Imported-From: {' '.join(version.origin.split())}")
    head = "\r\n".join(("HTTP/1.1 200 OK", *fields, "", "")).encode("ascii", "replace")
    return Exchange(
        request=Request(address, 0),
        started=version.time,
        seconds=0.0,
        outcome=Outcome.ANSWERED,
        detail="imported",
        address="",
        request_head=b"",
        response_head=head,
        body=io.BytesIO(version.body),
        body_length=len(version.body),
        status=200,
    )
