"""From the bytes of a capture to the document they hold: framing, codings, charset. Nothing stored is changed.

Captures keep what the server sent, chunk framing and compression included. Study and replay need the document.
Servers lie about all three layers, and a few hundred bytes can unfold to gigabytes, so every layer works in small
steps and stops at limits: what was read so far is given back with a note that says why it is not whole.

    raw body -> Transfer-Encoding (chunked, gzip) -> Content-Encoding (gzip, deflate, br, zstd) -> charset -> text

`decode` does the first three, `charset_of` finds the encoding by the rules of the WHATWG standards, `text_of` reads it.
"""

import io
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import field
from itertools import chain
from typing import BinaryIO, Final

import brotli
import zstandard

from strandline.core.charsets import encoding_named, read_text
from strandline.core.chunks import Dechunker, begins_chunked
from strandline.core.quick_dataclass import dataclass

_SLICE: Final = 16 * 1024
"""Bytes taken from the body at a time: the ratio of a bomb is seen after one slice."""
_STEP: Final = 64 * 1024
"""Bytes a decoder may put out at a time."""
_ZSTD_SLICE: Final = 128
_ZSTD_WINDOW: Final = 8 * 1024 * 1024
"""RFC 9659: what a decoder of the web has to offer, and may refuse to exceed."""


@dataclass(frozen=True, slots=True)
class DecodeLimits:
    """How far a body is unfolded."""

    data: int = 64 * 1024 * 1024
    ratio: int = 200
    """Decoded bytes per raw byte, looked at above `ratio_from` decoded bytes."""
    ratio_from: int = 1024 * 1024
    codings: int = 2


@dataclass(frozen=True, slots=True)
class Decoded:
    """A document without its framing and compression."""

    data: bytes
    complete: bool
    """False when a limit, a broken coding or broken framing cut it."""
    note: str = ""
    """What was odd, for the archivist; empty when nothing was."""


class _CutError(Exception):
    """Decoding stops here; what came so far is kept."""


# -- codings --------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Source:
    """The raw body in slices, counted, and what was noticed while it was decoded."""

    stream: BinaryIO
    taken: int = 0
    notes: list[str] = field(default_factory=list)

    def pieces(self) -> Iterator[bytes]:
        while piece := self.stream.read(_SLICE):
            self.taken += len(piece)
            yield piece


def _unchunk(pieces: Iterator[bytes], source: _Source) -> Iterator[bytes]:
    first = b""
    for piece in pieces:
        first += piece
        if b"\n" in first or len(first) > _SLICE:
            break
    if not first:
        return
    if not begins_chunked(first):
        # Many tools store the joined chunks and leave the header field: then the body is the document.
        source.notes.append("announced as chunked, is not")
        yield first
        yield from pieces
        return
    chunks = Dechunker()
    for piece in chain([first], pieces):
        if payload := chunks.feed(piece):
            yield payload
        if chunks.problem:
            raise _CutError(chunks.problem)
        if chunks.done:
            if chunks.rest:
                source.notes.append("bytes after the last chunk")
            return
    raise _CutError("chunked body without its end")


def _zlib_pieces(pieces: Iterator[bytes], wbits: int, source: _Source) -> Iterator[bytes]:
    decoder = zlib.decompressobj(wbits)
    begun = False
    carried = b""
    for piece in pieces:
        data, carried = carried + piece, b""
        while data:
            if decoder.eof:
                if data == b"\x1f":  # the next piece tells whether another member begins
                    carried = data
                    break
                if wbits != 31 or not data.startswith(b"\x1f\x8b"):
                    source.notes.append("bytes after the compressed document")
                    return
                decoder = zlib.decompressobj(wbits)
            begun = True
            out = decoder.decompress(data, _STEP)
            if out:
                yield out
            data = decoder.unused_data if decoder.eof else decoder.unconsumed_tail
            if not decoder.eof and not data and len(out) == _STEP:
                # The window may still hold output that no input is left for.
                while more := decoder.decompress(b"", _STEP):
                    yield more
    if begun and not decoder.eof:
        raise _CutError("compressed document without its end")


def _sum_apart(pieces: Iterator[bytes], size: int) -> Iterator[bytes]:
    """The last bytes, which hold the check sum, by themselves: a wrong sum must not take the document with it."""
    held = b""
    for piece in pieces:
        data = held + piece
        held = data[-size:]
        if data[:-size]:
            yield data[:-size]
    if held:
        yield held


def _gunzip(pieces: Iterator[bytes], source: _Source) -> Iterator[bytes]:
    return _zlib_pieces(_sum_apart(pieces, 8), 31, source)


