"""Words of a text as numbers, and sets of words as sorted arrays of them, in machine code.

A text is given in UTF-8, case-folded but for ASCII. What a word is follows `words.words`: letters, digits and `_` in
a row with their signs, and each CJK character alone. Characters beyond the first plane are letters, but for pictures.
"""

import numpy as np
from numpy.typing import NDArray

from strandline.core.blocks.words import SIGNS
from strandline.core.compiled import compiled

Bytes = NDArray[np.uint8]
Numbers = NDArray[np.uint64]
Ints = NDArray[np.int64]
Counts = tuple[int, int, int, int]

APART, LETTER, DIGIT, ALONE = 0, 1, 2, 3
_CJK = ((0x2E80, 0x2FDF), (0x3040, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF))


def _kind(letter: str) -> int:
    if letter.isdigit():
        return DIGIT
    return LETTER if letter.isalnum() or letter == "_" or letter in SIGNS else APART


KINDS = np.array([_kind(chr(code)) for code in range(0x10000)], np.int64)  # by code point
for _first, _last in _CJK:
    KINDS[_first : _last + 1] = ALONE
BETWEEN, LONG, FIRST_LETTER = np.uint64(0), np.uint64(255), np.uint64(58)
PLAIN = np.zeros(256, np.uint64)  # bytes of words, small; BETWEEN words; or part of a LONG character
for _code in range(128):
    if KINDS[_code] != APART:
        PLAIN[_code] = ord(chr(_code).lower())  # digits come before FIRST_LETTER
PLAIN[128:] = LONG
_OFFSET, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)  # FNV-1a
_MIX = np.uint64(0x9E3779B97F4A7C15)
CROWDED = 32  # so many numbers with the same leading bits are sorted in the ordinary way
_ONE, _HALF = np.uint64(1), np.uint64(32)


@compiled
def long_character(data: Bytes, i: int) -> tuple[int, int]:
    """What the character of several bytes at i is, and its bytes."""
    byte = int(data[i])
    if byte >= 0xF0 and i + 3 < data.size:
        return (APART if data[i + 1] == 0x9F and byte == 0xF0 else LETTER), 4  # pictures: U+1F000 to U+1FFFF
    if byte >= 0xE0 and i + 2 < data.size:
        return KINDS[(byte & 15) << 12 | (int(data[i + 1]) & 63) << 6 | int(data[i + 2]) & 63], 3
    if byte >= 0xC0 and i + 1 < data.size:
        return KINDS[(byte & 31) << 6 | int(data[i + 1]) & 63], 2
    return APART, 1


@compiled
def read_words(data: Bytes, numbers: Numbers, places: Ints) -> int:
    """Write the number of each word of a text, and from and to of it unless `places` is empty; returns how many.

    The lowest bit of a number says whether the word holds a digit.
    """
    count, i, start = 0, 0, 0
    number, digits = _OFFSET, False
    while i <= data.size:
        byte, kind, length = BETWEEN, APART, 1
        if i < data.size:
            byte = PLAIN[data[i]]
        if byte != BETWEEN and byte != LONG:
            number = (number ^ byte) * _PRIME
            digits |= bool(byte < FIRST_LETTER)
            i += 1
            continue
        if byte == LONG:
            kind, length = long_character(data, i)
        end = i
        if kind in (LETTER, DIGIT) or (kind == ALONE and i == start):
            for k in range(i, i + length):
                number = (number ^ np.uint64(data[k])) * _PRIME
            digits |= kind == DIGIT
            i += length
            if kind != ALONE:
                continue
            end = i
        if end > start:
            number = (number ^ number >> _HALF) * _MIX
            number ^= number >> _HALF
            numbers[count] = number | _ONE if digits else number & ~_ONE
            if places.size:
                places[count, 0], places[count, 1] = start, end
            count += 1
            number, digits = _OFFSET, False
        if kind == APART:
            i += length
        start = i
    return count


@compiled
def distinct_words(data: Bytes, found: Numbers) -> int:
    """Write the numbers of a text's distinct words into `found`, sorted; returns how many there are."""
    return sort_distinct(found, read_words(data, found, np.empty((0, 2), np.int64)))


@compiled
def sort_distinct(found: Numbers, count: int) -> int:
    """Sort the first `count` numbers and drop repeated ones; returns how many are left.

    The numbers of words are spread evenly, so their leading bits say nearly where each belongs: what is left to do by
    insertion is little.
    """
    bits = 1
    while 1 << bits < count:
        bits += 1
    shift = np.uint64(64 - bits)
    places = np.zeros(1 << bits, np.int64)
    for k in range(count):
        places[found[k] >> shift] += 1
    total = 0
    for lead in range(places.size):
        total += places[lead]
        places[lead] = total
    numbers = np.empty(count, np.uint64)
    for k in range(count):
        lead = found[k] >> shift
        places[lead] -= 1
        numbers[places[lead]] = found[k]
    for lead in range(places.size):
        end = places[lead + 1] if lead + 1 < places.size else count
        if end - places[lead] > CROWDED:
            numbers[places[lead] : end].sort()
    kept = 0
    for number in numbers:
        at = kept
        while at > 0 and found[at - 1] > number:
            at -= 1
        if at == 0 or found[at - 1] != number:
            for k in range(kept, at, -1):
                found[k] = found[k - 1]
            found[at] = number
            kept += 1
    return kept


