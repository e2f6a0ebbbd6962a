"""What an edit of a page's own text says, by its kind: how much it weighs, and whether it may tick."""

import re
from collections.abc import Sequence
from typing import Final

from strandline.core.blocks.words import masked, word_distance, words
from strandline.core.changes.edits.meaning import edit_weight
from strandline.core.changes.edits.sentence_meaning import Edit
from strandline.core.changes.words.counters import is_sentence
from strandline.core.changes.words.currencies import other_currency
from strandline.core.changes.words.figures import changed_figures
from strandline.core.changes.words.glued import parted
from strandline.core.changes.words.language_rules import folded_words, heads, language_rules
from strandline.core.changes.words.opening_hours import other_hours
from strandline.core.changes.words.releases import RELEASE, other_release
from strandline.core.struck import standing

DECISIVE: Final = 0.35
"""Weight from which an edit counts by what it says, not by its words. Origin: a guess."""
PRICE: Final = 0.8
"""Weight of a price, share or score that is another now, or in another currency. Origin: a guess."""
SAYS: Final = frozenset(
    ("number", "money", "date", "time", "deadline", "negation", "obligation", "quantity", "contrast", "party", "name",
     "contact", "ingredient")
)  # fmt: skip
"""Edits that change what a sentence says, whatever its other words."""
LASTING: Final = SAYS - {"time", "name"}
"""Those that never tick: however often a price or a term changes, it is another one."""
RENUMBERED: Final = "renumbered"
"""Kind of an edit that numbers a section in another way, with the same number."""
HOURS: Final = 0.7
"""Weight of other hours in which something is open. Origin: a guess, that of another date or name."""
NEAR: Final = 0.67
"""Part of the words that differ at most in a short text that was turned round. Origin: a guess."""
SHORT: Final = 120
"""Letters of a short text. Origin: a guess."""
LABEL: Final = 3
"""Words of a text that is a state, which may return: "In stock". Origin: a guess."""
_BEGINS: Final = re.compile(r"[^:,]{1,30}[:,]\s")


def said(before: str, after: str, language: str) -> tuple[str, float, bool]:
    """What an edit changes in what is said, how much that weighs, and whether it is of a kind that never ticks."""
    before, after = parted(standing(before), standing(after))
    if changed_figures(before, after).signed or other_currency(before, after):
        return "money", PRICE, True
    if other_hours(before, after):
        return "time", HOURS, True
    edit = edit_weight(before, after, language)
    if edit.kind == "numbering" and edit.before == edit.after:  # "§ 4" for "Section 4"
        return RENUMBERED, 0.0, False
    if edit.kind == "number" and other_release(before, after):
        return edit.kind, max(RELEASE, edit.weight), False
    if edit.kind == "number" and is_sentence(after):
        return edit.kind, edit.weight, bool(edit.unit)
    if edit.kind not in SAYS or edit.weight < DECISIVE:
        return edit.kind, 0.0, False
    if edit.kind == "name" and not _is_renamed(edit, before, after, language):
        return edit.kind, 0.0, False
    return edit.kind, edit.weight, edit.kind in LASTING and (edit.kind != "number" or bool(edit.unit))


def _is_renamed(edit: Edit, before: str, after: str, language: str) -> bool:
    """Whether a name took the place of another. Labels Are Often Written So: those are names with a title only, where
    the language has labels with capitals.
    """
    if not edit.before or not edit.after:
        return False
    if not (is_label(before) or is_label(after)):
        return True
    if not language_rules(language).capitals and all(map(_is_full_name, (before, after))):
        return True
    return all(heads("titles", folded_words(text)[:1]) for text in (before, after))


def _is_full_name(text: str) -> bool:
    """Whether a text is two words or three, all with a capital: nothing else is written so where labels are not.

    >>> _is_full_name("Beatriz Alcaraz"), _is_full_name("Beatriz"), _is_full_name("Abierto hoy")
    (True, False, False)
    """
    said = text.split()
    return 1 < len(said) <= LABEL and all(word.istitle() and word.replace("-", "").isalpha() for word in said)


def is_label(text: str) -> bool:
    """True for a few words: a state, a name."""
    return len(words(text)) <= LABEL


def says_another(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether a label says something else now, behind what it is the label of: "Upload operational"."""
    kept = 0
    while kept < min(len(before), len(after)) - 1 and before[kept] == after[kept]:
        kept += 1
    return set(before[kept:]).isdisjoint(after[kept:])


def is_turned(before: str, after: str) -> bool:
    """True for labels, and for a short text that keeps some of its words, or what it begins with ("Level 4: ...",
    "Yes, ..."), and may say the contrary now.
    """
    if is_label(before) and is_label(after):
        return True
    if max(len(before), len(after)) > SHORT:
        return False
    begun, other = map(_BEGINS.match, (before, after))
    return word_distance(before, after) <= NEAR or bool(begun and other and masked(begun[0]) == masked(other[0]))
