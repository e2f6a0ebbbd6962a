"""Text between tags that strike it through, marked as such before the page is read (`core.struck`).

Told by tags (`<s>`, `<del>`, `<strike>`) and by the style a tag itself has; what a style sheet strikes is not known.
"""

import re
from functools import cache
from typing import Final

from strandline.core.struck import STROKE
from strandline.dom.tag_kernels import LONGEST_STYLE
from strandline.dom.tag_places import PageTags

_RAW: Final = {
    b"!--": b"-->",
    b"script": b"</script",
    b"style": b"</style",
    b"textarea": b"</textarea",
    b"title": b"</title",
}
"""Where tags are none, and what ends that."""
_STYLE: Final = b"line-through"
_GIVEN: Final = re.compile(rb"style\s*+=")
_ATTRIBUTES: Final = rb"(?:[^<>\"']|\"[^\"<]*+\"|'[^'<]*+')*+>"
_BEGINS: Final = (
    rb"<(?:(?P<raw>!--|(?:script|style|textarea|title)(?=[\s/>]))|(?P<tag>s|del|strike)(?=[\s/>])" + _ATTRIBUTES
)
_LINED: Final = (
    rb"|(?P<lined>(?!(?:br|hr|img|input|wbr|col|embed|source|track|area)\s)[a-z][a-z0-9]*+)(?=\s)"
    rb"(?=[^>]*?style\s*+=[^>]*?line-through)" + _ATTRIBUTES
)
_STRIKING: Final = re.compile(_BEGINS + rb")")  # these two in small letters
_STRIKING_OR_LINED: Final = re.compile(_BEGINS + _LINED + rb")")
_SIGN: Final = re.compile(
    rb"<!--.*?(?:-->|\Z)|<(script|style|textarea|title)(?=[\s/>]).*?(?:</\1|\Z)|</?[a-z]"
    + _ATTRIBUTES
    + rb"|&#?\w{1,32};|[\x21-\x3b\x3d-\x7f]|[\xc2-\xf4][\x80-\xbf]++",
    re.IGNORECASE | re.DOTALL,
)  # or what has none: comments, scripts, tags
_STROKE: Final = STROKE.encode()
_BLANKS: Final = frozenset((b"&nbsp;", b"\xc2\xa0"))


def with_strokes(page: bytes) -> bytes:
    """A page of UTF-8 HTML, every sign that is struck through followed by a stroke.

    >>> with_strokes(b"<p>within <s>14</s> 30 days").decode() == "<p>within <s>1\u03364\u0336</s> 30 days"
    True
    """
    lower = page.lower()
    begins = _STRIKING_OR_LINED if _styled(lower) else _STRIKING
    parts: list[bytes] = []
    done = place = 0
    while found := begins.search(lower, place):
        place = found.end()
        if raw := found["raw"]:
            place = lower.find(_RAW[raw], place)
            if place < 0:
                break
        elif not _is_in_tag(lower, found.start()):
            start, place = place, _end(lower, found[found.lastgroup or ""], place)
            parts += (page[done:start], _SIGN.sub(_with_stroke, page[start:place]))
            done = place
    return b"".join((*parts, page[done:]))


def has_strokes(tags: PageTags) -> bool:
    """Whether something of a page may be struck through."""
    return tags.struck or tags.lined


def _end(lower: bytes, name: bytes, start: int) -> int:
    """Where a tag that was opened before `start` is closed."""
    depth = 1
    for tag in _tags_of(name).finditer(lower, start):
        depth += -1 if tag[1] else 1
        if not depth:
            return tag.start()
    return len(lower)


@cache
def _tags_of(name: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"<(/?)%b(?=[\s/>])" % name)


def _is_in_tag(lower: bytes, place: int) -> bool:
    """Whether what looks like a tag is the value of an attribute."""
    first = max(0, place - LONGEST_STYLE)
    around = lower.rfind(b"<", first, place)
    return around >= 0 and lower[around + 1 : around + 2].isalpha() and lower.find(b">", around, place) < 0


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
    return sign[0] if sign[0] in _BLANKS or sign[0].startswith(b"<") else sign[0] + _STROKE
