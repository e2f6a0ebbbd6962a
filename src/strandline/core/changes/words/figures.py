"""Numbers that are what a page is about, told from clocks, dates and counters.

A number in a text that otherwise stays is a *figure* unless it is part of a date or time, part of a name (`sha512`),
too long for a quantity, or has risen by less than a twentieth, as counters of readers and votes do between two looks.
A price, a share or a score, which its form gives away (`4 EUR`, `12 %`, `2:1`), is one however little it moves.

In a block that mostly stands still any figure counts: a fee, a term of notice. In one that changes at every look its
history cannot tell prices from a counter of visitors; there, figures go on counting where they are the content:

    a price, share or score that stands by itself, in the main part of the page
    a block of which half of the words are numbers (a table), in the main part, or on a page of which a third are;
    a ticker of prices beside a text is none
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from strandline.core.blocks.tree import PageBlock
from strandline.core.blocks.word_numbers import WordNumbers
from strandline.core.blocks.words import masked

COUNTER: Final = 0.05
"""Share by which a number may rise and still be taken for a counter. The same in `sentence_meaning` and `ticking`.
Origin: a guess."""
FEWEST: Final = 4
"""Numbers of a block that make a table. Origin: a guess."""
LONGEST: Final = 9
"""Digits of a figure; a longer number is an identifier. The same in `ticking`. Origin: a guess."""
STRIP: Final = 3
"""Numbers of a strip of prices. Origin: a guess."""
MOST: Final = 10
"""Figures of a text that are counted. Origin: a guess."""
BRIEF: Final = 24
"""Letters of what an instrument shows. Origin: a guess."""
UNITS: Final = 3
"""Words of its unit: "µg", "m". Origin: a guess."""
NEAR: Final = 26
"""Letters before and after a number that a date may take. Origin: a guess."""
BESIDE: Final = 12
"""Letters before and after a number in which a sign is its own. Origin: a guess."""
_YEAR: Final = r"(?:19|20)\d\d(?!\d)"
_MOMENT: Final = re.compile(
    r"(?<!\d)(?:"
    r"\d{1,2}:\d\d(?::\d\d)?(?!\d)"  # 09:15:00
    r"|\d{1,4}([/-])\d{1,2}\1\d{1,4}(?!\d)"  # 2026-05-12, 5/12/26
    r"|\d{1,2}\.\s?\d{1,2}\.\s?(?:\d{4}|\d\d)(?!\d)"  # 12.5.2026
    rf"|\d{{1,2}}(?:st|nd|rd|th|\.)?\s(?:de\s)?[^\W\d_]{{3,}}+\.?(?:\sde)?,?\s{_YEAR}"  # 12 May 2026
    rf"|\d{{1,2}}(?:st|nd|rd|th)?,?\s{_YEAR}"  # May 12, 2026
    r"|\d+\s?[年月日時分秒년월일시분초]"
    rf"|{_YEAR})"
)
_CJK: Final = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # written without blanks: a number may stand next to them
_NUMBER: Final = re.compile(  # it begins with a digit, and only then looks back: so a search passes over all else
    rf"\d(?<![^\W{_CJK}]\d)(?<!\d[.,]\d)\d*(?:[.,]\d+)*(?![^\W{_CJK}])"
)
_NO_YEAR: Final = rf"(?!{_YEAR})\d+"
_ALONE: Final = re.compile(rf"[^\w:]*{_NO_YEAR}(?:[.,]{_NO_YEAR})?[^\w:]*\Z")  # a number that is no date or year
_MONEY: Final = (
    r"[$€£¥₹₽₩₺₴₫฿₪₱₦元円원]"
    r"|\b(?:EUR|USD|GBP|CHF|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|CZK|HUF|RON|TRY|BRL|MXN|ZAR|"
    r"euros?|dollars?|pounds?|francs?|kr|zł|Kč|Ft|lei|руб)\b"
)
_CURRENCY: Final = re.compile(_MONEY)
_SIGN: Final = re.compile(
    rf"[%‰]|{_MONEY}"
    r"|(?<!\d)\d{1,3}(?: : |:(?!\d\d)| - |\s?–\s?)\d{1,3}(?!\d)"  # 2:1, a score
)
_LETTER: Final = re.compile("[A-Za-z_]")
_DIGIT: Final = re.compile("[0-9]")
_LETTERS: Final = re.compile(r"[^\W\d_]+")


class Changed(NamedTuple):
    """Figures of a text that changed."""

    plain: int = 0
    signed: int = 0  # prices, shares and scores


_NONE: Final = Changed()


def changed_figures(before: str, after: str, counters: bool = False) -> Changed:
    """Figures that are others now in a text that keeps all but its numbers; with `counters`, also those that count up.

    >>> changed_figures("Notice of 14 days, since 2019", "Notice of 30 days, since 2026")
    Changed(plain=1, signed=0)
    >>> changed_figures("23.37 EUR", "23.99 EUR"), changed_figures("1,204 readers", "1,209 readers")
    (Changed(plain=0, signed=1), Changed(plain=0, signed=0))
    """
    plain = signed = 0
    for own, rises in _differing(before, after):
        if own or counters or not rises:
            signed += own
            plain += not own
        if plain + signed >= MOST:
            break
    return Changed(plain, signed)


@lru_cache(maxsize=1 << 10)  # the same edit is asked about by what it says, then by its figures
def _differing(before: str, after: str) -> tuple[tuple[bool, bool], ...]:
    """Of each figure that is another now, whether it has a sign of its own, and whether it counts up."""
    if not holds_number(before) or masked(before) != masked(after):
        return ()
    found: list[tuple[bool, bool]] = []
    certain = 0
    alone = _ALONE.match(before) is not None, _ALONE.match(after) is not None
    for one, other in zip(_NUMBER.finditer(before), _NUMBER.finditer(after), strict=False):
        if one[0] == other[0] or not (_is_quantity(before, one, alone[0]) and _is_quantity(after, other, alone[1])):
            continue
        own = _SIGN.search(after, max(0, other.start() - BESIDE), other.end() + BESIDE) is not None
        rises = not own and _counts_up(_value(one[0]), _value(other[0]))
        found.append((own, rises))
        certain += not rises
        if certain >= MOST:
            break
    return tuple(found)


def moves_as_a_whole(before: str, after: str) -> bool:
    """True for a text of several numbers all of which are others now: a strip of prices, not a cell of a table.

    >>> moves_as_a_whole("ACME 12.1 BOLT 7.3 CORK 2.2", "ACME 12.4 BOLT 7.1 CORK 2.3"), moves_as_a_whole("41", "43")
    (True, False)
    """
    old, new = _NUMBER.findall(before), _NUMBER.findall(after)
    return len(old) == len(new) >= STRIP and all(one != other for one, other in zip(old, new, strict=True))


def is_reading(before: str, after: str) -> bool:
    """True for a number with a unit or without, and nothing else, that is another now and no price.

    >>> is_reading("57 cm", "61 cm"), is_reading("1.0751", "1.0812"), is_reading("4 EUR", "5 EUR")
    (True, True, False)
    """
    if max(len(before), len(after)) > BRIEF or masked(before) != masked(after):
        return False
    if _NUMBER.search(after) is None or _CURRENCY.search(after):
        return False
    return len(_LETTERS.findall(after)) <= UNITS


def is_money(text: str) -> bool:
    """True for a text with the sign or name of a currency.

    >>> is_money("12元"), is_money("12 %")
    (True, False)
    """
    return _CURRENCY.search(text) is not None


def holds_number(text: str) -> bool:
    """True for a text with a digit."""
    return _DIGIT.search(text) is not None


def is_bare(text: str) -> bool:
    """True for a number alone.

    >>> is_bare("(1,204)"), is_bare("12 km")
    (True, False)
    """
    return text.replace(",", "").replace(".", "").strip("() ").isdigit()


def holds_only_numbers(text: str) -> bool:
    """True for a text of which all words are plain numbers, or that has none.

    >>> holds_only_numbers("$ 867.61"), holds_only_numbers("12 km"), holds_only_numbers("")
    (True, False, True)
    """
    return text.isascii() and _LETTER.search(text) is None


def _is_quantity(text: str, number: re.Match[str], alone: bool) -> bool:
    """False for an identifier, and for a part of a date or time."""
    start, end = number.span()
    if end - start > LONGEST and sum(map(str.isdigit, number[0])) > LONGEST:
        return False
    if alone:
        return True
    first = max(0, start - NEAR)
    if _is_lone(text, number, first):
        return True
    around = _MOMENT.finditer(text[first : end + NEAR])
    return not any(moment.start() < end - first and moment.end() > start - first for moment in around)


def _is_lone(text: str, number: re.Match[str], first: int) -> bool:
    """True for a whole number that is no year, with no other near it: no moment is written so, but in Asia."""
    said, (start, end) = number[0], number.span()
    if not text.isascii() or not said.isdigit() or said[:2] in ("19", "20"):
        return False
    return _DIGIT.search(text, first, start) is None and _DIGIT.search(text, end, end + NEAR) is None


def _value(number: str) -> float:
    """What a number says; a separator before three last digits parts thousands.

    >>> _value("1,204"), _value("23.37"), _value("1.250,5")
    (1204.0, 23.37, 1250.5)
    """
    parts = re.split("[.,]", number)
    if len(parts) > 1 and len(parts[-1]) != 3:
        return float(f"{''.join(parts[:-1])}.{parts[-1]}")
    return float("".join(parts))


def _counts_up(before: float, after: float) -> bool:
    return before < after < (1 + COUNTER) * before


def is_table(block: PageBlock) -> bool:
    """True when half of the words of a block, or more, are numbers, and several of them."""
    return _numbers_among(block.words) >= max(FEWEST, block.words.size / 2)


def is_numeric(page: WordNumbers) -> bool:
    """True for a page of which one word in three, or more, is a number."""
    return 3 * _numbers_among(page) >= page.size > 0


def _numbers_among(words: WordNumbers) -> int:
    return int(np.count_nonzero(words & 1))
