"""Pages that parsers choke on. The fetch is fine; the links after the trouble matter."""

from hostile.wire import document

TAIL = "<a href='/good/1'>after</a>"


def many(piece: str, count: int) -> str:
    return "".join(piece.format(n) for n in range(count))


document(__name__, "deep-100k", lambda: ("<div>" * 100_000 + TAIL).encode())
document(__name__, "deep-formatting", lambda: ("<b><i><p>" * 20_000 + TAIL).encode())
document(__name__, "deep-tables", lambda: ("<table><tr><td>" * 5_000 + TAIL).encode())
document(__name__, "attributes-100k", lambda: (f"<p {many('a{0}=x ', 100_000)}>{TAIL}").encode())
document(__name__, "attribute-of-5-mib", lambda: (f"<p title='{'x' * 5_000_000}'>{TAIL}").encode())
document(__name__, "links-200k", lambda: many("<a href='/h/soft-404/{0}'>x</a>", 200_000).encode())
document(__name__, "nul-bytes", b"<p>\0\0<a href='/go\0od/1'>x</a>\0" + TAIL.encode())
document(__name__, "comment-never-closed", "<!-- <a href='/h/hidden'>" + "x" * 10_000)
document(__name__, "script-never-closed", "<script>document.write(\"<a href='/h/hidden'>\")" + "x" * 10_000)
document(__name__, "tag-never-closed", "<a href='/good/1" + "x" * 100_000)
document(__name__, "entities-100k", lambda: ("&amp;&#x110000;&nosuch;" * 33_000 + TAIL).encode())
document(__name__, "href-100k", lambda: f"<a href='/{'x' * 100_000}'>long</a>{TAIL}".encode())
document(
    __name__,
    "hrefs-odd",
    "<a href='javascript:alert(1)'><a href='mailto:a@b'><a href='http://['><a href='http://%zz/'><a href=' '>"
    "<a href='//'><a href='data:text/html,x'><a href='file:///etc/passwd'><a href='tel:1'>" + TAIL,
)
document(__name__, "base-elsewhere", "<base href='http://192.0.2.1/'><a href='x'>away</a>")
document(__name__, "title-attack", "<title><script>alert(1)</script>\x1b]0;pwned\x07</title>" + TAIL)
document(
    __name__,
    "srcset-10k",
    lambda: ("<img srcset='" + many("/h/img{0}.png {0}w, ", 10_000) + f"'>{TAIL}").encode(),
)
