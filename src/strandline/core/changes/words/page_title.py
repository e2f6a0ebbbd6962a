"""The headline of a page, wherever it stands: the text that the page's own title repeats.

Sites put it above the text, in a header with menus and names, in a banner: what its place is called says nothing.
"""

from functools import lru_cache
from typing import Final

from strandline.core.blocks.tree import BlockTree, PageBlock
from strandline.core.blocks.words import word_set

FEWEST_WORDS: Final = 2
"""Words of a headline, at least: a single one of a title may be any menu's. Origin: a guess."""
IN_COMMON, SHARE = 3, 0.6
"""Words, and part of the words, that a headline has in common with a title that says it otherwise. Origin: a guess."""
BRIEF: Final = 40
"""Letters of a text of which it costs next to nothing to count the words. Origin: a bound on time."""
LONGEST: Final = 30
"""Words of a headline, at most. Origin: a guess."""


def names_page(text: str, title: str) -> bool:
    """True for a text of some words which the title of the page repeats.

    >>> names_page("How Bread Is Baked", "How bread is baked | Made Example"), names_page("Bread", "Bread and butter")
    (True, False)
    >>> names_page("Thread: which oven is best?", "Which oven is best? - Made Example Forum")
    True
    """
    if not text or not title or (len(text) <= BRIEF and len(text.split()) < FEWEST_WORDS):
        return False
    return _names_page(text, title)


@lru_cache(maxsize=1 << 9)
def _names_page(text: str, title: str) -> bool:
    said = text.casefold().split()
    if not FEWEST_WORDS <= len(said) <= LONGEST:
        return False
    named = title.casefold()
    if " ".join(said) in named:
        return True
    told = word_set(title)
    if len(told) < IN_COMMON:
        return False
    shared = len(word_set(text) & told)
    return shared >= IN_COMMON and shared >= SHARE * len(said)


def is_other_headline(block: PageBlock, texts: tuple[str, str], versions: tuple[BlockTree, BlockTree]) -> bool:
    """Whether a text of a block that came, left or was replaced is the headline of the page.

    Where the title stays as it was, entries of menus that bear the same words are no headline.
    """
    (before, after), (old, new) = texts, versions
    if old.title == new.title and not (before and after):
        return False
    if not names_page(before, old.title) and not names_page(after, new.title):
        return False
    return old.title != new.title or not any(item[0] == "link" and item[1] in (before, after) for item in block.items)
