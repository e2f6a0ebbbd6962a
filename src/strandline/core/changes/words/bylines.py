"""What stands behind a headline in lists and says nothing of it: points, comments, how long ago, by whom.

    Storm breaks the harbour wall 339 points by ann 22 hours ago | 120 comments

A headline that counts something itself ("Lawmakers need 300 votes for a bridge") keeps it: only an age, or two counters
and more, with few words between them, make a byline.
"""

import re
from functools import lru_cache
from typing import Final

from strandline.core.changes.words.counters import COUNTED
from strandline.core.changes.words.moving_parts import AGE, DIGIT, MAY_AGE
from strandline.core.changes.words.small_letters import like_digits, small_letters, with_signs

FEWEST: Final = 3
"""Words of a headline. Origin: a guess."""
MOST: Final = 6
"""Words beside counters and ages in a byline: a name, "by", "hide". Origin: a guess."""
# Both in small letters.
_COUNTER: Final = re.compile(rf"[(\d](?:(?<=\d)|\d)[\d.,]*\s?[km]?\s(?:\w+\s)?{COUNTED.pattern}\)?")
_ANSWERS: Final = re.compile(  # at the end of a headline: nobody writes one that ends so
    r"\(?\b\d[\d.,]*\s(?:repl(?:y|ies)|comments?|antworten|antwort|kommentare?|réponses?|commentaires?|respuestas?|"
    r"comentarios?|risposte|risposta|commenti|commento|reacties?|antwoorden)\)?\s*\Z"
)
_WORD: Final = re.compile(r"[^\W\d_]+")
_SIGNS_OF_AGE: Final = ("fa", *MAY_AGE)  # one of which stands in whatever is an age
_BETWEEN: Final = " \t\u00a0|·•–—-,;:("


def without_byline(text: str) -> str:
    """A headline without the counters behind it; empty when there is nothing else.

    >>> without_byline("Storm breaks the wall 339 points 22 hours ago | 120 comments")
    'Storm breaks the wall'
    >>> without_byline("339 points by ann 22 hours ago"), without_byline("Lawmakers need 300 votes for a bridge")
    ('', 'Lawmakers need 300 votes for a bridge')
    >>> without_byline("Swarm in the chimney 6 replies")
    'Swarm in the chimney'
    """
    return text[: _head(like_digits(text))]


@lru_cache(maxsize=1 << 10)  # what is judged is told next, and counts others at the next look
def _head(text: str) -> int:
    """Where the byline of a text begins; the same for all that are `like_digits`."""
    folded = small_letters(text)
    ages = list(AGE.finditer(folded)) if may_age(folded) else []
    counters = list(_COUNTER.finditer(folded)) if DIGIT.search(text) else []
    if not ages and len(counters) < 2:
        answers = _ANSWERS.search(folded) if counters else None
        head = text[: answers.start()].rstrip(_BETWEEN) if answers else text
        return len(head) if len(head.split()) >= FEWEST else len(text)
    start = min(found.start() for found in (*ages, *counters))
    if not start or folded[start - 1].isspace():  # nothing before it makes one of what was none
        ageless = with_signs(folded, " ", [found.span() for found in ages])[start:]
    else:
        ageless = AGE.sub(" ", folded[start:])
    tail = _COUNTER.sub(" ", ageless)
    if len(_WORD.findall(tail)) > MOST:
        return len(text)
    head = text[:start].rstrip(_BETWEEN)
    if len(head.split()) >= FEWEST:
        return len(head)
    return 0 if counters else len(text)


def is_count(text: str) -> bool:
    """Whether a line says little but how many of something there are, or how long ago.

    >>> is_count("ann 7 posts, joined 2019"), is_count("9 days ago"), is_count("Lawmakers need 300 votes for a bridge")
    (True, True, False)
    >>> is_count("Schwarm im Kamin 6 Antworten")
    False
    """
    return _is_count(like_digits(text))


@lru_cache(maxsize=1 << 11)
def _is_count(text: str) -> bool:
    folded = small_letters(text)
    if may_age(folded) and AGE.fullmatch(folded):
        return True
    counter = _COUNTER.search(folded)
    if counter is None or len(_WORD.findall(text)) > FEWEST + 1:
        return False
    return len(_WORD.findall(text, 0, counter.start())) < FEWEST  # else a headline stands before it


def may_age(folded: str) -> bool:
    """False for most texts, in small letters, in which `AGE` finds nothing; asking takes a tenth of the time."""
    if not folded.isprintable():  # blanks of other kinds
        return True
    for sign in _SIGNS_OF_AGE:  # noqa: SIM110 - a generator takes twice as long
        if sign in folded:
            return True
    return False
