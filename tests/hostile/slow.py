"""Servers that take their time, each in another place."""

from hostile.wire import Conn, behaviour
from strandline.core.capture import Outcome

SLOW = (Outcome.TIMEOUT, Outcome.TOO_SLOW, Outcome.TRUNCATED)
PIECES = 10_000


def slowly(name: str, first: bytes, piece: bytes) -> None:
    """Register an answer that begins and then goes on piece by piece, with a pause after each; %d counts them."""

    @behaviour(name, *SLOW)
    async def handler(conn: Conn) -> None:
        await conn.send(first)
        for number in range(PIECES):
            await conn.send(piece % number if b"%d" in piece else piece)
            await conn.pause()


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
slowly("slow-status-line", b"HTTP/1.1 200 ", b"O")
slowly("slow-header-lines", b"HTTP/1.1 200 OK\r\n", b"X-%d: y\r\n")
slowly("slow-header-bytes", b"HTTP/1.1 200 OK\r\nX: ", b"y")
slowly("slow-drip", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100000\r\n\r\n", b"x")
slowly("slow-chunk-size", CHUNKED + b"5", b" ")
slowly("slow-chunks", CHUNKED, b"1\r\nx\r\n")
slowly("slow-trailer", CHUNKED + b"5\r\nhello\r\n0\r\n", b"X-%d: y\r\n")


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
