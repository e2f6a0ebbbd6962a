"""One compiled pass over a page for the few places where it may say more than its text, or strike some of that through.

What is found is little and read in Python (`tag_places`): here all other bytes are passed over, each once.
"""

import numpy as np
from numpy.typing import NDArray

from strandline.core.compiled import compiled_without_counting as scanner
from strandline.dom.markup_kernels import CODES, Bytes, Ints, Place, Words, flags_of, next_sign_or_stroke, stops
from strandline.dom.tags import LONGEST

UNREAD, SEEN = 1, 2
"""Flags of tags: what stands in them is not read, a reader sees more of them than text."""
A_TAG, HIDDEN_SIGN, DISPLAY_SIGN = 0, -1, -2
"""What is noted beside a place: that such a tag stands there, signs that hide one; else where what is not read ends."""
SIGNS, STRUCK, LINED, DEFINED, FIRST = 0, 1, 2, 3, 4
"""Places of what is said of all of the page: how many `<` it has, whether tags of it strike through, whether a style
of one does, whether there are tags that scripts define; and of the first of what was found.
"""
LONGEST_STYLE = 1_000
"""Letters of a tag before what strikes it through. Origin: a bound on time."""
NEAR = 24
"""Letters of a text that are looked at one by one: most texts are short. Origin: a bound on time."""
_NOTED = np.zeros(256, np.bool_)
"""Bytes that are looked at in tags; in texts `<` and hyphens are."""
_NOTED[[60, 45, 62, 32, 58]] = True
_HIDDEN = np.frombuffer(b"hidden", np.uint8)
_DISPLAY = np.frombuffer(b"display", np.uint8)
_LINE = np.frombuffer(b"line", np.uint8)
_STYLE = np.frombuffer(b"style", np.uint8)
_THROUGH = np.frombuffer(b"through", np.uint8)
_STRIKE = np.frombuffer(b"strike", np.uint8)
_DEL = np.frombuffer(b"del", np.uint8)


@scanner
def says(page: Bytes, i: int, word: Bytes) -> bool:
    """True when a word in small letters stands at i, in letters of any size."""
    if i < 0 or i + word.size > page.size:
        return False
    k = 0
    while k < word.size and page[Place(i + k)] | 32 == word[k]:
        k += 1
    return k == word.size


@scanner
def strikes(page: Bytes, i: int) -> bool:
    """True when the tag at i may strike its text through."""
    if i + 2 >= page.size:
        return False
    first, second = page[Place(i + 1)] | 32, page[Place(i + 2)]
    if first == 100:
        return second | 32 == 101 and says(page, i + 1, _DEL)
    if first == 115:
        return second == 62 or second == 32 or second == 10 or (second | 32 == 116 and says(page, i + 1, _STRIKE))
    return False


@scanner
def ends_name(page: Bytes, i: int) -> bool:
    """True where white space, `/` or `>` ends the name of a tag."""
    if i >= page.size:
        return False
    byte = page[Place(i)]
    return bool(9 <= byte <= 13 or byte == 32 or byte == 47 or byte == 62)


@scanner
def ends_it(page: Bytes, i: int, start: int) -> bool:
    """True when the end tag of what begins at `start` stands at i, or what ends a comment."""
    if page[Place(start + 1)] == 33:
        return bool(i > start + 3 and i + 2 < page.size and page[Place(i + 1)] == 45 and page[Place(i + 2)] == 62)
    if i + 1 >= page.size or page[Place(i + 1)] != 47:
        return False
    k, ahead = start + 1, i + 1 - start
    while k + ahead < page.size and CODES[page[Place(k)]] < 63 and page[Place(k)] | 32 == page[Place(k + ahead)] | 32:
        k += 1
    return bool(CODES[page[Place(k)]] > 62)


@scanner
def kind_of(page: Bytes, i: int, keys: NDArray[np.uint64], values: NDArray[np.int32]) -> int:
    """What the tag at i is looked for as, UNREAD or SEEN; 0 for others. Of a name no more is read than those have: the
    next `<` may stand in it, and is looked at itself.
    """
    if i + 1 >= page.size or page[Place(i + 1)] == 47:
        return 0
    if i + 3 < page.size and page[Place(i + 1)] == 33 and page[Place(i + 2)] == 45 and page[Place(i + 3)] == 45:
        return UNREAD
    name, end = 0, i + 1
    while end < page.size and end <= i + LONGEST and CODES[page[Place(end)]] < 63:
        name = name << 6 | CODES[page[Place(end)]]
        end += 1
    kind = flags_of(name, keys, values) if ends_name(page, end) else 0
    return kind


