"""Sentences that bind: those of a contract, what something is made of, limits and choices beside a page's own part.

A sentence of a contract, of terms of use or of a policy that is gone says as much as one that was edited. Its page is
told by its heading or title. On other pages a sentence counts as much as what it says (`sentence_meaning`).
"""

import re
from collections.abc import Sequence
from math import exp
from typing import Final

from strandline.core.changes.edits.meaning import plain_lines, sentences
from strandline.core.changes.edits.sentence_meaning import read_sentence
from strandline.core.changes.words.currencies import CURRENCY
from strandline.core.changes.words.language_rules import folded_words, heads, language_of, language_rules

CLAUSE: Final = 0.6
"""Weight of a sentence of a contract, at most. Origin: a guess, that of an obligation that came or went."""
SAID: Final = 0.35
"""Weight of a sentence of any other page, at most: an article is added to, a forum answered. Origin: a guess."""
FEW: Final = 2.0
"""Words that make 1 - 1/e of it. Origin: a guess."""
MADE_OF: Final = 0.5
"""Weight of a sentence that says what something is made of or contains. Origin: a guess, that of another ingredient."""
LONGEST: Final = 240
"""Letters of a sentence that is weighed by itself; longer texts count by their words. Origin: a guess."""
TITLE: Final = 12
"""Words of a title or heading that names a contract. Origin: a guess."""
HEADING: Final = 4
"""Words of the heading of a list of ingredients. Origin: a guess."""
ENTRY: Final = 8
"""Words of one of them. Origin: a guess."""
MOST_ENTRIES: Final = 40
"""Of a list, how many are looked back over for its heading. Origin: a bound on time."""
LIMITED: Final = 3
"""Words in front of a figure that make it a limit. Origin: a guess, "à partir de"."""
CHOICES: Final = 3
"""Numbers in order that are the choices of a form, at least. Origin: a guess."""
_ENDS: Final = (".", "!", "?", "。")
_FIGURE: Final = re.compile(r"\d+(?:[.,]\d+)*")


def is_contract(headings: Sequence[str]) -> bool:
    """Whether a page whose title and first heading these are binds somebody.

    >>> is_contract(["Terms of hire"]), is_contract(["Ten gardens worth a detour"])
    (True, False)
    """
    return any(len(text.split()) <= TITLE and heads("contracts", folded_words(text)) for text in headings)


def sentence_weight(text: str, language: str, contract: bool) -> float:
    """What a sentence, or a few short ones, weighs that came or went; 0 for what is none, or mere politeness.

    >>> round(sentence_weight("The lender bears the cost of repairs.", "en", True), 2)
    0.52
    >>> sentence_weight("Contains nuts.", "en", False), sentence_weight("Contact us", "en", True)
    (0.5, 0.0)
    """
    text = text.strip()
    if len(text) > LONGEST or not text.endswith(_ENDS) or " " not in text:
        return 0.0
    code = language or language_of(text)
    words, rules = folded_words(text), language_rules(code)
    if rules.marked("courtesy", words):
        return 0.0
    if rules.marked("ingredients", words):
        return MADE_OF
    read = [read_sentence(sentence, rules.language) for sentence in sentences(plain_lines(text))]
    if not contract:
        return min(SAID, max((sentence.worth for sentence in read), default=0.0))
    size = max((len(one.facts) + len(one.concepts) + len(one.content) for one in read), default=0)
    return CLAUSE * (1.0 - exp(-size / FEW))


def is_ingredient(texts: Sequence[str], text: str) -> bool:
    """Whether a short text is one of a list, or a cell, below a heading that says what something is made of.

    >>> is_ingredient(["Pesto", "Ingredients", "Basil", "Cashews"], "Cashews"), is_ingredient(["Pesto", "Oil"], "Oil")
    (True, False)
    """
    place = texts.index(text) if text in texts else -1
    for earlier in range(place, max(-1, place - MOST_ENTRIES), -1):
        said = texts[earlier]
        size = len(said.split())
        if size > ENTRY or said.endswith(_ENDS):
            return False
        if earlier < place and size <= HEADING and heads("ingredients", folded_words(said)):
            return True
    return False


def other_limit(before: str, after: str, language: str) -> bool:
    """Whether a text tells another limit now: words in front of the figure make it one.

    >>> other_limit("At most 25 MB.", "At most 5 MB.", "en"), other_limit("512 guests", "498 guests", "en")
    (True, False)
    """
    others = _other_figures(before, after)
    rules = language_rules(language or language_of(after)) if others else None
    fronts = (folded_words(after[: other.start()])[-LIMITED:] for _, other in others)
    return rules is not None and all(front and rules.marked("limits", front) for front in fronts)


def other_sum(before: str, after: str) -> bool:
    """Whether a text tells another sum of money now.

    >>> other_sum("Express, 9.90 €", "Express, 14.90 €"), other_sum("3 + 4 =", "8 + 1 =")
    (True, False)
    """
    return any(
        CURRENCY.search(after, max(0, other.start() - 4), other.end() + 4) for _, other in _other_figures(before, after)
    )


def is_choice(old: Sequence[str], new: Sequence[str], before: str, after: str) -> bool:
    """Whether a plain number is one of the numbers a form offers, given the texts of its block before and after: one of
    several in order, the others of which stay. A riddle for robots is none.

    >>> is_choice(["Guests", "2", "4", "8", "Book"], ["Guests", "2", "4", "6", "Book"], "8", "6")
    True
    >>> is_choice(["3", "4", "="], ["8", "1", "="], "3", "8")
    False
    """
    if len(old) != len(new) or not (before.isdecimal() and after.isdecimal()):
        return False
    others = [place for place, pair in enumerate(zip(old, new, strict=True)) if pair[0] != pair[1]]
    if len(others) != 1 or (old[others[0]], new[others[0]]) != (before, after):
        return False
    first = last = others[0]
    while first and new[first - 1].isdecimal():
        first -= 1
    while last + 1 < len(new) and new[last + 1].isdecimal():
        last += 1
    runs = [list(map(int, texts[first : last + 1])) for texts in (old, new)]
    return last - first + 1 >= CHOICES and all(run in (sorted(run), sorted(run, reverse=True)) for run in runs)


def _other_figures(before: str, after: str) -> list[tuple[re.Match[str], re.Match[str]]]:
    """Figures that are others now in a text that otherwise stays."""
    if _FIGURE.sub("#", before) != _FIGURE.sub("#", after):
        return []
    pairs = zip(_FIGURE.finditer(before), _FIGURE.finditer(after), strict=True)
    return [pair for pair in pairs if pair[0][0] != pair[1][0]]
