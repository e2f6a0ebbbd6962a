"""Ways to spell an address inside the house. Behind them is a service that counts who comes: nobody must."""

from hostile.wire import Conn, behaviour

INTERNAL = "127.0.0.2"
SPELLINGS = {
    "dotted": "127.0.0.2",
    "hex": "0x7f000002",
    "decimal": "2130706434",
    "octal": "0177.0.0.2",
    "short": "127.2",
    "hex-parts": "0x7f.0.0.0x2",
    "trailing-dot": "127.0.0.2.",
    "percent": "%31%32%37.0.0.2",
    "circled": "①②⑦.0.0.②",
    "ideographic-dots": "127。0。0。2",
    "mapped": "[::ffff:127.0.0.2]",
    "mapped-hex": "[::ffff:7f00:2]",
    "compatible": "[::127.0.0.2]",
    "nat64": "[64:ff9b::7f00:2]",
    "nat64-local": "[64:ff9b:1::7f00:2]",
    "6to4": "[2002:7f00:2::]",
    "userinfo": "www.example.org@127.0.0.2",
    "backslash": "127.0.0.2\\@www.example.org",
    "link-local": "169.254.169.254",
    "unspecified": "0.0.0.0",
}


def internal_url(spelling: str, port: int) -> str:
    host, slash, rest = SPELLINGS[spelling].partition("\\")
    return f"http://{host}:{port}{slash}{rest}/secret"


def _register(spelling: str) -> None:
    async def handler(conn: Conn) -> None:
        url = internal_url(spelling, conn.site.internal_port)
        await conn.answer("inside", status="302 Found", location=url)

    handler.__module__ = __name__
    behaviour(f"inside-{spelling}")(handler)


for _spelling in SPELLINGS:
    _register(_spelling)


@behaviour("inside-links")
async def inside_links(conn: Conn) -> None:
    """The same as links, images and frames."""
    urls = [internal_url(spelling, conn.site.internal_port) for spelling in SPELLINGS]
    await conn.answer("".join(f"<a href='{url}'>x</a><img src='{url}'><iframe src='{url}'></iframe>" for url in urls))


@behaviour("inside-refresh")
async def inside_refresh(conn: Conn) -> None:
    url = internal_url("dotted", conn.site.internal_port)
    await conn.answer(f"<meta http-equiv=refresh content='0;url={url}'>")
