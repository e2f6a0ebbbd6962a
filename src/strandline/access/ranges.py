"""Range requests (RFC 9110, section 14) over a replayed body: one range is served, several are answered whole."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_ONE = re.compile(r"bytes\s*=\s*(?:([0-9]{1,18})\s*-\s*([0-9]{1,18})?|-\s*([0-9]{1,18}))\s*\Z", re.IGNORECASE)
_CAPTURED = re.compile(r"bytes\s+([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18}|\*)\s*\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Slice:
    """Bytes `start` to `stop` (exclusive) of a body of `total` bytes."""

    start: int
    stop: int
    total: int

    def __str__(self) -> str:
        return f"bytes {self.start}-{self.stop - 1}/{self.total}"


class UnsatisfiableError(ValueError):
    """The range lies outside the body."""


def wanted_slice(header: str, total: int) -> Slice | None:
    """What a Range field asks for; None means the whole body.

    >>> str(wanted_slice("bytes=2-", 10)), str(wanted_slice("bytes=-3", 10)), wanted_slice("bytes=0-1,4-5", 10)
    ('bytes 2-9/10', 'bytes 7-9/10', None)
    """
    match = _ONE.match(header.strip())
    if match is None:
        return None
    if match[3] is not None:
        start, stop = max(0, total - int(match[3])), total
    else:
        start, stop = int(match[1]), total if match[2] is None else min(int(match[2]) + 1, total)
        if match[2] is not None and int(match[2]) < int(match[1]):
            return None
    if start >= stop:
        raise UnsatisfiableError(f"bytes */{total}")
    return Slice(start, stop, total)


def between(pieces: Iterable[bytes], start: int, stop: int) -> Iterator[bytes]:
    """Bytes `start` to `stop` (exclusive) of what comes in pieces; what lies before is read and dropped.

    >>> list(between([b"abc", b"def", b"ghi"], 2, 5))
    [b'c', b'de']
    """
    place = 0
    for piece in pieces:
        if cut := piece[max(0, start - place) : max(0, stop - place)]:
            yield cut
        place += len(piece)
        if place >= stop:
            return


def captured_slice(header: str) -> Slice | None:
    """Which part a capture with status 206 holds; None when its Content-Range does not say.

    >>> captured_slice("bytes 0-99/200")
    Slice(start=0, stop=100, total=200)
    """
    match = _CAPTURED.match(header.strip())
    if match is None or match[3] == "*" or not int(match[1]) <= int(match[2]) < int(match[3]):
        return None
    return Slice(int(match[1]), int(match[2]) + 1, int(match[3]))
