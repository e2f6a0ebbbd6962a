"""What happened to each text of a page: new, gone, edited; or only moved, ticking, rotating. And why it counts or not.

Noise is what differs between two fetches seconds apart, ticks, or returns. News is what was never said before. How
often a text changes decides nothing by itself:

    new        came, and was never on the page            rotating   came back, or goes where most others came back
    gone       left, and not at the end of a list         ticking    a clock, age, counter, identifier; or a part that
    edited     the same text says something else                     changes at most looks and is no price, term or date
    moved      was elsewhere on the page, left the end of a list, or came from the page of the list before
"""

import re
from typing import Any, Final, Literal, NamedTuple

from strandline.core.blocks.tree import PageBlock
from strandline.core.blocks.words import masked, word_distance, words
from strandline.core.changes.currencies import other_currency
from strandline.core.changes.delta import Delta
from strandline.core.changes.figures import changed_figures
from strandline.core.changes.labels import is_labelled
from strandline.core.changes.language_rules import is_correction, language_of, language_rules
from strandline.core.changes.meaning import edit_weight, tells_end
from strandline.core.changes.page_kind import LISTED, PageKind
from strandline.core.changes.sentence_meaning import SLIGHT
from strandline.core.changes.ticking import TickForm, is_moment, is_same_text, is_stamp, is_unnamed, tick_form
from strandline.core.changes.touched import followers
from strandline.core.changes.volatility import NoiseState
from strandline.core.kept_property import kept_property

DECISIVE: Final = 0.35
"""Weight from which an edit counts by what it says, not by its words. Origin: a guess."""
PRICE: Final = 0.8
"""Weight of a price, share or score that is another now, or in another currency. Origin: a guess."""
SAYS: Final = frozenset(
    ("number", "money", "date", "time", "deadline", "negation", "obligation", "quantity", "contrast", "party", "name",
     "contact")
)  # fmt: skip
"""Edits that change what a sentence says, whatever its other words."""
LASTING: Final = SAYS - {"time", "name"}
"""Those that never tick: however often a price or a term changes, it is another one."""
CORRECTION: Final = 0.7
"""Weight of a notice that something said before was wrong. Origin: a guess, that of another date or name."""
ENDED: Final = 0.5
"""Weight of a text that says something cannot be had any more, or of one that said so. Origin: a guess."""
HEADLINE: Final = 0.5
"""Weight of another headline above a text. Origin: a guess."""
STATE: Final = 0.15
"""Weight of a few words that took the place of others: a state, a name, an entry. Origin: a guess."""
HEADED: Final = 18
"""Words of a headline, at most. Origin: a guess."""
NEAR: Final = 0.67
"""Part of the words that differ at most in a short text that was turned round. Origin: a guess."""
EDITED: Final = 0.04
"""What an edit of the page's own text weighs at least, if it is more than typography. Origin: a guess."""
ItemKind = Literal["new", "gone", "edited", "rotating", "ticking", "moved"]

SHORT: Final = 120
"""Letters of a short text. Origin: a guess."""
LABEL: Final = 3
"""Words of a text that is a state, which may return: "In stock". Origin: a guess."""
TOP: Final = 0.34
"""Part of a list from which a text that leaves is gone, not passed on. Origin: a guess."""
_BEGINS: Final = re.compile(r"[^:,]{1,30}[:,]\s")
_FORMS: Final[dict[TickForm, str]] = {
    "age": "says how long ago",
    "clock": "a clock",
    "stamp": "the date of the page itself",
    "counter": "a counter",
    "identifier": "an identifier",
    "countdown": "a countdown",
    "reading": "what an instrument shows now",
    "time": "a time, not known to stand still",
}


class ItemChange(NamedTuple):
    """What happened to one text of a block, and why it counts or not."""

    kind: ItemKind
    before: str
    after: str
    counts: bool = True
    why: str = ""
    weight: float = 0.0  # of an edit, by what it says, in [0, 1]

    def as_data(self, longest: int = 200) -> dict[str, Any]:
        """As `changes --json`, `compare --json` and the interface show it."""
        return {
            "kind": self.kind,
            "before": self.before[:longest],
            "after": self.after[:longest],
            "counts": self.counts,
            "why": self.why,
        }


