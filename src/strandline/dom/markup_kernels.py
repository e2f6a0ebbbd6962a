"""Reading the parts of a tag from HTML bytes, compiled: names, attributes, declarations, raw text, entities."""

import numpy as np
from numpy.typing import NDArray

from strandline.core.compiled import compiled_without_counting as scanner
from strandline.dom.tags import LONGEST, TABLE_SIZE, packed

Bytes = NDArray[np.uint8]
Words = NDArray[np.uint64]
"""The same bytes eight by eight, as far as there are eight."""
Ints = NDArray[np.int64]

# What the attributes of one tag say, from place FOUND on in the scanner's memory `m`. Spans are (from, to) in the page.
FOUND = 32
ID, CLASS, ROLE, ADDRESS, NAME, CONCEALED, COUNT, CLOSED, SHADOW = 0, 2, 4, 6, 8, 10, 11, 12, 13
FOUND_SIZE = 16

_ID, _CLASS, _ROLE, _HREF, _SRC = packed("id"), packed("class"), packed("role"), packed("href"), packed("src")
_ALT, _TITLE, _HIDDEN, _STYLE = packed("alt"), packed("title"), packed("hidden"), packed("style")
_DATA_SRC = packed("data-src")
_SHADOWROOT, _MODE = packed("shadowroot"), packed("mode")
_HASH = 0x9E3779B97F4A7C15


Place = np.uint64
"""Where something stands, which is never counted from the end: numba need not ask at each byte whether it is."""
CODES = np.full(256, 63, np.uint8)
"""Six bits for a letter, digit or hyphen of a name, 63 for any other byte of a name, 64 for what ends it."""
CODES[97:123] = CODES[65:91] = range(1, 27)
CODES[48:58] = range(27, 37)
CODES[45] = 37
CODES[:33] = CODES[[47, 61, 62]] = 64


_ONES, _HIGHS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_SIGNS, _HYPHENS = np.uint64(0x3C3C3C3C3C3C3C3C), np.uint64(0x2D2D2D2D2D2D2D2D)
_LETTERS_T, _SMALL = np.uint64(0x7474747474747474), np.uint64(0x2020202020202020)
_BYTE, _LAST = np.uint64(8), np.uint64(0x8000000000000000)


