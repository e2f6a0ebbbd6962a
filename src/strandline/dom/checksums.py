"""Checksums in syllables, for what is compared as text and is none: digits and identifiers are taken for noise."""

from typing import Final

_CONSONANTS: Final = "bdfghjklmnprstvz"
_VOWELS: Final = "aiou"


def spoken(number: int, words: int = 2) -> str:
    """A number as so many words of 16 bits each, all of the same length; the lowest bits are the last word.

    >>> spoken(0x7F000001), spoken(0), spoken(1, words=1)
    ('lusab-babad', 'babab-babab', 'babad')
    """
    return "-".join(_word(number >> 16 * place & 0xFFFF) for place in reversed(range(words)))


def _word(bits: int) -> str:
    first, second, third = (_CONSONANTS[bits >> shift & 15] for shift in (12, 6, 0))
    return f"{first}{_VOWELS[bits >> 10 & 3]}{second}{_VOWELS[bits >> 4 & 3]}{third}"
