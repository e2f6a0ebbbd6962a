"""Sitemaps and feeds that mean harm."""

from hostile.wire import Conn, behaviour, document

XML = {"content_type": "application/xml"}
OPEN = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
INDEX = '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))

document(
    __name__,
    "sitemap-laughs",
    f'<?xml version="1.0"?><!DOCTYPE u [<!ENTITY l0 "lol">{LAUGHS}]>{OPEN}<url><loc>&l9;</loc></url></urlset>',
    **XML,
)
document(
    __name__,
    "sitemap-quadratic",
    f'<?xml version="1.0"?><!DOCTYPE u [<!ENTITY a "{"a" * 50_000}">]>{OPEN}<url><loc>{"&a;" * 5_000}</loc></url>',
    **XML,
)
document(
    __name__,
    "sitemap-external",
    '<?xml version="1.0"?><!DOCTYPE u [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY % p SYSTEM "{site}/h/dtd">%p;]>'
    f"{OPEN}<url><loc>&x;</loc></url></urlset>",
    **XML,
)
document(
    __name__,
    "sitemap-60k",
    lambda: (OPEN + "".join(f"<url><loc>/p{n}</loc></url>" for n in range(60_000)) + "</urlset>").encode(),
    **XML,
)
document(__name__, "sitemap-loop", INDEX + "<sitemap><loc>{site}/h/sitemap-loop</loc></sitemap></sitemapindex>", **XML)
document(__name__, "sitemap-cut", OPEN + "<url><loc>{site}/good/1</loc></url><url><loc>{si", **XML)
document(__name__, "sitemap-other-host", OPEN + "<url><loc>http://192.0.2.1/x</loc></url></urlset>", **XML)
document(
    __name__,
    "feed-broken",
    "<rss><channel><item><link>{site}/good/1</link><item>&nbsp;",
    content_type="application/rss+xml",
)
document(__name__, "feed-deep", lambda: ("<rss>" + "<a>" * 50_000).encode(), content_type="application/rss+xml")


@behaviour("sitemap-deep")
async def sitemap_deep(conn: Conn) -> None:
    """An index that names an index that names an index."""
    depth = int(conn.query.get("d", "0")) + 1
    body = f"{INDEX}<sitemap><loc>{conn.site.url}/h/sitemap-deep?d={depth}</loc></sitemap></sitemapindex>"
    await conn.answer(body, **XML)
