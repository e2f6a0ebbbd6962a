"""Chunked transfer coding: taking the frames off, strictly or leniently (RFC 9112, section 7.1)."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Final

from strandline.core.quick_dataclass import dataclass

_SIZE_LINE: Final = 4096
"""Longest chunk-size line with extensions."""
_TRAILER: Final = 64 * 1024

_STRICT_SIZE: Final = re.compile(rb"([0-9A-Fa-f]{1,16})[ \t]*(;[^\r\n]*)?\Z")
_LENIENT_SIZE: Final = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,16})[ \t]*(?:[;,].*)?\Z", re.DOTALL)


@dataclass(slots=True)
class Dechunker:
    """Removes chunk framing piece by piece.

    `done` is True once the last chunk and the trailer were seen; `problem` says what was wrong. Strict: CR LF
    everywhere, and reading stops at the first fault. Lenient: bare LF, blanks before a size and a missing line
    end after a chunk are read over.
    """

    strict: bool = False
    done: bool = False
    problem: str = ""
    rest: bytes = b""
    """What came after the end."""
    _buffer: bytearray = field(default_factory=bytearray)
    _left: int = 0
    _state: str = "size"
    _trailer: int = 0

    def feed(self, data: bytes) -> bytes:
        """Take the next raw bytes, give back the payload in them."""
        self._buffer += data
        out = bytearray()
        steps = {"size": self._size, "after": self._after, "trailer": self._in_trailer}
        while not self.done and not self.problem:
            if self._state == "data":
                taken = self._buffer[: self._left]
                out += taken
                del self._buffer[: len(taken)]
                self._left -= len(taken)
                if self._left:
                    break
                self._state = "after"
            elif not steps[self._state]():
                break
        if self.done and self._buffer:
            self.rest += bytes(self._buffer)
            self._buffer.clear()
        return bytes(out)

    def _line(self) -> bytes | None:
        end = self._buffer.find(b"\n", 0, _SIZE_LINE + 2)
        if end < 0:
            if len(self._buffer) > _SIZE_LINE:
                self.problem = "line of chunk framing too long"
            return None
        line = bytes(self._buffer[:end])
        if line.endswith(b"\r"):
            line = line[:-1]
        elif self.strict:
            self.problem = "bare line feed in chunk framing"
            return None
        del self._buffer[: end + 1]
        return line

    def _size(self) -> bool:
        line = self._line()
        if line is None:
            return False
        match = (_STRICT_SIZE if self.strict else _LENIENT_SIZE).match(line)
        if match is None:
            self.problem = f"bad chunk size {line[:20]!r}"
            return False
        self._left = int(match[1], 16)
        self._state = "data" if self._left else "trailer"
        return True

    def _after(self) -> bool:
        if self._buffer[:2] == b"\r\n":
            del self._buffer[:2]
        elif self._buffer in (bytearray(), bytearray(b"\r")):
            return False
        elif self.strict:
            self.problem = "no line end after a chunk"
            return False
        elif self._buffer[:1] == b"\n":
            del self._buffer[:1]
        self._state = "size"
        return True

    def _in_trailer(self) -> bool:
        line = self._line()
        if line is None:
            return False
        self._trailer += len(line) + 2
        if not line:
            self.done = True
        elif self._trailer > _TRAILER:
            self.problem = "trailer too long"
        return True


def begins_chunked(head: bytes) -> bool:
    """Whether the first bytes of a body can be a chunk size."""
    return _LENIENT_SIZE.match(head[:_SIZE_LINE].partition(b"\n")[0].removesuffix(b"\r")) is not None


def dechunk(pieces: Iterable[bytes], strict: bool = False) -> Iterator[bytes]:
    r"""Payload of a chunked body; ValueError when the framing is broken or the end is missing.

    >>> b"".join(dechunk([b"5\r\nhel", b"lo\r\n0\r\n\r\n"]))
    b'hello'
    """
    chunks = Dechunker(strict=strict)
    for piece in pieces:
        if payload := chunks.feed(piece):
            yield payload
        if chunks.problem:
            raise ValueError(chunks.problem)
    if not chunks.done:
        raise ValueError("chunked body without its end")
