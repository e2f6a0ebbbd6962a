"""One robots.txt after another, each on a port of its own. `allowed` says whether /page may be fetched there."""

import gzip
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from hostile.wire import Conn

RULE = "User-agent: *\nDisallow: /page\n"


@dataclass(frozen=True)
class Variant:
    name: str
    allowed: bool
    handler: Callable[[Conn], Awaitable[None]]


VARIANTS: dict[str, Variant] = {}


def variant(name: str, allowed: bool, body: bytes | str = "", **headers: str) -> None:
    async def handler(conn: Conn) -> None:
        await conn.answer(body, **{"content_type": "text/plain", **headers})

    VARIANTS[name] = Variant(name, allowed, handler)


def odd(name: str, allowed: bool) -> Callable[[Callable[[Conn], Awaitable[None]]], None]:
    def register(handler: Callable[[Conn], Awaitable[None]]) -> None:
        VARIANTS[name] = Variant(name, allowed, handler)

    return register


variant("disallow", False, RULE)
variant("allow", True, "User-agent: *\nAllow: /\n")
variant("empty", True, "")
variant("for-another", True, "User-agent: otherbot\nDisallow: /\n")
variant("for-us", False, "User-agent: *\nAllow: /\n\nUser-agent: Strandline/1.0\nDisallow: /\n")
variant("longest-match", True, "User-agent: *\nDisallow: /\nAllow: /page\n")
variant("wildcard", False, "User-agent: *\nDisallow: /*ge$\n")
variant("byte-order-mark", False, "\ufeff" + RULE)
variant("old-line-ends", False, RULE.replace("\n", "\r"))
variant("html", True, "<html><body>User-agent: nothing here</body></html>", content_type="text/html")
variant("binary", True, bytes(range(256)) * 40)
variant("gzip", False, gzip.compress(RULE.encode()), content_encoding="gzip")
variant("missing", True, "no", status="404 Not Found")
variant("forbidden", True, "no", status="403 Forbidden")
variant("error", False, "oops", status="500 Internal Server Error")
variant("busy", False, "busy", status="503 Service Unavailable", retry_after="1")
variant("rule-after-400-kib", False, "# filler\n" * 45_000 + RULE)
variant("rule-after-1-mib", True, "# filler\n" * 120_000 + RULE)
variant("crawl-delay-absurd", True, "User-agent: *\nCrawl-delay: 1e300\nAllow: /\n")
variant("redirect-loop", True, status="302 Found", location="/robots.txt")


@odd("redirect-4", False)
async def redirect_4(conn: Conn) -> None:
    step = int(conn.query.get("n", "0")) + 1
    if step > 4:
        await conn.answer(RULE, content_type="text/plain")
    else:
        await conn.answer("", status="301 Moved Permanently", location=f"/robots.txt?n={step}")


@odd("silent", False)
async def silent(conn: Conn) -> None:
    await conn.hold()


@odd("reset", False)
async def reset(conn: Conn) -> None:
    conn.reset()


@odd("endless", False)
async def endless(conn: Conn) -> None:
    """The rule comes first; the end never does."""
    await conn.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + RULE.encode())
    while True:
        await conn.send(b"# and more\n" * 1000)
