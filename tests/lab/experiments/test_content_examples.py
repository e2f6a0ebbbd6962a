"""Marked pages made ready for learning, by hand on a small page."""

from collections import Counter

import numpy as np
import pytest

from strandline.core.blocks.content_features import NAMES
from strandline.lab.experiments.content_examples import example
from strandline.lab.experiments.marked_pages import MarkedPage


def test_runs_are_labelled_by_the_marked_text():
    html = "<nav>Home</nav><main><p>Tides rise and fall.</p><p>Ask again soon</p></main>"
    words = Counter(["tides", "rise", "and", "fall", "ask"])
    one = example(MarkedPage("https://news.example.co.uk/a", "article", html, "Tides rise and fall. Ask", words))
    assert one.words == (("home",), ("tides", "rise", "and", "fall"), ("ask", "again", "soon"))
    assert one.labels.tolist() == pytest.approx([0, 1, 1 / 3])
    assert one.weights.tolist() == pytest.approx([1 / 5, 4 / 5, 3 / 5])
    assert one.rows.shape == (3, len(NAMES))
    assert one.site == "example.co.uk"
    assert one.f1(np.array([0.01, 0.99, 0.01])) == pytest.approx(2 * 4 / (4 + 5))
