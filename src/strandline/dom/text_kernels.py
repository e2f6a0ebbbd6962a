"""Collecting runs of text in the compiled pass: white space collapsed, entities of the serialiser undone."""

import numpy as np

from strandline.core.blocks.tree import BEGINNING
from strandline.core.compiled import compiled_without_counting as scanner
from strandline.dom.markup_kernels import Bytes, Ints, Place, entity
from strandline.dom.scan_memory import (
    AS_SERVED,
    BASE_ITEMS,
    BASE_NODES,
    BOLD,
    CHARS,
    HASH,
    IN_LINK,
    IN_STRONG,
    ITEM_WIDTH,
    ITEMS,
    LETTERS,
    LINKS_OPEN,
    MODE,
    NEWLINES,
    NODE,
    NODE_WIDTH,
    OUT,
    PLAIN,
    RUN,
    SPACE,
    SPLITS_LEFT,
    STRONG_OPEN,
    TEXT_ITEM,
    VERBATIM_OPEN,
)
from strandline.dom.tags import HEADING

MIX = 0x100000001B3
_SPREAD = -0x61C8864680B583EB  # 2**64 over the golden ratio, as a signed number
_PARTS = np.zeros(256, np.uint8)
"""1 for a blank, 2 for what does not stand in the text as it does in the page, 0 for all other bytes."""
_PARTS[:32] = _PARTS[[38, 0xC2]] = 2
_PARTS[32] = 1


@scanner
def prominence_of(m: Ints) -> int:
    """1 to 6 inside a heading, BOLD for a run that is bold throughout, else PLAIN."""
    node = m[NODE]
    if node >= 0:
        at = m[BASE_NODES] + node * NODE_WIDTH
        if m[at + 2] & HEADING:
            return int(m[at + 11] & 63) - 27
    return BOLD if m[CHARS] and m[IN_STRONG] == m[CHARS] else PLAIN


@scanner
def spread(mixed: int) -> int:
    """A running hash made fit for comparing by size: every bit depends on all bytes."""
    mixed = (mixed ^ ((mixed >> 32) & 0xFFFFFFFF)) * _SPREAD
    return mixed ^ ((mixed >> 29) & 0x7FFFFFFFF)


@scanner
def end_run(text: Bytes, m: Ints) -> None:
    """Close the text run that is being collected and make it an item."""
    m[SPACE] = m[NEWLINES] = 0
    if m[RUN] < 0:
        return
    at = m[BASE_ITEMS] + m[ITEMS] * ITEM_WIDTH
    m[at], m[at + 1], m[at + 2], m[at + 3] = TEXT_ITEM, m[NODE], m[RUN], m[LETTERS]
    m[at + 4], m[at + 5], m[at + 6], m[at + 7], m[at + 8] = 0, 0, m[CHARS], m[IN_LINK], prominence_of(m)
    m[at + 9] = spread(m[HASH])
    m[ITEMS] += 1
    text[m[OUT]] = 32
    m[OUT] += 1
    m[LETTERS] += 1
    m[RUN] = -1
    m[CHARS] = m[IN_LINK] = m[IN_STRONG] = m[HASH] = 0


@scanner
def note_letters(chars: int, m: Ints) -> None:
    """Count what was added to the current run."""
    m[SPACE] = m[NEWLINES] = 0
    m[LETTERS] += chars
    m[CHARS] += chars
    if m[LINKS_OPEN]:
        m[IN_LINK] += chars
    if m[STRONG_OPEN]:
        m[IN_STRONG] += chars


@scanner
def put_word(page: Bytes, start: int, end: int, text: Bytes, m: Ints) -> None:
    """Add visible bytes to the current run, with the white space that was waiting before them."""
    out, mixed = m[OUT], m[HASH]
    chars = 0
    if m[RUN] < 0:
        m[RUN] = m[LETTERS]
    elif m[SPACE]:
        text[Place(out)] = 32
        out += 1
        chars += 1
    if m[CHARS] < BEGINNING:
        for i in range(start, end):
            mixed = (mixed ^ np.int64(page[Place(i)])) * MIX
        mixed = (mixed ^ 32) * MIX
    for i in range(start, end):
        byte = page[Place(i)]
        text[Place(out)] = byte
        out += 1
        if byte & 0xC0 != 0x80:
            chars += 1
    m[OUT], m[HASH] = out, mixed
    note_letters(chars, m)


@scanner
def put_special(page: Bytes, i: int, end: int, text: Bytes, m: Ints) -> int:
    """Add what stands at i, an `&` or the first byte of a no-break space; returns the place after it."""
    if page[Place(i)] == 0xC2:
        if i + 1 < end and page[Place(i + 1)] == 0xA0:
            m[SPACE] = 1
            return i + 2
        put_word(page, i, i + 1, text, m)
        return i + 1
    value, size = entity(page, i, end)
    if value == 32:
        m[SPACE] = 1
        return i + size
    put_word(page, i, i + 1, text, m)
    if size == 0 or m[MODE] & AS_SERVED:
        return i + 1
    text[m[OUT] - 1] = value
    return i + size


@scanner
def past_plain(page: Bytes, i: int, end: int) -> int:
    """The place after words that single blanks part: they are shown as they stand."""
    before = 0
    while i < end:
        following = _PARTS[page[Place(i)]]
        if before + following > 1:
            break
        before = following
        i += 1
    return i - before


@scanner
def put_plain(page: Bytes, i: int, end: int, text: Bytes, m: Ints) -> int:
    """Add words to a run whose beginning is known, as many as stand there as they are shown; returns the place after.

    Where one ends is not asked again, and nothing is kept in `m` meanwhile: both take longer than the words themselves.
    """
    out, chars, stop = m[OUT], 0, past_plain(page, i, end)
    if m[SPACE]:
        text[Place(out)] = 32
        out += 1
        chars += 1
    while i < stop:
        byte = page[Place(i)]
        text[Place(out)] = byte
        chars += byte & 0xC0 != 0x80
        out += 1
        i += 1
    m[OUT] = out
    note_letters(chars, m)
    return i


@scanner
def put_text(page: Bytes, i: int, end: int, text: Bytes, m: Ints) -> None:
    """Add the text between two tags to the current run."""
    while i < end:
        byte = page[Place(i)]
        if byte <= 32:
            m[SPACE] = 1
            if byte == 10:
                m[NEWLINES] += 1
            i += 1
            continue
        if m[NEWLINES] > 1 and m[VERBATIM_OPEN] and m[SPLITS_LEFT] > 0:
            m[SPLITS_LEFT] -= 1
            end_run(text, m)
        if byte == 38 or byte == 0xC2:
            i = put_special(page, i, end, text, m)
            continue
        if m[CHARS] >= BEGINNING:
            i = put_plain(page, i, end, text, m)
            continue
        start = i
        while i < end and page[Place(i)] > 32 and page[Place(i)] != 38 and page[Place(i)] != 0xC2:
            i += 1
        put_word(page, start, i, text, m)
