"""Parts of a line, each with a past of its own: "On air: Nightfall · 42 listen" is a label, a text that turns and a
counter.

Of the line as a whole nothing stays, so that nothing tells what it did before. Of its parts most do: a part is known
by the label before it ("On air:"), or by the parts that stay beside it, and a number by the words around it. A part
that was another one at nearly every look never rests, whatever the line says besides; what its other parts say counts
as it did. Parts end at dots, bars and parentheses; inside of them, labels end with a colon or a dash.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from strandline.core.blocks.tree import PageBlock
from strandline.core.changes.delta.delta import Delta
from strandline.core.changes.delta.touched import touched_texts
from strandline.core.changes.noise.in_step import row_form
from strandline.core.changes.words.moving_parts import CLOCK, LONG, as_old_as
from strandline.core.changes.words.ticking import settled_text
from strandline.core.changes.words.written_dates import date_spans

SAYING: Final = 20
"""Letters of a line that says several things. Origin: a guess."""
WORDS: Final = 5
"""Words of one that is a list of names. Origin: a guess."""
_ENDS: Final = re.compile(r"(?:\s*[·•|]\s*|\s\|\s|\s*\(\s*|\)\s*|\n+)")
_END: Final = re.compile(r"[·•|()\n]")
_LABEL: Final = re.compile(r"[^:]{1,40}:\s+|[^–—]{1,40}\s[–—]\s")
_NUMBER: Final = re.compile(r"(?:(?<![^\W_])[-+−–±▲▼△▽↑↓]\s?)?\d+(?:[.,]\d+)*")  # with the sign of how it moved
_LETTER: Final = re.compile(r"[^\W\d_]")
Span = tuple[int, int]
LISTED: Final = 0.5
"""Part of a block's text in links, from which its lines are entries of a list. Origin: a guess."""
AFTER: Final = 8
"""Texts after one that always stood there which are known by it. Origin: a guess."""
SHORT: Final = 60
"""Letters of such a text. Origin: a guess, those of a name."""


class MovedPart(NamedTuple):
    """A part that is another one now."""

    key: str
    """What it is known by at the next look."""
    before: str
    after: str
    span: Span
    """Where it stands in the later line."""
    is_number: bool
    within: tuple[str, str] = ("", "")
    """The part between dots, bars or parentheses in which a number stands, before and after."""
    is_list: bool = False
    """Whether nothing but its first word tells it: names one after the other, below a heading in the same line."""


@lru_cache(maxsize=1 << 9)  # what is scored is learned from next
def moved_parts(before: str, after: str) -> tuple[MovedPart, ...]:
    """The parts of a line that are others now, where enough of it stays to know them by.

    >>> [part[:3] for part in moved_parts("On air: Dawn · 42 listen", "On air: Nightfall · 51 listen")]
    [('t On air:', 'Dawn', 'Nightfall'), ('n# listen 0', '42', '51')]
    >>> moved_parts("Storm hits coast", "Council opens school")
    ()
    """
    if not before or not after or before == after or max(len(before), len(after)) > LONG:
        return ()
    return tuple(_moved(before, as_old_as(before, after) if "@" in settled_text(after) else after))


def parts_added(before: str, after: str) -> list[str]:
    """The last parts of a line that has more of them than before.

    >>> parts_added("On air: Dawn · 42 listen", "On air: Nightfall · 51 listen · Cancelled")
    ['Cancelled']
    """
    if max(len(before), len(after)) > LONG:
        return []
    return [after[slice(*span)] for span in _pieces(after)[len(_pieces(before)) :]]


def set_back_parts(after: str, parts: list[MovedPart]) -> str:
    """A line with some of its parts as they were before.

    >>> set_back_parts("On air: Nightfall · 51 listen", [MovedPart("", "42", "51", (20, 22), True)])
    'On air: Nightfall · 42 listen'
    """
    for part in sorted(parts, key=lambda one: -one.span[0]):
        after = f"{after[: part.span[0]]}{part.before}{after[part.span[1] :]}"
    return after


def lines_apart(delta: Delta) -> dict[tuple[str, str], str]:
    """Lines that came and lines that left which begin alike, although too little of them stays to make them one: the
    earlier line by the path of its block and the later line. Kept with the delta, which is scored and learned from.
    """
    known: dict[tuple[str, str], str] | None = delta.__dict__.get("lines_apart")
    if known is None:
        known = delta.__dict__["lines_apart"] = _lines_apart(delta)
    return known


