"""Names of other pages that stand below a heading such as "Most read" without a link, or behind it in the same line.

`beside_lists` tells lists of links. Scripts often make such lists of elements that are no links and have no names; what
tells them is the heading, of several words or one long one, and that nothing but short texts follows that say no
sentence, in the same part of the page.
"""

import re
from collections.abc import Iterator
from typing import Final

from strandline.core.blocks.tree import BlockTree
from strandline.core.changes.words.beside_lists import LONGEST, first_words, is_beside

FEWEST, MOST = 2, 8
"""Names below a heading. Origin: a guess."""
NAME: Final = 60
"""Letters of a name. Origin: a guess."""
LONG: Final = 10
"""Letters of a heading of one word ("Meistgelesen"): shorter ones head other things, too. Origin: a guess."""
LINE: Final = 240
"""Letters of a heading with names behind it, at most. Origin: a guess."""
WORDS: Final = 6
"""Words of a heading, at most. Origin: a guess."""
_ENDS: Final = re.compile(r"[.;:!?·|@€$£%]|\d\s?[:.,]\d")
"""What no name has: the end of a sentence, parts of a line, figures."""


def names_beside(page: BlockTree) -> frozenset[tuple[str, str]]:
    """Such names, each behind the path of its block; kept with the page."""
    known: frozenset[tuple[str, str]] | None = page.__dict__.get("names_beside")
    if known is None:
        known = page.__dict__["names_beside"] = frozenset(_names(page))
    return known


def _names(page: BlockTree) -> Iterator[tuple[str, str]]:
    found, inside = list[tuple[str, str]](), ""  # the path of the heading
    for block in page.blocks:
        for kind, text, _ in block.items:
            if not inside and (kind != "text" or len(text) > LONGEST or not _may_head(text)):
                continue  # of most texts
            if kind != "text":
                found, inside = [], ""
            elif len(text) <= LONGEST and heads(text):
                if len(found) >= FEWEST:
                    yield from found
                found, inside = [], block.path
            elif inside == block.path and may_be_name(text) and len(found) < MOST:
                found.append((block.path, text))
            else:
                if len(found) >= FEWEST:
                    yield from found
                found, inside = [], ""
    if len(found) >= FEWEST:
        yield from found


def may_be_name(text: str) -> bool:
    """Whether a text is short and says no sentence.

    >>> may_be_name("The night train"), may_be_name("The train runs.")
    (True, False)
    """
    return len(text) <= NAME and _ENDS.search(text) is None


def heads(heading: str) -> bool:
    """Whether a text is the heading of such a list, and one that heads nothing else.

    >>> heads("You may also like"), heads("Meistgelesen"), heads("Links")
    (True, True, False)
    """
    said = [word for word in heading.split() if word[:1].isalpha()]
    return (len(said) > 1 or len("".join(said)) >= LONG) and is_beside(heading)


def begins_with_heading(line: str) -> bool:
    """Whether a line is such a heading and names behind it, one after the other.

    >>> begins_with_heading("Most read The night train is back Why clocks go right")
    True
    >>> begins_with_heading("Most read in this library is a book of fables."), begins_with_heading("Related work")
    (False, False)
    """
    if len(line) > LINE or not _may_head(line):
        return False
    words = line.split()
    for count in range(1, min(WORDS, len(words) - FEWEST) + 1):
        heading = " ".join(words[:count]).rstrip(":")
        if heads(heading):
            rest = words[count]
            return rest[:1].isupper() and _ENDS.search(line[len(heading) + 1 :]) is None
    return False


def _may_head(text: str) -> bool:
    """Whether a text may begin with such a heading, as its first word tells."""
    first = text.partition(" ")[0].rstrip(":").lower()
    return not first.isascii() or first in first_words()
