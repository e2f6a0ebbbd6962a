"""A record read from its pieces: header fields, HTTP head, then the body as it streams by."""

import hashlib
from collections.abc import Iterator
from typing import Final

from strandline.core.chunks import Dechunker
from strandline.warc.records import (
    RECORD_END,
    Malformed,
    after_empty_line,
    content_length,
    digest_is,
    digest_name,
    digest_text,
    http_fields,
    parse_header_block,
)

_HEAD_LIMIT: Final = 2 << 20
"""WARC header and HTTP head together are looked for in this many bytes."""


class RecordStream:
    """One record. Reads its heads at once and the body on demand; Malformed as soon as something is not right."""

    def __init__(self, pieces: Iterator[bytes], strict: bool = True) -> None:
        self._pieces = pieces
        self._strict = strict
        self.findings: list[str] = []
        """What is odd but can be read over, when not strict."""
        self.payload = ""
        start = next(pieces, b"")
        while True:
            try:
                self.version, self.fields, at = parse_header_block(start)
                break
            except Malformed:
                more = next(pieces, b"") if len(start) < _HEAD_LIMIT and start.startswith(b"WARC/") else b""
                if not more:
                    raise
                start += more
        self.type = self.fields.get("warc-type", "").lower()
        self.length = content_length(self.fields)
        self.url = self.fields.get("warc-target-uri", "").strip("<>")
        self._data = start
        self._at = at
        self.http_head = self._take_http_head() if self.is_http else b""

    @property
    def is_http(self) -> bool:
        """Whether the record block is an HTTP message."""
        kind = self.fields.get("content-type", "").lower().replace(" ", "")
        return kind.startswith("application/http") and self.type in ("response", "request", "revisit")

    def _take_http_head(self) -> bytes:
        start = self._at
        while True:
            end = min(len(self._data), start + self.length)
            found = after_empty_line(self._data, start, end)
            if found >= 0 or end == start + self.length or end - start >= _HEAD_LIMIT:
                break
            more = next(self._pieces, b"")
            if not more:
                break
            self._data += more
        self._at = found if found >= 0 else end
        return self._data[start : self._at]

    def body(self) -> Iterator[bytes]:
        """Body of the HTTP message, or the whole record block when it is none. The end is checked when reached."""
        left = self.length - len(self.http_head)
        data, at = self._data, self._at
        self._data = b""
        while len(data) - at < left:
            left -= len(data) - at
            if len(data) > at:
                yield data[at:] if at else data
            data, at = next(self._pieces, b""), 0
            if not data:
                raise Malformed("record is shorter than its Content-Length")
        if left:
            yield data[at : at + left]
        left += at
        tail = data[left:]
        for piece in self._pieces:
            tail += piece
            if len(tail) > len(RECORD_END) + len(b"WARC/"):
                break
        if tail != RECORD_END:
            if tail.lstrip(b"\r\n").startswith(b"WARC/"):
                raise Malformed("several records in one gzip member (warcio recompress can mend that)")
            problem = "record does not end where its Content-Length says"
            if self._strict:
                raise Malformed(problem)
            self.findings.append(problem)

    def check(self) -> list[str]:
        """Read all of it and name every digest that is wrong; Malformed for anything worse.

        Sets `payload`: the payload digest as stated or, where none is, computed.
        """
        checks = []
        stated = self.fields.get("warc-block-digest", "")
        if digest_name(stated):
            checks.append(_Check("block digest", stated, self.http_head))
        self.payload = self.fields.get("warc-payload-digest", "")
        if self.type in ("response", "resource"):
            # What is no HTTP (answers of name servers) is known by its digest, whatever other tools state.
            stated = self.payload if self.is_http or self.type == "resource" else ""
            checks.append(_Check("payload digest", stated, chunked=self._is_chunked()))
        for piece in self.body():
            for check in checks:
                check.update(piece)
        if digest_name(self.payload) is None and checks and checks[-1].name == "payload digest":
            self.payload = checks[-1].found()
        return [f"{check.name} is wrong: {check.found()}" for check in checks if not check.holds()]

    def _is_chunked(self) -> bool:
        return b"chunked" in self.http_head.lower() and any(
            name == "transfer-encoding" and "chunked" in value.lower() for name, value in http_fields(self.http_head)[1]
        )


class _Check:
    """A digest that is computed while the body streams by."""

    def __init__(self, name: str, stated: str, start: bytes = b"", chunked: bool = False) -> None:
        self.name = name
        self._stated = stated
        known = digest_name(stated)
        self._unknown = known is None
        self._algorithm = known or "sha1"
        self._running = hashlib.new(self._algorithm, start, usedforsecurity=False)
        # Some tools take the digest of a payload without its chunk framing: that is right, too.
        self._entity = hashlib.new(self._algorithm, usedforsecurity=False) if chunked else None
        self._dechunker = Dechunker()

    def update(self, piece: bytes) -> None:
        self._running.update(piece)
        if self._entity is not None:
            self._entity.update(self._dechunker.feed(piece))

    def found(self) -> str:
        return digest_text(self._algorithm, self._running.digest())

    def holds(self) -> bool:
        if self._unknown or digest_is(self._stated, self._running.digest()):
            return True
        return self._entity is not None and digest_is(self._stated, self._entity.digest())
