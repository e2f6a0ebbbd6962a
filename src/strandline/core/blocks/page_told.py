"""What a page tells other sites of itself: its title, its descriptions, the texts in its data for machines (JSON-LD).

A run of text that says the same is what the page is about, more often than not. Nothing is taken from there: a
description only helps to judge the runs that readers see.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape
from typing import Final

import numpy as np
from numpy.typing import NDArray

MOST_LETTERS: Final = 2_000_000
"""Letters of a page that are looked through. Origin: a bound on time."""
MOST_TEXTS: Final = 8
"""Texts for machines that are read: those behind them are of reviews and of other things. Origin: a guess."""
MOST_DESCRIPTIONS: Final = 4
"""Descriptions that are read: for search, for two networks. Origin: a guess."""
MOST_WORDS: Final = 2_000
"""Words for machines from which a page tells no more of itself. Origin: a guess."""
PACE: Final = 50
"""Words of them that make a step, so that no page is known again by their number. Origin: a guess."""
FEW: Final = 0.3
"""Worth of words that are among theirs in a run too short to tell by three in a row. Origin: a guess."""
IN_A_ROW: Final = 3
"""Words in a row that two texts have in common if one quotes the other. Origin: a guess."""
_META: Final = re.compile(r"<meta\b[^>]{1,4000}>", re.IGNORECASE)
_DESCRIBES: Final = re.compile(r"""(?:name|property)=["']?(?:og:|twitter:)?description["'\s/>]""", re.IGNORECASE)
_CONTENT: Final = re.compile(r"""content=(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_TEXT: Final = re.compile(r'"(?:description|articleBody|reviewBody|text)"\s{0,9}:\s{0,9}"((?:[^"\\]|\\.)*)"')
_TAG: Final = re.compile(r"<[^<>]{1,400}>")
_WORD: Final = re.compile(r"[^\W\d_]+")

TOLD_NAMES: Final = ("told_title", "told_description", "told_text", "told_size")


@dataclass(frozen=True, slots=True)
class PageTold:
    """The words a page tells of itself."""

    description: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    rows: frozenset[tuple[str, str, str]] = frozenset()
    """Three words in a row of the texts for machines."""
    size: int = 0
    """How many words these have."""


NOTHING_TOLD: Final = PageTold()
"""A page that tells nothing of itself. Origin: a definition."""


def page_told(page: bytes) -> PageTold:
    """What a page, in UTF-8, tells of itself.

    >>> told = page_told(b'<meta name="description" content="On tides">{"description": "How tides rise"}')
    >>> sorted(told.description), sorted(told.rows)
    (['on', 'tides'], [('how', 'tides', 'rise')])
    """
    text = page[:MOST_LETTERS].decode("utf-8", "replace")
    described: list[str] = []
    for tag in _META.findall(text) if "escription" in text else ():
        if _DESCRIBES.search(tag) and (content := _CONTENT.search(tag)):
            described.append(unescape(content[1] or content[2] or ""))
            if len(described) == MOST_DESCRIPTIONS:
                break
    told: list[str] = []
    for found in _TEXT.finditer(text):
        told.append(_TAG.sub(" ", unescape(_unescaped(found[1]))))
        if len(told) == MOST_TEXTS:
            break
    words = _words(" ".join(told))
    return PageTold(frozenset(_words(" ".join(described))), frozenset(words), frozenset(_in_a_row(words)), len(words))


def told_columns(texts: Sequence[str], title: str, told: PageTold) -> NDArray[np.float32]:
    """Of each run of text the share of its words that are in the title, in the descriptions and, three in a row, in the
    texts for machines (-1 where there is none), and how much these say: the columns `TOLD_NAMES`.
    """
    named = frozenset(_words(title))
    out = np.full((len(texts), len(TOLD_NAMES)), -1.0, np.float32)
    out[:, 3] = min(told.size, MOST_WORDS) // PACE
    if not (named or told.description or told.rows):
        return out
    for place, text in enumerate(texts):
        words = _words(text)
        own = frozenset(words)
        count = max(len(own), 1)
        if named:
            out[place, 0] = len(own & named) / count
        if told.description:
            out[place, 1] = len(own & told.description) / count
        if told.rows:
            rows = _in_a_row(words)
            said = sum(row in told.rows for row in rows)
            out[place, 2] = said / len(rows) if rows else FEW * len(own & told.words) / count
    return out


def _in_a_row(words: Sequence[str]) -> list[tuple[str, str, str]]:
    return list(zip(words, words[1:], words[2:], strict=False))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _unescaped(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"', strict=False)) if "\\" in text else text
    except ValueError:
        return text
