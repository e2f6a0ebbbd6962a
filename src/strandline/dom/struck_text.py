"""Text between tags that strike it through, marked as such before the page is read (`core.struck`).

Told by tags (`<s>`, `<del>`, `<strike>`) and by the style a tag itself has; what a style sheet strikes is not known.
"""

import re
from typing import Final

from strandline.core.struck import STROKE

_TAGS: Final = frozenset((b"s", b"del", b"strike"))
_RAW: Final = {
    b"<!--": b"-->",
    b"script": b"/script",
    b"style": b"/style",
    b"textarea": b"/textarea",
    b"title": b"/title",
}
"""Where tags are none, and what ends that."""
_VOID: Final = frozenset((b"br", b"hr", b"img", b"input", b"wbr", b"col", b"embed", b"source", b"track", b"area"))
_SIGNS_OF_IT: Final = (b"<s>", b"<s ", b"<s\n", b"<del", b"<strike")
_STYLE: Final = b"line-through"
_GIVEN: Final = re.compile(rb"style\s*+=")
LONGEST_STYLE: Final = 1_000
"""Letters of a tag before what strikes it through. Origin: a bound on time."""
_TAG: Final = re.compile(rb"(<!--|-->)|<(/?[a-z][a-z0-9]*+)((?:[^<>\"']|\"[^\"<]*+\"|'[^'<]*+')*+)>", re.IGNORECASE)
_LINED: Final = re.compile(rb"style\s*+=[^>]*?line-through", re.IGNORECASE)
_SIGN: Final = re.compile(rb"&#?\w{1,32};|[\x21-\x3b\x3d-\x7f]|[\xc2-\xf4][\x80-\xbf]++")
_STROKE: Final = STROKE.encode()
_BLANKS: Final = frozenset((b"&nbsp;", b"\xc2\xa0"))


def with_strokes(page: bytes) -> bytes:
    """A page of UTF-8 HTML, every sign that is struck through followed by a stroke.

    >>> with_strokes(b"<p>within <s>14</s> 30 days").decode() == "<p>within <s>1\u03364\u0336</s> 30 days"
    True
    """
    lower = page.lower()
    if not any(sign in lower for sign in _SIGNS_OF_IT) and not _styled(lower):
        return page
    parts: list[bytes] = []
    end, depth = 0, 0
    striking = passed = b""  # the tag that strikes; what ends a comment or the text of a script
    for tag in _TAG.finditer(page):
        text = page[end : tag.start()]
        parts += (_SIGN.sub(_with_stroke, text) if depth and not passed else text, tag[0])
        end, name = tag.end(), tag[1] or tag[2].lower()
        if passed:
            passed = b"" if name == passed else passed
        elif name in _RAW:
            passed = _RAW[name]
        elif depth:
            depth += (name == striking) - (name == b"/" + striking)
        elif name in _TAGS or (name not in _VOID and _LINED.search(tag[3] or b"")):
            striking, depth = name, 1
    return b"".join((*parts, page[end:]))


def _styled(lower: bytes) -> bool:
    """Whether a tag of a page, in small letters, may have the style; most pages have it in a style sheet only."""
    place = lower.find(_STYLE)
    while place >= 0:
        first = max(0, place - LONGEST_STYLE)
        if _GIVEN.search(lower, max(first, lower.rfind(b">", first, place)), place):
            return True
        place = lower.find(_STYLE, place + 1)
    return False


def _with_stroke(sign: re.Match[bytes]) -> bytes:
    return sign[0] if sign[0] in _BLANKS else sign[0] + _STROKE
