"""Servers that take their time, each in another place."""

from hostile.wire import Conn, behaviour
from strandline.core.capture import Outcome

SLOW = (Outcome.TIMEOUT, Outcome.TOO_SLOW, Outcome.TRUNCATED)


@behaviour("slow-status-line", *SLOW)
async def slow_status_line(conn: Conn) -> None:
    for byte in b"HTTP/1.1 200 " + b"O" * 10_000:
        await conn.send(bytes([byte]))
        await conn.pause()


@behaviour("slow-header-lines", *SLOW)
async def slow_header_lines(conn: Conn) -> None:
    await conn.send(b"HTTP/1.1 200 OK\r\n")
    for number in range(10_000):
        await conn.send(b"X-%d: y\r\n" % number)
        await conn.pause()


@behaviour("slow-header-bytes", *SLOW)
async def slow_header_bytes(conn: Conn) -> None:
    await conn.send(b"HTTP/1.1 200 OK\r\nX: ")
    for _ in range(10_000):
        await conn.send(b"y")
        await conn.pause()


@behaviour("slow-drip", *SLOW)
async def slow_drip(conn: Conn) -> None:
    await conn.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100000\r\n\r\n")
    for _ in range(100_000):
        await conn.send(b"x")
        await conn.pause()


@behaviour("slow-chunk-size", *SLOW)
async def slow_chunk_size(conn: Conn) -> None:
    await conn.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5")
    for _ in range(10_000):
        await conn.send(b" ")
        await conn.pause()


@behaviour("slow-chunks", *SLOW)
async def slow_chunks(conn: Conn) -> None:
    await conn.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in range(10_000):
        await conn.send(b"1\r\nx\r\n")
        await conn.pause()


@behaviour("slow-trailer", *SLOW)
async def slow_trailer(conn: Conn) -> None:
    await conn.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n")
    for number in range(10_000):
        await conn.send(b"X-%d: y\r\n" % number)
        await conn.pause()


@behaviour("silent", Outcome.TIMEOUT)
async def silent(conn: Conn) -> None:
    await conn.hold()


@behaviour("stall-in-head", Outcome.TIMEOUT)
async def stall_in_head(conn: Conn) -> None:
    await conn.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n")
    await conn.hold()


@behaviour("stall-in-body", Outcome.TIMEOUT)
async def stall_in_body(conn: Conn) -> None:
    await conn.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf")
    await conn.hold()


@behaviour("never-closes", Outcome.TIMEOUT)
async def never_closes(conn: Conn) -> None:
    """No length, so the end is the end of the connection, which never comes."""
    await conn.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>all of it</p>")
    await conn.hold()


@behaviour("slow-but-good")
async def slow_but_good(conn: Conn) -> None:
    await conn.pause(3)
    await conn.answer("<title>worth waiting for</title>")
