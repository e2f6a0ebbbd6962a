"""Too much of everything: bodies, headers, and documents that unfold."""

import gzip
import zlib
from functools import lru_cache

import brotli
import zstandard

from hostile.wire import Conn, behaviour, bytes_on_the_wire, document
from strandline.core.capture import Outcome

MIB = 1024 * 1024
BOMB = 128
"""Mebibytes of zeros in each bomb."""
OK = b"HTTP/1.1 200 OK\r\n"


@behaviour("endless-body", Outcome.TRUNCATED)
async def endless_body(conn: Conn) -> None:
    await conn.send(OK + b"Content-Type: text/html\r\n\r\n")
    while True:
        await conn.send(b"<p>more</p>\n" * 5000)


@behaviour("endless-chunks", Outcome.TRUNCATED)
async def endless_chunks(conn: Conn) -> None:
    await conn.send(OK + b"Transfer-Encoding: chunked\r\n\r\n")
    while True:
        await conn.send(b"ea60\r\n" + b"<p>more</p>\n" * 5000 + b"\r\n")


@behaviour("endless-headers", Outcome.BIG_HEADERS)
async def endless_headers(conn: Conn) -> None:
    await conn.send(OK)
    while True:
        await conn.send(b"X-More: and more\r\n" * 1000)


@behaviour("endless-header-line", Outcome.BIG_HEADERS)
async def endless_header_line(conn: Conn) -> None:
    await conn.send(OK + b"X-More: ")
    while True:
        await conn.send(b"and more " * 1000)


@behaviour("endless-status-line", Outcome.BIG_HEADERS, Outcome.PROTOCOL)
async def endless_status_line(conn: Conn) -> None:
    await conn.send(b"HTTP/1.1 200 ")
    while True:
        await conn.send(b"and more " * 1000)


@behaviour("endless-interim", Outcome.BIG_HEADERS, Outcome.TIMEOUT, Outcome.TOO_SLOW)
async def endless_interim(conn: Conn) -> None:
    while True:
        await conn.send(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000)


@behaviour("endless-trailer", Outcome.TRUNCATED, Outcome.PROTOCOL)
async def endless_trailer(conn: Conn) -> None:
    await conn.send(OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n")
    while True:
        await conn.send(b"X-More: and more\r\n" * 1000)


@behaviour("endless-chunk-extension", Outcome.TRUNCATED, Outcome.PROTOCOL)
async def endless_chunk_extension(conn: Conn) -> None:
    await conn.send(OK + b"Transfer-Encoding: chunked\r\n\r\n5;")
    while True:
        await conn.send(b"and-more" * 1000)


bytes_on_the_wire(
    __name__,
    "header-of-4-mib",
    OK + b"X-Big: " + b"x" * 4 * MIB + b"\r\nContent-Length: 2\r\n\r\nhi",
    Outcome.BIG_HEADERS,
)
bytes_on_the_wire(
    __name__,
    "headers-50000",
    OK + b"".join(b"X-%d: y\r\n" % number for number in range(50_000)) + b"Content-Length: 2\r\n\r\nhi",
    Outcome.BIG_HEADERS,
)
bytes_on_the_wire(
    __name__,
    "headers-400",
    OK + b"".join(b"X-%d: y\r\n" % number for number in range(400)) + b"Content-Length: 2\r\n\r\nhi",
    Outcome.ANSWERED,
)


# -- documents that unfold --------------------------------------------------------------------------------------------


@lru_cache
def zeros(coding: str) -> bytes:
    block = bytes(MIB)
    if coding == "br":
        squeezer = brotli.Compressor(quality=5, lgwin=24)
        return b"".join([*(squeezer.process(block) for _ in range(BOMB)), squeezer.finish()])
    if coding == "zstd":
        stream = zstandard.ZstdCompressor(level=1).compressobj()
        return b"".join([*(stream.compress(block) for _ in range(BOMB)), stream.flush()])
    packer = zlib.compressobj(9, zlib.DEFLATED, 31 if coding == "gzip" else 15)
    return b"".join([*(packer.compress(block) for _ in range(BOMB)), packer.flush()])


@lru_cache
def gzipped_ten_times() -> bytes:
    data = bytes(MIB)
    for _ in range(10):
        data = gzip.compress(data)
    return data


for _coding in ("gzip", "deflate", "br", "zstd"):
    document(__name__, f"bomb-{_coding}", lambda coding=_coding: zeros(coding), content_encoding=_coding)
document(__name__, "bomb-gzip-twice", lambda: gzip.compress(zeros("gzip")), content_encoding="gzip, gzip")
document(__name__, "bomb-gzip-in-br", lambda: brotli.compress(zeros("gzip")), content_encoding="gzip, br")
document(__name__, "bomb-chain-of-ten", gzipped_ten_times, content_encoding=", ".join(["gzip"] * 10))
document(
    __name__,
    "bomb-on-redirect",
    lambda: zeros("gzip"),
    status="302 Found",
    location="{site}/good/1",
    content_encoding="gzip",
)
document(__name__, "bomb-on-404", lambda: zeros("br"), status="404 Not Found", content_encoding="br")
document(
    __name__,
    "bomb-sitemap",
    lambda: zeros("gzip"),
    path="/h/bomb-sitemap.xml.gz",
    content_type="application/gzip",
)
