"""Small letters are found where a search without regard to case finds letters."""

import re
import sys

import pytest

from strandline.core.changes.words.counters import COUNTED
from strandline.core.changes.words.moving_parts import AGE
from strandline.core.changes.words.small_letters import like_digits, small_letters, with_signs

TEXTS = (
    "12 Points by Ann 3 HOURS AGO | 120 Comments", "GESTERN um 9, VOR 3 TAGEN", "HİER À L'INSTANT", "3 WEE\u212aS AGO",
    "AHORA MİSMO 12 VİSİTAS", "ſince 3 days, ATRÁS", "İ 2 minutes ago and 5 VIEWS", "Just now", "",
)  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("what", [AGE, COUNTED], ids=["age", "counted"])
def test_as_a_search_without_regard_to_case(what, text):
    slow = re.compile(what.pattern, re.IGNORECASE)
    spans = [found.span() for found in what.finditer(small_letters(text))]
    assert with_signs(text, "@", spans) == slow.sub("@", text)
    assert (what.search(small_letters(text)) is None) == (slow.search(text) is None)


def test_patterns_know_small_letters_only():
    for what in (AGE, COUNTED):
        letters = re.sub(r"\\.", "", what.pattern)
        assert letters == letters.lower()


def test_every_letter_stays_one():
    every = "".join(chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000)
    assert len(small_letters(every)) == len(every)


def test_every_sign_stays_one_with_like_digits():
    text = "12 May 2026, 1999, 20260 at 19:20, ٣ or ３ of 2048, 100\udc80"
    assert like_digits(text) == "88 May 2026, 1999, 88888 at 88:88, ٣ or ３ of 2048, 888\udc80"
