"""HTTP header blocks of captures: reading them, and which of their fields may be sent again.

A field of the past can act on the reader's browser today: set cookies, pin policies, preload from the live web,
widen the reach of a service worker. So only fields that describe the document are sent as they were; all others
are renamed to `X-Archive-Orig-*`, where they can be read and do nothing.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_STATUS = re.compile(rb"HTTP/[0-9.]+[ \t]+([0-9]{3})")
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z")
_UNPRINTABLE = re.compile(r"[^\t\x20-\x7e\x80-\xff]")
_SENT_AS_IS = frozenset({"content-type", "content-language", "content-disposition"})
_NOT_SENT = frozenset(
    {"content-length", "transfer-encoding", "connection", "keep-alive", "content-encoding", "trailer"}
)
"""Framing and coding of the original connection; said anew for ours."""
_MOST = 64
_LONGEST = 8192
"""Renamed fields beyond this number or length are left out: an answer is no larger for a hostile head."""


@dataclass(frozen=True, slots=True)
class Head:
    """Status and fields of a captured answer."""

    status: int
    fields: tuple[tuple[str, str], ...]
    """Names as captured, values read as Latin-1, obsolete folding undone."""

    def value(self, wanted: str) -> str:
        """First value of a field, empty when absent."""
        return next((value for name, value in self.fields if name.lower() == wanted), "")

    @property
    def mime(self) -> str:
        """Media type without parameters, lower-cased."""
        return self.value("content-type").split(";")[0].strip().lower()


def read_head(raw: bytes) -> Head:
    r"""Status and fields of a header block; lines that are no fields are passed over.

    >>> read_head(b"HTTP/1.1 200 OK\r\nA: 1\r\n 2\r\nbad\r\n\r\n")
    Head(status=200, fields=(('A', '1 2'),))
    """
    lines = raw.decode("latin-1").replace("\r\n", "\n").split("\n")
    match = _STATUS.match(raw)
    fields: list[tuple[str, str]] = []
    for line in lines[1:]:
        if line[:1] in (" ", "\t") and fields:
            name, value = fields[-1]
            fields[-1] = (name, f"{value} {line.strip()}")
            continue
        name, found, value = line.partition(":")
        if found and _NAME.match(name.strip()):
            fields.append((name.strip(), value.strip()))
    return Head(int(match[1]) if match else 0, tuple(fields))


def replayed(head: Head, address: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    """Fields of the answer that go to the reader; `address` puts a redirect target into the archive."""
    renamed = 0
    for name, value in head.fields:
        lower = name.lower()
        value = _UNPRINTABLE.sub(" ", value)
        if lower in _SENT_AS_IS:
            yield lower, value
        elif lower == "location" and head.status // 100 == 3 and value:  # an empty one leads back here, for ever
            yield lower, address(value)
        elif lower not in _NOT_SENT and renamed < _MOST and len(value) <= _LONGEST:
            renamed += 1
            yield f"x-archive-orig-{lower}", value
