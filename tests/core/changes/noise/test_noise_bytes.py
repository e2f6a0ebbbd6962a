"""Sections of numbers, and what earlier releases wrote of them."""

import numpy as np
import pytest

from strandline.core.changes.noise.noise_bytes import ALL, WORDS, numbers, packed, rows, table, unpacked


def test_what_was_packed_is_unpacked():
    sections = [bytes([place] * place) for place in range(ALL)]
    assert unpacked(packed((3, 2, 1), sections)) == ((3, 2, 1), sections)


def test_sections_that_were_added_later_are_empty_before():
    stored = packed((3, 2, 1), [b"12345678"] * 13)
    assert unpacked(stored)[1][13:] == [b"", b""]
    assert unpacked(b"SNS1" + stored[4:])[1][WORDS] == b"", "its words were numbered otherwise"


def test_what_is_cut_short_is_refused():
    with pytest.raises(ValueError, match="cut short"):
        unpacked(packed((0, 0, 0), [b""] * 12))
    with pytest.raises(ValueError, match="not a stored"):
        unpacked(b"else")


def test_tables_by_their_keys():
    written = table({7: (1.0, 2.0), 2**64 - 1: (3.0, 4.5)}, np.float32)
    assert dict(rows(written, np.float32)) == {7: [1.0, 2.0], 2**64 - 1: [3.0, 4.5]}
    assert list(rows((b"", b""), np.uint32, 4)) == []
    assert numbers(written[0]) == [7, 2**64 - 1]