def _inflate(pieces: Iterator[bytes], source: _Source) -> Iterator[bytes]:
    """`deflate` means zlib format by the standard and raw deflate by some servers: the first two bytes tell."""
    first = b""
    for piece in pieces:
        first += piece
        if len(first) >= 2:
            break
    if not first:
        return
    zlib_format = len(first) >= 2 and first[0] & 0x0F == 8 and int.from_bytes(first[:2], "big") % 31 == 0
    yield from _zlib_pieces(_sum_apart(chain([first], pieces), 4), 15 if zlib_format else -15, source)


def _unbrotli(pieces: Iterator[bytes], source: _Source) -> Iterator[bytes]:
    decoder = brotli.Decompressor()
    begun = False
    for piece in pieces:
        if decoder.is_finished():
            source.notes.append("bytes after the compressed document")
            return
        begun = True
        data = piece
        while True:
            out = decoder.process(data, output_buffer_limit=_STEP)
            if out:
                yield out
            data = b""
            if decoder.is_finished() or (decoder.can_accept_more_data() and not out):
                break
    if begun and not decoder.is_finished():
        raise _CutError("compressed document without its end")


def _unzstd(pieces: Iterator[bytes], source: _Source) -> Iterator[bytes]:
    """The zstandard package cannot limit its output, but four bytes of input yield at most one block of 128 KiB."""
    unpacker = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
    decoder = unpacker.decompressobj()
    begun = False
    carried = b""
    for piece in _sum_apart(pieces, 4):
        for start in range(0, len(piece), _ZSTD_SLICE):
            data, carried = carried + piece[start : start + _ZSTD_SLICE], b""
            while data:
                if decoder.eof:
                    if data == b"\x28":
                        carried = data
                        break
                    if not data.startswith(b"\x28\xb5"):
                        source.notes.append("bytes after the compressed document")
                        return
                    decoder = unpacker.decompressobj()
                begun = True
                if out := decoder.decompress(data):
                    yield out
                data = decoder.unused_data if decoder.eof else b""
    if begun and not decoder.eof:
        raise _CutError("compressed document without its end")


_Stage = Callable[[Iterator[bytes], _Source], Iterator[bytes]]
_CODINGS: Final[dict[str, _Stage]] = {
    "gzip": _gunzip,
    "x-gzip": _gunzip,
    "deflate": _inflate,
    "br": _unbrotli,
    "zstd": _unzstd,
}
_FAULTS = (zlib.error, brotli.error, zstandard.ZstdError)


def _limited(pieces: Iterator[bytes], source: _Source, limits: DecodeLimits) -> Iterator[bytes]:
    """Stop a stage whose output is too much, or too much for what was put in."""
    total = 0
    for piece in pieces:
        room = limits.data - total
        if len(piece) > room:
            yield piece[:room]
            raise _CutError(f"more than {limits.data} bytes when decoded")
        total += len(piece)
        yield piece
        if total > limits.ratio_from and total > limits.ratio * source.taken:
            raise _CutError(f"grows more than {limits.ratio} times when decoded")


def _plan(content_encoding: str, transfer_encoding: str, source: _Source) -> list[tuple[str, _Stage]]:
    """Decoders in the order in which they are to be undone: the last coding applied comes off first."""
    stages: list[tuple[str, _Stage]] = []
    for header in (transfer_encoding, content_encoding):
        for name in reversed([part.strip().lower() for part in header.split(",")]):
            if name == "chunked" and header is transfer_encoding:
                if "chunked" not in (known for known, _ in stages):
                    stages.append((name, _unchunk))
            elif name in _CODINGS:
                stages.append((name, _CODINGS[name]))
            elif name not in ("", "identity", "none"):
                source.notes.append(f"unknown coding {name[:40]!r}")
    return stages


def decode(
    body: BinaryIO | bytes,
    content_encoding: str = "",
    transfer_encoding: str = "",
    limits: DecodeLimits = DecodeLimits(),  # noqa: B008 - frozen
) -> Decoded:
    r"""Undo framing and codings of a body within limits. Never raises for what a server may send.

    A coding that does not fit from its first byte on is taken as not applied, as is an unknown one.

        >>> decode(b"3\r\nabc\r\n0\r\n\r\n", "", "chunked")
        Decoded(data=b'abc', complete=True, note='')
        >>> decode(b"plain", "gzip").note
        'announced as gzip, is not'
    """
    stream = io.BytesIO(body) if isinstance(body, bytes) else body
    start = stream.tell()
    source = _Source(stream)
    stages = _plan(content_encoding, transfer_encoding, source)
    compressed = [name for name, _ in stages if name != "chunked"]
    if len(compressed) > limits.codings:
        named = ", ".join(reversed(compressed[:5]))
        return Decoded(b"", False, f"more than {limits.codings} codings ({named}): not decoded")
    if not stages and isinstance(stream, io.BytesIO):
        data = stream.read(limits.data + 1)  # most pages: nothing to undo, and no copy to make
        if len(data) <= limits.data:
            return Decoded(data, True, "; ".join(dict.fromkeys(source.notes)))
        stream.seek(start)
    while True:
        out = io.BytesIO()
        problem = ""
        try:
            for piece in _stacked(stages, source, limits):
                out.write(piece)
        except _CutError as cut:
            problem = str(cut)
        except _FAULTS as fault:
            problem = f"broken coding: {str(fault)[:80]}"
            if not out.tell():
                # Nothing came out: the innermost coding was never there. Read again without it.
                name = stages.pop()[0]
                stream.seek(start)
                source = _Source(stream, notes=[*source.notes, f"announced as {name}, is not"])
                continue
        notes = dict.fromkeys([*source.notes, problem])
        return Decoded(out.getvalue(), not problem, "; ".join(note for note in notes if note))


