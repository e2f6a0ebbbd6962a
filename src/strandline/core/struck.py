"""Text that is struck through: read with a stroke over every sign, so that it is another text than it was before.

A term of a contract that is struck no longer holds. What weighs an edit reads the text without such words; what finds
words reads them without the strokes, and people see them as the page shows them.
"""

import re
from typing import Final

STROKE: Final = "\u0336"
"""Follows the sign it strikes through. Origin: a standard, Unicode's combining long stroke overlay."""
_STRUCK: Final = re.compile(rf"(?:[^\s{STROKE}]{STROKE})+")

_STRUCK_WORDS: Final = re.compile(rf"(?:[^\s{STROKE}]{STROKE})+(?:\s+(?:[^\s{STROKE}]{STROKE})+)*")


def struck(text: str) -> str:
    """A text with a stroke over every sign but blanks.

    >>> struck("14 days") == "1\u03364\u0336 d\u0336a\u0336y\u0336s\u0336"
    True
    """
    return "".join(sign if sign.isspace() else sign + STROKE for sign in text)


def standing(text: str) -> str:
    """What is left of a text without what is struck through.

    >>> standing(f"Notice of {struck('14 days')} 30 days")
    'Notice of 30 days'
    """
    if STROKE not in text:
        return text
    return "\n".join(" ".join(_STRUCK.sub("", line).split()) for line in text.split("\n"))


def without_strokes(text: str) -> str:
    """A text as it reads whether or not it is struck through.

    >>> without_strokes(struck("14 days"))
    '14 days'
    """
    return text.replace(STROKE, "") if STROKE in text else text


def struck_words(text: str) -> str:
    """What is struck through in a text, without the strokes.

    >>> struck_words(f"within {struck('14 days')} of {struck('receipt')}")
    '14 days … receipt'
    """
    return without_strokes(" … ".join(_STRUCK_WORDS.findall(text)))
