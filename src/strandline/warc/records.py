"""The words of a WARC record: header block, dates, digests, record ids (WARC/1.1, ISO 28500:2017).

Used by everything in this folder, so that a field is written and read in one place only.
"""

import base64
import hashlib
import os
import re
import time
from calendar import timegm
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, Literal

VERSION: Final = b"WARC/1.1\r\n"
RECORD_END: Final = b"\r\n\r\n"
IDENTICAL: Final = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
NOT_MODIFIED: Final = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
KIND_FIELD: Final = "Strandline-Kind"
"""Extension field: why the address was fetched (page, requisite, robots, ...), so that a reindex knows it too."""
QUERY_FIELD: Final = "Strandline-Method-Query"
"""Extension field of an answer that was not asked for with GET: what its index key has beside the address
(core/request_keys.py)."""
RENDERED_FIELD: Final = "Strandline-Rendering-Of"
"""Extension field of a rendered document that stands for its page: the record of the answer it was made from."""
WARC_FIELDS: Final = "application/warc-fields"

_BASE32: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_PAIRS: Final = [first + second for first in _BASE32 for second in _BASE32]
_SHIFTS: Final = range(150, -1, -10)

DigestName = Literal["sha1", "sha256"]
HASHES: Final = {"sha1": hashlib.sha1, "sha256": hashlib.sha256}

_MAX_HEADER: Final = 256 * 1024
_DATE: Final = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(\.\d{1,9})?)?Z?)?)?)?\Z")
_ALGORITHMS: Final = {"sha1": "sha1", "sha256": "sha256", "sha512": "sha512", "md5": "md5"}


class Malformed(ValueError):  # noqa: N818 - named for what was found
    """Bytes that are not a WARC record; the text says why."""


def new_record_id() -> str:
    """A fresh WARC-Record-ID: a random UUID, made without the cost of the uuid module."""
    bits = bytearray(os.urandom(16))
    bits[6] = bits[6] & 0x0F | 0x40
    bits[8] = bits[8] & 0x3F | 0x80
    text = bits.hex()
    return f"<urn:uuid:{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}>"


def warc_date(seconds: float) -> str:
    """WARC-Date with milliseconds, which are left out when they are zero.

    >>> warc_date(1780000000.25), warc_date(1780000000)
    ('2026-05-28T20:26:40.250Z', '2026-05-28T20:26:40Z')
    """
    whole, thousandths = divmod(round(seconds * 1000), 1000)
    text = _to_the_second(whole)
    return f"{text}.{thousandths:03d}Z" if thousandths else f"{text}Z"


@lru_cache(maxsize=64)
def _to_the_second(whole: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole))


def seconds_of(date: str) -> float:
    """UTC epoch seconds of a WARC-Date, cut to milliseconds; Malformed when it is none."""
    found = _DATE.match(date.strip())
    if found is None:
        raise Malformed(f"bad date {date[:40]!r}")
    year, month, day, hour, minute, second, fraction = found.groups()
    parts = (int(year), int(month or 1), int(day or 1), int(hour or 0), int(minute or 0), int(second or 0))
    if not (1 <= parts[1] <= 12 and 1 <= parts[2] <= 31 and parts[3] <= 23 and parts[4] <= 59 and parts[5] <= 60):
        raise Malformed(f"bad date {date[:40]!r}")
    thousandths = int((fraction or ".0")[1:4].ljust(3, "0"))
    return (timegm((*parts, 0, 0, 0)) * 1000 + thousandths) / 1000


def digest_text(name: str, digest: bytes) -> str:
    """A digest as WARC headers carry it: name and base 32, the form every tool reads.

    >>> digest_text("sha1", bytes(19) + b"a")
    'sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAADB'
    """
    if len(digest) == 20:  # 160 bits need no padding: ten at a time, ten times faster than the standard library
        number = int.from_bytes(digest, "big")
        return f"{name}:{''.join([_PAIRS[number >> shift & 1023] for shift in _SHIFTS])}"
    return f"{name}:{base64.b32encode(digest).decode('ascii')}"


def digest_of(name: DigestName, data: bytes) -> str:
    """The digest of some bytes."""
    return digest_text(name, HASHES[name](data, usedforsecurity=False).digest())


def digest_name(text: str) -> str | None:
    """The algorithm of a digest header; None when it is unknown."""
    return _ALGORITHMS.get(text.partition(":")[0].strip().lower().replace("-", ""))


