"""Characters of a run, counted by hand."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from strandline.core.blocks.content_kernels import DIGITS, RUNS_WIDTH, STOPS, UPPERS, WORDS, count_characters


@given(st.lists(st.text("aZ9 .,", min_size=1, max_size=12), min_size=1, max_size=5))
def test_characters(texts):
    runs = np.zeros((len(texts), RUNS_WIDTH))
    letters = np.frombuffer("".join(texts).encode("utf-32-le"), np.uint32)
    count_characters(letters, np.cumsum([len(text) for text in texts]), runs)
    for text, run in zip(texts, runs, strict=True):
        assert run[WORDS] == 1 + text.count(" ")
        assert run[DIGITS] == text.count("9")
        assert run[UPPERS] == text.count("Z")
        assert run[STOPS] == sum(text[k] == "." and text[k + 1 : k + 2] in ("", " ") for k in range(len(text)))
