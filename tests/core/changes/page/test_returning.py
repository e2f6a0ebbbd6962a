"""What comes back in the same words, again and again: a notice and a state count every time, what rotates does not."""

import tomllib
from itertools import pairwise
from pathlib import Path

import pytest

from made.restless import looks, named

CASES = tomllib.loads((Path(__file__).parent / "returning_pages.toml").read_text("utf-8"))


def switches(case) -> list[float]:
    """The score of each look that shows another state than the one before; all others are to score nothing."""
    states = {name: case["around"].replace("@", text) for name, text in case["states"].items()}
    found = [score for score, _ in looks({**case, "states": states})]
    turned = [before != after for before, after in pairwise(case["looks"])]
    assert max((score for score, other in zip(found, turned, strict=True) if not other), default=0.0) < 0.015
    return [score for score, other in zip(found, turned, strict=True) if other]


@pytest.mark.parametrize("case", named(CASES))
def test_what_returns(case):
    scores = switches(case)
    if "each" in case:
        assert min(scores) >= case["each"], [round(score, 3) for score in scores]
    else:
        assert max(scores[case["known"] :]) < case["most"], [round(score, 3) for score in scores]
