"""What a browser saw of a page that its answer does not hold: the words and links only it saw, as shares.

Words count as often as they are shown, and links once. A date, a counter or a greeting that scripts put on a page is no
gain worth a browser: below a few words and a tenth of the page nothing was gained.
"""

import re
from collections import Counter
from collections.abc import Collection
from typing import Final

from strandline.core.browsing.signs import text_of_document
from strandline.core.quick_dataclass import dataclass

_WORD: Final = re.compile(r"[^\W_]+")
_FEW_WORDS: Final = 6
"""Words that are no gain by themselves: "Loading", a date, "3 people like this". Origin: a guess."""
_FEW_LINKS: Final = 2
"""Links that are no gain by themselves. Origin: a guess."""
LEAST: Final = 0.1
"""The share of a page from which on it is worth showing it. Origin: a guess."""
_OF_WORDS: Final = 0.7
"""Weight of words beside links: what is read counts for more than where it leads. Origin: a guess."""


@dataclass(frozen=True, slots=True)
class Gain:
    """What only the browser saw."""

    words: int
    links: int
    share: float
    """Of what the page shows, in [0, 1]."""

    @property
    def pays(self) -> bool:
        """Whether the page should be shown in a browser."""
        return self.share >= LEAST


def gain_of(document: bytes, shown_text: str, links: Collection[str] = (), shown_links: Collection[str] = ()) -> Gain:
    """Compare what an answer says with what a browser showed of it.

    >>> gain_of(b"<p>five words of plain text</p>", "five words of plain text").pays
    False
    >>> gain_of(b"<div id=root></div>", "All of this text was brought by a script").pays
    True
    """
    known = set(_WORD.findall(text_of_document(document).lower()))
    said = Counter(_WORD.findall(shown_text.lower()))
    new = sum(count for word, count in said.items() if word not in known)
    new_links = len(set(shown_links) - set(links))
    words = new / said.total() if new > _FEW_WORDS else 0.0
    led = new_links / len(set(shown_links)) if new_links > _FEW_LINKS else 0.0
    return Gain(new, new_links, max(_OF_WORDS * words + (1 - _OF_WORDS) * led, _OF_WORDS * words, led / 2))
