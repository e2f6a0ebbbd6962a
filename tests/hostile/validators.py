"""Validators that lie and waits that make no sense."""

import itertools

from hostile.wire import Conn, behaviour, document

counter = itertools.count(1)
BUSY = {"status": "503 Service Unavailable"}


@behaviour("etag-flips")
async def etag_flips(conn: Conn) -> None:
    await conn.answer("<title>same</title>", etag=f'"{next(counter)}"')


@behaviour("etag-lies")
async def etag_lies(conn: Conn) -> None:
    """Says 304 although the page changes each time."""
    if "if-none-match" in conn.headers:
        await conn.answer(status="304 Not Modified", etag='"never"')
    else:
        await conn.answer(f"<title>version {next(counter)}</title>", etag='"never"')


@behaviour("always-304")
async def always_304(conn: Conn) -> None:
    await conn.answer(status="304 Not Modified", etag='"a"')


@behaviour("304-with-body")
async def not_modified_with_body(conn: Conn) -> None:
    await conn.answer("<title>but here it is</title>", status="304 Not Modified")


document(__name__, "modified-in-future", "<p>x</p>", last_modified="Fri, 31 Dec 9999 23:59:59 GMT")
document(__name__, "modified-nonsense", "<p>x</p>", last_modified="yesterday", etag="no quotes, W/broken\x7f")
document(__name__, "etag-of-8-kib", "<p>x</p>", etag='"' + "x" * 8192 + '"')
document(__name__, "retry-in-seconds", "busy", **BUSY, retry_after="120")
document(__name__, "retry-at-date", "busy", **BUSY, retry_after="Fri, 31 Dec 2027 23:59:59 GMT")
document(__name__, "retry-in-past", "busy", **BUSY, retry_after="Wed, 21 Oct 2015 07:28:00 GMT")
document(__name__, "retry-absurd", "busy", **BUSY, retry_after="9" * 300)
document(__name__, "retry-negative", "busy", **BUSY, retry_after="-60")
document(__name__, "retry-nonsense", "busy", **BUSY, retry_after="when the moon is full")
document(__name__, "busy-429", "slow down", status="429 Too Many Requests", retry_after="3600")
document(__name__, "busy-without-time", "busy", **BUSY)
document(__name__, "error-500", "oops", status="500 Internal Server Error")
document(__name__, "gone", "gone", status="410 Gone")
