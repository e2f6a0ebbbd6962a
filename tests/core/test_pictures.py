"""Notes inside pictures are read again, and what is no picture, or a hostile one, says nothing."""

import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.core.pictures import Box, boxes_of, is_picture, size_of, with_boxes
from warc.pictures import picture

NUMBERS = st.integers(0, 20_000)


@given(st.lists(st.builds(Box, NUMBERS, NUMBERS, NUMBERS, NUMBERS, st.text()), max_size=20))
def test_boxes_are_read_again_and_the_picture_stays_one(boxes):
    made = with_boxes(picture(40, 30), boxes)
    assert boxes_of(made) == boxes
    assert size_of(made) == (40, 30) and is_picture(made)


@given(st.binary(max_size=200))
def test_whatever_it_is_nothing_breaks(data):
    assert boxes_of(data) == []
    assert boxes_of(picture(4, 4)[:-12] + data) == []


def test_notes_that_are_no_boxes_say_nothing():
    for note in (b"{}", b"[[1]]", b"[" * 9000, b'[[1,2,3,"x","y"]]'):
        chunk = b"zTXtStrandline-Boxes\x00\x00" + zlib.compress(note)
        hostile = picture(4, 4)[:-12] + struct.pack(">I", len(chunk) - 4) + chunk + bytes(4)
        assert boxes_of(hostile) == []
    with pytest.raises(ValueError, match="no PNG"):
        size_of(b"<svg>")
