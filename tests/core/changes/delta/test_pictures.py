"""Pictures that differ in few of their bits are the same."""

from hypothesis import given
from hypothesis import strategies as st

from strandline.core.changes.delta.pictures import ALIKE, same_picture


@given(st.integers(0, 2**64 - 1), st.sets(st.integers(0, 63)))
def test_pictures_are_the_same_up_to_a_few_bits(picture, flipped):
    other = picture ^ sum(1 << bit for bit in flipped)
    assert same_picture(picture, other) == (len(flipped) <= ALIKE)
    assert same_picture(other, picture) == same_picture(picture, other)
