"""What a WARC file says on its own: captures, failed visits and findings, for reindex, recovery and import.

Everything the catalog knows about a capture is in the record: address, date, status, type, digests, what a revisit
refers to, validators, and why it was fetched. Failed visits are `metadata` records (see writer.note).
"""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from strandline.core.capture import Capture, Kind, Original, Outcome, Place, Rendering
from strandline.core.chunks import Dechunker
from strandline.core.quick_dataclass import dataclass
from strandline.core.request_keys import keyed
from strandline.core.urls import archived
from strandline.errors import ArchiveDamaged
from strandline.warc.answers import redirect
from strandline.warc.compacted import name_of, open_window, walk_file
from strandline.warc.members import Gap, Member
from strandline.warc.records import (
    KIND_FIELD,
    QUERY_FIELD,
    RENDERED_FIELD,
    WARC_FIELDS,
    Malformed,
    digest_name,
    digest_text,
    http_fields,
    seconds_of,
)
from strandline.warc.streams import RecordStream


@dataclass(frozen=True, slots=True)
class Kept:
    """A capture with what else its record tells."""

    capture: Capture
    content_type: str | None
    """As sent; None when there was none."""
    kind: Kind = Kind.PAGE
    etag: str = ""
    last_modified: str = ""
    record_type: str = "response"
    bare: bool = False
    """Without HTTP headers of its own: a resource, or a revisit with an empty record block."""
    written: str = ""
    """The address as the record has it; `capture.url` is in the form all others have."""

    @property
    def place(self) -> Place:
        """Where the record lies."""
        return self.capture.place


@dataclass(frozen=True, slots=True)
class Derived:
    """A record that is no answer of the web: made from captures (block trees, deltas, screenshots), or of something
    without a web address (`dns:` of Heritrix, `urn:`). Indexed like one.
    """

    kept: Kept
    rendering_of: str = ""
    """The answer a rendered document stands for."""


