"""Somebody who said something (a quotation with a name behind it) or took part, as pages show them in turn."""

import re
from typing import Final

from strandline.core.changes.words.ticking import settled_text

VOICE: Final = "what somebody said, beside the page's own part"
"""Why it counts nothing. Origin: a definition."""
LONGEST: Final = 300
"""Letters of a quotation with its name. Origin: a guess."""
_TAKER: Final = re.compile(r"[A-ZÀ-ÖØ-Þ][\w'’-]+\s[A-ZÀ-ÖØ-Þ]\.(?:\s?[,·|–—-]?\s?@)?")
_NAMED: Final = re.compile(r"[A-ZÀ-ÖØ-Þ][\w'’-]+\s[A-ZÀ-ÖØ-Þ]\.")  # what it begins with: an age stands behind it
_VOICE: Final = re.compile(r"[“„«»\"‟‹].{8,}[”“»«\"›][\s,–—-]{0,4}[^\W\d_a-zß-ÿ][^“”„«»\"]{1,60}\Z", re.DOTALL)


def is_voice(text: str) -> bool:
    """True for a quotation and the name of whoever said it, and nothing else.

    >>> is_voice("“It saved us a day.” Nora P., Bristol"), is_voice("“It saved us a day,” said Nora.")
    (True, False)
    """
    return len(text) <= LONGEST and text[:1] in '“„«»"‟‹' and _VOICE.match(text) is not None


def is_taker(text: str) -> bool:
    """True for one who signed, bought or gave, as pages show them: a first name and a letter, and how long ago.

    >>> is_taker("Léa M. 3 days ago"), is_taker("Anna-Lena K."), is_taker("Léa Martin"), is_taker("Plan B. Now")
    (True, True, False, False)
    """
    return len(text) <= LONGEST and _NAMED.match(text) is not None and _TAKER.fullmatch(settled_text(text)) is not None
