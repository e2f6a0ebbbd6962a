"""Answers whose frame does not fit, and things that are no HTTP at all."""

import os

from hostile.wire import Conn, behaviour, bytes_on_the_wire
from strandline.core.capture import Outcome

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
HELLO = b"<title>hello</title>"
LENGTH = b"Content-Length: 20\r\n\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"
SMUGGLED = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
ANSWERED, PROTOCOL, SHORT, RESET = Outcome.ANSWERED, Outcome.PROTOCOL, Outcome.SHORT, Outcome.RESET

_TABLE: list[tuple[str, bytes, tuple[Outcome, ...]]] = [
    ("length-too-long", OK + b"Content-Length: 5000\r\n\r\n" + HELLO, (SHORT,)),
    ("length-too-short", OK + b"Content-Length: 7\r\n\r\n" + HELLO * 9, (PROTOCOL,)),
    ("two-lengths", OK + b"Content-Length: 5\r\n" + LENGTH + HELLO, (PROTOCOL,)),
    ("two-lengths-in-one", OK + b"Content-Length: 5, 20\r\n\r\n" + HELLO, (PROTOCOL,)),
    ("length-and-chunks", OK + b"Content-Length: 9\r\n" + CHUNKED + b"5\r\nhello\r\n0\r\n\r\n", (PROTOCOL,)),
    ("length-negative", OK + b"Content-Length: -20\r\n\r\n" + HELLO, (PROTOCOL,)),
    ("length-no-number", OK + b"Content-Length: many\r\n\r\n" + HELLO, (PROTOCOL,)),
    ("length-astronomic", OK + b"Content-Length: 99999999999999999999999\r\n\r\n" + HELLO, (SHORT, PROTOCOL)),
    ("chunk-size-bad", OK + CHUNKED + b"5\r\nhello\r\nzz\r\nlost", (PROTOCOL,)),
    ("chunk-size-first-bad", OK + CHUNKED + HELLO, (PROTOCOL,)),
    ("chunk-size-overflow", OK + CHUNKED + b"ffffffffffffffffff\r\nhello", (PROTOCOL, SHORT)),
    ("chunk-size-2-63", OK + CHUNKED + b"7fffffffffffffff\r\nhello", (PROTOCOL, SHORT)),
    ("chunk-cut", OK + CHUNKED + b"500\r\nhello", (SHORT,)),
    ("chunks-without-end", OK + CHUNKED + b"5\r\nhello\r\n", (SHORT,)),
    ("chunk-without-line-end", OK + CHUNKED + b"5\r\nhelloXX0\r\n\r\n", (PROTOCOL,)),
    ("transfer-coding-unknown", OK + b"Transfer-Encoding: lzma\r\n\r\n" + HELLO, (ANSWERED, PROTOCOL)),
    ("transfer-coding-gzip", OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", (ANSWERED,)),
    ("smuggled-answer", OK + LENGTH + HELLO + SMUGGLED, (PROTOCOL,)),
    ("empty-reply", b"", (RESET,)),
    ("no-status-line", HELLO, (PROTOCOL,)),
    ("garbage-text", b"220 smtp.example ESMTP ready\r\n", (PROTOCOL,)),
    ("garbage-tls", b"\x15\x03\x01\x00\x02\x02\x46", (PROTOCOL,)),
    ("head-cut", b"HTTP/1.1 200 OK\r\nContent-Ty", (SHORT, PROTOCOL)),
    ("head-without-end", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n", (SHORT, PROTOCOL)),
    ("head-with-lf-only", b"HTTP/1.1 200 OK\nContent-Length: 20\nX-Odd:  kept  \n\n" + HELLO, (ANSWERED,)),
    ("head-folded", OK + b"X-Folded: one\r\n\ttwo\r\n" + LENGTH + HELLO, (ANSWERED,)),
    ("head-name-with-blank", OK + b"Bad Name : x\r\n" + LENGTH + HELLO, (ANSWERED,)),
    ("head-not-ascii", OK + b"X-\xff: caf\xe9\r\n" + LENGTH + HELLO, (ANSWERED,)),
    ("head-without-colon", OK + b"this is no header\r\n" + LENGTH + HELLO, (ANSWERED,)),
    ("head-with-nul", OK + b"X-Nul: a\x00b\r\n" + LENGTH + HELLO, (ANSWERED,)),
    ("head-with-cr", OK + b"X-Cr: a\rb\r\n" + LENGTH + HELLO, (ANSWERED,)),
    ("head-with-escapes", OK + b"X-Title: \x1b]0;pwned\x07\r\n" + LENGTH + HELLO, (ANSWERED,)),
    ("status-999", b"HTTP/1.1 999 Denied\r\nContent-Length: 2\r\n\r\nno", (ANSWERED,)),
    ("status-0", b"HTTP/1.1 0 Zero\r\nContent-Length: 2\r\n\r\nno", (PROTOCOL,)),
    ("status-letters", b"HTTP/1.1 abc OK\r\nContent-Length: 2\r\n\r\nno", (PROTOCOL,)),
    ("status-interim-first", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + OK + LENGTH + HELLO,
     (ANSWERED,)),
    ("status-101-unasked", b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nbinary", (PROTOCOL,)),
    ("status-204-with-body", b"HTTP/1.1 204 None\r\n" + LENGTH + HELLO, (ANSWERED,)),
    ("http-1-0-until-close", b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + HELLO, (ANSWERED,)),
    ("http-3-claimed", b"HTTP/3 200\r\n" + LENGTH + HELLO, (ANSWERED, PROTOCOL)),
]  # fmt: skip
for _name, _wire, _outcomes in _TABLE:
    bytes_on_the_wire(__name__, _name, _wire, *_outcomes)
bytes_on_the_wire(__name__, "reset-in-body", OK + b"Content-Length: 99\r\n\r\nhalf", RESET, SHORT, then="reset")
bytes_on_the_wire(__name__, "reset-in-chunk", OK + CHUNKED + b"9\r\nhal", RESET, SHORT, then="reset")
bytes_on_the_wire(__name__, "reset-in-head", b"HTTP/1.1 200 OK\r\n", RESET, SHORT, then="reset")


@behaviour("reset-at-once", RESET)
async def reset_at_once(conn: Conn) -> None:
    conn.reset()


@behaviour("garbage-random", PROTOCOL)
async def garbage_random(conn: Conn) -> None:
    await conn.send(os.urandom(20_000).replace(b"HTTP", b"PTTH"))