def eight_by_eight(page: bytes) -> Words:
    """A page as kernels pass over most of it."""
    return np.frombuffer(page, np.uint64, len(page) // 8)


@scanner
def next_sign(page: Bytes, words: Words, i: int) -> int:
    """The place of the next `<` from i on, or the end of the page. Most bytes are looked at eight at a time: a byte is
    the one looked for where taking 1 from its difference borrows.
    """
    while i & 7 and i < page.size:
        if page[Place(i)] == 60:
            return i
        i += 1
    place = (i + 7) >> 3
    while place < words.size:
        other = words[Place(place)] ^ _SIGNS
        if (other - _ONES) & ~other & _HIGHS:
            break
        place += 1
    i = place << 3
    while i < page.size and page[Place(i)] != 60:
        i += 1
    return min(i, page.size)


@scanner
def next_sign_or_stroke(page: Bytes, words: Words, i: int) -> int:
    """The place of the next `<` from i on, or of the next hyphen before a t; as `next_sign`."""
    while i & 7 and i < page.size:
        if stops(page, i):
            return i
        i += 1
    place = (i + 7) >> 3
    while place < words.size:
        word = words[Place(place)]
        sign, hyphen, letter = word ^ _SIGNS, word ^ _HYPHENS, (word | _SMALL) ^ _LETTERS_T
        hyphens = (hyphen - _ONES) & ~hyphen & _HIGHS
        stroke = ((hyphens << _BYTE) & (letter - _ONES) & ~letter) | (hyphens & _LAST)
        if ((sign - _ONES) & ~sign & _HIGHS) | stroke:
            for k in range(place << 3, (place << 3) + 8):
                if stops(page, k):
                    return k
        place += 1
    i = place << 3
    while i < page.size and not stops(page, i):
        i += 1
    return min(i, page.size)


@scanner
def stops(page: Bytes, i: int) -> bool:
    """True where `next_sign_or_stroke` stops."""
    byte = page[Place(i)]
    return bool(byte == 60 or (byte == 45 and i + 1 < page.size and page[Place(i + 1)] | 32 == 116))


@scanner
def read_name(page: Bytes, i: int) -> tuple[int, int]:
    """Packed name that starts at i (0 when too long) and the place after it."""
    number, start = 0, i
    while i < page.size:
        code = CODES[page[Place(i)]]
        if code > 63:
            break
        number = number << 6 | code
        i += 1
    return (number if i - start <= LONGEST else 0), i


@scanner
def flags_of(number: int, keys: NDArray[np.uint64], values: NDArray[np.int32]) -> int:
    """The flags of a packed tag name; 0 for an unknown, inline tag."""
    if number == 0:
        return 0
    key = np.uint64(number)
    place = np.int64((key * np.uint64(_HASH)) >> np.uint64(54))
    while keys[place] != 0:
        if keys[place] == key:
            return int(values[place])
        place = (place + 1) % TABLE_SIZE
    return 0


@scanner
def conceals(page: Bytes, start: int, end: int) -> bool:
    """True when a style attribute says `display: none`."""
    i = start
    while i + 12 <= end:
        if (
            page[Place(i)] == 100
            and page[Place(i + 1)] == 105
            and page[Place(i + 2)] == 115
            and page[Place(i + 6)] == 121
        ):  # di s y
            k = i + 7
            while k < end and (page[Place(k)] <= 32 or page[Place(k)] == 58):
                k += 1
            return k + 4 <= end and page[Place(k)] == 110 and page[k + 1] == 111 and page[k + 2] == 110
        i += 1
    return False


@scanner
def read_value(page: Bytes, i: int) -> tuple[int, int, int]:
    """An attribute's value after its `=`: from, to, and the place after it."""
    while i < page.size and page[Place(i)] <= 32:
        i += 1
    if i < page.size and (page[Place(i)] == 34 or page[Place(i)] == 39):
        quote = page[Place(i)]
        start = i + 1
        i = start
        while i < page.size and page[Place(i)] != quote:
            i += 1
        return start, i, min(i + 1, page.size)
    start = i
    while i < page.size and page[Place(i)] > 32 and page[Place(i)] != 62:
        i += 1
    return start, i, i


@scanner
def note_span(m: Ints, place: int, start: int, end: int) -> None:
    """Remember where a value lies."""
    m[FOUND + place], m[FOUND + place + 1] = start, end


@scanner
def note_attribute(page: Bytes, m: Ints, name: int, start: int, end: int) -> None:
    """Keep what matters of one attribute."""
    if name == _CLASS:
        note_span(m, CLASS, start, end)
    elif name in (_HREF, _SRC):
        note_span(m, ADDRESS, start, end)
    elif name == _ID:
        note_span(m, ID, start, end)
    elif name == _ROLE:
        note_span(m, ROLE, start, end)
    elif name == _ALT or (name == _TITLE and m[FOUND + NAME + 1] == 0):
        note_span(m, NAME, start, end)
    elif name == _DATA_SRC and m[FOUND + ADDRESS + 1] == 0:
        note_span(m, ADDRESS, start, end)
    elif name == _HIDDEN or (name == _STYLE and conceals(page, start, end)):
        m[FOUND + CONCEALED] = 1


@scanner
def is_shadow(page: Bytes, i: int) -> bool:
    """True for an attribute named `shadowrootmode`, which is too long to pack."""
    if i + 14 >= page.size or (page[Place(i + 14)] > 32 and page[Place(i + 14)] not in (61, 62)):
        return False
    first, last = 0, 0
    for k in range(10):
        first = first << 6 | CODES[page[Place(i + k)]]
    for k in range(10, 14):
        last = last << 6 | CODES[page[Place(i + k)]]
    return first == _SHADOWROOT and last == _MODE


@scanner
def read_attributes(page: Bytes, i: int, m: Ints) -> int:
    """Read a tag's attributes up to its `>`; returns the place after that."""
    for k in range(FOUND, FOUND + FOUND_SIZE):
        m[k] = 0
    while i < page.size:
        byte = page[Place(i)]
        if byte == 62:
            m[FOUND + CLOSED] = 1 if page[Place(i - 1)] == 47 else 0
            return i + 1
        if byte <= 32 or byte == 47:
            i += 1
            continue
        before = i
        name, i = read_name(page, i)
        if i == before:  # a stray `=`
            i += 1
            continue
        while i < page.size and page[Place(i)] <= 32:
            i += 1
        start, end = i, i
        if i < page.size and page[Place(i)] == 61:
            start, end, i = read_value(page, i + 1)
        m[FOUND + COUNT] += 1
        if name == 0 and is_shadow(page, before):
            m[FOUND + SHADOW] = 1
        note_attribute(page, m, name, start, end)
    return i


@scanner
def past_declaration(page: Bytes, i: int) -> int:
    """The place after a comment, doctype or processing instruction that starts at i (`<!` or `<?`)."""
    start = i
    if i + 3 < page.size and page[Place(i + 1)] == 33 and page[Place(i + 2)] == 45 and page[Place(i + 3)] == 45:
        i += 2  # <!--> and <!---> are whole comments
        while i + 2 < page.size:
            if page[Place(i)] == 45 and page[Place(i + 1)] == 45:
                if page[Place(i + 2)] == 62:
                    return i + 3
                if page[Place(i + 2)] == 33 and i + 3 < page.size and page[Place(i + 3)] == 62 and i > start + 3:
                    return i + 4
            i += 1
        return page.size
    while i < page.size and page[Place(i)] != 62:
        i += 1
    return i + 1


@scanner
def past_raw_text(page: Bytes, words: Words, i: int, name: int) -> int:
    """The place of the end tag that ends a script, style or other raw text."""
    i = next_sign(page, words, i)
    while i + 1 < page.size:
        if page[Place(i + 1)] == 47:
            number, _ = read_name(page, i + 2)
            if number == name:
                return i
        i = next_sign(page, words, i + 1)
    return page.size


@scanner
def entity(page: Bytes, i: int, end: int) -> tuple[int, int]:
    """What the serialiser wrote as `&...;` at i: the byte it stands for and its length; (0, 0) if none of its four."""
    if i + 4 <= end and page[Place(i + 2)] == 116 and page[Place(i + 3)] == 59:  # &lt; &gt;
        if page[Place(i + 1)] == 108:
            return 60, 4
        if page[Place(i + 1)] == 103:
            return 62, 4
    if (
        i + 5 <= end
        and page[Place(i + 1)] == 97
        and page[Place(i + 2)] == 109
        and page[Place(i + 3)] == 112
        and page[Place(i + 4)] == 59
    ):
        return 38, 5
    if (
        i + 6 <= end
        and page[Place(i + 1)] == 110
        and page[Place(i + 2)] == 98
        and page[Place(i + 3)] == 115
        and page[Place(i + 4)] == 112
    ):
        return 32, 6
    return 0, 0
