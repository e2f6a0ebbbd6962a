"""What people search for: words, "phrases in quotes", -without, this OR that.

    opening hours            both words, anywhere in a block
    "opening hours"          one after the other
    hours -monday            blocks with the one and without the other
    monday OR tuesday        either; OR joins the two terms beside it

Words are cut as those of blocks are (core/blocks/words.py), so case, accents and punctuation do not matter.
"""

import re
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from strandline.core.blocks.words import words
from strandline.core.struck import without_strokes

_TERM: Final = re.compile(r'(-?)"([^"]*)"?|(\S+)')

Doubt = Literal["", "open_quote", "nothing_wanted"]
"""What may be wrong with a search that finds nothing."""
Phrase = tuple[str, ...]
"""Words one after the other."""


class Clause(NamedTuple):
    """One of several things has to be there; or, when it is `absent`, must not be. Of each all phrases are meant."""

    any_of: tuple[tuple[Phrase, ...], ...]
    absent: bool = False


def searched_words(text: str) -> list[str]:
    """The words a text is found by, in order; also those that are struck through."""
    return words(without_strokes(text))


def clauses(text: str) -> list[Clause]:
    """What a text asks for; nothing when it asks only for what should be absent.

    >>> clauses('hours "new price"')
    [Clause(any_of=((('hours',),),), absent=False), Clause(any_of=((('new', 'price'),),), absent=False)]
    >>> clauses("monday OR tuesday -closed")
    [Clause(any_of=((('monday',),), (('tuesday',),)), absent=False), Clause(any_of=((('closed',),),), absent=True)]
    >>> clauses("-closed")
    []
    """
    found: list[Clause] = []
    joining = False
    for sign, quoted, plain in _TERM.findall(text):
        if plain == "OR" and found and not found[-1].absent:
            joining = True
            continue
        absent = bool(sign) or (plain.startswith("-") and len(plain) > 1)
        cut = searched_words(quoted or plain)
        if not cut:
            continue
        asked = (tuple(cut),) if quoted else tuple((word,) for word in cut)
        if joining and not absent:
            found[-1] = Clause((*found[-1].any_of, asked))
        else:
            found.append(Clause((asked,), absent))
        joining = False
    return found if any(not clause.absent for clause in found) else []


def doubt(text: str) -> Doubt:
    """What may be wrong with a search: a quote that is never closed makes one phrase of all words after it, and
    without a word that should be there nothing is looked for.

    >>> doubt('"opening hours'), doubt("-closed"), doubt('"opening hours"'), doubt("")
    ('open_quote', 'nothing_wanted', '', '')
    """
    if text.count('"') % 2:
        return "open_quote"
    return "nothing_wanted" if words(text) and not clauses(text) else ""


def fits(asked: Sequence[Clause], text: str) -> bool:
    """Whether a text has what is asked for, as the search index would say.

    >>> asked = clauses('"new price" OR discount -closed')
    >>> fits(asked, "The NEW price is 5."), fits(asked, "price, new"), fits(asked, "discount; closed")
    (True, False, False)
    """
    if not asked:
        return False
    found = searched_words(text)
    joined = f" {' '.join(found)} "

    def there(clause: Clause) -> bool:
        return any(all(f" {' '.join(phrase)} " in joined for phrase in all_of) for all_of in clause.any_of)

    return all(there(clause) != clause.absent for clause in asked)
