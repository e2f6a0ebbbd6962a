"""XHTML for a reader of HTML: elements that close themselves are given an end tag.

In XML `<script src="a.js"/>` is a whole element. HTML takes the `/` for nothing, so that the rest of the page would be
the text of a script. Pages are only XHTML when their media type says so; browsers, too, read all others as HTML.
"""

import re
from typing import Final

XHTML: Final = frozenset({"application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
_VOID: Final = frozenset(b"area base br col embed frame hr img input link meta param source track wbr".split())
_CLOSES_ITSELF: Final = re.compile(
    rb"""<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)
       | <([A-Za-z][\w:.-]*+)((?:[^<>"'/]++|/(?!>)|"[^"<]*+"|'[^'<]*+')*+)/>""",
    re.DOTALL | re.VERBOSE,
)


def as_html(body: bytes, mime: str) -> bytes:
    """The same document with an end tag for each element that closes itself; one that is no XHTML as it is.

    >>> as_html(b'<script src="a.js"/><br/><p>text</p>', "application/xhtml+xml")
    b'<script src="a.js"></script><br/><p>text</p>'
    """
    return _CLOSES_ITSELF.sub(_closed, body) if mime in XHTML else body


def _closed(found: re.Match[bytes]) -> bytes:
    name, attributes = found[1], found[2]
    if name is None or name.lower() in _VOID:
        return found[0]
    return b"<%b%b></%b>" % (name, attributes, name)
