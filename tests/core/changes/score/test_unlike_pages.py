"""Pages of kinds that no rule was made for, with tokens, ages and counters that differ at every look."""

import random
import tomllib
from pathlib import Path

import pytest

from made.restless import dressed, fits, looks, named, page

CASES = tomllib.loads((Path(__file__).parent / "unlike_pages.toml").read_text("utf-8"))


def bare(main: str, look: int, language: str = "en") -> str:
    return f"<!doctype html><html lang={language}><title>A page</title><body>{main}</body></html>"


FRAMES = {"site": page, "hashed": dressed("hashed"), "bare": bare}


def framed(case):
    """A page of a case: what is made anew at each look, in its frame."""

    def made(main: str, look: int, language: str = "en") -> str:
        rng = random.Random(look)
        marks = {"{t}": f"{rng.getrandbits(64):016x}", "{r}": str(rng.randint(100, 999)), "{d}": str(1 + look % 9)}
        for mark, text in marks.items():
            main = main.replace(mark, text)
        return FRAMES[case.get("frame", "site")](main, look, language)

    return made


@pytest.mark.parametrize("quiet", [1, 10])
@pytest.mark.parametrize("case", named(CASES))
def test_so_it_is_on_pages_unlike_all_others(case, quiet):
    if case.get("known") and quiet == 1:
        pytest.skip("nothing tells at first")
    score, sentence = looks(case, quiet, framed(case))[-1]
    assert fits(case, score, sentence), f"{score}: {sentence}"
    assert case.get("tells", "") in sentence