@dataclass(frozen=True, slots=True)
class Failed:
    """A visit that was not answered."""

    url: str
    time: float
    outcome: Outcome
    detail: str
    kind: Kind
    place: Place


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in a file that is not as it should be."""

    place: Place
    url: str
    problem: str


Item = Kept | Derived | Failed | Finding
_MOST_AFTER = 16
"""Records beside a capture that are waited for. Origin: a bound on memory."""


def captures_of(path: Path, start: int = 0, strict: bool = True) -> Iterator[Item]:
    """Everything in a file from an offset on, in order. Damage is a finding; the rest of the file is still read.

    A capture waits for the records that follow it: one of them may be the document a browser made of it.
    """
    waiting: Kept | None = None
    after: list[Derived] = []
    for item in _items(path, start, strict):
        if waiting is not None and isinstance(item, Derived) and len(after) < _MOST_AFTER:
            if item.rendering_of == waiting.capture.record_id:
                made = item.kept.capture
                rendering = Rendering(made.digest, made.place.offset, made.place.length)
                waiting = replace(waiting, capture=replace(waiting.capture, rendering=rendering))
            after.append(item)
            continue
        if waiting is not None:
            yield waiting
            yield from after
            waiting, after = None, []
        if isinstance(item, Kept):
            waiting = item
        else:
            yield item
    if waiting is not None:
        yield waiting
        yield from after


def _items(path: Path, start: int, strict: bool) -> Iterator[Item]:
    name = name_of(path)
    try:
        window = open_window(path)
    except ArchiveDamaged as damage:
        yield Finding(Place(name, 0, 0), "", str(damage))
        return
    try:
        for item in walk_file(window, start):
            if isinstance(item, Gap):
                yield Finding(Place(name, item.offset, item.length), "", item.problem)
            else:
                yield from _of_member(item, name, strict)
    finally:
        window.close()


def _of_member(member: Member, name: str, strict: bool) -> Iterator[Item]:
    url = ""
    try:
        stream = RecordStream(member.pieces(), strict)
        url = stream.url
        if is_indexed(stream):
            url, of_web = address(stream.url)
            kept = _kept(stream, url, member, name)
            made = not of_web or stream.type == "metadata"
            yield Derived(kept, stream.fields.get(RENDERED_FIELD.lower(), "")) if made else kept
        elif stream.type == "metadata":
            yield from _failed(stream, member, name)
        else:
            for _ in stream.body():
                pass
    except Malformed as error:
        yield Finding(Place(name, member.offset, 0), url, str(error))
        return
    for problem in stream.findings:
        yield Finding(Place(name, member.offset, member.length), url, problem)


def is_indexed(stream: RecordStream) -> bool:
    """Whether a record has a line in indexes: an answer, or something made from answers."""
    said = stream.fields.get("content-type", "") == WARC_FIELDS
    return stream.type in ("response", "revisit") or (stream.type in ("resource", "metadata") and not said)


@dataclass(frozen=True, slots=True)
class Facts:
    """What the heads of a record say of a capture."""

    time: float
    status: int
    mime: str
    sent_type: str | None = None
    """Content type as sent."""
    headers: tuple[tuple[str, str], ...] = ()


def facts_of(stream: RecordStream) -> Facts:
    """Time, status and type of a record; Malformed when it has no date."""
    fields = stream.fields
    status, headers = http_fields(stream.http_head) if stream.is_http else (0, [])
    if not status and fields.get("warc-profile", "").endswith("/server-not-modified"):
        status = 304
    sent = next((value for key, value in headers if key == "content-type"), None)
    sent_type = sent if stream.type in ("response", "revisit") else fields.get("content-type")
    mime = (sent_type or "").split(";")[0].strip().lower()
    return Facts(seconds_of(fields.get("warc-date", "")), status, mime, sent_type, tuple(headers))


def address(url: str) -> tuple[str, bool]:
    """The address of a record in the form all others have, and whether it is one of the web. Other tools keep blanks,
    letters beyond ASCII, usual ports and fragments.
    """
    try:
        return archived(url), True
    except ValueError:
        return url, False


def _kept(stream: RecordStream, url: str, member: Member, name: str) -> Kept:
    fields = stream.fields
    facts = facts_of(stream)
    status, sent_type = facts.status, facts.sent_type
    first: dict[str, str] = {}
    for key, value in facts.headers:
        first.setdefault(key, value)
    revisit = stream.type == "revisit"
    chunked = "chunked" in first.get("transfer-encoding", "").lower() and not revisit
    payload, entity = _digests(stream, fields.get("warc-payload-digest", ""), chunked)
    member.drain()
    if not member.done:
        raise Malformed(member.problem)
    return Kept(
        capture=Capture(
            url=keyed(url, fields.get(QUERY_FIELD.lower(), "")),
            time=facts.time,
            status=status,
            mime=facts.mime,
            digest=payload,
            place=Place(name, member.offset, member.length),
            revisit=revisit,
            truncated=fields.get("warc-truncated", ""),
            redirect=redirect(status, first.get("location", ""), url),
            record_id=fields.get("warc-record-id", ""),
            entity=entity,
            original=_original(stream, url, payload) if revisit else None,
        ),
        content_type=sent_type,
        kind=_kind(fields),
        etag=first.get("etag", ""),
        last_modified=first.get("last-modified", ""),
        record_type=stream.type,
        bare=not stream.http_head,
        written=stream.url,
    )


def _digests(stream: RecordStream, stated: str, chunked: bool) -> tuple[str, str]:
    """Payload digest, as stated or else computed, and entity digest; reads the body."""
    if stream.type == "revisit":  # the payload is elsewhere
        for _ in stream.body():
            pass
        return stated, ""
    known = digest_name(stated)
    algorithm = known or "sha1"
    payload = None if known else hashlib.new(algorithm, usedforsecurity=False)
    entity = hashlib.new(algorithm, usedforsecurity=False) if chunked else None
    dechunker = Dechunker()
    for piece in stream.body():
        if payload is not None:
            payload.update(piece)
        if entity is not None:
            entity.update(dechunker.feed(piece))
    found = stated if payload is None else digest_text(algorithm, payload.digest())
    if entity is None or dechunker.problem:
        return found, found
    return found, digest_text(algorithm, entity.digest())


def _original(stream: RecordStream, url: str, digest: str) -> Original:
    """What a revisit refers to; foreign ones may say no more than the digest."""
    fields = stream.fields
    date = fields.get("warc-refers-to-date", "")
    return Original(
        url=address(fields.get("warc-refers-to-target-uri", "").strip("<>") or url)[0],
        time=seconds_of(date) if date else 0.0,
        digest=digest,
        record_id=fields.get("warc-refers-to", ""),
    )


def _failed(stream: RecordStream, member: Member, name: str) -> Iterator[Failed]:
    block = b"".join(stream.body()).decode("utf-8", "replace")
    member.drain()
    if not member.done:
        raise Malformed(member.problem)
    said = dict(line.partition(": ")[::2] for line in block.split("\r\n"))
    url, of_web = address(stream.url)
    if "outcome" not in said or not of_web:
        return  # metadata of someone else
    try:
        outcome = Outcome(said["outcome"])
    except ValueError:
        raise Malformed(f"unknown outcome {said['outcome'][:40]!r}") from None
    yield Failed(
        url=url,
        time=seconds_of(stream.fields.get("warc-date", "")),
        outcome=outcome,
        detail=said.get("detail", ""),
        kind=_kind(stream.fields),
        place=Place(name, member.offset, member.length),
    )


def _kind(fields: dict[str, str]) -> Kind:
    try:
        return Kind(fields.get(KIND_FIELD.lower(), Kind.PAGE.value))
    except ValueError:
        return Kind.PAGE