class ItemJudge:
    """Judges the touched texts of a page, block by block."""

    def __init__(self, delta: Delta, noise: NoiseState, kind: PageKind) -> None:
        self._delta = delta
        self._noise = noise
        self._kind = kind

    def judge(self, block: PageBlock, before: str, after: str, figures: bool) -> ItemChange:
        """What happened to one text of a block; `figures` says whether numbers are what the block is about."""
        if before and after:
            return self._edited(block, before, after, figures)
        return self._came(block, after) if after else self._left(block, before)

    def _edited(self, block: PageBlock, before: str, after: str, figures: bool) -> ItemChange:
        noise, own = self._noise, self._kind.owns(block)
        figures = figures and not is_labelled(after)  # a cell of a table; what has a label says what it is
        form = "" if figures and is_bare(after) else tick_form(before, after)
        if form and not self._stands(form, block, before, after, figures):
            return ItemChange("ticking", before, after, False, _FORMS[form])
        if not figures and is_bare(after) and (block.linked >= LISTED or self._kind.listing or not own):
            return ItemChange("ticking", before, after, False, "a number in a list")
        back = noise.seen_item(after)
        alike = is_same_text(before, after) or other_currency(before, after)
        if not alike and own and self._kind.later and self._order.came_with_others(after):
            return ItemChange("moved", before, after, False, "came from the page of the list before")
        kind, weight, lasting = "", 0.0, False
        if own and (alike or (not self._kind.listing and _is_turned(before, after))):
            kind, weight, lasting = _said(before, after, self._delta.language)
        if not figures and not lasting and noise.ticks(block.path, before, after):
            return ItemChange("ticking", before, after, False, "differs at most looks while the rest of it stays")
        if back and (weight < DECISIVE or not alike) and not (own and _is_label(before) and _is_label(after)):
            return ItemChange("rotating", before, after, False, "was shown before")
        least = self._least(before, after) if own and kind not in SLIGHT else 0.0
        counted = figures and not noise.mostly_still(block.path)
        return ItemChange("edited", before, after, True, kind, least if counted else max(least, weight))

    def _stands(self, form: TickForm, block: PageBlock, before: str, after: str, figures: bool) -> bool:
        """Whether a time or date is one that stands still: that of a timetable or of a table of dates, no clock."""
        if form == "time":
            return self._noise.stood_still(block.path, before, after)
        own = self._kind.owns(block) and self._noise.mostly_still(block.path)
        if form == "stamp" and own and not figures and not self._kind.listing:
            return is_moment(after) and is_tabled(block, after)
        return own and (form == "clock" or (form == "stamp" and figures)) and is_unnamed(after)

    def _least(self, before: str, after: str) -> float:
        """What an edit of the page's own text weighs at least."""
        if self._kind.listing:
            return EDITED
        language = self._delta.language
        if tells_end(before, language) != tells_end(after, language):
            return ENDED
        if _is_label(before) and _is_label(after) and set(words(before)).isdisjoint(words(after)):
            return STATE
        heads = after == self._headline and HEADED >= len(after.split()) > 1
        return HEADLINE if heads and not after.endswith(".") else EDITED

    @kept_property
    def _headline(self) -> str:
        """What the page's own part begins with, if more follows."""
        first = next((block for block in self._delta.new.blocks if block.texts and self._kind.owns(block)), None)
        return first.texts[0] if first and len(first.texts) > 1 and first.lead == first.texts[0] else ""

    def _came(self, block: PageBlock, text: str) -> ItemChange:
        if self._noise.seen_text(text):
            return ItemChange("rotating", "", text, False, "was shown before")
        if text in self._delta.shown_before:
            return ItemChange("moved", "", text, False, "is elsewhere on the page, too")
        if self._kind.later and self._kind.owns(block) and self._order.came_with_others(text):
            return ItemChange("moved", "", text, False, "came from the page of the list before")
        if self._kind.owns(block) and is_correction(text, language_rules(self._delta.language or language_of(text))):
            return ItemChange("new", "", text, True, "a correction", CORRECTION)
        return ItemChange("new", "", text, True, "was never on the page", self._told_end(block, text))

    def _left(self, block: PageBlock, text: str) -> ItemChange:
        if self._noise.seen_text(text):
            return ItemChange("rotating", text, "", False, "comes and goes")
        listed = self._kind.listing > 0 or self._kind.later
        flows = self._kind.later or self._order.grew  # others came, and it was pushed off; else it was taken out
        if listed and flows and self._kind.owns(block) and not self._order.left_the_top(text):
            return ItemChange("moved", text, "", False, "left the list, not at its top")
        return ItemChange("gone", text, "", True, "left the page", self._told_end(block, text))

    def _told_end(self, block: PageBlock, text: str) -> float:
        """The weight of a text of a page's own that says something ended."""
        own = not self._kind.listing and self._kind.owns(block)
        return ENDED if own and tells_end(text, self._delta.language) else 0.0

    @kept_property
    def _order(self) -> "_Order":
        old, new = self._delta.old.blocks, self._delta.new.blocks
        return _Order(
            *([text for block in page if self._kind.owns(block) for text in block.texts] for page in (old, new))
        )


