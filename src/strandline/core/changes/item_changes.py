"""What happened to each text of a page: new, gone, edited; or only moved, ticking, rotating. And why it counts or not.

Noise is what differs between two fetches seconds apart, ticks, or returns. News is what was never said before. How
often a text changes decides nothing by itself:

    new        came, and was never on the page            rotating   came back, or goes where most others came back
    gone       left, and not at the end of a list         ticking    a clock, age, counter, identifier; or a part that
    edited     the same text says something else                     changes at most looks and is no price, term or date
    moved      was elsewhere on the page, left the end of a list, or came from the page of the list before
"""

from typing import Any, Final, Literal, NamedTuple

from strandline.core.blocks.tree import PageBlock
from strandline.core.blocks.words import words
from strandline.core.changes.currencies import other_currency
from strandline.core.changes.delta import Delta
from strandline.core.changes.figures import changed_figures
from strandline.core.changes.labels import is_labelled
from strandline.core.changes.meaning import edit_weight
from strandline.core.changes.page_kind import LISTED, PageKind
from strandline.core.changes.sentence_meaning import SLIGHT
from strandline.core.changes.ticking import TickForm, is_same_text, tick_form
from strandline.core.changes.touched import followers
from strandline.core.changes.volatility import NoiseState
from strandline.core.kept_property import kept_property

DECISIVE: Final = 0.35
"""Weight from which an edit counts by what it says, not by its words. Origin: a guess."""
PRICE: Final = 0.8
"""Weight of a price, share or score that is another now, or in another currency. Origin: a guess."""
SAYS: Final = frozenset(
    ("number", "money", "date", "time", "deadline", "negation", "obligation", "quantity", "contrast", "party")
)
"""Edits that change what a sentence says, whatever its other words."""
LASTING: Final = SAYS - {"time"}
"""Those that never tick: however often a price or a term changes, it is another one."""
EDITED: Final = 0.04
"""What an edit of the page's own text weighs at least, if it is more than typography. Origin: a guess."""
ItemKind = Literal["new", "gone", "edited", "rotating", "ticking", "moved"]

LABEL: Final = 3
"""Words of a text that is a state, which may return: "In stock". Origin: a guess."""
TOP: Final = 0.34
"""Part of a list from which a text that leaves is gone, not passed on. Origin: a guess."""
_FORMS: Final[dict[TickForm, str]] = {
    "age": "says how long ago",
    "clock": "a clock",
    "stamp": "the date of the page itself",
    "counter": "a counter",
    "identifier": "an identifier",
    "countdown": "a countdown",
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
        if form and not (form == "time" and noise.stood_still(block.path, before, after)):
            return ItemChange("ticking", before, after, False, _FORMS[form])
        if not figures and is_bare(after) and (block.linked >= LISTED or self._kind.listing or not own):
            return ItemChange("ticking", before, after, False, "a number in a list")
        back = noise.seen_item(after)
        alike = is_same_text(before, after) or other_currency(before, after)
        if not alike and own and self._kind.later and self._order.came_with_others(after):
            return ItemChange("moved", before, after, False, "came from the page of the list before")
        kind, weight, lasting = _said(before, after, self._delta.language) if own and alike else ("", 0.0, False)
        if not figures and not lasting and noise.ticks(block.path, before, after):
            return ItemChange("ticking", before, after, False, "differs at most looks while the rest of it stays")
        if back and (weight < DECISIVE or not alike) and not (own and _is_label(before) and _is_label(after)):
            return ItemChange("rotating", before, after, False, "was shown before")
        least = EDITED if own and kind not in SLIGHT else 0.0
        return ItemChange("edited", before, after, True, kind, least if figures else max(least, weight))

    def _came(self, block: PageBlock, text: str) -> ItemChange:
        if self._noise.seen_text(text):
            return ItemChange("rotating", "", text, False, "was shown before")
        if text in self._delta.shown_before:
            return ItemChange("moved", "", text, False, "is elsewhere on the page, too")
        if self._kind.later and self._kind.owns(block) and self._order.came_with_others(text):
            return ItemChange("moved", "", text, False, "came from the page of the list before")
        return ItemChange("new", "", text, True, "was never on the page")

    def _left(self, block: PageBlock, text: str) -> ItemChange:
        if self._noise.seen_text(text):
            return ItemChange("rotating", text, "", False, "comes and goes")
        listed = self._kind.listing > 0 or self._kind.later
        if listed and self._kind.owns(block) and not self._order.left_the_top(text):
            return ItemChange("moved", text, "", False, "left the list, not at its top")
        return ItemChange("gone", text, "", True, "left the page")

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
    return edit.kind, edit.weight, edit.kind in LASTING and (edit.kind != "number" or bool(edit.unit))


def _is_label(text: str) -> bool:
    return len(words(text)) <= LABEL


def is_bare(text: str) -> bool:
    """True for a number alone."""
    return text.replace(",", "").replace(".", "").strip("() ").isdigit()
