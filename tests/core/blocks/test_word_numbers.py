"""Words as numbers agree with words as texts."""

from collections import Counter
from itertools import pairwise

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from strandline.core.blocks.word_kernels import sort_distinct
from strandline.core.blocks.word_numbers import (
    WordCounts,
    exchanged,
    likeness,
    likenesses,
    new_pairs,
    without,
    word_numbers,
    words_among,
)
from strandline.core.blocks.words import distance_of, is_number, masked, masked_texts, word_set, words

LETTERS = "ab zÄß Éé_1 7.,’“”–—\u00a0…«»·×日本かカ、。й Ж\n\t😀€™\u0301\u093f\u094dनहרָไท\u0e31"
TEXT = st.one_of(
    st.text(LETTERS, max_size=30), st.lists(st.sampled_from(["the", "fee", "42", "日本", "Ärger"])).map(" ".join)
)


def numbers(*words):
    return word_numbers(" ".join(words))


@settings(max_examples=100, deadline=None)
@given(TEXT)
@example("x2 4.5 % a_b É’é")
@example("हिन्दी भाषा \u0301 cafe\u0301 日\u0301本 ประเทศไทย བོད་ཡིག")
@example("")
def test_every_distinct_word_has_one_number_and_says_whether_it_holds_a_digit(text):
    found = word_numbers(text)
    assert len(found) == len(word_set(text))
    assert list(found) == sorted(set(found.tolist()))
    assert int((found & np.uint64(1)).sum()) == sum(map(is_number, word_set(text)))
    assert words_among(text, found) == word_set(text)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 3000), st.integers(1, 400), st.sampled_from([0, 40, 63]))
def test_numbers_are_sorted_and_distinct_however_they_are_spread(size, different, shift):
    numbers = np.arange(size, dtype=np.uint64)[::-1] % np.uint64(different) << np.uint64(shift)
    expected = sorted(set(numbers.tolist()))
    assert numbers[: sort_distinct(numbers, size)].tolist() == expected


def test_texts_are_masked_together_as_one_by_one():
    for texts in (["12 May", "", "## 3"], ["1\x1f2", "3"], ["7"]):
        assert masked_texts(texts) == [masked(text) for text in texts]


@settings(max_examples=100, deadline=None)
@given(st.lists(TEXT, min_size=1, max_size=4), st.lists(TEXT, min_size=1, max_size=4))
def test_what_is_common_is_what_sets_say(olds, news):
    shares = likenesses([word_numbers(text) for text in olds], [word_numbers(text) for text in news])
    for i, old in enumerate(olds):
        for j, new in enumerate(news):
            one, other = word_set(old), word_set(new)
            expected = len(one & other) / len(one | other) if one | other else 0.0
            assert shares[i, j] == likeness(word_numbers(old), word_numbers(new)) == expected
            if one != other:
                assert abs(distance_of(len(one & other), len(one | other)) - (1.0 - expected)) < 1e-12
            assert words_among(old, without(word_numbers(old), word_numbers(new))) == one - other


@settings(max_examples=100, deadline=None)
@given(TEXT, TEXT, TEXT, TEXT)
def test_news_is_what_the_page_did_not_show(old, new, before, after):
    found = exchanged(word_numbers(old), word_numbers(new), (word_numbers(before), word_numbers(after)))
    come, gone = word_set(new) - word_set(old), word_set(old) - word_set(new)
    assert (found.come, found.gone) == (len(come), len(gone))
    assert words_among(new, found.novel) == {word for word in come - word_set(before) if not is_number(word)}
    assert words_among(old, found.lost) == {word for word in gone - word_set(after) if not is_number(word)}


@settings(max_examples=60, deadline=None)
@given(st.lists(TEXT, max_size=5), st.lists(TEXT, max_size=5))
def test_counts_follow_what_blocks_gained_and_lost(before, after):
    old, new = [[word_numbers(text) for text in side] for side in (before, after)]
    found = WordCounts.of(old).after(new, old)
    expected = Counter(word for text in after for word in word_set(text))
    assert sorted(found.counts.tolist()) == sorted(expected.values())
    fresh = WordCounts.of(new)
    assert found.words.tolist() == fresh.words.tolist()
    assert found.counts.tolist() == fresh.counts.tolist()


@settings(max_examples=100, deadline=None)
@given(st.lists(TEXT, max_size=3), st.lists(TEXT, max_size=3), TEXT)
def test_new_pairs_are_those_of_neighbours_which_are_known_and_no_numbers(before, after, novel):
    apart = {word for word in word_set(novel) if not is_number(word)}

    def pairs(texts):
        found = {pair for text in texts for pair in pairwise(words(text))}
        return {pair for pair in found if not any(map(is_number, pair)) and not apart & set(pair)}

    known = [number for number in word_numbers(novel).tolist() if number % 2 == 0]
    assert new_pairs(before, after, np.array(known, np.uint64)) == len(pairs(after) - pairs(before))