class _Order:
    """Where in the order of the page's own texts some came and left."""

    def __init__(self, old: list[str], new: list[str]) -> None:
        self._old, self._new = old, new

    @kept_property
    def _left_after(self) -> dict[str, list[str]]:
        return dict(followers(self._old, set(self._new)))

    @kept_property
    def _came_after(self) -> dict[str, str]:
        return {text: stay for stay, come in followers(self._new, set(self._old)) for text in come}

    @kept_property
    def _places(self) -> dict[str, int]:
        return {text: place for place, text in enumerate(self._old)}

    @property
    def grew(self) -> bool:
        """Whether anything came."""
        return bool(self._came_after)

    def came_with_others(self, text: str) -> bool:
        """True unless a text took the place of one that left: it moved in."""
        stay = self._came_after.get(text)
        return stay is not None and not self._left_after.get(stay)

    def left_the_top(self, text: str) -> bool:
        """True for a text that stood in the upper part of the list, or took the place of another there."""
        place = self._places.get(text)
        return place is not None and place / len(self._old) < TOP


def _said(before: str, after: str, language: str) -> tuple[str, float, bool]:
    """What an edit changes in what is said, how much that weighs, and whether it is of a kind that never ticks."""
    if changed_figures(before, after).signed or other_currency(before, after):
        return "money", PRICE, True
    edit = edit_weight(before, after, language)
    if edit.kind not in SAYS or edit.weight < DECISIVE:
        return edit.kind, 0.0, False
    if edit.kind == "name" and (not edit.before or not edit.after or _is_label(before) or _is_label(after)):
        return edit.kind, 0.0, False  # only one that took the place of another; labels Are Often Written So
    return edit.kind, edit.weight, edit.kind in LASTING and (edit.kind != "number" or bool(edit.unit))


def _is_label(text: str) -> bool:
    return len(words(text)) <= LABEL


def _is_turned(before: str, after: str) -> bool:
    """True for labels, and for a short text that keeps some of its words, or what it begins with ("Level 4: ...",
    "Yes, ..."), and may say the contrary now.
    """
    if _is_label(before) and _is_label(after):
        return True
    if max(len(before), len(after)) > SHORT:
        return False
    begun, other = map(_BEGINS.match, (before, after))
    return word_distance(before, after) <= NEAR or bool(begun and other and masked(begun[0]) == masked(other[0]))


def is_tabled(block: PageBlock, date: str) -> bool:
    """Whether a date without a word beside it is one of a table: there are others, or a label stands before it."""
    texts = block.texts
    if sum(map(is_moment, texts)) > 1:
        return True
    place = texts.index(date) if date in texts else 0
    return place > 1 and _is_label(texts[place - 1]) and not is_stamp(texts[place - 1])


def is_bare(text: str) -> bool:
    """True for a number alone."""
    return text.replace(",", "").replace(".", "").strip("() ").isdigit()
