"""A record read from its pieces: header fields, HTTP head, then the body as it streams by."""

import hashlib
from collections.abc import Iterator
from typing import Final

from strandline.warc.records import (
    RECORD_END,
    Malformed,
    content_length,
    digest_text,
    http_head_length,
    parse_digest,
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
        self._rest = start[at:]
        self.http_head = self._take_http_head() if self.is_http else b""

    @property
    def is_http(self) -> bool:
        """Whether the record block is an HTTP message."""
        kind = self.fields.get("content-type", "").lower().replace(" ", "")
        return kind.startswith("application/http") and self.type in ("response", "request", "revisit")

    def _take_http_head(self) -> bytes:
        while True:
            head = self._rest[: self.length]
            size = http_head_length(head)
            if size < len(head) or len(head) >= self.length or len(head) >= _HEAD_LIMIT:
                break
            more = next(self._pieces, b"")
            if not more:
                break
            self._rest += more
        self._rest = self._rest[size:]
        return head[:size]

    def body(self) -> Iterator[bytes]:
        """Body of the HTTP message, or the whole record block when it is none. The end is checked when reached."""
        left = self.length - len(self.http_head)
        data, self._rest = self._rest, b""
        while len(data) < left:
            left -= len(data)
            if data:
                yield data
            data = next(self._pieces, b"")
            if not data:
                raise Malformed("record is shorter than its Content-Length")
        if left:
            yield data[:left]
        tail = data[left:]
        for piece in self._pieces:
            tail += piece
            if len(tail) > len(RECORD_END):
                break
        if tail != RECORD_END:
            problem = "record does not end where its Content-Length says"
            if self._strict:
                raise Malformed(problem)
            self.findings.append(problem)

    def check(self) -> list[str]:
        """Read all of it and name every digest that is wrong; Malformed for anything worse."""
        names = ["warc-block-digest"]
        if (self.type == "response" and self.is_http) or self.type == "resource":
            names.append("warc-payload-digest")
        checks = []
        for name in names:
            expected = parse_digest(self.fields[name]) if name in self.fields else None
            if expected is not None:
                running = hashlib.new(expected[0], usedforsecurity=False)
                if name == "warc-block-digest":
                    running.update(self.http_head)
                checks.append((name, expected, running))
        for piece in self.body():
            for _, _, running in checks:
                running.update(piece)
        return [
            f"{name.removeprefix('warc-').replace('-', ' ')} is wrong: {digest_text(expected[0], running.digest())}"
            for name, expected, running in checks
            if running.digest() != expected[1]
        ]
