"""What a record has to say about an exchange: digests, framing, truncation, and what must not be said."""

import re
from collections.abc import Iterator
from typing import Final

from strandline.core.capture import Exchange, Original, Outcome
from strandline.core.chunks import Dechunker
from strandline.core.quick_dataclass import dataclass
from strandline.core.urls import canonical
from strandline.warc.records import HASHES, DigestName, digest_text

_PIECE: Final = 1 << 18
_SECRETS: Final = re.compile(rb"(?:cookie|authorization|proxy-authorization)[ \t]*:", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Measured:
    """Digests of an answer, taken before it is written because headers come first."""

    length: int
    payload: str
    record_block: str
    entity: str
    chunked: bool


def without_secrets(head: bytes) -> bytes:
    """A request header block without Cookie and Authorization fields and their folded lines."""
    kept: list[bytes] = []
    dropping = False
    for line in head.splitlines(keepends=True):
        dropping = (dropping and line[:1] in (b" ", b"\t")) or _SECRETS.match(line) is not None
        if not dropping:
            kept.append(line)
    return b"".join(kept)


def pieces(exchange: Exchange) -> Iterator[bytes]:
    """The body from its start, in pieces that fit in memory."""
    exchange.body.seek(0)
    while piece := exchange.body.read(_PIECE):
        yield piece


def measure(exchange: Exchange, name: DigestName, chunked: bool) -> Measured:
    """One pass over the body: length and digests."""
    start = HASHES[name]
    payload = start(usedforsecurity=False)
    whole = start(exchange.response_head, usedforsecurity=False)
    entity = start(usedforsecurity=False) if chunked else payload
    dechunker = Dechunker()
    length = 0
    for piece in pieces(exchange):
        length += len(piece)
        payload.update(piece)
        whole.update(piece)
        if chunked:
            entity.update(dechunker.feed(piece))
    if chunked and dechunker.problem:
        entity = payload  # framing that cannot be undone: only the very same bytes count as unchanged
    payload_text = digest_text(name, payload.digest())
    return Measured(
        length=length,
        payload=payload_text,
        record_block=digest_text(name, whole.digest()),
        entity=payload_text if entity is payload else digest_text(name, entity.digest()),
        chunked=chunked,
    )


def same_framing(measured: Measured, original: Original) -> bool:
    """Whether a revisit's own headers describe how the original's payload is framed."""
    if measured.payload == original.digest:
        return True
    return measured.chunked and measured.entity != original.digest


def truncated(exchange: Exchange) -> str:
    """WARC-Truncated, empty when the answer is whole."""
    if exchange.truncated:
        return exchange.truncated
    return {Outcome.TRUNCATED: "unspecified", Outcome.SHORT: "disconnect"}.get(exchange.outcome, "")


def first_values(exchange: Exchange) -> dict[str, str]:
    """Header fields of the answer, the first of equal names."""
    found: dict[str, str] = {}
    for name, value in exchange.headers():
        found.setdefault(name, value)
    return found


def redirect(status: int, location: str, url: str) -> str:
    """Absolute target of a redirect, empty when there is none that makes sense."""
    if not 300 <= status < 400 or status == 304 or not location:
        return ""
    try:
        return canonical(location, url)
    except ValueError:
        return ""
