"""Two states of one text: which of its words stay, and whether it is the same text at all or another in its place."""

from collections import Counter
from functools import lru_cache
from typing import Final

from strandline.core.blocks.words import word_distance, word_set, words
from strandline.core.changes.words.counters import is_sentence
from strandline.core.changes.words.moving_parts import LONG, parts_of
from strandline.core.changes.words.ticking import settled_text
from strandline.core.struck import without_strokes

SLOT: Final = 3
"""Words of a part that changes while the rest stays. Origin: a guess."""
IN_PLACE: Final = 0.5
"""Part of the words that differ at most in a text that is the same text, edited. Origin: a guess."""


@lru_cache(maxsize=1 << 11)
def is_slot(before: str, after: str) -> bool:
    """True when few words of a short text are others, not more than those that stay; or those of a label.

    >>> is_slot("Your reference: abc", "Your reference: xyz"), is_slot("Storm hits coast", "Council opens school")
    (True, False)
    """
    if len(before) > LONG or len(after) > LONG:
        return False
    if settled_text(before) == settled_text(after):
        return True
    old, new = words(parts_of(before).rest), words(parts_of(after).rest)
    longer = max(len(old), len(new))
    if longer < SLOT or abs(len(old) - len(new)) > SLOT:
        return longer < SLOT
    kept = (Counter(old) & Counter(new)).total()
    return longer - kept <= min(SLOT, kept)


@lru_cache(maxsize=1 << 11)
def is_same_text(before: str, after: str) -> bool:
    """True for two states of one text; otherwise one only took the place of the other."""
    before, after = without_strokes(before), without_strokes(after)
    if settled_text(before) == settled_text(after) or word_distance(before, after) <= IN_PLACE:
        return True
    shorter, longer = sorted((before, after), key=len)  # sentences may have been added
    return shorter.endswith(".") and " " in shorter and longer.startswith(f"{shorter} ")


@lru_cache(maxsize=1 << 10)  # what is scored is learned from next
def kept_words(before: str, after: str) -> str:
    """The words that stay in a text while a part of it changes, but those of ages, dates and times, and numbers in a
    sentence: what stays of them by chance would make another text of it at the next look. Rows are told by numbers.

    >>> kept_words("Seen by 12 on 3 March 2026, 09:10", "Seen by 17 on 4 March 2026, 10:10")
    'by on seen'
    """
    if max(len(before), len(after)) <= LONG:
        told = is_sentence(after)
        before, after = [settled_text(text) if told else parts_of(text).rest for text in (before, after)]
    kept = word_set(before) & word_set(after)
    if not kept and (form := settled_text(before)) == settled_text(after) and any(map(str.isalpha, form)):
        return form  # a label and its value without a blank between them
    return " ".join(sorted(kept) or sorted((before, after)))