@scanner
def lines(page: Bytes, i: int) -> bool:
    """True when the hyphen at i is that of `line-through`, behind the `style=` of a tag; style sheets name it often."""
    if (
        i + 1 >= page.size
        or page[Place(i + 1)] | 32 != 116
        or not says(page, i - _LINE.size, _LINE)
        or not says(page, i + 1, _THROUGH)
    ):
        return False
    k = i - _LINE.size - 1
    first = max(0, k + 1 - LONGEST_STYLE)
    while k > first and page[Place(k)] != 62:
        if page[Place(k)] == 61:
            k -= 1
            while k > first and (page[Place(k)] == 32 or 9 <= page[Place(k)] <= 13):
                k -= 1
            if k + 1 >= first + _STYLE.size and says(page, k + 1 - _STYLE.size, _STYLE):
                return True
        else:
            k -= 1
    return False


@scanner
def defines(page: Bytes, i: int) -> bool:
    """True when the name of the tag at i has a hyphen: scripts define what it means."""
    k = i + 1
    while k < page.size and page[Place(k)] != 45 and (CODES[page[Place(k)]] < 63 or page[Place(k)] == 46):
        k += 1
    return bool(k > i + 1 and k < page.size and page[Place(k)] == 45)


@scanner
def note_sign(page: Bytes, i: int, found: Ints, at: int) -> int:
    """Note the sign that the blank or the colon at i, in a tag, may be one of; returns where what was found ends."""
    if page[Place(i)] == 32:
        if not says(page, i + 1, _HIDDEN):
            return at
        found[at], found[at + 1] = i, HIDDEN_SIGN
    elif says(page, i - _DISPLAY.size, _DISPLAY):
        found[at], found[at + 1] = i - _DISPLAY.size, DISPLAY_SIGN
    else:
        return at
    return at + 2


@scanner
def find_tags(  # noqa: C901 - in pieces it takes half as long again
    page: Bytes, words: Words, keys: NDArray[np.uint64], values: NDArray[np.int32], found: Ints
) -> int:
    """Find what `PageTags` tells, in the order of the page; returns where in `found` it ends."""
    i, signs, at, in_tag = 0, 0, FIRST, False
    unread = -1  # where the comment, script or the like begins that is open
    struck = lined = defined = False
    while True:
        if in_tag:
            while i < page.size and not _NOTED[page[Place(i)]]:
                i += 1
        elif unread >= 0 and page[Place(unread + 1)] == 33:  # a comment
            while i < page.size and page[Place(i)] != 60 and page[Place(i)] != 45:
                i += 1
        else:
            near = min(i + NEAR, page.size)
            while i < near and not stops(page, i):
                i += 1
            if i == near:
                i = next_sign_or_stroke(page, words, i)
        if i >= page.size:
            break
        byte = page[Place(i)]
        if byte == 60:
            signs += 1
            struck = struck or strikes(page, i)
            defined = defined or defines(page, i)
            if unread < 0 or (page[Place(unread + 1)] != 33 and ends_it(page, i, unread)):
                if unread >= 0:
                    found[at - 1], unread = i, -1
                kind = kind_of(page, i, keys, values)
                in_tag = kind != UNREAD
                if kind:
                    found[at], found[at + 1] = i, page.size if kind == UNREAD else A_TAG
                    at += 2
                if kind == UNREAD:
                    unread = i
        elif byte == 62:
            in_tag = False
        elif byte == 45:
            lined = lined or (i + 1 < page.size and page[Place(i + 1)] | 32 == 116 and lines(page, i))
            if unread >= 0 and page[Place(unread + 1)] == 33 and ends_it(page, i, unread):
                found[at - 1], unread = i, -1
        elif byte == 58 or (i + 1 < page.size and page[Place(i + 1)] | 32 == 104):
            at = note_sign(page, i, found, at)
        i += 1
    found[SIGNS], found[STRUCK], found[LINED], found[DEFINED] = signs, struck, lined, defined
    return at
