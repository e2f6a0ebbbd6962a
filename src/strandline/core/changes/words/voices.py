"""What somebody said: a quotation with a name behind it, as boxes beside a page show them in turn."""

import re
from typing import Final

VOICE: Final = "what somebody said, beside the page's own part"
"""Why it counts nothing. Origin: a definition."""
LONGEST: Final = 300
"""Letters of a quotation with its name. Origin: a guess."""
_VOICE: Final = re.compile(r"[“„«»\"‟‹].{8,}[”“»«\"›][\s,–—-]{0,4}[^\W\d_a-zß-ÿ][^“”„«»\"]{1,60}\Z", re.DOTALL)


def is_voice(text: str) -> bool:
    """True for a quotation and the name of whoever said it, and nothing else.

    >>> is_voice("“It saved us a day.” Nora P., Bristol"), is_voice("“It saved us a day,” said Nora.")
    (True, False)
    """
    return len(text) <= LONGEST and text[:1] in '“„«»"‟‹' and _VOICE.match(text) is not None
