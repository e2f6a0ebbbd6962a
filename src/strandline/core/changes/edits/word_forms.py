"""Words that are forms of one another, the contrary of one another, or names."""

from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import pairwise, takewhile
from typing import Final

from strandline.core.changes.edits.quantities import Token
from strandline.core.changes.words.language_rules import LanguageRules

TYPO: Final = 0.84
"""Likeness of two spellings of a word. Origin: a guess."""


def is_form(one: str, other: str) -> bool:
    """Whether two words are spellings or forms of one: organiser, organizer; member, members."""
    shorter, longer = sorted((one, other), key=len)
    if len(shorter) < 4:
        return False
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(shorter, longer, strict=False)))
    if common >= 4 and common >= 0.6 * len(longer):
        return True
    return len(longer) - len(shorter) <= 2 and SequenceMatcher(None, one, other).ratio() >= TYPO


def denies(one: str, other: str, rules: LanguageRules) -> bool:
    """Whether a word is another with a negative prefix."""
    shorter, longer = sorted((one, other), key=len)
    return len(shorter) > 3 and any(longer == prefix + shorter for prefix in rules.negative_prefixes)


def names_among(
    words: Sequence[Token], content: Sequence[Token], text: str, rules: LanguageRules, headline: bool
) -> list[Token]:
    """Of some words of a sentence those that are names: with a capital inside a sentence, except in headlines. German
    writes all nouns so: there, two such words side by side are one name.
    """
    if rules.language == "de":
        beside = {
            id(token)
            for one, two in pairwise(content)
            if one.text[:1].isupper() and two.text[:1].isupper() and f"{one.text} {two.text}" in text
            for token in (one, two)
        }
        return [token for token in words if id(token) in beside]
    if headline:
        return []
    named = {id(token) for token in words if token.text[:1].isupper() and not token.first}
    # The first word of a sentence has a capital anyway: it is part of a name if the next one is.
    named |= {id(one) for one, two in pairwise(content) if one.first and one.text[:1].isupper()
              and id(two) in named and f"{one.text} {two.text}" in text}  # fmt: skip
    return [token for token in words if id(token) in named]
