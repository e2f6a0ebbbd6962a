"""What is gone from a list: told, less than what came to it, and nothing where others only pushed it off."""

import tomllib
from pathlib import Path

import pytest

from made.restless import fits, looks, named

CASES = tomllib.loads((Path(__file__).parent / "gone_pages.toml").read_text("utf-8"))


@pytest.mark.parametrize("quiet", [1, 10])
@pytest.mark.parametrize("case", named(CASES))
def test_what_is_gone_from_a_list(case, quiet):
    """Written before the rules: of 63, 42 were scored or told otherwise before."""
    score, sentence = looks(case, quiet)[-1]
    assert fits(case, score, sentence), f"{score}: {sentence}"
    assert case.get("tells", "") in sentence
