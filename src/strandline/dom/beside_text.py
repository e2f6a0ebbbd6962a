"""What a reader sees of a page beside its text: fields of forms, formulas, drawings, players, numbers of lists, and
what is hidden. None of it is cut into blocks, but where it is another the page has changed for its readers.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from html import unescape
from typing import Final, NamedTuple

import xxhash

from strandline.dom.tag_places import PageTags, wanted

_FIELD, _FORMULA, _DRAWING, _FILE = "A field of a form", "A formula", "A drawing", "An embedded file"
_LIST, _BAR, _HIDDEN = "The numbering of a list", "A bar", "hidden"
_KINDS: Final = {
    b"input": _FIELD, b"option": _FIELD, b"textarea": _FIELD, b"text": _DRAWING, b"tspan": _DRAWING, b"mi": _FORMULA,
    b"mn": _FORMULA, b"mo": _FORMULA, b"ms": _FORMULA, b"mtext": _FORMULA, b"object": _FILE, b"embed": _FILE,
    b"audio": _FILE, b"video": _FILE, b"source": _FILE, b"ol": _LIST, b"progress": _BAR, b"meter": _BAR,
}  # fmt: skip
_TAG: Final = re.compile(rb"<(%b)(?=[\s/>])([^<>]*+)>([^<]*+)" % b"|".join(_KINDS), re.IGNORECASE)
BESIDE: Final = wanted(_KINDS, (b"script", b"style", b"noscript", b"template"))
"""Tags that `beside` asks for."""
_HIDDEN_BY: Final = re.compile(rb" hidden[> =]", re.IGNORECASE)
_NOT_DISPLAYED: Final = re.compile(rb"display: ?none", re.IGNORECASE)
_UNSEEN: Final = frozenset(("hidden", "password", "file", "image"))  # types of fields
_ATTRIBUTE: Final = r"(?:^|\s)%s\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))"
_MARKS: Final = {
    name: re.compile(_ATTRIBUTE % name, re.IGNORECASE)
    for name in ("type", "value", "placeholder", "data", "src", "start")
}
_SET: Final = re.compile(r"(?:^|\s)(?:checked|selected)(?=[\s=/]|$)", re.IGNORECASE)
LONGEST_TAG: Final = 1_000
"""Letters before the sign that hides a part in which its tag begins. Origin: a bound on time."""
SHORTEST_PART: Final = len("<p hidden>")
"""Letters that hide a part, before what is hidden. Origin: a definition."""
LONGEST: Final = 80
"""Letters of a text that are told. Origin: a guess."""


class Beside(NamedTuple):
    """One thing that is seen, and its kind in words."""

    kind: str
    shown: str


def beside(tags: PageTags) -> list[Beside]:
    """What is seen on a page of UTF-8 HTML beside its text, in its order; `BESIDE` is among what was looked for.

    >>> beside(PageTags(b"<input value=5> <input type=hidden value=a1> <select><option>a<option selected>b", BESIDE))
    [Beside(kind='A field of a form', shown='5'), Beside(kind='A field of a form', shown='b')]
    """
    tag_places = (_TAG.match(tags.page, place) for place in tags.seen)
    found = [Beside(_KINDS[tag[1].lower()], _shown(tag)) for tag in tag_places if tag]
    found += [Beside(_HIDDEN, _text(text)) for text in _concealed(tags)]
    return [one for one in found if one.shown]


def beside_hash(tags: PageTags) -> int:
    """64 bits over it; 0 for a page without."""
    seen = beside(tags)
    return xxhash.xxh3_64_intdigest("\x1e".join(map("\x1f".join, seen)).encode("utf-8", "replace")) if seen else 0


def told_between(old: bytes, new: bytes) -> str:
    """What of it is another between two pages, in words; empty when nothing is.

    >>> told_between(b"<p>Limit <input value=500>", b"<p>Limit <input value=900>")
    'A field of a form changed from “500” to “900”'
    >>> told_between(b"<p>You may withdraw.</p>", b"<p hidden>You may withdraw.</p>")
    'Hidden now: “You may withdraw.”'
    """
    before, after = (Counter(beside(PageTags(page, BESIDE))) for page in (old, new))
    gone, come = list(before - after), list(after - before)
    if not gone and not come:
        return ""
    kind = (come or gone)[0].kind
    left, came = (next((one.shown[:LONGEST] for one in some if one.kind == kind), "") for some in (gone, come))
    if kind == _HIDDEN:
        return f"Hidden now: “{came}”" if came else f"No longer hidden: “{left}”"
    if left and came:
        return f"{kind} changed from “{left}” to “{came}”"
    return f"{kind} was added: “{came}”" if came else f"{kind} was removed: “{left}”"


def _concealed(tags: PageTags) -> Iterator[bytes]:
    """What tags that are hidden begin with. What is not read is passed over."""
    page, unread = tags.page, tags.unread
    for places, sign in ((tags.hidden, _HIDDEN_BY), (tags.displayed, _NOT_DISPLAYED)):
        for place in places:
            if not sign.match(page, place):
                continue
            tag = page.rfind(b"<", max(0, place - LONGEST_TAG), place)
            end = page.find(b">", place)
            if tag < 0 or end < 0:
                continue
            before = bisect_right(unread, (tag, len(page)))
            start = unread[before - 1][1] if before else 0
            stop = unread[before][0] if before < len(unread) else len(page)
            if stop - start > SHORTEST_PART:
                text_end = page.find(b"<", end)
                yield page[end + 1 : text_end if text_end >= 0 else len(page)]


def _shown(tag: re.Match[bytes]) -> str:
    name, marks = tag[1].lower(), _plain(tag[2])
    match _KINDS[name]:
        case "A field of a form" if name == b"input":
            kind = _mark(marks, "type").lower()
            if kind in _UNSEEN:
                return ""
            chosen = ("☐", "☑")[_SET.search(marks) is not None] if kind in ("checkbox", "radio") else ""
            return " ".join(filter(None, (chosen, _mark(marks, "value"), _mark(marks, "placeholder"))))
        case "A field of a form" if name == b"option":
            return _text(tag[3]) if _SET.search(marks) else ""
        case "An embedded file":
            return (_mark(marks, "src") or _mark(marks, "data")).partition("?")[0].partition("#")[0]
        case "The numbering of a list":
            return _mark(marks, "start")
        case "A bar":
            return _mark(marks, "value")
        case _:
            return _text(tag[3])


def _mark(marks: str, name: str) -> str:
    found = _MARKS[name].search(marks)
    return " ".join((found[1] or found[2] or found[3] or "").split()) if found else ""


def _text(data: bytes) -> str:
    return " ".join(_plain(data).split())


def _plain(data: bytes) -> str:
    text = data.decode("utf-8", "replace")
    return unescape(text) if "&" in text else text