def _lines_apart(delta: Delta) -> dict[tuple[str, str], str]:
    came, left = dict[tuple[str, str], list[str]](), dict[tuple[str, str], list[str]]()
    for change, texts, _ in touched_texts(delta):
        for before, after in texts if change.block.linked < LISTED else ():
            if bool(before) != bool(after) and (begins := _beginning(before or after)):
                (came if after else left).setdefault((change.block.path, begins), []).append(before or after)
    both = came.keys() & left.keys()
    return {(key[0], came[key][0]): left[key][0] for key in both if len(came[key]) == len(left[key]) == 1}


def _beginning(line: str) -> str:
    """What a line is known by that says several things: its label, or its first words; else empty."""
    if not SAYING <= len(line) <= LONG:
        return ""
    if label := _LABEL.match(line):
        return row_form(label[0]).strip()
    end = _ENDS.search(line)
    if end and end.start() > 0:
        return row_form(line[: end.start()])
    said = line.split(" ", WORDS)
    return f"{said[0]} {said[1]}" if len(said) > WORDS else ""


def position_of(delta: Delta, block: PageBlock, text: str, stood: Callable[[str], bool]) -> str:
    """What a short text without a label is known by: the last text before it that always stood there, and how many
    stand between the two.
    """
    if block.link_weight or len(text) > SHORT or text not in block.texts:
        return ""
    order, places = _order(delta)
    place = places.get((id(block), text), 0)
    for count in range(1, min(place, AFTER) + 1):
        before = order[place - count]
        if before in delta.shown_before and stood(before):
            return f"p {row_form(before)} {count}"
    return ""


def _order(delta: Delta) -> tuple[list[str], dict[tuple[int, str], int]]:
    """All texts of the new version, and where each one stands, by its block; kept with the delta."""
    known: tuple[list[str], dict[tuple[int, str], int]] | None = delta.__dict__.get("order")
    if known is None:
        pairs = [(id(block), text) for block in delta.new.blocks for text in block.texts]
        known = delta.__dict__["order"] = [text for _, text in pairs], {pair: place for place, pair in enumerate(pairs)}
    return known


def _moved(before: str, after: str) -> Iterator[MovedPart]:
    old, new = _pieces(before), _pieces(after)
    forms = [row_form(before[slice(*span)]) for span in old], [row_form(after[slice(*span)]) for span in new]
    stays = next((form for form in forms[1] if form in forms[0] and _LETTER.search(form)), "")
    for place, (was, now) in enumerate(zip(old, new, strict=False)):
        one, other = before[slice(*was)], after[slice(*now)]
        if one == other:
            continue
        if forms[0][place] == forms[1][place]:
            form = forms[1][place]
            yield from _numbers(one, other, now[0], form if _LETTER.search(form) else f"{forms[1][place - 1]} {form}")
        else:
            yield from _text(one, other, now[0], stays and f"{stays} {place}")


def _pieces(line: str) -> list[Span]:
    """Where the parts between dots, bars and parentheses begin and end."""
    if _END.search(line) is None:  # of most lines
        return [(0, len(line))]
    found, start = list[Span](), 0
    for end in _ENDS.finditer(line):
        if end.start() > start:
            found.append((start, end.start()))
        start = end.end()
    return [*found, (start, len(line))] if start < len(line) else found


def _numbers(before: str, after: str, start: int, form: str) -> Iterator[MovedPart]:
    """The numbers of a part that are others now, while its words stay; no dates and times."""
    old, new = list(_NUMBER.finditer(before)), list(_NUMBER.finditer(after))
    if len(old) != len(new):
        return
    dated: list[Span] | None = None
    for place, (one, other) in enumerate(zip(old, new, strict=True)):
        if one[0] == other[0]:
            continue
        if dated is None:
            dated = [*date_spans(after), *[clock.span() for clock in CLOCK.finditer(after)]]
        first, last = other.span()
        if not any(begin < last and first < end for begin, end in dated):
            yield MovedPart(f"n{form} {place}", one[0], other[0], (start + first, start + last), True, (before, after))


def _text(before: str, after: str, start: int, beside: str) -> Iterator[MovedPart]:
    """What stands behind the label of a part, or all of a part beside others that stay; of a line of one part what
    follows its first word.
    """
    old, new = _LABEL.match(before), _LABEL.match(after)
    if old and new and settled_text(old[0]) == settled_text(new[0]):
        key, was, now = f"t {new[0].strip()}", before[old.end() :], new.end()
    elif beside:
        key, was, now = f"t\x1c{beside}", before, 0
    else:
        first = before.split(" ", 1)[0]
        if not after.startswith(f"{first} ") or not _LETTER.search(first):
            return
        key, was, now = f"w {first}", before[len(first) + 1 :], len(first) + 1
    yield MovedPart(key, was, after[now:], (start + now, start + len(after)), False, is_list=key[0] == "w")
