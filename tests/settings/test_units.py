"""What a setting file shows of a duration or a size reads back as the same."""

import doctest

from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.settings import units
from strandline.settings.units import duration_text, octets, seconds, size_text


def test_examples():
    assert doctest.testmod(units).failed == 0


@settings(max_examples=100)
@given(st.floats(0.0, 1.5e9) | st.integers(0, 10**9).map(float) | st.integers(0, 10**6).map(lambda ms: ms / 1000))
def test_a_duration_reads_back_as_itself(value):
    assert seconds(duration_text(value)) == value


@settings(max_examples=100)
@given(st.integers(0, 2**53))
def test_a_size_reads_back_as_itself(value):
    assert octets(size_text(value)) == value
