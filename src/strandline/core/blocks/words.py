"""Words as the comparison of texts counts them: case folded, punctuation dropped, each CJK character a word.

Vowel signs and accents that are characters of their own belong to the word they stand in: without them the words of
Hindi, Bengali or Tamil fall into single consonants. Thai, Lao, Burmese and Khmer are written without blanks; there the
signs stay what parts a sentence into pieces.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

_CJK: Final = "\u2e80-\u2fdf\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
SIGNS: Final = "".join(
    chr(code)
    for code in (*range(0x300, 0xE00), *range(0xF00, 0x1000))
    if unicodedata.category(chr(code)) in ("Mn", "Mc")
)
_WORD: Final = re.compile(rf"[{_CJK}]|(?:[^\W{_CJK}]++|[{SIGNS}]++)++")
_ASCII_WORD: Final = re.compile(r"[a-z0-9_]+")
_BETWEEN_WORDS: Final = re.compile(
    "[\xa0-\xa9\xab-\xb1\xb4\xb6-\xb8\xbb\xbf\xd7\xf7\u2000-\u206f€™\u2190-\u21ff\u25a0-\u25ff]+"
)
"""Signs that texts of ASCII have beside it: most texts with other letters have these only."""
_NUMBER_SIGNS: Final = bytes.maketrans(b"0123456789", b"##########")
_BETWEEN: Final = "\x1f"  # hardly ever in a text
_KEPT: Final = 10_000  # letters; a longer text would fill the memory
_SHORT: Final = 300
"""Letters of a text of which more are kept; tables and lists have thousands of them. Origin: a bound on memory."""
_PIECE: Final = re.compile(rf"[{_CJK}]|[^\s{_CJK}]+[^\S\n]*|\s")


def words(text: str) -> list[str]:
    """The words of a text in order.

    >>> words("The RATE is 4.5 %, the rate"), words("今日は2度"), words("हिन्दी भाषा")
    (['the', 'rate', 'is', '4', '5', 'the', 'rate'], ['今', '日', 'は', '2', '度'], ['हिन्दी', 'भाषा'])
    """
    folded = text.casefold()
    if not folded.isascii():
        folded = _BETWEEN_WORDS.sub(" ", folded)
    return (_ASCII_WORD if folded.isascii() else _WORD).findall(folded)


def marked_pieces(text: str) -> list[str]:
    r"""A text in pieces that differences are shown by: words with the blanks after them, line breaks; joined, the text.

    >>> marked_pieces("four  euro,\nno 今日")
    ['four  ', 'euro,', '\n', 'no ', '今', '日']
    """
    return _PIECE.findall(text)


def word_set(text: str) -> frozenset[str]:
    """Distinct words of a text. Most texts of a page are those of its last version, so recent answers are kept."""
    if len(text) <= _SHORT:
        return _recent_short_set(text)
    return _recent_set(text) if len(text) <= _KEPT else frozenset(words(text))


def _set(text: str) -> frozenset[str]:
    return frozenset(words(text))


_recent_short_set = lru_cache(maxsize=1 << 10)(_set)
_recent_set = lru_cache(maxsize=1 << 9)(_set)


def word_distance(before: str, after: str) -> float:
    """Share of distinct words that differ between two texts (paper 001, section 6.2.1), in [0, 1].

    Word sets are blind to order, punctuation and repetition; when the texts still differ, at least one word's worth
    of difference is counted.

        >>> word_distance("open from nine to five", "open from ten to five")
        0.3333333333333333
        >>> word_distance("pay now, not later", "pay later, not now")
        0.25
        >>> word_distance("same", "same"), word_distance("", "new text")
        (0.0, 1.0)
    """
    if before == after:
        return 0.0
    old, new = word_set(before), word_set(after)
    common = len(old & new)
    return distance_of(common, len(old) + len(new) - common)


def distance_of(common: int, union: int) -> float:
    """`word_distance` of two texts that differ, from how many distinct words are in both and in any of them."""
    if not union:
        return 1.0
    return max((union - common) / union, 1.0 / union)


def masked(text: str) -> str:
    """The text with every number replaced by one sign, so that counters and dates compare equal.

    >>> masked("Updated 12 May 2026, 1,204 views")
    'Updated # May #, #,# views'
    """
    marked = text.encode("utf-8", "surrogatepass").translate(_NUMBER_SIGNS)
    if b"#" not in marked:
        return text
    while b"##" in marked:
        marked = marked.replace(b"##", b"#")
    return marked.decode("utf-8", "surrogatepass")


def masked_texts(texts: Sequence[str]) -> list[str]:
    """Each of the texts `masked`.

    >>> masked_texts(["12 May", "13 June"])
    ['# May', '# June']
    """
    together = masked(_BETWEEN.join(texts)).split(_BETWEEN)
    return together if len(together) == len(texts) else [masked(text) for text in texts]


def is_number(word: str) -> bool:
    """True for a word that holds a digit: prices, dates, counters, identifiers."""
    return not word.isalpha() and any(letter.isdigit() for letter in word)