def digest_is(text: str, digest: bytes) -> bool:
    """Whether a digest header, in base 32 or hexadecimal, states this digest."""
    value = text.strip().partition(":")[2]
    if len(value) == 2 * len(digest):
        return value.lower() == digest.hex()
    return value.upper().rstrip("=") == digest_text("", digest)[1:].rstrip("=")


def header_block(fields: Iterable[tuple[str, str]], length: int) -> bytes:
    """Version line, fields and Content-Length, up to the record block. Empty values are left out."""
    lines = [f"{name}: {_one_line(value)}\r\n" for name, value in fields if value]
    lines.append(f"Content-Length: {length}\r\n\r\n")
    return VERSION + "".join(lines).encode("utf-8")


def _one_line(value: str) -> str:
    if value.isprintable():
        return value
    return "".join(c if c.isprintable() else "?" for c in value)


def target_uri(url: str) -> str:
    """The address as it may stand in a header: no user name or password, no blanks, controls or non-ASCII.

    >>> target_uri("http://user:secret@example.org/a b")
    'http://example.org/a%20b'
    """
    scheme, separator, rest = url.partition("://")
    if separator and "@" in rest:
        end = next((i for i, c in enumerate(rest) if c in "/?#\\"), len(rest))
        at = rest.rfind("@", 0, end)
        if at >= 0:
            url = f"{scheme}://{rest[at + 1 :]}"
    if url.isascii() and url.isprintable() and " " not in url:
        return url
    return "".join(c if "!" <= c <= "~" else "".join(f"%{b:02X}" for b in c.encode("utf-8")) for c in url)


def parse_header_block(data: bytes) -> tuple[str, dict[str, str], int]:
    """Version, fields (names lower-cased, the first of equal names wins) and where the record block starts.

    Reads 0.18, 1.0 and 1.1, bare line feeds and folded lines; Malformed for everything else.
    """
    if not data.startswith(b"WARC/"):
        raise Malformed("no WARC version line")
    end = after_empty_line(data, 0, _MAX_HEADER)
    if end < 0:
        raise Malformed("WARC header does not end")
    lines = data[:end].decode("utf-8", "replace").replace("\r\n", "\n").rstrip("\n").split("\n")
    fields: dict[str, str] = {}
    name = ""
    for line in lines[1:]:
        if line[:1] in (" ", "\t") and name:
            fields[name] = f"{fields[name]} {line.strip()}"
            continue
        key, colon, value = line.partition(":")
        if not colon:
            raise Malformed(f"bad WARC header line {line[:60]!r}")
        name = key.strip().lower()
        if name in fields:
            name = ""
        else:
            fields[name] = value.strip()
    return lines[0][5:].strip(), fields, end


def content_length(fields: dict[str, str], limit: int = 1 << 40) -> int:
    """Length of the record block; Malformed when it is missing, negative or absurd."""
    text = fields.get("content-length", "")
    if not (text.isascii() and text.isdigit()):
        raise Malformed("no Content-Length" if not text else f"bad Content-Length {text[:30]!r}")
    if len(text) > 19 or int(text) > limit:
        raise Malformed(f"absurd Content-Length {text[:30]}")
    return int(text)


def http_head_length(data: bytes) -> int:
    """Length of an HTTP header block with the empty line that ends it; all of it when it does not end."""
    end = after_empty_line(data, 0, len(data))
    return end if end >= 0 else len(data)


def after_empty_line(data: bytes, start: int, end: int) -> int:
    """Where the first empty line between two offsets ends, whichever line ends are used; -1 for none."""
    strict = data.find(b"\n\r\n", start, end)
    bare = data.find(b"\n\n", start, strict if strict >= 0 else end)
    if bare >= 0:
        return bare + 2
    return strict + 3 if strict >= 0 else -1


def http_fields(head: bytes) -> tuple[int, list[tuple[str, str]]]:
    """Status (0 for none) and header fields of an HTTP head, names lower-cased, folded lines joined."""
    lines = head.decode("latin-1").replace("\r\n", "\n").split("\n")
    status = lines[0].split(" ")[1:2] or [""]
    fields: list[tuple[str, str]] = []
    for line in lines[1:]:
        if line[:1] in (" ", "\t") and fields:
            fields[-1] = (fields[-1][0], f"{fields[-1][1]} {line.strip()}")
            continue
        name, colon, value = line.partition(":")
        if colon:
            fields.append((name.strip().lower(), value.strip()))
    return int(status[0]) if status[0].isascii() and status[0].isdigit() and len(status[0]) < 5 else 0, fields
