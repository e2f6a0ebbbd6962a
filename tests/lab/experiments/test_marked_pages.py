"""The measure of agreement with marked content, by hand."""

from collections import Counter

import pytest

from strandline.lab.experiments import marked_pages


def test_the_measure_by_hand():
    assert marked_pages.words_of("The RATE is 4.5 %") == ["the", "rate", "is", "4", "5"]
    assert marked_pages.word_f1(Counter("aaab"), Counter("aac")) == pytest.approx(2 * 2 / 7)
    assert marked_pages.word_f1(Counter("a"), Counter()) == 0.0
