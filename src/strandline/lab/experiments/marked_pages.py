"""Pages whose main content somebody marked, and the measure of agreement with it: F1 over words."""

import json
import lzma
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class MarkedPage:
    """A page, its kind, and its main content as somebody marked it, also as words."""

    url: str
    kind: str
    html: str
    text: str
    words: Counter[str]


def words_of(text: str) -> list[str]:
    """The words of a text as the benchmark counts them."""
    return _WORD.findall(text.lower())


def word_f1(taken: Counter[str], marked: Counter[str]) -> float:
    """F1 of the words taken against those marked; 1 when there are neither.

    >>> word_f1(Counter("aab"), Counter("abc")), word_f1(Counter(), Counter())
    (0.6666666666666666, 1.0)
    """
    both = (taken & marked).total()
    return 2 * both / (taken.total() + marked.total()) if taken or marked else 1.0


def read_pages(data: Path) -> list[MarkedPage]:
    """The marked pages of a file, or of a folder's `content`."""
    for folder in (data, data / "content"):
        files = [data] if data.is_file() else sorted(folder.glob("wcxb*.jsonl*")) if folder.is_dir() else []
        if files:
            return [_page(line) for file in files for line in _lines(file)]
    raise ValueError(f"{data}: no marked pages (wcxb*.jsonl, .xz) here or in content/")


def _lines(file: Path) -> list[str]:
    opener = lzma.open if file.suffix == ".xz" else open
    with opener(file, "rt", encoding="utf-8") as lines:
        return [line for line in lines if line.strip()]


def _page(line: str) -> MarkedPage:
    row = json.loads(line)
    return MarkedPage(row["url"], row["type"], row["html"], row["main_content"], Counter(words_of(row["main_content"])))
