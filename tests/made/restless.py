"""Pages of a few lines in a frame that differs at every look, looked at again and again."""

import random
from itertools import pairwise

import pytest

from made.dresses import DRESSES
from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.score.importance import study
from strandline.core.changes.told.sentences import told
from strandline.dom.html import blocks

LOOKS = 9
RELATED = ["Ten gardens worth a detour", "How bread is baked in Naples", "The last lighthouse keeper",
           "A short history of zips", "Why cats purr", "The quietest room on earth", "What trees say"]  # fmt: skip
SLOGANS = ["Save 40% on mattresses today", "Best VPN deals compared", "Win a trip to Lisbon", "Try our coffee box"]


def page(main: str, look: int, language: str = "en") -> str:
    rng = random.Random(look)
    related = "".join(f"<li><a href=/r/{text}>{text}</a>" for text in rng.sample(RELATED, 4))
    return (
        f"<!doctype html><html lang={language}><head><title>A page</title></head><body>"
        "<header><a href=/>Home</a> <a href=/news>News</a></header><nav><a href=/about>About us</a></nav>"
        f"<main>{main.replace('{n}', str(look)).replace('{m}', str(look + 40))}</main>"
        f"<aside class=ad><a href=/out?{look}>{rng.choice(SLOGANS)}</a></aside>"
        f"<aside class=related><h3>You may also like</h3><ul>{related}</ul></aside>"
        f"<footer><p>© 2026 Example Ltd. {1000 + 13 * look} visitors today. "
        f"Page made in 0.{rng.randint(100, 999)} s</p></footer></body></html>"
    )


def dressed(name: str):
    """The same in another frame."""

    def made(main: str, look: int, language: str = "en") -> str:
        inside = DRESSES[name](main.replace("{n}", str(look)).replace("{m}", str(look + 40)), look)
        return f"<!doctype html><html lang={language}><head><title>A page</title></head><body>{inside}</body></html>"

    return made


def looks(case, quiet: int = LOOKS, page=page) -> list[tuple[float, str]]:
    """Score and sentence of each look but the first; the edit comes with the last, after so many quiet ones."""
    mains = [case["before"]] * quiet + [case["after"]] if "before" in case else [
        case["states"][state] for state in case["looks"]
    ]  # fmt: skip
    language = case.get("language", "en")
    trees = [
        blocks(page(main, look, language).encode(), url="https://made.example/") for look, main in enumerate(mains)
    ]
    noise, found = NoiseState(), []
    for old, new in pairwise(trees):
        delta = compare(old, new)
        scored = study(delta, noise)
        found.append((scored.value, told(delta, scored).sentence))
    return found


def named(kinds):
    """All cases, by kind and number."""
    return [pytest.param(case, id=f"{kind} {n}") for kind, cases in kinds.items() for n, case in enumerate(cases)]


def fits(case, score: float, sentence: str) -> bool:
    """Whether score and sentence are what a person would say."""
    return case.get("least", 0.0) <= score <= case.get("most", 1.0) and sentence.startswith(case.get("said", ""))
