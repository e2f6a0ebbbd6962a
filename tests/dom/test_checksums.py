"""Checksums in syllables: every number has its own words."""

from hypothesis import given
from hypothesis import strategies as st

from strandline.dom.checksums import spoken


def test_each_word_stands_for_one_number():
    assert len({spoken(number, words=1) for number in range(1 << 16)}) == 1 << 16


@given(st.integers(0, (1 << 64) - 1))
def test_a_long_number_is_its_parts(number):
    parts = [spoken(number >> shift & 0xFFFF, words=1) for shift in (48, 32, 16, 0)]
    assert spoken(number, words=4) == "-".join(parts)
