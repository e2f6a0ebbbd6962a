"""What happened to a text, part by part: `item_changes`, but that what never rests of a line counts nothing.

Each text is judged as a whole first. Only if it counts are its parts asked for their past (`restless_parts`): with
those that never rest set back to what they were, the text is judged again, and counts by what is left: another price
behind a counter does, the counter does not. So does a text that always stood as it was and now says something in words
the page never had: it was decided, whatever the frame around it does.
"""

from difflib import SequenceMatcher
from typing import Final

from strandline.core.blocks.tree import PageBlock
from strandline.core.blocks.word_numbers import without, word_numbers, words_among
from strandline.core.blocks.words import words
from strandline.core.changes.delta.delta import Delta
from strandline.core.changes.delta.touched import SAYING
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.page.own_order import NAMES
from strandline.core.changes.page.page_kind import PageKind
from strandline.core.changes.score.item_change import ItemChange
from strandline.core.changes.score.item_changes import BESIDE, EDITED, ENTRY, STATE, ItemJudge
from strandline.core.changes.score.restless_parts import RestlessParts
from strandline.core.changes.words.moving_parts import parts_of
from strandline.core.changes.words.same_text import is_same_text

ADDED: Final = 0.12
"""Weight of an edit with a new word or two, in a text that stood as it was at all looks. Origin: a guess, that of a
short sentence."""
LETTERS: Final = 5
"""Letters of one new word that is more than a form of "and". Origin: a guess."""
ALIKE: Final = 0.7
"""Part of the letters that two spellings of a word have in common. Origin: a guess."""
TURNS: Final = "another one at every look"
"""Why a text counts nothing that never rests, also a line that took the place of one that begins alike.
Origin: a definition."""


class LineJudge(ItemJudge):
    """Judges the touched texts of a page, part by part."""

    def __init__(self, delta: Delta, noise: NoiseState, kind: PageKind) -> None:
        super().__init__(delta, noise, kind)
        self._parts = RestlessParts(delta, noise, kind, self._returning, self._restless)

    def judge(self, block: PageBlock, before: str, after: str, figures: bool, weigh: bool = True) -> ItemChange:
        """What happened to one text of a block; see `ItemJudge`."""
        found = super().judge(block, before, after, figures, weigh)
        if not found.counts or found.stands_as not in ("", "entry"):
            return found
        if not block.link_weight and self._kind.names_beside(block.path, after or before):
            return found._replace(counts=False, why=BESIDE, weight=0.0, stands_as="")
        if not (before and after) and self._parts.comes_or_goes(block, after or before, came=bool(after)):
            return ItemChange("rotating", before, after, False, TURNS)
        return found

    def _edited(self, block: PageBlock, before: str, after: str, figures: bool, weigh: bool) -> ItemChange:
        entries = self._entries_left
        found = super()._edited(block, before, after, figures, weigh)
        if figures or not (found.counts or (found.why == TURNS and self._parts.adds(before, after))):
            return found
        if not self._kind.listing and self._is_in_turn(block, before, after):
            return ItemChange("rotating", before, after, False, "one of several in turn")
        if found.counts and not self._kind.listing and self._turns(block, before, after):
            return ItemChange("rotating", before, after, False, TURNS)
        rest = before if self._are_read(block, found, before, after) else self._parts.set_back(block, before, after)
        if rest == before:
            return ItemChange("ticking", before, after, False, "parts of it are others at every look")
        if rest != after:
            self._entries_left = entries
            found = super()._edited(block, before, rest, figures, weigh)._replace(said=rest)
        if found.kind == "edited" and found.counts and EDITED <= found.weight <= STATE and not self._kind.listing:
            return found._replace(weight=max(found.weight, self._of_new_words(block, before, rest)))
        return found

    def _moves_with_others(self, block: PageBlock, before: str, after: str, counts: bool) -> ItemChange | None:
        found = super()._moves_with_others(block, before, after, counts)
        if found and found.kind == "ticking" and parts_of(before).dates != parts_of(after).dates:
            return None  # somebody appointed another date, in a row that ticks
        return found

    def _is_in_turn(self, block: PageBlock, before: str, after: str) -> bool:
        """Whether a text is back that shares its place with several others."""
        if not self._noise.seen_item(after) or is_same_text(before, after):
            return False
        return self._parts.is_in_turn(block, before, after)

    def _turns(self, block: PageBlock, before: str, after: str) -> bool:
        """Whether a text stands where another one does at every look."""
        return not is_same_text(before, after) and self._parts.turns_in_place(block, before, after)

    def _of_new_words(self, block: PageBlock, before: str, after: str) -> float:
        """What an edit weighs at least that says something in words the page never had, in a text that always stood."""
        if not self._kind.owns(block):
            return 0.0
        added = self._noise.unseen_words(without(word_numbers(after), self._delta.page_words[0]))
        said = words_among(after, added) if added.size else ()
        new = [word for word in said if len(word) >= NAMES and not word.isdigit()]
        if not new or not self._parts.stood(block, before, after):
            return 0.0
        then, now = words(before), words(after)
        if len(new) >= SAYING or (len(new) > 1 and 2 * len(new) >= len(now)):
            return ENTRY
        left = set(then).difference(now)
        new = [word for word in new if len(word) >= LETTERS and not any(_is_spelling(word, other) for other in left)]
        return ADDED if new else 0.0

    def _are_read(self, block: PageBlock, found: ItemChange, before: str, after: str) -> bool:
        """Whether an edit is one of numbers that are others all at once, at a first look; no number of an account."""
        return found.why in ("number", "money") and self._parts.are_read(block, before, after)


def _is_spelling(word: str, other: str) -> bool:
    """Whether a word is another spelling of one.

    >>> _is_spelling("receive", "recieve"), _is_spelling("adopted", "waiting")
    (True, False)
    """
    return SequenceMatcher(None, word, other).ratio() >= ALIKE
