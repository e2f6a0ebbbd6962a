"""A captured document, made to work inside the archive: which kind it is, and who rewrites it.

Pages and style sheets are handled as text in which one character is one byte (Latin-1), whatever their charset:
all encodings of the web but UTF-16 keep markup in ASCII, so what is not an address leaves exactly as it came.
"""

import html
from dataclasses import dataclass
from pathlib import Path

from strandline.access.addresses import Base
from strandline.access.rewrite_css import rewrite_css
from strandline.access.rewrite_html import PageRewriter
from strandline.access.rewrite_js import rewrite_js
from strandline.access.rewrite_links import Links
from strandline.access.timestamps import timestamp
from strandline.core.content import charset_of

CLIENT = "/_/replay.js"
"""Where the replay origin serves the client side."""
CLIENT_SCRIPT = Path(__file__).with_name("replay.js")
LARGEST = 32 * 1024 * 1024
"""Documents above this are sent as they are: no page that a browser can show is this large."""

_PAGES = ("text/html", "application/xhtml+xml")
_SCRIPTS = (
    "text/javascript",
    "application/javascript",
    "application/x-javascript",
    "text/ecmascript",
    "application/ecmascript",
    "text/x-javascript",
)
_USES = {"js_": "script", "cs_": "style"}
_VAGUE = ("", "text/html", "text/plain", "application/octet-stream")
"""Types that servers give to scripts and style sheets too."""


@dataclass(frozen=True, slots=True)
class Document:
    """What is to be rewritten, and where it stands."""

    url: str
    time: float
    mime: str
    content_type: str
    """The header field as captured."""
    mod: str
    key: str = ""
    """Its address with method and body, when it is the answer to a form: by it the interface finds it again."""


def kind_of(mime: str, mod: str, head: bytes) -> str:
    """`page`, `style`, `script`, or empty for what is sent as it is.

    What the address is used for decides over what a server said: scripts sent as text/html are common.

        >>> kind_of("text/html", "js_", b"var a"), kind_of("", "mp_", b" <!DOCTYPE html>")
        ('script', 'page')
    """
    if mod == "id_":
        return ""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:64].lower()
    if mod in _USES and mime in _VAGUE and not start.startswith(b"<"):
        return _USES[mod]
    if mime in _PAGES:
        return "page"
    if not mime and mod in ("", "mp_", "if_") and start.startswith((b"<!doctype html", b"<html", b"<head", b"<body")):
        return "page"
    return "style" if mime == "text/css" else "script" if mime in _SCRIPTS else ""


def rewrite(body: bytes, document: Document, base: Base) -> bytes:
    """The document with every address it names inside the archive."""
    return _rewrite(body, document, base, _links(body, document, base))


def embedded(body: bytes, document: Document) -> dict[str, str]:
    """Addresses of the files a page or style sheet needs to be whole, with the mod each is asked for with."""
    links = _links(body, document, Base())
    links.remember = True
    _rewrite(body, document, Base(), links)
    return links.parts


def _links(body: bytes, document: Document, base: Base) -> Links:
    stem = f"{base.root}/web/{timestamp(document.time)}"
    return Links(document.url, stem, charset_of(document.content_type, body))


def _rewrite(body: bytes, document: Document, base: Base, links: Links) -> bytes:
    kind = kind_of(document.mime, document.mod, body[:256])
    if not kind or len(body) > LARGEST:
        return body
    text, codec = _as_text(body, links.charset)
    if kind == "page":
        # What script fetches as data gets no script of ours: it is not a document that runs.
        runs = document.mod in ("", "mp_", "if_")
        text = PageRewriter(links, client_markup(document, base), runs).rewrite(text)
    elif kind == "style":
        text = rewrite_css(text, links)
    else:
        text = rewrite_js(text, links)
    return text.encode(codec, "surrogatepass" if codec != "latin-1" else "xmlcharrefreplace")


def may_run(body: bytes, content_type: str) -> bool:
    """Whether script of a page may run once it is rewritten.

    In ISO-2022-JP any byte of markup may be half a character, so what comes first in such a page cannot be told
    without decoding it; it is shown without script.
    """
    return b"\x1b" not in body or charset_of(content_type, body) != "iso-2022-jp"


def client_markup(document: Document, base: Base) -> str:
    """The element that loads the client side, and tells it where it is."""
    told = {"root": base.root, "time": timestamp(document.time), "url": document.url}
    if document.key not in ("", document.url):
        told["key"] = document.key
    attributes = "".join(f' data-{name}="{html.escape(value)}"' for name, value in told.items())
    return f'<script src="{html.escape(base.root)}{CLIENT}"{attributes}></script>'


def _as_text(body: bytes, charset: str) -> tuple[str, str]:
    if charset not in ("utf-16le", "utf-16be"):
        return body.decode("latin-1"), "latin-1"
    codec = "utf-16-le" if charset == "utf-16le" else "utf-16-be"
    even = body if len(body) % 2 == 0 else body[:-1]
    return even.decode(codec, "surrogatepass"), codec