def _stacked(stages: list[tuple[str, _Stage]], source: _Source, limits: DecodeLimits) -> Iterator[bytes]:
    pieces = _limited(source.pieces(), source, limits)
    for _, stage in stages:
        pieces = _limited(stage(pieces, source), source, limits)
    return pieces


# -- charset --------------------------------------------------------------------------------------------------------

_PRESCAN: Final = 4096
"""The standard asks for the first 1024 bytes and lets a later declaration restart the parser; this covers both."""
_SAMPLE: Final = 1024 * 1024
"""Bytes tried as UTF-8 when nothing is declared."""
_CHARSET: Final = re.compile(r"""charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))""", re.IGNORECASE)
_SKIPPED: Final = re.compile(rb"<!--.*?(?:-->|\Z)|<(?:script|style)\b.*?(?:</(?:script|style)|\Z)", re.DOTALL | re.I)
_META: Final = re.compile(rb"""<meta[\s/]((?:"[^"]*"|'[^']*'|[^>"'])*)""", re.IGNORECASE)
_ATTRIBUTE: Final = re.compile(rb"""([^\s=/"'>]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?""")
_XML: Final = re.compile(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']""")
_CSS: Final = re.compile(rb"""@charset "([^"]{1,40})";""")


def charset_of(content_type: str, body: bytes) -> str:
    """Encoding of a document by the rules of browsers: byte order mark, header field, what the document says.

    Without any of them a document that reads as UTF-8 is UTF-8, everything else windows-1252. The name is the
    WHATWG name in lower case.

        >>> charset_of("text/html; charset=ISO-8859-1", b"")
        'windows-1252'
        >>> charset_of("text/html", b'<meta charset="sjis">')
        'shift_jis'
    """
    if mark := _byte_order_mark(body):
        return mark
    if (match := _CHARSET.search(content_type)) and (name := encoding_named(match[1] or match[2] or match[3] or "")):
        return name
    mime = content_type.split(";")[0].strip().lower()
    if mime == "application/json" or mime.endswith("+json"):
        return "utf-8"
    if name := _declared(mime, body[:_PRESCAN]):
        return name
    return "utf-8" if _reads_as_utf8(body) else "windows-1252"


def _byte_order_mark(body: bytes) -> str:
    for mark, name in ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le")):
        if body.startswith(mark):
            return name
    return ""


def _declared(mime: str, head: bytes) -> str:
    """What the document itself says: @charset of a style sheet, meta of a page, the XML declaration."""
    if mime == "text/css":
        names = [match[1] for match in [_CSS.match(head)] if match]
    else:
        names = [*_meta_charsets(head), *(match[1] for match in [_XML.match(head.lstrip())] if match)]
    for raw in names:
        name = encoding_named(raw.decode("latin-1"))
        if name in ("utf-16be", "utf-16le"):
            return "utf-8"  # read as ASCII so far, so it cannot be UTF-16
        if name:
            return "windows-1252" if name == "x-user-defined" else name
    return ""


def _meta_charsets(head: bytes) -> Iterator[bytes]:
    for match in _META.finditer(_SKIPPED.sub(b"", head)):
        found: dict[bytes, bytes] = {}
        for key, *values in _ATTRIBUTE.findall(match[1]):
            found.setdefault(key.lower(), next((value for value in values if value), b""))
        if found.get(b"charset"):
            yield found[b"charset"]
        elif found.get(b"http-equiv", b"").strip().lower() == b"content-type":
            text = found.get(b"content", b"").decode("latin-1")
            if inner := _CHARSET.search(text):
                yield (inner[1] or inner[2] or inner[3] or "").encode("latin-1")


def _reads_as_utf8(body: bytes) -> bool:
    head = body[:_SAMPLE]
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as fault:
        # Our own cut may fall inside a character.
        return len(body) > _SAMPLE and fault.start > _SAMPLE - 4 and fault.reason == "unexpected end of data"
    return True


def text_of(body: bytes, charset: str) -> str:
    r"""The text of a decoded body; bytes that make no sense become U+FFFD, a byte order mark is dropped.

    >>> text_of(b"\xef\xbb\xbfol\xc3\xa9", "utf-8")
    'olé'
    """
    return read_text(body, encoding_named(charset)).removeprefix("\ufeff")
