"""Names of other pages that stand below a heading such as "Most read" without a link, or behind it in the same line.

`beside_lists` tells lists of links. Scripts often make such lists of elements that are no links and have no names; what
tells them is the heading, of several words or one long one, and that nothing but short texts follows that say no
sentence, in the same part of the page.
"""

import re
from typing import Final

from strandline.core.blocks.tree import BlockTree
from strandline.core.changes.words.beside_lists import LONGEST, first_words, is_beside, is_headed

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


def is_name_beside(page: BlockTree, path: str, text: str) -> bool:
    """Whether a text of a block at a path of a page is such a name."""
    if path not in _headed(page) or not may_be_name(text):
        return False
    texts, paths, places = _order(page)
    place = places.get((path, text))
    if place is None:
        return False
    start = place - 1
    while start >= 0 and paths[start] == path and place - start <= MOST and not heads(texts[start]):
        if not may_be_name(texts[start]):
            return False
        start -= 1
    if start < 0 or paths[start] != path or place - start > MOST:
        return False
    after = place + 1 < len(texts) and paths[place + 1] == path and may_be_name(texts[place + 1])
    return place - start + after >= FEWEST


def _headed(page: BlockTree) -> frozenset[str]:
    """The paths of blocks without links in which such a heading may stand, on few pages any; kept with the page."""
    known: frozenset[str] | None = page.__dict__.get("names_headed")
    if known is None:
        blocks = [block for block in page.blocks if not block.link_weight]
        known = page.__dict__["names_headed"] = frozenset([block.path for block in blocks if is_headed(block)])
    return known


def _order(page: BlockTree) -> tuple[list[str], list[str], dict[tuple[str, str], int]]:
    """The texts of a page that are no links, the paths of their blocks, and where each stands; kept with the page."""
    known: tuple[list[str], list[str], dict[tuple[str, str], int]] | None = page.__dict__.get("names_order")
    if known is None:
        blocks = [block for block in page.blocks if not block.link_weight]
        texts = [text for block in blocks for text in block.texts]
        paths = [block.path for block in blocks for _ in block.texts]
        places = {pair: place for place, pair in enumerate(zip(paths, texts, strict=True))}
        known = page.__dict__["names_order"] = texts, paths, places
    return known


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
    if len(heading) > LONGEST or not _may_head(heading):
        return False
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