@compiled
def is_among(word: np.uint64, words: Numbers) -> bool:
    """True when a word is among these, which are sorted."""
    low, high = 0, words.size
    while low < high:
        middle = (low + high) >> 1
        if words[middle] < word:
            low = middle + 1
        else:
            high = middle
    return bool(low < words.size and words[low] == word)


@compiled
def pairs_of(data: Bytes, apart: Numbers) -> Numbers:
    """Numbers of the distinct pairs of neighbouring words of a text, sorted; none with digits or a word of `apart`."""
    numbers = np.empty(data.size // 2 + 1, np.uint64)
    count, kept = read_words(data, numbers, np.empty((0, 2), np.int64)), 0
    before = _ONE  # of a word that pairs with none
    for k in range(count):
        word = numbers[k]
        if word & _ONE == 0 and apart.size and is_among(word, apart):
            word = _ONE
        if before & _ONE == 0 and word & _ONE == 0:
            pair = (before ^ word >> _HALF ^ word << _HALF) * _MIX
            numbers[kept] = pair ^ pair >> _HALF
            kept += 1
        before = word
    return numbers[: sort_distinct(numbers, kept)]


@compiled
def word_places(data: Bytes, wanted: Numbers, places: Ints) -> int:
    """Write from and to of each word whose number is wanted (sorted) into `places`; returns how many there are."""
    numbers = np.empty(len(places), np.uint64)
    kept = 0
    for k in range(read_words(data, numbers, places)):
        if is_among(numbers[k], wanted):
            places[kept] = places[k]
            kept += 1
    return kept


@compiled
def without(words: Numbers, others: Numbers, kept: Numbers) -> int:
    """Write those of the words that are not among the others into `kept`; returns how many. All are sorted."""
    count, k = 0, 0
    leap = others.size > 8 * words.size
    for word in words:
        if leap:
            k = np.searchsorted(others, word)
        else:
            while k < others.size and others[k] < word:
                k += 1
        if k >= others.size or others[k] != word:
            kept[count] = word
            count += 1
    return count


@compiled
def exchanged(texts: tuple[Numbers, Numbers], pages: tuple[Numbers, Numbers], novel: Numbers, lost: Numbers) -> Counts:
    """How many words came and left between two texts, and how many of them are news; those are written down.

    News is a word without digits that the page did not show before (`novel`), or shows no longer (`lost`).
    """
    old, new = texts
    before, after = pages
    i, j, come, gone, novels, losses = 0, 0, 0, 0, 0, 0
    while i < old.size or j < new.size:
        if i < old.size and j < new.size and old[i] == new[j]:
            i += 1
            j += 1
        elif j >= new.size or (i < old.size and old[i] < new[j]):
            gone += 1
            if not old[i] & _ONE and not is_among(old[i], after):
                lost[losses] = old[i]
                losses += 1
            i += 1
        else:
            come += 1
            if not new[j] & _ONE and not is_among(new[j], before):
                novel[novels] = new[j]
                novels += 1
            j += 1
    return come, gone, novels, losses


@compiled
def in_common(words: Numbers, others: Numbers) -> int:
    """How many words are in both; both are sorted."""
    i, j, count = 0, 0, 0
    while i < words.size and j < others.size:
        if words[i] == others[j]:
            i += 1
            j += 1
            count += 1
        elif words[i] < others[j]:
            i += 1
        else:
            j += 1
    return count


@compiled
def count_common(words: Numbers, holders: Ints, olds: int, common: Ints) -> None:
    """Add 1 to common[i, j] for each word that old block i and new block j both hold.

    `words` is sorted and says each word once for each block that holds it; holders below `olds` are old blocks, the
    others new ones. The sort is stable, so the old holders of a word come before the new ones.
    """
    start = 0
    while start < words.size:
        end = start + 1
        while end < words.size and words[end] == words[start]:
            end += 1
        split = start
        while split < end and holders[split] < olds:
            split += 1
        for a in range(start, split):
            for b in range(split, end):
                common[holders[a], holders[b] - olds] += 1
        start = end


@compiled
def counted_on(words: Numbers, counts: Ints, changes: tuple[Numbers, Ints], out: tuple[Numbers, Ints]) -> int:
    """Word counts after changes (sorted words, and by how much each occurrence changes its count); returns how many."""
    come, by = changes
    new, left = out
    i, k, size = 0, 0, 0
    while i < words.size or k < come.size:
        if k >= come.size or (i < words.size and words[i] < come[k]):
            word, count = words[i], counts[i]
            i += 1
        else:
            word, count = come[k], 0
            if i < words.size and words[i] == word:
                count = counts[i]
                i += 1
        while k < come.size and come[k] == word:
            count += by[k]
            k += 1
        if count > 0:
            new[size], left[size] = word, count
            size += 1
    return size
