"""Tags that scripts define (`<app-post>`), made lines of their own before a page is read, as styles mostly make them.

HTML says nothing of them, so a page of nothing else would be one line. What they hold begins a line unless it stands in
running text: text right before its start or right after its end, or a paragraph, a heading or a phrase around it.
"""

import re
from collections.abc import Iterator
from typing import Final

_ATTRIBUTES: Final = rb"(?:[^<>\"']|\"[^\"]*+\"|'[^']*+')*+>"
_DEFINED: Final = re.compile(rb"<[a-z][a-z0-9.]*+-[^\s/>]*+[\s/>]")
_TAG: Final = re.compile(
    rb"<(?:(?P<raw>!--|(?:script|style|textarea|title|xmp|iframe|noembed|noframes|plaintext)(?=[\s>]))"
    rb"|(?P<end>/?)(?P<name>[a-z][a-z0-9.]*+-[^\s/>]*+)(?P<rest>" + _ATTRIBUTES + rb"))"
)
_TEXT_AFTER: Final = re.compile(rb"\s*+[^\s<]")
_PHRASE: Final = re.compile(rb"<(?:p|h[1-6]|pre|b|strong|i|em|small|span|label|sup|sub|summary)[\s>]")
_NEAR: Final = 400
"""Bytes before a tag in which what stands right before it is looked for. Origin: a bound on time."""
_CLASS: Final = b' class="'


def with_lines(page: bytes) -> bytes:
    """A page as the parser writes it, tags that scripts define made `div` named as they are, but for those in phrases.

    >>> with_lines(b"<x-row><x-name>Ann</x-name><x-age>7</x-age></x-row>").count(b"div")
    6
    >>> with_lines(b"<p>It was <x-age>7</x-age> then</p>")
    b'<p>It was <x-age>7</x-age> then</p>'
    """
    if not _DEFINED.search(page):
        return page
    opened: list[tuple[bytes, re.Match[bytes]]] = []
    pieces: list[tuple[int, int, bytes]] = []
    phrases: set[int] = set()  # where tags that are left as they are end
    for tag in _tags(page):
        name = tag["name"]
        if not tag["end"]:
            opened.append((name, tag))
            continue
        depth = next((depth for depth in range(len(opened) - 1, -1, -1) if opened[depth][0] == name), -1)
        if depth < 0:
            continue
        start = opened[depth][1]
        del opened[depth:]
        if _is_a_line(page, start, tag, phrases):
            pieces += [(start.start(), start.end(), _as_line(start)), (tag.start(), tag.end(), b"</div>")]
        else:
            phrases.add(tag.end())
    parts, done = list[bytes](), 0
    for begins, ends, instead in sorted(pieces):
        parts += (page[done:begins], instead)
        done = ends
    return b"".join((*parts, page[done:]))


def _tags(page: bytes) -> Iterator[re.Match[bytes]]:
    """The tags that scripts define, but for those that scripts and comments hold as text."""
    place = 0
    while tag := _TAG.search(page, place):
        place = tag.end()
        if raw := tag["raw"]:
            place = page.find(b"-->" if raw == b"!--" else b"</" + raw, place)
            if place < 0:
                return
        else:
            yield tag


def _is_a_line(page: bytes, start: re.Match[bytes], end: re.Match[bytes], phrases: set[int]) -> bool:
    """Whether what a tag holds stands by itself, rather than in running text; what holds nothing is a picture."""
    first, last = start.start(), end.end()
    if not page[start.end() : end.start()].strip():
        return False
    before = page[max(0, first - _NEAR) : first].rstrip()
    if (before and not before.endswith(b">")) or _TEXT_AFTER.match(page, last):
        return False
    return first - _blanks(page, first) not in phrases and not _PHRASE.match(before, max(0, before.rfind(b"<")))


def _blanks(page: bytes, place: int) -> int:
    """How much white space stands before a place."""
    before = page[max(0, place - _NEAR) : place]
    return len(before) - len(before.rstrip())


def _as_line(tag: re.Match[bytes]) -> bytes:
    """The start tag of a line, which keeps the name as a class: it often says what the tag is for."""
    name, rest = tag["name"], tag["rest"]
    if _CLASS in rest:
        return b"<div" + rest.replace(_CLASS, _CLASS + name + b" ", 1)
    return b"<div" + _CLASS + name + b'"' + rest
