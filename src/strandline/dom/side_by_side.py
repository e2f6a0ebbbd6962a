"""Words of two tags that stand side by side without a blank (`<b>Title</b><span>3 hours ago</span>`), kept apart.

Styles put a gap there, the text has none: nobody reads "Title3 hours ago". Signs, numbers beside numbers and
single letters stay together: `<span>14</span><sup>95</sup>`, an initial, what a program's text is coloured by. A number
that counts something of its own is another one, and so is a time: "4.2.1" and "4 min ago", but not "14" and "95 euros".
"""

import re
from typing import Final

_PHRASE: Final = rb"(?:span|a|b|strong|i|em|small|time|label|button|data|abbr|cite)"
_SEAM: Final = re.compile(rb"</%b>(?:</%b>){0,8}+(?:<%b(?:\s[^<>]*)?>){1,8}+" % (_PHRASE, _PHRASE, _PHRASE))
_ENDS: Final = re.compile(rb"[^>]\d|[^>\s][.!?)%]|[\w\x80-\xff]{2}")
_BEGINS: Final = re.compile(rb"\d|(?![\xc2\xe2])[\w\x80-\xff]{2}|\xe2[\x98-\x9e]")  # or a small picture (♥)
_COUNTS: Final = re.compile(  # or tells the time
    rb"\d{1,4} (?!euro|franc|dollar|pound|kron|cent|mil)(?:hrs?\b|[a-z]{3})|\d{1,2}:\d\d(?!\d)"
)
_SIGN: Final = re.compile(rb"\xe2|.\xc2", re.DOTALL)  # what begins a sign of three or two bytes: €, –, £, °


def with_blanks(page: bytes) -> bytes:
    """A page as the parser writes it, with a blank where words of two tags stand side by side.

    >>> with_blanks(b"<b>Keys found</b><span>3 hours ago</span><span>12</span>")
    b'<b>Keys found</b><span> 3 hours ago</span><span> 12</span>'
    >>> with_blanks(b"<span>14</span><span>95</span><span>k</span><span>m</span>")
    b'<span>14</span><span>95</span><span>k</span><span>m</span>'
    >>> with_blanks(b"<b>4.2.1</b><i>4 min ago</i>"), with_blanks(b"<b>14</b><i>95 euros</i>")
    (b'<b>4.2.1</b><i> 4 min ago</i>', b'<b>14</b><i>95 euros</i>')
    >>> with_blanks(b"<b>on time: 21 of 25</b><i>15:03</i>")
    b'<b>on time: 21 of 25</b><i> 15:03</i>'
    """
    parts, done = list[bytes](), 0
    for seam in _SEAM.finditer(page):
        start, end = seam.span()
        last, first = page[start - 2 : start], page[end : end + 1]
        if _SIGN.match(page, max(0, start - 3)) or not (_ENDS.match(last) and _BEGINS.match(page, end)):
            continue
        if not (last[1:].isdigit() and first.isdigit()) or _COUNTS.match(page, end):
            parts += (page[done:end], b" ")
            done = end
    return b"".join((*parts, page[done:]))
