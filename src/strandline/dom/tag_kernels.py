"""One compiled pass over a page for the few places where it may say more than its text, or strike some of that through.

What is found is little and read in Python (`tag_places`): here all other bytes are passed over, each once.
"""

import numpy as np
from numpy.typing import NDArray

from strandline.core.compiled import compiled_without_counting as scanner
from strandline.dom.markup_kernels import CODES, Bytes, Ints, Place, flags_of
from strandline.dom.tags import LONGEST

UNREAD, SEEN = 1, 2
"""Flags of tags: what stands in them is not read, a reader sees more of them than text."""
A_TAG, HIDDEN_SIGN, DISPLAY_SIGN = 0, -1, -2
"""What is noted beside a place: that such a tag stands there, signs that hide one; else where what is not read ends."""
SIGNS, STRUCK, LINED, FIRST = 0, 1, 2, 3
"""Places of what is said of all of the page: how many `<` it has, whether tags of it strike through, whether a style
may; and of the first of what was found.
"""
_TEXT, _TAG = 0, 256
_NOTED = np.zeros(512, np.bool_)
"""Bytes that are looked at, in texts and in tags."""
_NOTED[[60, 45]] = _NOTED[[_TAG + 60, _TAG + 45, _TAG + 62, _TAG + 32, _TAG + 58]] = True
_HIDDEN = np.frombuffer(b"hidden", np.uint8)
_DISPLAY = np.frombuffer(b"display", np.uint8)
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
    if i + 2 < page.size and page[Place(i + 1)] | 32 == 115 and page[Place(i + 2)] in (62, 32, 10):
        return True
    return says(page, i + 1, _DEL) or says(page, i + 1, _STRIKE)


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
    """True when the hyphen at i may be that of `line-through`."""
    return bool(0 < i < page.size - 1 and page[Place(i - 1)] | 32 == 101 and page[Place(i + 1)] | 32 == 116)


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
def find_tags(page: Bytes, keys: NDArray[np.uint64], values: NDArray[np.int32], found: Ints) -> int:
    """Find what `PageTags` tells, in the order of the page; returns where in `found` it ends."""
    signs, at, state = 0, FIRST, _TEXT
    unread = -1  # where the comment, script or the like begins that is open
    struck = lined = False
    for i in range(page.size):
        byte = page[Place(i)]
        if not _NOTED[Place(state + byte)]:
            continue
        if byte == 60:
            signs += 1
            struck = struck or strikes(page, i)
            if unread >= 0:
                if page[Place(unread + 1)] == 33 or not ends_it(page, i, unread):
                    continue
                found[at - 1], unread = i, -1
            kind = kind_of(page, i, keys, values)
            state = _TEXT if kind == UNREAD else _TAG
            if kind:
                found[at], found[at + 1] = i, page.size if kind == UNREAD else A_TAG
                at += 2
            if kind == UNREAD:
                unread = i
        elif byte == 62:
            state = _TEXT
        elif byte == 45:
            lined = lined or lines(page, i)
            if unread >= 0 and page[Place(unread + 1)] == 33 and ends_it(page, i, unread):
                found[at - 1], unread = i, -1
        else:
            at = note_sign(page, i, found, at)
    found[SIGNS], found[STRUCK], found[LINED] = signs, struck, lined
    return at
