"""What a reader sees of a page beside its text: fields of forms, formulas, drawings, players, numbers of lists, and
what is hidden. None of it is cut into blocks, but where it is another the page has changed for its readers.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from html import unescape
from itertools import chain, pairwise
from typing import Final, NamedTuple

import xxhash

from strandline.dom.tag_places import PageTags, beginnings

_FIELD, _FORMULA, _DRAWING, _FILE = "A field of a form", "A formula", "A drawing", "An embedded file"
_LIST, _BAR, _HIDDEN = "The numbering of a list", "A bar", "hidden"
_KINDS: Final = {
    b"input": _FIELD, b"option": _FIELD, b"textarea": _FIELD, b"text": _DRAWING, b"tspan": _DRAWING, b"mi": _FORMULA,
    b"mn": _FORMULA, b"mo": _FORMULA, b"ms": _FORMULA, b"mtext": _FORMULA, b"object": _FILE, b"embed": _FILE,
    b"audio": _FILE, b"video": _FILE, b"source": _FILE, b"ol": _LIST, b"progress": _BAR, b"meter": _BAR,
}  # fmt: skip
_TAG: Final = re.compile(rb"<(%b)(?=[\s/>])([^<>]*+)>([^<]*+)" % b"|".join(_KINDS), re.IGNORECASE)
_MARK: Final = re.compile(
    rb"<(?:(script|style|noscript|template)(?=[\s>/])|(!--)|(?:%b)(?=[\s/>]))" % b"|".join(_KINDS)
)  # what has to be looked at, in small letters: scripts and the like, comments, the kinds
BESIDE: Final = beginnings((*_KINDS, b"script", b"style", b"noscript", b"template", b"!--"))
"""Beginnings of tags that `beside` asks for."""
_CONCEALING: Final = {b" hidden": (b">", b" ", b"="), b"display:": (b"none", b" none")}
"""Signs that hide a part, and what follows them."""
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
    page, lower, done = tags.page, tags.lower, 0
    found: list[Beside] = []
    unread: list[tuple[int, int]] = []
    for place in tags.places:
        mark = _MARK.match(lower, place) if place >= done else None
        if mark is None:
            continue
        if ending := b"</" + mark[1] if mark[1] else mark[2] and b"-->":
            done = lower.find(ending, mark.end()) % (len(lower) + 1)  # the end of the page where it has none
            unread.append((place, done))
        elif tag := _TAG.match(page, place):
            found.append(Beside(_KINDS[tag[1].lower()], _shown(tag)))
    found += [Beside(_HIDDEN, _text(text)) for text in _concealed(page, lower, unread)]
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


def _concealed(page: bytes, lower: bytes, unread: Sequence[tuple[int, int]]) -> Iterator[bytes]:
    """What tags that are hidden begin with. What is not read, mostly more than half of a page, is passed over."""
    read = list(pairwise((0, *chain.from_iterable(unread), len(page))))[::2]
    read = [(start, stop) for start, stop in read if stop - start > SHORTEST_PART]
    for sign, endings in _CONCEALING.items():
        for start, stop in read:
            place = lower.find(sign, start, stop)
            while place >= 0:
                following = place + len(sign)
                if lower.startswith(endings, following):
                    tag = lower.rfind(b"<", max(0, place - LONGEST_TAG), place)
                    end = lower.find(b">", place)
                    before = bisect_right(unread, (tag, len(page))) - 1
                    open_tag = tag >= 0 and lower.find(b">", tag, place) < 0 <= end
                    if open_tag and (before < 0 or unread[before][1] <= tag):
                        text_end = page.find(b"<", end)
                        yield page[end + 1 : text_end if text_end >= 0 else len(page)]
                place = lower.find(sign, following, stop)


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
