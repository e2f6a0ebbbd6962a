"""Where the text of a page comes from that a script brings: often one JSON answer holds all of it.

Such an answer tells what the page says without a browser: whoever polls it over HTTP sees the same changes for one
request. An answer *supplies* a page when it holds most of the words that only the browser showed.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from strandline.core.browsing.signs import text_of_document
from strandline.core.shown import DataAnswer

_WORD: Final = re.compile(r"[^\W_]+")
_FEW_WORDS: Final = 12
"""Words, at least, that scripts brought: fewer may stand in any answer. Origin: a guess."""
SUPPLIED: Final = 0.85
"""Part of these words that one answer holds; the others are headings and buttons of the program. Origin: a guess."""
MOST_ANSWERS: Final = 20
"""Answers of a page that are looked at. Origin: a bound on time."""
LARGEST: Final = 1 << 20
"""Bytes of one of them. Origin: a bound on time."""


def supplier(document: bytes, shown_text: str, answers: Iterable[DataAnswer]) -> DataAnswer | None:
    """The answer that supplies the text of a page; None when there is none.

    >>> text = "Seven boats left the harbour before the storm came in and two of them are missing"
    >>> answer = DataAnswer("/api/1", "", json.dumps({"item": {"text": text, "id": 7}}).encode())
    >>> supplier(b"<div id=root></div>", text + " Share", [DataAnswer("/me", "", b"{}"), answer]).url
    '/api/1'
    >>> supplier(b"<p>" + text.encode(), text, [answer]) is None
    True
    """
    known = set(_WORD.findall(text_of_document(document).lower()))
    brought = Counter(word for word in _WORD.findall(shown_text.lower()) if word not in known)
    if brought.total() < _FEW_WORDS:
        return None
    best, most = None, SUPPLIED
    for answer in answers:
        held = _words(answer.body)
        share = sum(count for word, count in brought.items() if word in held) / brought.total()
        if share >= most and (best is None or share > most or len(answer.body) < len(best.body)):
            best, most = answer, share
    return best


def _words(body: bytes) -> set[str]:
    """The words of all values of a JSON document; none when it cannot be read."""
    try:
        document = json.loads(body.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return set()
    return {word for value in _values(document) for word in _WORD.findall(value.lower())}


def _values(document: object) -> Iterator[str]:
    todo = [document]
    while todo:  # a stack, not a recursion: the document decides how deep it is
        value = todo.pop()
        if isinstance(value, dict):
            todo.extend(value.values())
        elif isinstance(value, list):
            todo.extend(value)
        elif isinstance(value, (str, int, float)):
            yield str(value)
