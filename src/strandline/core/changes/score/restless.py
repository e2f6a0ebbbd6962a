"""Texts of a page that never rest, told by their past or by what stands beside them: the quote of the day, what was
measured when the page was made, a box that shows something else at every look, a number that is another one each time.
"""

from typing import Final

from strandline.core.blocks.tree import PageBlock
from strandline.core.changes.delta.delta import Delta
from strandline.core.changes.delta.touched import touched_texts
from strandline.core.changes.edits.quantities import read
from strandline.core.changes.edits.said import SHORT
from strandline.core.changes.noise.creeping import set_back
from strandline.core.changes.noise.in_step import counting_up, number_behind, row_form, rows_in_step
from strandline.core.changes.noise.spots import Spots, spots_of
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.page.notices import LONGEST, heads_daily, is_daily
from strandline.core.changes.page.page_kind import PageKind
from strandline.core.changes.page.returning import Returning
from strandline.core.changes.words.figures import is_bare, is_money, is_reading
from strandline.core.changes.words.language_rules import folded_words, heads, language_rules, plain_signs
from strandline.core.changes.words.same_text import is_same_text
from strandline.core.changes.words.ticking import settled_text
from strandline.core.changes.words.voices import is_voice
from strandline.core.kept_property import kept_property

RESTLESS: Final = frozenset(("number", "money", "time"))
"""Kinds of edits that may tick where they come at every look: counts of people, shares, times. A sum counts however
often it moves, and a date that does not move with the clock is one that somebody appoints."""
PERIODS: Final = frozenset(("day", "working_day", "month"))
"""Units of numbers that are terms, not readings, however often they move: weeks are days, years months."""

SLOGAN: Final = 60
"""Letters of a text that may turn at every look and be no news. Origin: a guess."""


class Restless:
    """Tells them, for one change of a page."""

    def __init__(self, delta: Delta, noise: NoiseState, kind: PageKind, returning: Returning) -> None:
        self._delta, self._noise, self._kind, self._returning = delta, noise, kind, returning

    def why(self, block: PageBlock, edit: tuple[str, str], kind: str, *, sure: bool) -> str:
        """Why an edit says nothing, of a part of a text that changed at most looks, if so; `sure` for one of a kind
        that is news however often it comes: only if it does at every look.
        """
        before, after = edit
        if not sure:
            states = self._kind.owns(block) and self._returning.is_of_states(before, after)
            return "" if states else "differs at most looks while the rest of it stays"
        if kind in RESTLESS and self._noise.never_rests(block.path, before, after):
            return "" if self.is_term(before, after) else "differs at every look while the rest of it stays"
        return ""

    def is_term(self, before: str, after: str) -> bool:
        """Whether what is another number now is a sum, or a length of days or months."""
        rules = language_rules(self._delta.language)
        known, facts = ({fact.key: fact for fact in read(plain_signs(text), rules).facts} for text in (before, after))
        changed = facts.keys() - known.keys()
        return is_money(after) or any(facts[key].kind == "money" or key[-1] in PERIODS for key in changed)

    def is_turning(self, block: PageBlock, after: str) -> bool:
        """Whether a short text stands where another one does at every look, a quote or a slogan, and no two fetches
        seconds apart showed that it is news.
        """
        noise = self._noise
        if len(after) > SLOGAN or not noise.slots or noise.is_checked(block):
            return False
        return noise.is_restless_at(block.path, self._spots.before(block, after))

    def of_its_label(self, block: PageBlock, before: str, after: str) -> str:
        """Why a number says nothing that stands alone below a label, if another one stands there at most looks."""
        if not self._noise.slots or not (is_bare(before) and is_bare(after)):
            return ""
        stands = self._spots.before(block, after)
        restless = any(map(str.isalpha, stands)) and self._noise.is_restless_at(block.path, stands)
        return "another number at every look" if restless else ""

    @kept_property
    def _spots(self) -> Spots:
        return spots_of(self._delta)

    def is_daily(self, block: PageBlock, after: str) -> bool:
        """Whether a short text is the quote, the word or the picture of the day, as it says, or the text before it."""
        if len(after) > SHORT:
            return False
        if is_daily(after):
            return True
        stands = self._spots.text_before(block, after)
        return len(form := settled_text(stands)) <= LONGEST and heads_daily(form)

    @kept_property
    def measured(self) -> bool:
        """Whether the page says when something was measured: a moment that moved with the clock."""
        moments = self._delta.moments
        if moments is None:
            return False
        own = (texts for change, texts, _ in touched_texts(self._delta) if self._kind.owns(change.block))
        pairs = (pair for texts in own for pair in texts if pair[0] and pair[1])
        return any(
            set_back(before, after, moments) != after and heads("measured", folded_words(after))
            for before, after in pairs
        )

    def counts_up(self, block: PageBlock, before: str, after: str) -> bool:
        """Whether the number of a row rose a little, as those of its neighbours did."""
        behind = number_behind(before, after)
        return bool(behind) and (block.path, behind) in self._counting_up

    @kept_property
    def _counting_up(self) -> frozenset[tuple[str, str]]:
        return counting_up(self._delta)

    def is_measured(self, block: PageBlock, before: str, after: str) -> bool:
        """Whether a page that says when something was measured shows it here: a reading with its unit, or a figure of
        many nearly all of which are others at this look.
        """
        if self._delta.moments is None:  # nothing tells what moved with the clock
            return False
        if is_reading(before, after):
            return self.measured
        return is_bare(after) and self.measured and (block.path, row_form(after)) in self._all_moving

    @kept_property
    def _all_moving(self) -> set[tuple[str, str]]:
        return {(rows.path, rows.form) for rows in rows_in_step(self._delta) if rows.all_move}

    def is_lone_voice(self, before: str, after: str) -> bool:
        """Whether a text is what somebody said, and another one took its place where the page quotes nobody else."""
        if not (is_voice(after or before) and is_voice(before or after)) or is_same_text(before, after):
            return False
        return self._lone_voices

    @kept_property
    def _lone_voices(self) -> bool:
        pages = self._delta.old, self._delta.new
        return all(sum(is_voice(text) for block in page.blocks for text in block.texts) == 1 for page in pages)
