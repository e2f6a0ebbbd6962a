"""Redirects that lead nowhere, everywhere or inside. Each hop is one fetch and one answer."""

from hostile.wire import Conn, behaviour, document

FOUND = {"status": "302 Found"}


def to(name: str, location: str, status: str = "302 Found") -> None:
    document(__name__, name, "<p>moved</p>", status=status, location=location)


to("redirect-self", "{site}/h/redirect-self")
to("redirect-ping", "/h/redirect-pong", "301 Moved Permanently")
to("redirect-pong", "/h/redirect-ping", "301 Moved Permanently")
to("redirect-308", "/good/2", "308 Permanent Redirect")
to("redirect-303", "/good/3", "303 See Other")
to("redirect-relative", "../good/4")
to("redirect-fragment", "/good/5#part")
to("redirect-without-location", "")
to("redirect-blank", " ")
to("redirect-broken", "http://[::bad")
to("redirect-file", "file:///etc/passwd")
to("redirect-javascript", "javascript:alert(1)")
to("redirect-gopher", "gopher://127.0.0.2:70/_x")
to("redirect-data", "data:text/html,x")
to("redirect-userinfo", "http://user:secret@192.0.2.1/")
to("redirect-long", "/h/" + "x" * 50_000)
to("redirect-port-22", "http://127.0.0.1:22/")
to("redirect-latin1", "/caf\udce9")
to("redirect-no-such-host", "http://no-such-host.invalid/")
document(__name__, "refresh-self", "<meta http-equiv=refresh content='0'>")
document(__name__, "refresh-ping", "<meta http-equiv=refresh content='0;url=/h/refresh-pong'>")
document(__name__, "refresh-pong", "<meta http-equiv=refresh content='0;url=/h/refresh-ping'>")
document(__name__, "refresh-header", "<p>wait</p>", refresh="0; url=/h/refresh-header")


@behaviour("redirect-chain")
async def redirect_chain(conn: Conn) -> None:
    """Thirty hops, then a page."""
    step = int(conn.query.get("n", "0")) + 1
    if step > 30:
        await conn.answer("<title>end of the chain</title>")
    else:
        await conn.answer("", **FOUND, location=f"/h/redirect-chain?n={step}")


@behaviour("redirect-growing")
async def redirect_growing(conn: Conn) -> None:
    """Always somewhere new."""
    await conn.answer("", **FOUND, location=conn.target + "?x" if "?" not in conn.target else conn.target + "x")


@behaviour("redirect-two-locations")
async def redirect_two_locations(conn: Conn) -> None:
    body = b"<p>which?</p>"
    head = b"HTTP/1.1 302 Found\r\nLocation: /good/6\r\nLocation: /good/7\r\nContent-Length: %d\r\n\r\n" % len(body)
    await conn.send(head + body)
